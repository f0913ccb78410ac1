// SPDX-License-Identifier: Apache-2.0
// Where the cells of a line are in shared memory, and onto which cells an entry is spread.
#pragma once

#include <cstdint>

#include "core/cuda/cosets/coset_kernels.hpp"

namespace spyctrum::cuda {

/// Cell x·b·c + k, k < b·c, of a line is at x·run_pitch + k; the next line begins `pitch` cells further.
/// Threads of one pass then use different banks: those of neighbouring x, since run_pitch is odd, and those
/// of neighbouring lines, since the pitch is 4 modulo 16. Values that are to be resampled are contiguous,
/// after kValuesBefore copies of the last ones.
struct CosetCells {
  std::uint32_t count = 0;        ///< L
  std::uint32_t transformed = 0;  ///< N
  std::uint32_t run = 0;          ///< b·c
  std::uint32_t run_pitch = 0;
  std::uint32_t pitch = 0;
  CosetCellsFrom from = CosetCellsFrom::folded;
  constexpr CosetCells(const CosetLength& length, std::uint32_t cells)
      : count(cells),
        transformed(length.transformed()),
        run(length.b * length.c),
        run_pitch(length.run_pitch()),
        pitch(length.pitch()),
        from(length.from) {}
  /// The place of cell (x, y) of the folded matrix in the block that folds its row: the only row of a block,
  /// or one of kFoldedRows.
  [[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint32_t place(std::uint32_t x, std::uint32_t y) const {
    if (from == CosetCellsFrom::resampled) return kValuesBefore + y;
    return x % kFoldedRows * pitch + y / run * run_pitch + y % run;
  }
};

/// Where the point N·step·fraction (modulo N) is spread on an axis of N cells.
struct SpreadPosition {
  std::uint32_t first;  ///< of `taps` cells, an odd number, modulo N
  float away;           ///< of the middle one from the point, −½ … ½
  __device__ SpreadPosition(std::uint64_t fraction, std::uint32_t step, std::uint32_t cells,
                            std::uint32_t taps = kSpreadTaps) {
    const std::uint64_t turn = step * fraction;  // modulo 1, in units of 2^−64
    const std::uint64_t point = (turn >> 32U) * cells + __umulhi(static_cast<std::uint32_t>(turn), cells);
    const auto nearest = static_cast<std::uint32_t>((point + 0x80000000U) >> 32U);
    away = -static_cast<float>(static_cast<std::int32_t>(static_cast<std::uint32_t>(point))) *
           2.3283064365386963e-10F;  // 2^−32
    first = nearest < taps / 2 ? nearest + cells - taps / 2 : nearest - taps / 2;
    if (taps == 1 && first == cells) first = 0;  // a point just below cell N, which is cell 0
  }
};

}  // namespace spyctrum::cuda
