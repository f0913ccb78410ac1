// SPDX-License-Identifier: Apache-2.0
// Where the L cells of a row of the folded matrix are in shared memory.
#pragma once

#include <cstdint>

#include "core/device/interface/cosets.hpp"

namespace spyctrum::cuda {

/// Cell x·b·c + k, k < b·c, is at x·run_pitch + k; the next row begins `pitch` cells further. Threads of one
/// pass then use different banks: those of neighbouring x, since run_pitch is odd, and those of neighbouring
/// rows, since the pitch is 4 modulo 16.
struct CosetCells {
  std::uint32_t count = 0;  ///< L
  std::uint32_t run = 0;    ///< b·c
  std::uint32_t run_pitch = 0;
  std::uint32_t pitch = 0;
  constexpr explicit CosetCells(const CosetLength& length)
      : count(length.cells()),
        run(length.b * length.c),
        run_pitch(run | 1U),
        pitch((length.a * run_pitch + 11) / 16 * 16 + 4) {}
  [[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint32_t place(std::uint32_t cell) const {
    return cell / run * run_pitch + cell % run;
  }
};

}  // namespace spyctrum::cuda
