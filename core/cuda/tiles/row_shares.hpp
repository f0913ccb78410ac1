// SPDX-License-Identifier: Apache-2.0
// How many rows of a tile one thread computes.
#pragma once

#include <cstdint>

namespace spyctrum::cuda {

/// Rows per thread block if `wide` blocks cover a row: `most`, or fewer if there would be too few blocks to
/// keep a device busy.
inline std::uint32_t share_of(std::uint32_t rows, unsigned wide, std::uint32_t most) {
  constexpr std::uint64_t kBusyBlocks = 2048;
  while (most > 4 && (rows + most - 1) / most * std::uint64_t{wide} < kBusyBlocks) most /= 2;
  return most;
}
/// Number of thread blocks of `share` rows for `rows` rows.
inline unsigned shares(std::uint32_t rows, std::uint32_t share) { return (rows + share - 1) / share; }

}  // namespace spyctrum::cuda
