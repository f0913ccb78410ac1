// SPDX-License-Identifier: Apache-2.0
// Kernels that sort entries by the tiles of the fine grid that their taps reach. A visit is a pair of an
// entry and such a tile. All sorts are stable: equal inputs give equal orders.
#pragma once

#include "core/cuda/lattice/lattice_kernels.hpp"
#include "core/cuda/pattern/entry_slots.hpp"

namespace spyctrum::cuda {

/// Where the slots of an axis are.
struct SlotPlaces {
  const std::uint32_t* starts = nullptr;  ///< their first cells
  std::uint32_t slots = 0;
};

/// Blocks whose visits are counted apart.
[[nodiscard]] std::uint64_t visit_blocks(std::uint64_t entries);
/// first[b] = visits of the blocks before b, b = 0 … visit_blocks(); the last one is their number.
cudaError_t launch_count_visits(const TileGrid& tiles, const EntrySlots& entries, const SlotPlaces& rows,
                                const SlotPlaces& cols, std::uint64_t* first, cudaStream_t stream);
/// tile_of[v], records[v] of every visit, in the order of the entries.
cudaError_t launch_list_visits(const TileGrid& tiles, const EntrySlots& entries, const SlotPlaces& rows,
                               const SlotPlaces& cols, const std::uint64_t* first, std::uint32_t* tile_of,
                               unsigned long long* records, cudaStream_t stream);
/// Sorts them by tile. `work` null: only writes `work_bytes`. `swapped`: the result is in the second arrays.
cudaError_t sort_visits(std::uint64_t tiles, std::uint64_t visits, std::uint32_t* tile_of[2],
                        unsigned long long* records[2], void* work, std::size_t& work_bytes, bool& swapped,
                        cudaStream_t stream);
/// tile_first[tile], tile = 0 … tiles: the first of its visits; part_counts[tile]: of at most `longest`
/// visits each, in bits 0–31, and of tiles of several parts in bits 32–63 as well; 0 behind the last.
cudaError_t launch_cut_parts(std::uint64_t tiles, const std::uint32_t* sorted_tiles, std::uint64_t visits,
                             std::uint64_t longest, std::uint64_t* tile_first, std::uint64_t* part_counts,
                             cudaStream_t stream);
/// first[r], r = 0 … ranges: the first visit of range r of kRangeCells cells, of visits sorted by cell.
cudaError_t launch_range_starts(std::uint64_t ranges, const std::uint32_t* sorted_cells, std::uint64_t visits,
                                std::uint64_t* first, cudaStream_t stream);
/// Exclusive running sums of `count` numbers in place; the arrays have one more, for their sum. `work` null:
/// only writes `work_bytes`.
cudaError_t running_sums(std::uint64_t* values, std::uint64_t count, void* work, std::size_t& work_bytes,
                         cudaStream_t stream);
/// `part_first`: the running sums of part_counts.
cudaError_t launch_list_parts(const TileGrid& tiles, const std::uint64_t* tile_first,
                              const std::uint64_t* part_first, TilePart* parts, cudaStream_t stream);

// The longest parts first, so that a device that takes them two or three times over ends with short ones.
/// lengths[k], numbers[k] = k of every part.
cudaError_t launch_part_lengths(std::uint64_t count, const TilePart* parts, std::uint32_t* lengths,
                                std::uint32_t* numbers, cudaStream_t stream);
/// Sorted downwards; parts of nearly equal length stay in their order. No part has more than `longest`
/// visits. `work` null: only writes `work_bytes`.
cudaError_t sort_part_numbers(std::uint64_t count, std::uint64_t longest, const std::uint32_t* lengths,
                              std::uint32_t* sorted_lengths, const std::uint32_t* numbers,
                              std::uint32_t* sorted_numbers, void* work, std::size_t& work_bytes,
                              cudaStream_t stream);
/// gathered[k] = parts[numbers[k]].
cudaError_t launch_gather_parts(std::uint64_t count, const TilePart* parts, const std::uint32_t* numbers,
                                TilePart* gathered, cudaStream_t stream);

}  // namespace spyctrum::cuda
