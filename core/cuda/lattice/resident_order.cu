// SPDX-License-Identifier: Apache-2.0
// A visit is an entry and a tile of the fine grid that its taps reach: one tile, two at the edge of a tile,
// four at a corner. Visits are counted, listed in the order of the entries and sorted by tile with a stable
// radix sort (CUB), so that equal inputs give equal orders; tiles with many visits are cut into parts, so
// that several warps sum a crowded tile.
#include "core/cuda/lattice/resident_order.hpp"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/runtime/sort_pairs.hpp"

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

/// counts[b] = number of visits of the entries of thread block b.
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

/// The value that is sorted for a visit: its records, later read as uint2 with the row's record as x, or the
/// weight of its entry. Record numbers fit in 32 bits: 2^32 records of 64 bytes are more than any device has.
__device__ void list(unsigned long long& to, std::uint32_t row, std::uint32_t col, float /*weight*/) {
  to = static_cast<unsigned long long>(col) << 32 | row;
}
__device__ void list(std::uint32_t& to, std::uint32_t /*row*/, std::uint32_t /*col*/, float weight) {
  to = __float_as_uint(weight);
}

/// Writes tile_of[v] and values[v] of every visit v, in the order of the entries. `first`: the prefix sums of
/// the counts of count_visits().
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

/// For tile = 0 … tiles: tile_first[tile] = index of its first visit; parts[tile] = number of its parts of at
/// most `longest` visits in bits 0–31, and again in bits 32–63 if there are several; 0 for tile = tiles.
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

/// first[r] = index of the first visit of range r of kRangeCells cells, r = 0 … ranges; visits are sorted by
/// cell.
__global__ void range_starts(std::uint64_t ranges, const std::uint32_t* __restrict__ sorted_cells,
                             std::uint64_t visits, std::uint64_t* first) {
  const std::uint64_t range = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (range > ranges) return;
  first[range] = range == ranges
                     ? visits
                     : lower_bound(sorted_cells, visits, static_cast<std::uint32_t>(range * kRangeCells));
}

/// Writes the parts of all tiles. `part_first`: the prefix sums of the counts of cut_parts().
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

/// keys[k]: ascending with descending length of part k, at most `longest` visits; numbers[k] = k.
__global__ void part_keys(std::uint64_t count, const TilePart* __restrict__ parts, std::uint64_t longest,
                          std::uint32_t* keys, std::uint32_t* numbers) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count) return;
  keys[k] = static_cast<std::uint32_t>(longest / kVisitsAlike) - parts[k].count / kVisitsAlike;
  numbers[k] = static_cast<std::uint32_t>(k);
}

__global__ void gather_parts(std::uint64_t count, const TilePart* __restrict__ parts,
                             const std::uint32_t* __restrict__ numbers, TilePart* gathered) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) gathered[k] = parts[numbers[k]];
}

/// In-place exclusive prefix sums of `count` numbers; values[count] becomes their sum.
void running_sums(Host& host, std::uint64_t* values, std::uint64_t count, cudaStream_t stream,
                  const char* what) {
  run_with_work_area(host, stream, what, [&](void* work, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(work, bytes, values, values, static_cast<std::int64_t>(count + 1),
                                         stream);
  });
}

}  // namespace

ResidentOrder::ResidentOrder(Host& host, const ResidentPattern& pattern, const LatticeAxisSpec& rows,
                             const LatticeAxisSpec& cols, LatticeOrder order, cudaStream_t stream)
    : tiles_(cols, rows, order) {
  place(host, cols, pattern.col_ids(), pattern.col_slots(), down_, stream);
  place(host, rows, pattern.row_ids(), pattern.row_slots(), across_, stream);
  if (!tiles_.folds())
    check(host,
          launch_axis_tables({rows, pattern.row_ids(), across_.slots, nullptr, across_.taps.as<float>()},
                             {cols, pattern.col_ids(), down_.slots, nullptr, down_.taps.as<float>()}, {},
                             stream),
          "taps");
  const EntrySlots entries = pattern.entries();
  sort(host, {entries.cols, entries.rows, entries.entries, entries.weights}, down_.places(), across_.places(),
       stream);
}

