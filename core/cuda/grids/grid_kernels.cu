// SPDX-License-Identifier: Apache-2.0
// Grids are filled from the entries of a pattern; rows are read from the half spectrum of a real transform.
#include <algorithm>

#include "core/cuda/grids/grid_kernels.hpp"
#include "core/cuda/pattern/entries.cuh"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kSide = 32;      // of a transposed square
constexpr unsigned kMostY = 65535;  // blocks along y that a launch allows

__global__ void scatter_weights(DeviceColumns columns, float* grid, std::uint64_t pitch) {
  for_each_entry(columns, 0, columns.active, [&](std::uint32_t i, std::uint64_t slot, float weight) {
    grid[columns.ids[slot] * pitch + i] = weight;
  });
}

__device__ void add_entry(std::uint32_t* count, float /*weight*/) { atomicAdd(count, 1U); }
__device__ void add_entry(unsigned long long* sum, float weight) { add_weight(sum, weight); }
__device__ double sum_of(std::uint32_t count) { return count; }
__device__ double sum_of(unsigned long long sum) { return weight_sum(sum); }

template <class Sum>
__global__ void sum_blocks(DeviceColumns columns, BlockGrid grid, Sum* sums) {
  for_each_entry(columns, 0, columns.active, [&](std::uint32_t i, std::uint64_t slot, float weight) {
    add_entry(&sums[i / grid.block * grid.pitch + columns.ids[slot] / grid.block], weight);
  });
}

/// `cells` may be `sums`: a thread writes the cell that it read.
template <class Sum>
__global__ void densities(const Sum* sums, BlockGrid grid, double gamma, float* cells) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= grid.n0) return;
  const std::uint64_t width = min(grid.block, grid.n - q * grid.block);
  for (std::uint64_t p = blockIdx.y; p < grid.m0; p += gridDim.y) {
    const std::uint64_t height = min(grid.block, grid.m - p * grid.block);
    const std::uint64_t cell = p * grid.pitch + q;
    const double area = static_cast<double>(height) * static_cast<double>(width);
    cells[cell] = static_cast<float>(gamma * sum_of(sums[cell]) / area);
  }
}

__global__ void transpose(const float2* plane, std::uint64_t height, std::uint64_t n, std::uint64_t first_row,
                          std::uint32_t count, float2* rows) {
  __shared__ float2 square[kSide][kSide + 1];
  const std::uint64_t v0 = std::uint64_t{blockIdx.x} * kSide;
  const std::uint32_t r0 = blockIdx.y * kSide;
  for (unsigned k = threadIdx.y; k < kSide; k += blockDim.y) {
    const std::uint64_t v = v0 + k;
    const std::uint32_t r = r0 + threadIdx.x;
    if (v < n && r < count) square[k][threadIdx.x] = plane[v * height + first_row + r];
  }
  __syncthreads();
  for (unsigned k = threadIdx.y; k < kSide; k += blockDim.y) {
    const std::uint32_t r = r0 + k;
    const std::uint64_t v = v0 + threadIdx.x;
    if (v < n && r < count) rows[r * n + v] = square[threadIdx.x][k];
  }
}

__global__ void unfold_shifted(const float2* half, std::uint64_t m0, std::uint64_t n0,
                               std::uint64_t first_row, float2* plane) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= n0) return;
  const std::uint64_t width = n0 / 2 + 1;
  // Position k of the shifted plane is frequency k − ⌊size/2⌋.
  const std::uint64_t u = (first_row + blockIdx.y + m0 - m0 / 2) % m0;
  const std::uint64_t v = (q + n0 - n0 / 2) % n0;
  const float2 value =
      v < width ? half[u * width + v] : conjugate(half[(u == 0 ? 0 : m0 - u) * width + (n0 - v)]);
  plane[blockIdx.y * n0 + q] = value;
}

}  // namespace

cudaError_t launch_scatter_weights(const DeviceColumns& columns, float* grid, std::uint64_t pitch,
                                   cudaStream_t stream) {
  if (columns.active == 0) return cudaSuccess;
  return launch(scatter_weights, entry_blocks(columns.active), kEntryThreads, stream, columns, grid, pitch);
}

cudaError_t launch_transpose(const float2* plane, std::uint64_t height, std::uint64_t n,
                             std::uint64_t first_row, std::uint32_t count, float2* rows,
                             cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((n + kSide - 1) / kSide), (count + kSide - 1) / kSide);
  return launch(transpose, grid, dim3(kSide, 8), stream, plane, height, n, first_row, count, rows);
}

template <class Sum>
cudaError_t launch_sum_blocks(const DeviceColumns& columns, const BlockGrid& grid, Sum* sums,
                              cudaStream_t stream) {
  if (columns.active == 0) return cudaSuccess;
  return launch(sum_blocks<Sum>, entry_blocks(columns.active), kEntryThreads, stream, columns, grid, sums);
}
template cudaError_t launch_sum_blocks(const DeviceColumns&, const BlockGrid&, std::uint32_t*, cudaStream_t);
template cudaError_t launch_sum_blocks(const DeviceColumns&, const BlockGrid&, unsigned long long*,
                                       cudaStream_t);

template <class Sum>
cudaError_t launch_densities(const Sum* sums, const BlockGrid& grid, double gamma, float* cells,
                             cudaStream_t stream) {
  const auto y = static_cast<unsigned>(std::min<std::uint64_t>(grid.m0, kMostY));
  return launch(densities<Sum>, dim3(blocks_for(grid.n0), y), kThreads, stream, sums, grid, gamma, cells);
}
template cudaError_t launch_densities(const std::uint32_t*, const BlockGrid&, double, float*, cudaStream_t);
template cudaError_t launch_densities(const unsigned long long*, const BlockGrid&, double, float*,
                                      cudaStream_t);

cudaError_t launch_unfold_shifted(const float2* half, std::uint64_t m0, std::uint64_t n0,
                                  std::uint64_t first_row, std::uint32_t count, float2* plane,
                                  cudaStream_t stream) {
  return launch(unfold_shifted, dim3(blocks_for(n0), count), kThreads, stream, half, m0, n0, first_row,
                plane);
}

}  // namespace spyctrum::cuda
