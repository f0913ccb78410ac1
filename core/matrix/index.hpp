// SPDX-License-Identifier: Apache-2.0
// The type of row and column indices: 32 bits, so that a side may be 2^32 − 1.
#pragma once

#include <cstdint>
#include <limits>

namespace spyctrum {

/// A row or column, from 0.
using Index = std::uint32_t;
/// Most rows, and most columns, of a pattern.
inline constexpr std::uint64_t kLargestSide = std::numeric_limits<Index>::max();

}  // namespace spyctrum
