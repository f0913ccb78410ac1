// SPDX-License-Identifier: Apache-2.0
// How many rows of a tile one thread takes.
#pragma once

#include <cstdint>

namespace spyctrum::cuda {

/// Rows that a block takes, where `wide` blocks lie side by side: `most`, or fewer where there would be too
/// few blocks to keep a device busy.
inline std::uint32_t share_of(std::uint32_t rows, unsigned wide, std::uint32_t most) {
  constexpr std::uint64_t kBusyBlocks = 2048;
  while (most > 4 && (rows + most - 1) / most * std::uint64_t{wide} < kBusyBlocks) most /= 2;
  return most;
}
/// Blocks down a tile of `rows` rows of which each takes `share`.
inline unsigned shares(std::uint32_t rows, std::uint32_t share) { return (rows + share - 1) / share; }

}  // namespace spyctrum::cuda
