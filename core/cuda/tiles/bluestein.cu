// SPDX-License-Identifier: Apache-2.0
// Kernels of Bluestein's algorithm: products with the chirp e^{−πi·j²/n} and with the filter's FFT.
#include "core/cuda/tiles/bluestein.hpp"

#include "core/cuda/pattern/phase.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kThreads = 256;

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

unsigned blocks_for(std::uint64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

}  // namespace

cudaError_t launch_multiply_rows(float2* values, std::uint32_t count, std::uint64_t length,
                                 const float2* factors, cudaStream_t stream) {
  multiply_rows<<<dim3(blocks_for(length), count), kThreads, 0, stream>>>(values, length, factors);
  return cudaGetLastError();
}

cudaError_t launch_narrow(const double2* from, float2* to, std::uint64_t count, double factor,
                          cudaStream_t stream) {
  narrow<<<blocks_for(count), kThreads, 0, stream>>>(from, to, count, factor);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
