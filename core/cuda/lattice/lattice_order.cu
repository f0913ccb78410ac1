// SPDX-License-Identifier: Apache-2.0
// An entry visits every tile that its taps reach: one, two at the edge of a tile, four at a corner. Visits
// are counted, listed in the order of the entries and sorted by tile with a stable radix sort (CUB); tiles
// with many visits are cut into parts, so that several warps sum a crowded tile.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "core/cuda/lattice/lattice_order.hpp"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

/// The tiles along an axis that `taps` cells from cell `start` on reach: `count` tiles from `first` on,
/// cyclically.
struct Reach {
  std::uint32_t first;
  std::uint32_t count;
};
__device__ Reach reach_of(std::uint32_t start, std::uint32_t taps, std::uint32_t fine, std::uint32_t side,
                          std::uint32_t tiles) {
  Reach reach{start / side, 0};
  std::uint32_t cell = start;
  for (std::uint32_t left = taps; left > 0 && reach.count < tiles;) {
    ++reach.count;
    const std::uint32_t end = min((cell / side + 1) * side, fine);
    left -= min(left, end - cell);
    cell = end < fine ? end : 0;
  }
  return reach;
}

struct Visits {
  Reach down, across;
  [[nodiscard]] __device__ std::uint32_t count() const { return down.count * across.count; }
};
__device__ Visits visits_of(const TileGrid& tiles, std::uint32_t row_start, std::uint32_t col_start) {
  return {reach_of(row_start, tiles.row_taps, tiles.fine_rows, tiles.side, tiles.down),
          reach_of(col_start, tiles.col_taps, tiles.fine_cols, tiles.side, tiles.across)};
}

__global__ void count_visits(TileGrid tiles, EntrySlots entries, SlotPlaces rows, SlotPlaces cols,
                             std::uint64_t* counts) {
  using Reduce = cub::BlockReduce<std::uint32_t, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  const std::uint64_t t = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::uint32_t count =
      t < entries.entries
          ? visits_of(tiles, rows.starts[entries.rows[t]], cols.starts[entries.cols[t]]).count()
          : 0;
  const std::uint32_t sum = Reduce(storage).Sum(count);
  if (threadIdx.x == 0) counts[blockIdx.x] = sum;
}

/// What is sorted of a visit: its records, read as uint2 with the row's as x, or its entry's weight.
/// Record numbers fit in 32 bits: 2^32 records of 64 bytes are more than any device has.
__device__ void list(unsigned long long& to, std::uint32_t row, std::uint32_t col, float /*weight*/) {
  to = static_cast<unsigned long long>(col) << 32 | row;
}
__device__ void list(float& to, std::uint32_t /*row*/, std::uint32_t /*col*/, float weight) { to = weight; }

template <class Value>
__global__ void list_visits(TileGrid tiles, EntrySlots entries, SlotPlaces rows, SlotPlaces cols,
                            const std::uint64_t* __restrict__ first, std::uint32_t* tile_of, Value* values) {
  using Scan = cub::BlockScan<std::uint32_t, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  const std::uint64_t t = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  const bool is_one = t < entries.entries;
  const std::uint32_t row = is_one ? entries.rows[t] : 0;
  const std::uint32_t col = is_one ? entries.cols[t] : 0;
  const float weight = is_one && entries.weights != nullptr ? entries.weights[t] : 1.0F;
  const Visits visits = is_one ? visits_of(tiles, rows.starts[row], cols.starts[col]) : Visits{};
  std::uint32_t before = 0;
  Scan(storage).ExclusiveSum(visits.count(), before);
  std::uint64_t place = first[blockIdx.x] + before;
  for (std::uint32_t r = 0; r < visits.down.count; ++r) {
    for (std::uint32_t c = 0; c < visits.across.count; ++c, ++place) {
      const std::uint32_t down = (visits.down.first + r) % tiles.down;
      tile_of[place] = down * tiles.across + (visits.across.first + c) % tiles.across;
      list(values[place], row + r * rows.slots, col + c * cols.slots, weight);
    }
  }
}

