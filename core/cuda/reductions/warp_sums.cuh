// SPDX-License-Identifier: Apache-2.0
// Sums over the lanes of a warp, and the logarithm of a power.
#pragma once

#include <cuda_runtime_api.h>

namespace spyctrum::cuda {

inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;
inline constexpr unsigned kWarps = 8;  ///< of a thread block that sums

/// log2 of a normal number.
__device__ inline float log2_of(float power) {
  float result = 0;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(power));
  return result;
}

/// Σ of the lanes' values, in a fixed order; valid in lane 0. Called by all lanes.
__device__ inline double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(kAllLanes, value, offset);
  return value;
}

}  // namespace spyctrum::cuda
