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

/// Adds to two neighbouring cells, the first at an even place.
__device__ void add_to_pair(float2* cells, float2 first, float2 second) {
#if __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float4*>(cells), make_float4(first.x, first.y, second.x, second.y));
#else
  add_to(cells, first);
  add_to(cells + 1, second);
#endif
}

struct Entry {
  std::uint64_t row_slot;
  std::uint64_t col_slot;
  float2 strength;
};

__device__ Entry entry_at(const DeviceColumns& columns, const std::uint32_t* slots, const DeviceAxis& rows,
                          const DeviceAxis& cols, std::uint64_t t) {
  Entry entry{};
  entry.col_slot = slots[t];
  entry.row_slot = columns.narrow ? static_cast<const std::uint16_t*>(columns.rows)[t]
                                  : static_cast<const std::uint32_t*>(columns.rows)[t];
  entry.strength = product(cols.phase[entry.col_slot], rows.phase[entry.row_slot]);
  return entry;
}

__device__ float2 scaled(float2 value, float factor) {
  return make_float2(value.x * factor, value.y * factor);
}

/// Eight threads for each entry, whatever its column: thread k adds the taps of column tap k, k+8, … at every
/// row tap, so that neighbouring threads add to neighbouring cells.
__global__ void spread(DeviceColumns columns, const std::uint32_t* __restrict__ slots, std::uint64_t entries,
                       DeviceAxis rows, DeviceAxis cols, float2* grid) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t t = thread / kGroup;
  if (t >= entries) return;
  const Entry entry = entry_at(columns, slots, rows, cols, t);
  for (std::uint32_t a = thread % kGroup; a < cols.taps; a += kGroup) {
    const float2 strength = scaled(entry.strength, cols.weights[entry.col_slot * cols.taps + a]);
    std::uint64_t col = cols.start[entry.col_slot] + a;
    if (col >= cols.fine) col -= cols.fine;
    for (std::uint32_t b = 0; b < rows.taps; ++b) {
      std::uint64_t row = rows.start[entry.row_slot] + b;
      if (row >= rows.fine) row -= rows.fine;
      add_to(grid + row * cols.fine + col, scaled(strength, rows.weights[entry.row_slot * rows.taps + b]));
    }
  }
}

/// The same with pairs of cells, half as many additions: the width of the grid is even, so that no pair is
/// cut by its edge, and the taps are at most fourteen.
__global__ void spread_pairs(DeviceColumns columns, const std::uint32_t* __restrict__ slots,
                             std::uint64_t entries, DeviceAxis rows, DeviceAxis cols, float2* grid) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t t = thread / kGroup;
  if (t >= entries) return;
  const Entry entry = entry_at(columns, slots, rows, cols, t);
  const std::uint32_t start = cols.start[entry.col_slot];
  const std::uint32_t odd = start % 2;
  const std::uint32_t second = 2 * static_cast<std::uint32_t>(thread % kGroup) + 1 - odd;  // tap of the pair
  if (second > cols.taps) return;
  const float* weights = cols.weights + entry.col_slot * cols.taps;
  // second 0: the pair begins one cell before the first tap.
  const float2 left = scaled(entry.strength, second != 0 ? weights[second - 1] : 0.0F);
  const float2 right = scaled(entry.strength, second < cols.taps ? weights[second] : 0.0F);
  std::uint64_t col = std::uint64_t{start} + second - 1;  // start is odd where second is 0, so 1 at least
  if (col >= cols.fine) col -= cols.fine;
  for (std::uint32_t b = 0; b < rows.taps; ++b) {
    std::uint64_t row = rows.start[entry.row_slot] + b;
    if (row >= rows.fine) row -= rows.fine;
    const float weight = rows.weights[entry.row_slot * rows.taps + b];
    add_to_pair(grid + row * cols.fine + col, scaled(left, weight), scaled(right, weight));
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
  if (cols.fine % 2 == 0 && cols.taps > 1 && cols.taps <= 2 * kGroup - 2)
    spread_pairs<<<blocks, kThreads, 0, stream>>>(columns, slots, entries, rows, cols, grid);
  else
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
