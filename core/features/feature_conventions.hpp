// SPDX-License-Identifier: Apache-2.0
// The conventions of the features as text, for help: the class of coefficients on an edge, and the positions
// of each method's samples. README.md gives them with reasons.
#pragma once

namespace spyctrum {

/// Lines of text; the last one has no line break.
[[nodiscard]] const char* feature_conventions();

}  // namespace spyctrum
