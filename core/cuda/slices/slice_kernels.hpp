// SPDX-License-Identifier: Apache-2.0
// Kernels of projection slices (mathematics: core/methods/fps_sft/fps_slices.hpp). Pointers are the device's;
// launches return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/device/interface/slices.hpp"

namespace spyctrum::cuda {

/// A SliceTask with its arrays on the device.
struct DeviceSlices {
  std::uint64_t rows = 1, cols = 1, length = 1;
  const std::int64_t* starts = nullptr;
  const std::uint32_t* row_indices = nullptr;
  const float* weights = nullptr;
  const SliceLine* lines = nullptr;  ///< [count]
  std::uint32_t count = 0;
};

/// out[line, slice, l] = A[(α0·l + τ0) mod m, (α1·l + τ1) mod n]/L; slices 1 and 2 have τ0 + 1 and τ1 + 1.
cudaError_t launch_sample_lines(const DeviceSlices& slices, float2* out, cudaStream_t stream);
/// sums[line, slice, bin] += the known coefficients of that bin; real and imaginary parts in units of 2^−46.
cudaError_t launch_sum_known(const DeviceSlices& slices, const SliceKnown& known, std::int64_t* sums,
                             cudaStream_t stream);
/// bins[k] -= sums[k].
cudaError_t launch_subtract(const std::int64_t* sums, std::uint64_t count, float2* bins, cudaStream_t stream);

}  // namespace spyctrum::cuda