void ResidentOrder::place(Host& host, const LatticeAxisSpec& spec, const std::uint32_t* ids,
                          std::uint64_t slots, Axis& axis, cudaStream_t stream) const {
  axis.slots = slots;
  axis.starts = ResidentBuffer(host, slots * sizeof(std::uint32_t), "positions of rows and columns", stream);
  check(host, launch_axis_starts({spec, ids, slots}, axis.starts.as<std::uint32_t>(), stream),
        "positions of rows and columns");
  const std::uint64_t bytes = tiles_.folds() ? 0 : spec.reaches() * slots * kTileCells * sizeof(float);
  if (bytes == 0) return;
  axis.taps = ResidentBuffer(host, bytes, "taps", stream);
  check(host, cudaMemsetAsync(axis.taps.as<float>(), 0, bytes, stream), "taps");
}

void ResidentOrder::sort(Host& host, const EntrySlots& entries, const SlotPlaces& rows,
                         const SlotPlaces& cols, cudaStream_t stream) {
  if (entries.entries == 0) return cut(host, nullptr, 0, stream);
  const std::uint64_t blocks = blocks_for(entries.entries);
  const DeviceBuffer<std::uint64_t> first(host, blocks + 1, "counts of visits", stream);
  set_zero(host, first.get() + blocks, 1, stream, "counting visits");
  check(host, launch_threads(count_visits, entries.entries, stream, tiles_, entries, rows, cols, first.get()),
        "counting visits");
  running_sums(host, first.get(), blocks, stream, "counting visits");
  std::uint64_t visits = 0;
  copy_to_host(host, &visits, first.get() + blocks, 1, stream, "counting visits");
  check(host, cudaStreamSynchronize(stream), "counting visits");

  const DeviceBuffer<std::uint32_t> keys(host, visits, "tiles of the entries", stream);
  const DeviceBuffer<std::uint32_t> other_keys(host, visits, "sorted tiles of the entries", stream);
  std::uint32_t* tile_of[2] = {keys.get(), other_keys.get()};
  // The sort is stable, so that weights and records, which are sorted one after the other, stay together.
  const auto sorted = [&](auto type) {
    using Value = decltype(type);
    ResidentBuffer to(host, visits * sizeof(Value), "sorted entries", stream);
    const DeviceBuffer<Value> other(host, visits, "entries to be sorted", stream);
    Value* values[2] = {to.as<Value>(), other.get()};
    check(host,
          launch_threads(list_visits<Value>, entries.entries, stream, tiles_, entries, rows, cols,
                         first.get(), tile_of[0], values[0]),
          "listing visits");
    const bool swapped = sort_pairs(host, tiles_.tiles(), visits, tile_of, values, stream, "sorting entries");
    if (swapped) {
      std::swap(tile_of[0], tile_of[1]);
      check(host,
            cudaMemcpyAsync(values[0], values[1], visits * sizeof(Value), cudaMemcpyDeviceToDevice, stream),
            "sorting entries");
    }
    return to;
  };
  if (entries.weights != nullptr) weights_ = sorted(std::uint32_t{});  // the bits of the weights
  visits_ = sorted(static_cast<unsigned long long>(0));
  cut(host, tile_of[0], visits, stream);
}

