// SPDX-License-Identifier: Apache-2.0
// Real two-dimensional transforms of a whole grid on a device: the dense baseline and Density Map.
#pragma once

#include <cstdint>

#include "core/device/interface/host.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum::cuda {

/// Rows u = 0 … ⌊m/2⌋ of n coefficients, by a real two-dimensional cuFFT of the dense grid of weights (ones
/// and zeros without weights). Takes 8·n·(⌊m/2⌋+1) bytes and cuFFT's work area. Without receiver and
/// reductions the result is freed on the device.
struct DenseTask {
  static constexpr const char* kName = "dense";
  PatternView pattern;
  RowReceiver* receiver = nullptr;
  const Reductions* reductions = nullptr;
};

/// Algorithm 3 of the paper (Density Map): ⌈m/b⌉×⌈n/b⌉ coefficients in fftshifted order.
struct DensityMapTask {
  static constexpr const char* kName = "density map";
  PatternView pattern;
  std::uint64_t block = 1;                 ///< b
  RowReceiver* receiver = nullptr;         ///< null: values are not copied to the host
  const Reductions* reductions = nullptr;  ///< of the coefficients; null: none
};

}  // namespace spyctrum::cuda
