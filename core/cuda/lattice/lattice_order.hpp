// SPDX-License-Identifier: Apache-2.0
// Kernels that sort entries by the tiles of the fine grid that their taps reach. A visit is a pair of an
// entry and such a tile. All sorts are stable: equal inputs give equal orders.
#pragma once

#include "core/cuda/lattice/lattice_kernels.hpp"
#include "core/cuda/pattern/entry_slots.hpp"

namespace spyctrum::cuda {

/// The positions of an axis's slots on the fine grid.
struct SlotPlaces {
  const std::uint32_t* starts = nullptr;  ///< see launch_axis_starts()
  std::uint32_t slots = 0;
};

/// Number of thread blocks, whose visits are counted separately.
[[nodiscard]] std::uint64_t visit_blocks(std::uint64_t entries);
/// first[b] = number of visits of the blocks before b, b = 0 … visit_blocks().
cudaError_t launch_count_visits(const TileGrid& tiles, const EntrySlots& entries, const SlotPlaces& rows,
                                const SlotPlaces& cols, std::uint64_t* first, cudaStream_t stream);
/// Writes tile_of[v] and values[v] of every visit v, in the order of the entries. Values are records
/// (unsigned long long) or the weights of the visits' entries (float).
template <class Value>
cudaError_t launch_list_visits(const TileGrid& tiles, const EntrySlots& entries, const SlotPlaces& rows,
                               const SlotPlaces& cols, const std::uint64_t* first, std::uint32_t* tile_of,
                               Value* values, cudaStream_t stream);
/// Sorts the values of the visits by tile. `work` null: only writes `work_bytes`. `swapped`: the result is in
/// the second arrays.
template <class Value>
cudaError_t sort_visits(std::uint64_t tiles, std::uint64_t visits, std::uint32_t* tile_of[2],
                        Value* values[2], void* work, std::size_t& work_bytes, bool& swapped,
                        cudaStream_t stream);
/// For tile = 0 … tiles: tile_first[tile] = index of its first visit; part_counts[tile] = number of its parts
/// of at most `longest` visits in bits 0–31, and again in bits 32–63 if there are several; 0 for tile =
/// tiles.
cudaError_t launch_cut_parts(std::uint64_t tiles, const std::uint32_t* sorted_tiles, std::uint64_t visits,
                             std::uint64_t longest, std::uint64_t* tile_first, std::uint64_t* part_counts,
                             cudaStream_t stream);
/// first[r] = index of the first visit of range r of kRangeCells cells, r = 0 … ranges; visits are sorted by
/// cell.
cudaError_t launch_range_starts(std::uint64_t ranges, const std::uint32_t* sorted_cells, std::uint64_t visits,
                                std::uint64_t* first, cudaStream_t stream);
/// In-place exclusive prefix sums of `count` numbers; values[count] becomes their sum. `work` null: only
/// writes `work_bytes`.
cudaError_t running_sums(std::uint64_t* values, std::uint64_t count, void* work, std::size_t& work_bytes,
                         cudaStream_t stream);
/// Writes the parts of all tiles. `part_first`: the prefix sums of part_counts.
cudaError_t launch_list_parts(const TileGrid& tiles, const std::uint64_t* tile_first,
                              const std::uint64_t* part_first, TilePart* parts, cudaStream_t stream);

// Parts are sorted by length, the longest first, so that the last parts that a device sums are short.
/// lengths[k] = visits of part k; numbers[k] = k.
cudaError_t launch_part_lengths(std::uint64_t count, const TilePart* parts, std::uint32_t* lengths,
                                std::uint32_t* numbers, cudaStream_t stream);
/// Sorts the numbers by descending length; parts of nearly equal length stay in their order. `longest`: the
/// greatest possible length. `work` null: only writes `work_bytes`.
cudaError_t sort_part_numbers(std::uint64_t count, std::uint64_t longest, const std::uint32_t* lengths,
                              std::uint32_t* sorted_lengths, const std::uint32_t* numbers,
                              std::uint32_t* sorted_numbers, void* work, std::size_t& work_bytes,
                              cudaStream_t stream);
/// gathered[k] = parts[numbers[k]].
cudaError_t launch_gather_parts(std::uint64_t count, const TilePart* parts, const std::uint32_t* numbers,
                                TilePart* gathered, cudaStream_t stream);

}  // namespace spyctrum::cuda