void ResidentOrder::cut(Host& host, const std::uint32_t* sorted_tiles, std::uint64_t visits,
                        cudaStream_t stream) {
  if (tiles_.order == LatticeOrder::cells) return keep_cells(host, sorted_tiles, visits, stream);
  const std::uint64_t tiles = tiles_.tiles();
  const DeviceBuffer<std::uint64_t> tile_first(host, tiles + 1, "tiles", stream);
  const DeviceBuffer<std::uint64_t> part_first(host, tiles + 1, "parts of tiles", stream);
  std::uint64_t* const sums = part_first.get();
  check(host,
        launch_threads(cut_parts, tiles + 1, stream, tiles, sorted_tiles, visits, longest_part(visits),
                       tile_first.get(), sums),
        "cutting tiles");
  running_sums(host, sums, tiles, stream, "counting parts");
  std::uint64_t total = 0;
  copy_to_host(host, &total, sums + tiles, 1, stream, "counting parts");
  check(host, cudaStreamSynchronize(stream), "counting parts");
  parts_ = total & 0xffffffffU;
  partial_parts_ = total >> 32;
  part_ = ResidentBuffer(host, parts_ * sizeof(TilePart), "parts of tiles", stream);
  const auto list = [&](TilePart* to) {
    check(host, launch_threads(list_parts, tiles, stream, tiles_, tile_first.get(), sums, to),
          "listing parts");
  };
  // With more parts, or with more taps than the L2 cache holds, sorting by length saves no time: neighbouring
  // tiles share records in the cache.
  constexpr std::uint64_t kFew = std::uint64_t{1} << 15U;
  constexpr std::uint64_t kInCache = std::uint64_t{1} << 25U;
  if (parts_ > kFew || down_.taps.bytes() + across_.taps.bytes() > kInCache) {
    list(part_.as<TilePart>());
    return;
  }
  const DeviceBuffer<TilePart> listed(host, parts_, "parts of tiles in their order", stream);
  list(listed.get());
  put_longest_first(host, listed.get(), longest_part(visits), stream);
}

void ResidentOrder::put_longest_first(Host& host, const TilePart* listed, std::uint64_t longest,
                                      cudaStream_t stream) {
  const DeviceBuffer<std::uint32_t> keys(host, 2 * parts_, "lengths of parts", stream);
  const DeviceBuffer<std::uint32_t> numbers(host, 2 * parts_, "numbers of parts", stream);
  std::uint32_t* both_keys[] = {keys.get(), keys.get() + parts_};
  std::uint32_t* both_numbers[] = {numbers.get(), numbers.get() + parts_};
  check(host, launch_threads(part_keys, parts_, stream, parts_, listed, longest, keys.get(), numbers.get()),
        "sorting parts");
  const bool swapped =
      sort_pairs(host, longest / kVisitsAlike + 1, parts_, both_keys, both_numbers, stream, "sorting parts");
  check(host,
        launch_threads(gather_parts, parts_, stream, parts_, listed, both_numbers[swapped ? 1 : 0],
                       part_.as<TilePart>()),
        "sorting parts");
}

void ResidentOrder::keep_cells(Host& host, const std::uint32_t* sorted_cells, std::uint64_t visits,
                               cudaStream_t stream) {
  const std::uint64_t bytes = visits * sizeof(std::uint32_t);
  cells_ = ResidentBuffer(host, bytes, "cells of the entries", stream);
  if (bytes > 0)
    check(host, cudaMemcpyAsync(cells_.as<char>(), sorted_cells, bytes, cudaMemcpyDeviceToDevice, stream),
          "cells of the entries");
  const std::uint64_t ranges = ranges_of(tiles_);
  ranges_ = ResidentBuffer(host, (ranges + 1) * sizeof(std::uint64_t), "ranges of cells", stream);
  check(host,
        launch_threads(range_starts, ranges + 1, stream, ranges, sorted_cells, visits,
                       ranges_.as<std::uint64_t>()),
        "ranges of cells");
}

OrderView ResidentOrder::view() const {
  return {visits_.as<uint2>(),
          weights_.bytes() != 0 ? weights_.as<float>() : nullptr,
          down_.taps.as<float>(),
          across_.taps.as<float>(),
          down_.starts.as<std::uint32_t>(),
          across_.starts.as<std::uint32_t>(),
          part_.as<TilePart>(),
          parts_,
          partial_parts_,
          cells_.as<std::uint32_t>(),
          ranges_.as<std::uint64_t>()};
}

std::uint64_t ResidentOrder::bytes() const {
  std::uint64_t bytes = visits_.bytes() + weights_.bytes() + part_.bytes() + cells_.bytes() + ranges_.bytes();
  for (const Axis* axis : {&down_, &across_}) bytes += axis->starts.bytes() + axis->taps.bytes();
  return bytes;
}

void ResidentOrder::finish_upload() {
  for (ResidentBuffer* buffer : {&visits_, &weights_, &part_, &cells_, &ranges_}) buffer->finish_upload();
  for (Axis* axis : {&down_, &across_})
    for (ResidentBuffer* buffer : {&axis->starts, &axis->taps}) buffer->finish_upload();
}

}  // namespace spyctrum::cuda