/// The first index of an ascending list whose element is at least `value`.
__device__ std::uint64_t lower_bound(const std::uint32_t* list, std::uint64_t length, std::uint32_t value) {
  std::uint64_t first = 0;
  while (length > 0) {
    const std::uint64_t half = length / 2;
    if (list[first + half] < value) {
      first += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return first;
}

__global__ void cut_parts(std::uint64_t tiles, const std::uint32_t* __restrict__ sorted, std::uint64_t visits,
                          std::uint64_t longest, std::uint64_t* tile_first, std::uint64_t* parts) {
  const std::uint64_t tile = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tile > tiles) return;
  const std::uint64_t begin =
      tile == tiles ? visits : lower_bound(sorted, visits, static_cast<std::uint32_t>(tile));
  tile_first[tile] = begin;
  if (tile == tiles) {
    parts[tile] = 0;
    return;
  }
  const std::uint64_t end =
      tile + 1 == tiles ? visits : lower_bound(sorted, visits, static_cast<std::uint32_t>(tile + 1));
  const std::uint64_t count = (end - begin + longest - 1) / longest;
  parts[tile] = count <= 1 ? 1 : count << 32 | count;
}

__global__ void range_starts(std::uint64_t ranges, const std::uint32_t* __restrict__ sorted_cells,
                             std::uint64_t visits, std::uint64_t* first) {
  const std::uint64_t range = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (range > ranges) return;
  first[range] = range == ranges
                     ? visits
                     : lower_bound(sorted_cells, visits, static_cast<std::uint32_t>(range * kRangeCells));
}

__global__ void list_parts(TileGrid tiles, const std::uint64_t* __restrict__ tile_first,
                           const std::uint64_t* __restrict__ part_first, TilePart* parts) {
  const std::uint64_t tile = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tile >= std::uint64_t{tiles.down} * tiles.across) return;
  const std::uint64_t here = part_first[tile];
  const std::uint64_t begin = tile_first[tile];
  const std::uint64_t visits = tile_first[tile + 1] - begin;
  TilePart part;
  part.parts = static_cast<std::uint32_t>(part_first[tile + 1] - here);
  part.first_row = static_cast<std::uint32_t>(tile) / tiles.across * kTileCells;
  part.first_col = static_cast<std::uint32_t>(tile) % tiles.across * kTileCells;
  part.first_slot = static_cast<std::uint32_t>(here >> 32);
  const auto first = static_cast<std::uint32_t>(here);
  for (; part.number < part.parts; ++part.number) {
    const std::uint64_t from = visits * part.number / part.parts;
    part.begin = begin + from;
    part.count = static_cast<std::uint32_t>(visits * (part.number + 1) / part.parts - from);
    parts[first + part.number] = part;
  }
}

constexpr std::uint32_t kVisitsAlike = 8;  // parts whose lengths differ by less stay in their order

__global__ void part_lengths(std::uint64_t count, const TilePart* __restrict__ parts, std::uint32_t* lengths,
                             std::uint32_t* numbers) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count) return;
  lengths[k] = parts[k].count / kVisitsAlike;
  numbers[k] = static_cast<std::uint32_t>(k);
}

__global__ void gather_parts(std::uint64_t count, const TilePart* __restrict__ parts,
                             const std::uint32_t* __restrict__ numbers, TilePart* gathered) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) gathered[k] = parts[numbers[k]];
}

int bits_of(std::uint64_t tiles) {
  int bits = 1;
  while (bits < 32 && tiles > std::uint64_t{1} << bits) ++bits;
  return bits;
}

}  // namespace

std::uint64_t visit_blocks(std::uint64_t entries) { return (entries + kThreads - 1) / kThreads; }

cudaError_t launch_count_visits(const TileGrid& tiles, const EntrySlots& entries, const SlotPlaces& rows,
                                const SlotPlaces& cols, std::uint64_t* first, cudaStream_t stream) {
  return launch(count_visits, blocks_for(entries.entries), kThreads, stream, tiles, entries, rows, cols,
                first);
}

