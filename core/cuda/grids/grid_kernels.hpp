// SPDX-License-Identifier: Apache-2.0
// Kernels that fill and read the grids of two-dimensional transforms. Pointers are the device's; launches
// return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/cuda/pattern/device_columns.hpp"

namespace spyctrum::cuda {

/// grid[j·pitch + i] = the weight of the entry (i, j), 1 without weights; other cells are not written.
cudaError_t launch_scatter_weights(const DeviceColumns& columns, float* grid, std::uint64_t pitch,
                                   cudaStream_t stream);
/// rows[r, v] = plane[v, first_row + r], r < count, v < n; plane: n × height.
cudaError_t launch_transpose(const float2* plane, std::uint64_t height, std::uint64_t n,
                             std::uint64_t first_row, std::uint32_t count, float2* rows, cudaStream_t stream);

/// The m0×n0 blocks of b×b, in rows of `pitch` cells.
struct BlockGrid {
  std::uint64_t m = 0, n = 0, block = 1;
  std::uint64_t m0 = 0, n0 = 0, pitch = 0;
};
/// sums[p, q] += 1 for every entry of block (p, q); of 64 bits: += its weight, by add_weight() (entries.cuh).
template <class Sum>
cudaError_t launch_sum_blocks(const DeviceColumns& columns, const BlockGrid& grid, Sum* sums,
                              cudaStream_t stream);
/// cells[p, q] = γ·C/a, C the sum of a block and a its number of cells (fewer than b² at the edges).
template <class Sum>
cudaError_t launch_densities(const Sum* sums, const BlockGrid& grid, double gamma, float* cells,
                             cudaStream_t stream);
/// Rows first_row … first_row+count−1 of the fftshifted plane (m0 × n0) from the half spectrum of a real
/// transform (m0 × (⌊n0/2⌋+1)).
cudaError_t launch_unfold_shifted(const float2* half, std::uint64_t m0, std::uint64_t n0,
                                  std::uint64_t first_row, std::uint32_t count, float2* plane,
                                  cudaStream_t stream);

}  // namespace spyctrum::cuda
