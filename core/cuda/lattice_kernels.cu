// SPDX-License-Identifier: Apache-2.0
// Spreading by atomic additions in the order in which the device happens to work, and the cut to the outputs.
#include "core/cuda/lattice_kernels.hpp"
#include "core/cuda/phase.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint32_t kGroup = 8;  // threads that share an entry: one a column tap

__global__ void column_slots(DeviceColumns columns, std::uint32_t* slots) {
  const std::uint64_t slot = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (slot >= columns.active) return;
  const std::int64_t end = columns.starts[slot + 1];
  for (std::int64_t t = columns.starts[slot] + threadIdx.x % 32; t < end; t += 32)
    slots[t] = static_cast<std::uint32_t>(slot);
}

__device__ void add_to(float2* cell, float2 value) {
#if __CUDA_ARCH__ >= 900
  atomicAdd(cell, value);
#else
  atomicAdd(&cell->x, value.x);
  atomicAdd(&cell->y, value.y);
#endif
}

/// Eight threads for each entry, whatever its column: thread k adds the taps of column tap k, k+8, … at every
/// row tap, so that neighbouring threads add to neighbouring cells.
__global__ void spread(DeviceColumns columns, const std::uint32_t* __restrict__ slots, std::uint64_t entries,
                       DeviceAxis rows, DeviceAxis cols, float2* grid) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t t = thread / kGroup;
  if (t >= entries) return;
  const std::uint64_t slot = slots[t];
  const std::uint64_t row_slot = columns.narrow ? static_cast<const std::uint16_t*>(columns.rows)[t]
                                                : static_cast<const std::uint32_t*>(columns.rows)[t];
  const float2 strength = product(cols.phase[slot], rows.phase[row_slot]);
  for (std::uint32_t a = thread % kGroup; a < cols.taps; a += kGroup) {
    const float column_weight = cols.weights[slot * cols.taps + a];
    std::uint64_t col = cols.start[slot] + a;
    if (col >= cols.fine) col -= cols.fine;
    for (std::uint32_t b = 0; b < rows.taps; ++b) {
      const float weight = column_weight * rows.weights[row_slot * rows.taps + b];
      std::uint64_t row = rows.start[row_slot] + b;
      if (row >= rows.fine) row -= rows.fine;
      add_to(grid + row * cols.fine + col, make_float2(weight * strength.x, weight * strength.y));
    }
  }
}

__global__ void extract(const float2* grid, DeviceAxis rows, DeviceAxis cols, std::uint64_t first_row,
                        float2* output) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= cols.count) return;
  const std::uint64_t p = (first_row + blockIdx.y) % rows.kept;
  const std::uint64_t kept_q = q % cols.kept;
  const std::uint64_t row = (rows.first_cell + p) % rows.fine;
  const std::uint64_t col = (cols.first_cell + kept_q) % cols.fine;
  const float correction = rows.correction[p] * cols.correction[kept_q];
  const float2 value = grid[row * cols.fine + col];
  output[blockIdx.y * cols.count + q] = make_float2(value.x * correction, value.y * correction);
}

}  // namespace

cudaError_t launch_column_slots(const DeviceColumns& columns, std::uint32_t* slots, cudaStream_t stream) {
  if (columns.active == 0) return cudaSuccess;
  const auto blocks = static_cast<unsigned>((std::uint64_t{columns.active} * 32 + kThreads - 1) / kThreads);
  column_slots<<<blocks, kThreads, 0, stream>>>(columns, slots);
  return cudaGetLastError();
}

cudaError_t launch_spread(const DeviceColumns& columns, const std::uint32_t* slots, std::uint64_t entries,
                          const DeviceAxis& rows, const DeviceAxis& cols, float2* grid, cudaStream_t stream) {
  if (entries == 0) return cudaSuccess;
  const auto blocks = static_cast<unsigned>((entries * kGroup + kThreads - 1) / kThreads);
  spread<<<blocks, kThreads, 0, stream>>>(columns, slots, entries, rows, cols, grid);
  return cudaGetLastError();
}

cudaError_t launch_extract(const float2* grid, const DeviceAxis& rows, const DeviceAxis& cols,
                           std::uint64_t first_row, std::uint32_t count, float2* output,
                           cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((cols.count + kThreads - 1) / kThreads);
  extract<<<dim3(blocks, count), kThreads, 0, stream>>>(grid, rows, cols, first_row, output);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
