// SPDX-License-Identifier: Apache-2.0
// Where the L cells of a row of the folded matrix are in shared memory.
#pragma once

#include <cstdint>

#include "core/cuda/cosets/coset_kernels.hpp"

namespace spyctrum::cuda {

/// Cell x·b·c + k, k < b·c, of a line is at x·run_pitch + k; the next line begins `pitch` cells further.
/// Threads of one pass then use different banks: those of neighbouring x, since run_pitch is odd, and those
/// of neighbouring lines, since the pitch is 4 modulo 16. Values that are to be resampled are contiguous,
/// after kValuesBefore copies of the last ones.
struct CosetCells {
  std::uint32_t count = 0;  ///< L
  std::uint32_t run = 0;    ///< b·c
  std::uint32_t run_pitch = 0;
  std::uint32_t pitch = 0;
  bool is_resampled = false;
  constexpr CosetCells(const CosetLength& length, std::uint32_t cells)
      : count(cells),
        run(length.b * length.c),
        run_pitch(run | 1U),
        pitch((length.a * run_pitch + 11) / 16 * 16 + 4),
        is_resampled(length.is_resampled) {}
  /// The place of cell (x, y) of the folded matrix in the block that folds its row: the only row of a block,
  /// or one of kFoldedRows.
  [[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint32_t place(std::uint32_t x, std::uint32_t y) const {
    return is_resampled ? kValuesBefore + y : x % kFoldedRows * pitch + y / run * run_pitch + y % run;
  }
};

}  // namespace spyctrum::cuda
