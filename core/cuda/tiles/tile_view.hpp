// SPDX-License-Identifier: Apache-2.0
// A tile in device memory: T rows of the plane that were transformed together.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace spyctrum::cuda {

/// Row r has the coefficient F[u_r, v] = values[r·stride + place(v)]·factor(v) for v = 0 … n−1, where
/// - by default place(v) = v and factor(v) = 1;
/// - with `chirp` (Bluestein) factor(v) = chirp[v], of magnitude 1;
/// - with `correction` (a resampled row) factor(v) = correction[v], and negative frequencies, v ≥
///   first_negative, lie at place(v) = v + shift.
/// Functions for kernels: tile_view.cuh.
struct TileView {
  const float2* values = nullptr;
  std::uint64_t stride = 0;  ///< values from one row to the next
  std::uint32_t count = 0;   ///< rows
  const float2* chirp = nullptr;
  const float* correction = nullptr;
  std::uint64_t first_negative = 0;  ///< ⌈n/2⌉
  std::uint64_t shift = 0;           ///< L − n, modulo 2^64; L: length of the transform
};

}  // namespace spyctrum::cuda
