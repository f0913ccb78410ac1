// SPDX-License-Identifier: Apache-2.0
// The conventions of the features as text, for help: which class a coefficient on an edge belongs to, and
// where the samples of each method stand. README.md has the same with reasons.
#pragma once

namespace spyctrum {

/// Lines of text, each ended by a line break but the last.
[[nodiscard]] const char* feature_conventions();

}  // namespace spyctrum
