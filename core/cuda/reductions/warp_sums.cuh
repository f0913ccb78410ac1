// SPDX-License-Identifier: Apache-2.0
// Sums over the lanes of a warp.
#pragma once

#include <cuda_runtime_api.h>

namespace spyctrum::cuda {

inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;

/// Σ of the lanes' values, in a fixed order; valid in lane 0. Called by all lanes.
__device__ inline double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(kAllLanes, value, offset);
  return value;
}

}  // namespace spyctrum::cuda
