// SPDX-License-Identifier: Apache-2.0
// Durations in messages.
#pragma once

#include <string>

namespace spyctrum {

/// "400 ns", "3.1 µs", "41 ms", "3.5 s", "2 min 05 s", "3 h 20 min"; "n/a" if the number is not finite.
[[nodiscard]] std::string seconds_text(double seconds);

}  // namespace spyctrum
