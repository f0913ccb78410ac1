// SPDX-License-Identifier: Apache-2.0
// A limit for the result of each method, used instead of a block size. Stored in sessions.
#pragma once

#include <array>

namespace spyctrum {

struct Budget {
  enum class Kind { none, bytes, seconds };
  Kind kind = Kind::none;
  double amount = 0;  ///< bytes of host memory by the forecast, or seconds expected by the advisor
  friend bool operator==(const Budget&, const Budget&) = default;
};
/// The names in files, in the order of the enumerators.
inline constexpr std::array<const char*, 3> kBudgets{"none", "bytes", "seconds"};

}  // namespace spyctrum