template <class Value>
cudaError_t launch_list_visits(const TileGrid& tiles, const EntrySlots& entries, const SlotPlaces& rows,
                               const SlotPlaces& cols, const std::uint64_t* first, std::uint32_t* tile_of,
                               Value* values, cudaStream_t stream) {
  return launch(list_visits<Value>, blocks_for(entries.entries), kThreads, stream, tiles, entries, rows, cols,
                first, tile_of, values);
}
template cudaError_t launch_list_visits(const TileGrid&, const EntrySlots&, const SlotPlaces&,
                                        const SlotPlaces&, const std::uint64_t*, std::uint32_t*,
                                        unsigned long long*, cudaStream_t);
template cudaError_t launch_list_visits(const TileGrid&, const EntrySlots&, const SlotPlaces&,
                                        const SlotPlaces&, const std::uint64_t*, std::uint32_t*, float*,
                                        cudaStream_t);

template <class Value>
cudaError_t sort_visits(std::uint64_t tiles, std::uint64_t visits, std::uint32_t* tile_of[2],
                        Value* values[2], void* work, std::size_t& work_bytes, bool& swapped,
                        cudaStream_t stream) {
  cub::DoubleBuffer<std::uint32_t> keys(tile_of[0], tile_of[1]);
  cub::DoubleBuffer<Value> sorted(values[0], values[1]);
  const cudaError_t code = cub::DeviceRadixSort::SortPairs(
      work, work_bytes, keys, sorted, static_cast<std::int64_t>(visits), 0, bits_of(tiles), stream);
  swapped = sorted.Current() == values[1];
  return code;
}
template cudaError_t sort_visits(std::uint64_t, std::uint64_t, std::uint32_t* [2], unsigned long long* [2],
                                 void*, std::size_t&, bool&, cudaStream_t);
template cudaError_t sort_visits(std::uint64_t, std::uint64_t, std::uint32_t* [2], float* [2], void*,
                                 std::size_t&, bool&, cudaStream_t);

cudaError_t launch_cut_parts(std::uint64_t tiles, const std::uint32_t* sorted_tiles, std::uint64_t visits,
                             std::uint64_t longest, std::uint64_t* tile_first, std::uint64_t* part_counts,
                             cudaStream_t stream) {
  return launch(cut_parts, blocks_for(tiles + 1), kThreads, stream, tiles, sorted_tiles, visits, longest,
                tile_first, part_counts);
}

cudaError_t launch_range_starts(std::uint64_t ranges, const std::uint32_t* sorted_cells, std::uint64_t visits,
                                std::uint64_t* first, cudaStream_t stream) {
  return launch(range_starts, blocks_for(ranges + 1), kThreads, stream, ranges, sorted_cells, visits, first);
}

cudaError_t running_sums(std::uint64_t* values, std::uint64_t count, void* work, std::size_t& work_bytes,
                         cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSum(work, work_bytes, values, values, static_cast<std::int64_t>(count + 1),
                                       stream);
}

cudaError_t launch_list_parts(const TileGrid& tiles, const std::uint64_t* tile_first,
                              const std::uint64_t* part_first, TilePart* parts, cudaStream_t stream) {
  return launch(list_parts, blocks_for(tiles.tiles()), kThreads, stream, tiles, tile_first, part_first,
                parts);
}

cudaError_t launch_part_lengths(std::uint64_t count, const TilePart* parts, std::uint32_t* lengths,
                                std::uint32_t* numbers, cudaStream_t stream) {
  return launch(part_lengths, blocks_for(count), kThreads, stream, count, parts, lengths, numbers);
}

cudaError_t sort_part_numbers(std::uint64_t count, std::uint64_t longest, const std::uint32_t* lengths,
                              std::uint32_t* sorted_lengths, const std::uint32_t* numbers,
                              std::uint32_t* sorted_numbers, void* work, std::size_t& work_bytes,
                              cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairsDescending(work, work_bytes, lengths, sorted_lengths, numbers,
                                                   sorted_numbers, static_cast<std::int64_t>(count), 0,
                                                   bits_of(longest / kVisitsAlike + 1), stream);
}

cudaError_t launch_gather_parts(std::uint64_t count, const TilePart* parts, const std::uint32_t* numbers,
                                TilePart* gathered, cudaStream_t stream) {
  return launch(gather_parts, blocks_for(count), kThreads, stream, count, parts, numbers, gathered);
}

}  // namespace spyctrum::cuda
