// SPDX-License-Identifier: Apache-2.0
// Sorts the entries of a matrix by their rows modulo L, or by the first row of cells onto which they are
// spread: they are counted, counts are added up, and each entry takes the next place of its row. Threads take
// places in any order, which changes no result, since cells are sums of integers.
#include "core/cuda/cosets/block_entries.cuh"
#include "core/cuda/cosets/coset_cells.cuh"
#include "core/cuda/cosets/coset_kernels.hpp"
#include "core/cuda/pattern/entries.cuh"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

/// Raises `largest` to the largest `number` of a warp. Called by all lanes.
__device__ void raise_to_largest(std::uint32_t& largest, std::uint32_t number) {
  for (unsigned apart = 16; apart > 0; apart /= 2)
    number = max(number, __shfl_xor_sync(0xFFFFFFFFU, number, apart));
  if (threadIdx.x % 32 == 0 && number > largest) atomicMax(&largest, number);
}

/// The row by which an entry is sorted.
struct OrderedRows {
  CosetCells cells;
  std::uint32_t step;  ///< s
  __device__ std::uint32_t of(std::uint32_t row, std::uint64_t fraction) const {
    if (cells.from != CosetCellsFrom::spread) return row % cells.count;
    return SpreadPosition(fraction, step, cells.transformed).first;
  }
};

__global__ void count_rows(DeviceColumns columns, OrderedRows rows, std::uint32_t* counts) {
  for_each_entry(columns, 0, columns.active,
                 [&](std::uint32_t row, std::uint64_t /*slot*/, float /*weight*/) {
                   atomicAdd(counts + rows.of(row, fraction_of(row, columns.m, columns.reciprocal)), 1U);
                 });
}

constexpr unsigned kScanThreads = 1024;

/// launch_add_counts(). One block.
__global__ void add_counts(std::uint32_t cells, std::uint32_t* counts, std::uint32_t* begin) {
  __shared__ std::uint32_t sums[kScanThreads];
  const unsigned thread = threadIdx.x;
  const std::uint32_t share = (cells + kScanThreads - 1) / kScanThreads;
  const std::uint32_t first = min(thread * share, cells);
  const std::uint32_t end = min(first + share, cells);
  std::uint32_t sum = 0;
  for (std::uint32_t k = first; k < end; ++k) sum += counts[k];
  sums[thread] = sum;
  for (unsigned step = 1; step < kScanThreads; step *= 2) {
    __syncthreads();
    const std::uint32_t before = thread >= step ? sums[thread - step] : 0;
    __syncthreads();
    sums[thread] += before;
  }
  std::uint32_t place = sums[thread] - sum;
  for (std::uint32_t k = first; k < end; ++k) {
    begin[k] = place;
    place += counts[k];
    counts[k] = begin[k];
  }
  if (thread + 1 == kScanThreads)
    for (std::uint64_t k = cells; k < row_begins(cells); ++k) begin[k] = place;
}

__global__ void place_entries(DeviceColumns columns, std::uint64_t col_reciprocal, OrderedRows rows,
                              CosetEntry* entries, std::uint32_t* cursors, CellBound* bound) {
  std::uint32_t largest = 0;
  for_each_entry(columns, 0, columns.active, [&](std::uint32_t row, std::uint64_t slot, float weight) {
    const std::uint32_t col = columns.ids[slot];
    CosetEntry entry;
    entry.row_fraction = fraction_of(row, columns.m, columns.reciprocal);
    entry.col_fraction = fraction_of(col, columns.n, col_reciprocal);
    entry.place = rows.cells.place(row % rows.cells.count, col % rows.cells.count);
    entry.weight = weight;
    entries[atomicAdd(cursors + rows.of(row, entry.row_fraction), 1U)] = entry;
    largest = max(largest, __float_as_uint(fabsf(weight)));
  });
  raise_to_largest(bound->weight, largest);
}

extern __shared__ std::uint32_t cell_counts[];

/// A block for each row of the folded matrix.
__global__ void bound_cells(const CosetEntry* entries, const std::uint32_t* begin, CosetCells cells,
                            CellBound* bound) {
  for (std::uint32_t k = threadIdx.x; k < cells.pitch; k += blockDim.x) cell_counts[k] = 0;
  __syncthreads();
  std::uint32_t most = 0;
  for (std::uint32_t t = begin[blockIdx.x] + threadIdx.x; t < begin[blockIdx.x + 1]; t += blockDim.x)
    most = max(most, 1 + atomicAdd(cell_counts + entries[t].place % cells.pitch, 1U));
  raise_to_largest(bound->entries, most);
}

/// A block for each row of cells onto which entries are spread.
__global__ void bound_spread_cells(OrderedEntries ordered, std::uint32_t cells, std::uint32_t step,
                                   CellBound* bound) {
  for (std::uint32_t k = threadIdx.x; k < cells; k += blockDim.x) cell_counts[k] = 0;
  __syncthreads();
  std::uint32_t most = 0;
  BlockEntries<128> entries = entries_of_cells<128>(ordered, blockIdx.x, cells);
  entries.for_each([&](const CosetEntry& entry) {
    std::uint32_t cell = SpreadPosition(entry.col_fraction, step, cells).first;
    for (std::uint32_t t = 0; t < kSpreadTaps; ++t) {
      most = max(most, 1 + atomicAdd(cell_counts + cell, 1U));
      cell = cell + 1 < cells ? cell + 1 : 0;
    }
  });
  raise_to_largest(bound->entries, most);
}

}  // namespace

cudaError_t launch_add_counts(std::uint32_t cells, std::uint32_t* counts, std::uint32_t* begins,
                              cudaStream_t stream) {
  return launch(add_counts, dim3(1), kScanThreads, stream, cells, counts, begins);
}

cudaError_t launch_entry_order(const DeviceColumns& columns, std::uint64_t col_reciprocal,
                               const CosetSize& size, CosetEntry* entries, std::uint32_t* begin,
                               std::uint32_t* cursors, CellBound* bound, cudaStream_t stream) {
  const OrderedRows rows{CosetCells(kCosetLengths[size.length], size.cells), size.row_step};
  const std::uint32_t count = ordered_rows(size);
  const dim3 blocks(entry_blocks(columns.active));
  if (columns.active == 0) return cudaMemsetAsync(begin, 0, 4 * row_begins(count), stream);
  if (const cudaError_t code = cudaMemsetAsync(cursors, 0, 4 * count, stream); code != cudaSuccess)
    return code;
  count_rows<<<blocks, kEntryThreads, 0, stream>>>(columns, rows, cursors);
  add_counts<<<1, kScanThreads, 0, stream>>>(count, cursors, begin);
  place_entries<<<blocks, kEntryThreads, 0, stream>>>(columns, col_reciprocal, rows, entries, cursors, bound);
  if (rows.cells.from == CosetCellsFrom::spread)
    bound_spread_cells<<<count, 128, 4 * count, stream>>>({entries, begin, bound}, count, size.col_step,
                                                          bound);
  else
    bound_cells<<<count, 128, 4 * rows.cells.pitch, stream>>>(entries, begin, rows.cells, bound);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
