// SPDX-License-Identifier: Apache-2.0
// Kernels of Bluestein's algorithm: products with the chirp e^{−πi·j²/n} and with the filter's FFT.
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/bluestein.hpp"

#include "core/cuda/pattern/phase.cuh"

namespace spyctrum::cuda {

namespace {

__global__ void multiply_rows(float2* values, std::uint64_t length, const float2* __restrict__ factors) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= length) return;
  float2& value = values[blockIdx.y * length + k];
  value = product(value, factors[k]);
}

__global__ void narrow(const double2* from, float2* to, std::uint64_t count, double factor) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count)
    to[k] = make_float2(static_cast<float>(from[k].x * factor), static_cast<float>(from[k].y * factor));
}

}  // namespace

cudaError_t launch_multiply_rows(float2* values, std::uint32_t count, std::uint64_t length,
                                 const float2* factors, cudaStream_t stream) {
  return launch(multiply_rows, dim3(blocks_for(length), count), kThreads, stream, values, length, factors);
}

cudaError_t launch_narrow(const double2* from, float2* to, std::uint64_t count, double factor,
                          cudaStream_t stream) {
  return launch_threads(narrow, count, stream, from, to, count, factor);
}

}  // namespace spyctrum::cuda
