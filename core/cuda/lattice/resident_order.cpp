// SPDX-License-Identifier: Apache-2.0
// Sorts the visits and cuts them into parts by the kernels of lattice_order.hpp.
#include "core/cuda/lattice/resident_order.hpp"

#include <algorithm>

namespace spyctrum::cuda {

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
  axis.starts = ResidentBuffer(host, slots * sizeof(std::uint32_t), "positions of rows and columns");
  check(host, launch_axis_starts({spec, ids, slots}, axis.starts.as<std::uint32_t>(), stream),
        "positions of rows and columns");
  const std::uint64_t bytes = tiles_.folds() ? 0 : spec.reaches() * slots * kTileCells * sizeof(float);
  if (bytes == 0) return;
  axis.taps = ResidentBuffer(host, bytes, "taps");
  check(host, cudaMemsetAsync(axis.taps.as<float>(), 0, bytes, stream), "taps");
}

void ResidentOrder::sort(Host& host, const EntrySlots& entries, const SlotPlaces& rows,
                         const SlotPlaces& cols, cudaStream_t stream) {
  if (entries.entries == 0) return cut(host, nullptr, 0, stream);
  const std::uint64_t blocks = visit_blocks(entries.entries);
  const ScratchBuffer<std::uint64_t> first(host, blocks + 1, "counts of visits", stream);
  set_zero(host, first.get() + blocks, 1, stream, "counting visits");
  check(host, launch_count_visits(tiles_, entries, rows, cols, first.get(), stream), "counting visits");
  run_with_work_area(host, stream, "counting visits", [&](void* work, std::size_t& bytes) {
    return running_sums(first.get(), blocks, work, bytes, stream);
  });
  std::uint64_t visits = 0;
  copy_to_host(host, &visits, first.get() + blocks, 1, stream, "counting visits");
  check(host, cudaStreamSynchronize(stream), "counting visits");

  const ScratchBuffer<std::uint32_t> keys(host, visits, "tiles of the entries", stream);
  const ScratchBuffer<std::uint32_t> other_keys(host, visits, "sorted tiles of the entries", stream);
  std::uint32_t* tile_of[2] = {keys.get(), other_keys.get()};
  // The sort is stable, so that weights and records, which are sorted one after the other, stay together.
  const auto sorted = [&]<class Value>(Value /*type*/) {
    ResidentBuffer to(host, visits * sizeof(Value), "sorted entries");
    ResidentBuffer other(host, visits * sizeof(Value), "entries to be sorted");
    Value* values[2] = {other.as<Value>(), to.as<Value>()};
    check(host, launch_list_visits(tiles_, entries, rows, cols, first.get(), tile_of[0], values[0], stream),
          "listing visits");
    bool swapped = false;
    run_with_work_area(host, stream, "sorting entries", [&](void* work, std::size_t& bytes) {
      return sort_visits(tiles_.tiles(), visits, tile_of, values, work, bytes, swapped, stream);
    });
    check(host, cudaStreamSynchronize(stream), "sorting entries");  // before `other` goes
    if (!swapped) std::swap(to, other);
    if (swapped) std::swap(tile_of[0], tile_of[1]);
    return to;
  };
  if (entries.weights != nullptr) weights_ = sorted(float{});
  visits_ = sorted(static_cast<unsigned long long>(0));
  cut(host, tile_of[0], visits, stream);
}

void ResidentOrder::cut(Host& host, const std::uint32_t* sorted_tiles, std::uint64_t visits,
                        cudaStream_t stream) {
  if (tiles_.order == LatticeOrder::cells) return keep_cells(host, sorted_tiles, visits, stream);
  const std::uint64_t tiles = tiles_.tiles();
  const ScratchBuffer<std::uint64_t> tile_first(host, tiles + 1, "tiles", stream);
  const ScratchBuffer<std::uint64_t> part_first(host, tiles + 1, "parts of tiles", stream);
  std::uint64_t* const sums = part_first.get();
  check(host,
        launch_cut_parts(tiles, sorted_tiles, visits, longest_part(visits), tile_first.get(), sums, stream),
        "cutting tiles");
  run_with_work_area(host, stream, "counting parts", [&](void* work, std::size_t& bytes) {
    return running_sums(sums, tiles, work, bytes, stream);
  });
  std::uint64_t total = 0;
  copy_to_host(host, &total, sums + tiles, 1, stream, "counting parts");
  check(host, cudaStreamSynchronize(stream), "counting parts");
  parts_ = total & 0xffffffffU;
  partial_parts_ = total >> 32;
  part_ = ResidentBuffer(host, parts_ * sizeof(TilePart), "parts of tiles");
  // With more parts sorting by length gains nothing: neighbouring tiles share records in the cache.
  constexpr std::uint64_t kFew = std::uint64_t{1} << 15U;
  if (parts_ > kFew) {
    check(host, launch_list_parts(tiles_, tile_first.get(), sums, part_.as<TilePart>(), stream),
          "listing parts");
    return;
  }
  const ScratchBuffer<TilePart> listed(host, parts_, "parts of tiles in their order", stream);
  check(host, launch_list_parts(tiles_, tile_first.get(), sums, listed.get(), stream), "listing parts");
  put_longest_first(host, listed.get(), longest_part(visits), stream);
}

void ResidentOrder::put_longest_first(Host& host, const TilePart* listed, std::uint64_t longest,
                                      cudaStream_t stream) {
  const ScratchBuffer<std::uint32_t> lengths(host, 2 * parts_, "lengths of parts", stream);
  const ScratchBuffer<std::uint32_t> numbers(host, 2 * parts_, "numbers of parts", stream);
  std::uint32_t* const sorted = numbers.get() + parts_;
  check(host, launch_part_lengths(parts_, listed, lengths.get(), numbers.get(), stream), "sorting parts");
  run_with_work_area(host, stream, "sorting parts", [&](void* work, std::size_t& bytes) {
    return sort_part_numbers(parts_, longest, lengths.get(), lengths.get() + parts_, numbers.get(), sorted,
                             work, bytes, stream);
  });
  check(host, launch_gather_parts(parts_, listed, sorted, part_.as<TilePart>(), stream), "sorting parts");
}

void ResidentOrder::keep_cells(Host& host, const std::uint32_t* sorted_cells, std::uint64_t visits,
                               cudaStream_t stream) {
  const std::uint64_t bytes = visits * sizeof(std::uint32_t);
  cells_ = ResidentBuffer(host, bytes, "cells of the entries");
  if (bytes > 0)
    check(host, cudaMemcpyAsync(cells_.as<char>(), sorted_cells, bytes, cudaMemcpyDeviceToDevice, stream),
          "cells of the entries");
  const std::uint64_t ranges = ranges_of(tiles_);
  ranges_ = ResidentBuffer(host, (ranges + 1) * sizeof(std::uint64_t), "ranges of cells");
  check(host, launch_range_starts(ranges, sorted_cells, visits, ranges_.as<std::uint64_t>(), stream),
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
