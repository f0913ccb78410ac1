// SPDX-License-Identifier: Apache-2.0
// Sorts the entries of a matrix by their rows modulo L, or by the first row of cells onto which they are
// spread: they are counted, counts are added up, and each entry takes the next place of its row. Threads take
// places in any order, which changes no result, since cells are sums of integers.
#include "core/cuda/cosets/block_entries.cuh"
#include "core/cuda/cosets/coset_cells.cuh"
#include "core/cuda/cosets/coset_kernels.hpp"
#include "core/cuda/pattern/device_pattern.hpp"
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
  std::uint32_t taps = kSpreadTaps;
  __device__ std::uint32_t of(std::uint32_t row, std::uint64_t fraction) const {
    if (cells.from != CosetCellsFrom::spread) return row % cells.count;
    return SpreadPosition(fraction, step, cells.transformed, taps).first;
  }
};

/// i/m and j/n of entries (i, j), in units of 2^−64.
struct Fractions {
  std::uint64_t m, row_reciprocal;
  std::uint64_t n, col_reciprocal;
  [[nodiscard]] __device__ std::uint64_t of_row(std::uint32_t row) const {
    return fraction_of(row, m, row_reciprocal);
  }
  [[nodiscard]] __device__ std::uint64_t of_col(std::uint32_t col) const {
    return fraction_of(col, n, col_reciprocal);
  }
};

/// Entries of compressed columns; a warp takes a column.
struct ColumnEntries {
  DeviceColumns columns;
  Fractions fractions;
  [[nodiscard]] dim3 blocks() const { return {entry_blocks(columns.active)}; }
  /// Calls work(row, column, weight) for those of the thread.
  template <class Work>
  __device__ void for_each(const Work& work) const {
    for_each_entry(columns, 0, columns.active, [&](std::uint32_t row, std::uint64_t slot, float weight) {
      work(row, columns.ids[slot], weight);
    });
  }
};

/// Entries of a list; a thread takes one.
struct ListEntries {
  ListedEntries list;
  Fractions fractions;
  [[nodiscard]] dim3 blocks() const {
    return {static_cast<unsigned>((list.slots.entries + kEntryThreads - 1) / kEntryThreads)};
  }
  template <class Work>
  __device__ void for_each(const Work& work) const {
    const std::uint64_t t = std::uint64_t{blockIdx.x} * kEntryThreads + threadIdx.x;
    if (t >= list.slots.entries) return;
    work(list.row_ids[list.slots.rows[t]], list.col_ids[list.slots.cols[t]],
         list.slots.weights != nullptr ? list.slots.weights[t] : 1.0F);
  }
};

template <class Source>
__global__ void count_rows(Source source, OrderedRows rows, std::uint32_t* counts) {
  source.for_each([&](std::uint32_t row, std::uint32_t /*col*/, float /*weight*/) {
    atomicAdd(counts + rows.of(row, source.fractions.of_row(row)), 1U);
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

template <class Source>
__global__ void place_entries(Source source, OrderedRows rows, CosetEntry* entries, std::uint32_t* cursors,
                              CellBound* bound) {
  std::uint32_t largest = 0;
  source.for_each([&](std::uint32_t row, std::uint32_t col, float weight) {
    CosetEntry entry;
    entry.row_fraction = source.fractions.of_row(row);
    entry.col_fraction = source.fractions.of_col(col);
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
__global__ void bound_spread_cells(OrderedEntries ordered, SpreadSteps steps, CellBound* bound) {
  for (std::uint32_t k = threadIdx.x; k < steps.cells; k += blockDim.x) cell_counts[k] = 0;
  __syncthreads();
  std::uint32_t most = 0;
  BlockEntries<128> entries = entries_of_cells<128>(ordered, blockIdx.x, steps.rows, steps.taps);
  entries.for_each([&](const CosetEntry& entry) {
    std::uint32_t cell = SpreadPosition(entry.col_fraction, steps.col_step, steps.cells, steps.taps).first;
    for (std::uint32_t t = 0; t < steps.taps; ++t) {
      most = max(most, 1 + atomicAdd(cell_counts + cell, 1U));
      cell = cell + 1 < steps.cells ? cell + 1 : 0;
    }
  });
  raise_to_largest(bound->entries, most);
}

/// Where the sorted entries go.
struct SortedTo {
  CosetEntry* entries;
  std::uint32_t* begin;
  std::uint32_t* cursors;
  CellBound* bound;
};

/// Sorts by `count` rows.
template <class Source>
cudaError_t sort_entries(const Source& source, const OrderedRows& rows, std::uint32_t count,
                         const SortedTo& to, cudaStream_t stream) {
  if (source.blocks().x == 0) return cudaMemsetAsync(to.begin, 0, 4 * row_begins(count), stream);
  if (const cudaError_t code = cudaMemsetAsync(to.cursors, 0, 4 * count, stream); code != cudaSuccess)
    return code;
  count_rows<<<source.blocks(), kEntryThreads, 0, stream>>>(source, rows, to.cursors);
  add_counts<<<1, kScanThreads, 0, stream>>>(count, to.cursors, to.begin);
  place_entries<<<source.blocks(), kEntryThreads, 0, stream>>>(source, rows, to.entries, to.cursors,
                                                               to.bound);
  return cudaGetLastError();
}

cudaError_t find_bound(const SortedTo& sorted, const SpreadSteps& steps, cudaStream_t stream) {
  const auto bytes = static_cast<int>(sizeof(std::uint32_t) * steps.cells);
  if (const cudaError_t code =
          cudaFuncSetAttribute(bound_spread_cells, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
      code != cudaSuccess)
    return code;
  bound_spread_cells<<<steps.rows, 128, bytes, stream>>>({sorted.entries, sorted.begin, sorted.bound}, steps,
                                                         sorted.bound);
  return cudaGetLastError();
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
  const SortedTo to{entries, begin, cursors, bound};
  const Fractions fractions{columns.m, columns.reciprocal, columns.n, col_reciprocal};
  const cudaError_t code = sort_entries(ColumnEntries{columns, fractions}, rows, count, to, stream);
  if (code != cudaSuccess || columns.active == 0) return code;
  if (rows.cells.from == CosetCellsFrom::spread)
    return find_bound(to, {count, count, size.row_step, size.col_step}, stream);
  bound_cells<<<count, 128, 4 * rows.cells.pitch, stream>>>(entries, begin, rows.cells, bound);
  return cudaGetLastError();
}

cudaError_t launch_list_order(const ListedEntries& list, const SpreadSteps& steps, CosetEntry* entries,
                              std::uint32_t* begin, std::uint32_t* cursors, CellBound* bound,
                              cudaStream_t stream) {
  const CosetLength length{steps.rows, 1, 1, CosetCellsFrom::spread};
  const SortedTo to{entries, begin, cursors, bound};
  const Fractions fractions{list.m, reciprocal_of(list.m), list.n, reciprocal_of(list.n)};
  const cudaError_t code =
      sort_entries(ListEntries{list, fractions},
                   OrderedRows{CosetCells(length, 1), steps.row_step, steps.taps}, steps.rows, to, stream);
  if (code != cudaSuccess || list.slots.entries == 0) return code;
  return find_bound(to, steps, stream);
}

}  // namespace spyctrum::cuda
