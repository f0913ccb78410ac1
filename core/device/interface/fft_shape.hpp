// SPDX-License-Identifier: Apache-2.0
// The shape of a cuFFT transform, which determines the bytes of its work area.
#pragma once

#include <cstdint>

namespace spyctrum::cuda {

/// A cuFFT transform in single precision: `batch` arrays of rows × length (rows = 1: one dimension). Real
/// transforms are in place, with lines padded to 2(⌊length/2⌋+1) floats.
struct FftShape {
  bool real = false;
  std::uint64_t rows = 1;
  std::uint64_t length = 1;
  std::uint64_t stride = 1;  ///< from one transform of a batch to the next
  std::uint64_t batch = 1;
};

}  // namespace spyctrum::cuda
