// SPDX-License-Identifier: Apache-2.0
// Products of Bluestein's algorithm (L. I. Bluestein 1970): a DFT of n values as a cyclic convolution of
// length L ≥ 2n−1 with the chirp e^{πi j²/n}. Pointers are the device's; launches return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace spyctrum::cuda {

/// values[r, k] *= factors[k], k < length.
cudaError_t launch_multiply_rows(float2* values, std::uint32_t count, std::uint64_t length,
                                 const float2* factors, cudaStream_t stream);
/// to[k] = factor·from[k], rounded to single precision.
cudaError_t launch_narrow(const double2* from, float2* to, std::uint64_t count, double factor,
                          cudaStream_t stream);

}  // namespace spyctrum::cuda
