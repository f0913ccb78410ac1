// SPDX-License-Identifier: Apache-2.0
// Kernels that fill and read the grids of two-dimensional transforms. Pointers are the device's; launches
// return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/cuda/pattern/device_columns.hpp"

namespace spyctrum::cuda {

/// grid[j·pitch + i] = 1 for the entries (i, j); other cells are not written.
cudaError_t launch_scatter_ones(const DeviceColumns& columns, float* grid, std::uint64_t pitch,
                                cudaStream_t stream);
/// rows[r, v] = plane[v, first_row + r], r < count, v < n; plane: n × height.
cudaError_t launch_transpose(const float2* plane, std::uint64_t height, std::uint64_t n,
                             std::uint64_t first_row, std::uint32_t count, float2* rows, cudaStream_t stream);

/// The m0×n0 blocks of b×b, in rows of `pitch` 4-byte cells.
struct BlockGrid {
  std::uint64_t m = 0, n = 0, block = 1;
  std::uint64_t m0 = 0, n0 = 0, pitch = 0;
};
/// counts[p, q] += 1 for every entry of block (p, q).
cudaError_t launch_count_blocks(const DeviceColumns& columns, const BlockGrid& grid, std::uint32_t* counts,
                                cudaStream_t stream);
/// In place: the count C of a block becomes γ·C/a in single precision, a the cells of the block (fewer than
/// b² at the edges).
cudaError_t launch_densities(std::uint32_t* counts, const BlockGrid& grid, double gamma, cudaStream_t stream);
/// Rows first_row … first_row+count−1 of the fftshifted plane (m0 × n0) from the half spectrum of a real
/// transform (m0 × (⌊n0/2⌋+1)).
cudaError_t launch_unfold_shifted(const float2* half, std::uint64_t m0, std::uint64_t n0,
                                  std::uint64_t first_row, std::uint32_t count, float2* plane,
                                  cudaStream_t stream);

}  // namespace spyctrum::cuda
