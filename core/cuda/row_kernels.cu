// SPDX-License-Identifier: Apache-2.0
// What happens to a row between its inner sums and its place in the output: the products of Bluestein's
// algorithm, the resampling onto a smooth length, corrections, halves and their mirror images.
#include "core/cuda/phase.cuh"
#include "core/cuda/row_kernels.hpp"

namespace spyctrum::cuda {

namespace {

__device__ float2 chirped(float2 value, const float2* chirp, std::uint64_t at) {
  return chirp != nullptr ? product(value, chirp[at]) : value;
}

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

constexpr std::uint32_t kSharedRows = 16;  // that share what a thread knows of a cell or frequency

/// One thread for each cell of kSharedRows rows.
template <int kTaps>
__global__ void resample(const float2* __restrict__ rows, Resampling to, std::uint32_t count,
                         float2* __restrict__ fine) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= to.fine) return;
  float weights[kTaps];
  std::uint32_t columns[kTaps];
  const std::uint64_t first = to.first[k];
#pragma unroll
  for (int t = 0; t < kTaps; ++t) {
    weights[t] = t < to.taps ? to.weights[t * to.fine + k] : 0.0F;
    columns[t] = static_cast<std::uint32_t>(t < to.taps ? (first + t) % to.n : first);
  }
  const std::uint32_t begin = blockIdx.y * kSharedRows;
  const std::uint32_t end = min(begin + kSharedRows, count);
#pragma unroll 2
  for (std::uint32_t r = begin; r < end; ++r) {
    const float2* row = rows + r * to.stride;
    float2 sum = make_float2(0.0F, 0.0F);
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      const float2 value = __ldg(row + columns[t]);
      sum.x = fmaf(weights[t], value.x, sum.x);
      sum.y = fmaf(weights[t], value.y, sum.y);
    }
    fine[r * to.fine + k] = sum;
  }
}

__device__ float2 leaving(const TileView& tile, std::uint64_t row, std::uint64_t v) {
  if (tile.correction != nullptr) {
    std::uint64_t cell = tile.first_cell + v;
    if (cell >= tile.length) cell -= tile.length;
    const float2 value = tile.values[row * tile.stride + cell];
    return make_float2(value.x * tile.correction[v], value.y * tile.correction[v]);
  }
  return chirped(tile.values[row * tile.stride + v], tile.chirp, v);
}

__global__ void store_half(TileView tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                           float2* half) {
  const std::uint64_t q = n / 2 + 1;
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= q) return;
  const std::uint64_t u = first_row + blockIdx.y;
  half[u * q + v] = leaving(tile, blockIdx.y, v);
  half[(u == 0 ? 0 : m - u) * q + v] = conjugate(leaving(tile, blockIdx.y, v == 0 ? 0 : n - v));
}

__global__ void unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                            float2* rows) {
  const std::uint64_t q = n / 2 + 1;
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const std::uint64_t u = first_row + blockIdx.y;
  const std::uint64_t mirror = u == 0 ? 0 : m - u;
  rows[blockIdx.y * n + v] = v < q ? half[u * q + v] : conjugate(half[mirror * q + (n - v)]);
}

__global__ void gather(TileView tile, const std::uint32_t* columns, std::uint64_t width, float2* output) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= width) return;
  const std::uint64_t v = columns != nullptr ? columns[q] : q;
  const std::uint32_t begin = blockIdx.y * kSharedRows;
  const std::uint32_t end = min(begin + kSharedRows, tile.count);
  for (std::uint32_t r = begin; r < end; ++r) output[r * width + q] = leaving(tile, r, v);
}

constexpr unsigned kThreads = 256;

unsigned blocks_for(std::uint64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

unsigned shares_of(std::uint32_t rows) { return (rows + kSharedRows - 1) / kSharedRows; }

}  // namespace

cudaError_t launch_multiply_rows(float2* values, std::uint32_t count, std::uint64_t length,
                                 const float2* factors, cudaStream_t stream) {
  multiply_rows<<<dim3(blocks_for(length), count), kThreads, 0, stream>>>(values, length, factors);
  return cudaGetLastError();
}

cudaError_t launch_resample(const float2* rows, const Resampling& to, std::uint32_t count, float2* fine,
                            cudaStream_t stream) {
  const dim3 grid(blocks_for(to.fine), shares_of(count));
  switch (to.taps) {
    case 6:
      resample<6><<<grid, kThreads, 0, stream>>>(rows, to, count, fine);
      break;
    case 7:
      resample<7><<<grid, kThreads, 0, stream>>>(rows, to, count, fine);
      break;
    case 5:
      resample<5><<<grid, kThreads, 0, stream>>>(rows, to, count, fine);
      break;
    default:
      resample<kMostTaps><<<grid, kThreads, 0, stream>>>(rows, to, count, fine);
  }
  return cudaGetLastError();
}

cudaError_t launch_narrow(const double2* from, float2* to, std::uint64_t count, double factor,
                          cudaStream_t stream) {
  narrow<<<blocks_for(count), kThreads, 0, stream>>>(from, to, count, factor);
  return cudaGetLastError();
}

cudaError_t launch_store_half(const TileView& tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                              float2* half, cudaStream_t stream) {
  store_half<<<dim3(blocks_for(n / 2 + 1), tile.count), kThreads, 0, stream>>>(tile, first_row, m, n, half);
  return cudaGetLastError();
}

cudaError_t launch_unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                               std::uint32_t count, float2* rows, cudaStream_t stream) {
  unfold_half<<<dim3(blocks_for(n), count), kThreads, 0, stream>>>(half, m, n, first_row, rows);
  return cudaGetLastError();
}

cudaError_t launch_gather(const TileView& tile, const std::uint32_t* columns, std::uint64_t width,
                          float2* output, cudaStream_t stream) {
  gather<<<dim3(blocks_for(width), shares_of(tile.count)), kThreads, 0, stream>>>(tile, columns, width,
                                                                                  output);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
