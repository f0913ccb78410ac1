// SPDX-License-Identifier: Apache-2.0
// Entries of a pattern under construction, as 64-bit numbers (column << 32) | row, whose ascending order is
// column-major. They are sorted by one radix partition into buckets that fit the L2 cache and a radix sort of
// each bucket, on the job's threads, with checks for a stop every few milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/index.hpp"

namespace spyctrum {

using PackedEntry = std::uint64_t;

[[nodiscard]] constexpr PackedEntry pack_entry(Index row, Index col) {
  return (static_cast<PackedEntry>(col) << 32U) | row;
}
[[nodiscard]] constexpr Index row_of(PackedEntry entry) { return static_cast<Index>(entry); }
[[nodiscard]] constexpr Index col_of(PackedEntry entry) { return static_cast<Index>(entry >> 32U); }

/// Entries in the vectors in which they were produced.
using EntryChunks = std::vector<std::vector<PackedEntry>>;

/// Calls work(begin, end) on ranges of at most `block` that cover [0, count): on the job's threads, with a
/// check for a stop before each range, or on the calling thread if `context` is null.
void for_blocks(JobContext* context, std::size_t count, std::size_t block,
                const std::function<void(std::size_t begin, std::size_t end)>& work);

/// Returns all distinct entries in ascending order. Chunks whose concatenation is ascending are only joined.
/// Takes memory for at most two copies of the entries. Sets `duplicates`, if not null, to the number of
/// removed duplicates. Throws Failure{cancelled}; Failure{out_of_memory} beyond the job's allowance.
[[nodiscard]] std::vector<PackedEntry> sort_unique(EntryChunks chunks, JobContext* context,
                                                   std::int64_t* duplicates = nullptr);

// Sorted entries in parts, whose memory can be freed part by part while the pattern is made.

struct SortedPart {
  std::vector<PackedEntry> listed;        ///< the entries, if they were ascending when they were listed
  std::unique_ptr<PackedEntry[]> sorted;  ///< else an array, of which `size` entries are in use
  std::size_t size = 0;
  [[nodiscard]] std::span<const PackedEntry> entries() const {
    return {sorted ? sorted.get() : listed.data(), size};
  }
};

/// Calls release_memory() for a list that is freed next, if all lists together have at least 2^23 entries
/// (`total`); for fewer entries the call would take more time than the memory is worth.
void release_pages(std::span<const PackedEntry> list, std::size_t total) noexcept;

struct EntrySurvey;  // core/matrix/entry_sort.hpp
/// As sort_unique(), in parts of a few MB. Frees each chunk once its entries are in a part, and so takes
/// little more memory than one copy of the entries. Sets `surveyed`, if not null, to their survey.
[[nodiscard]] std::vector<SortedPart> sorted_parts(EntryChunks chunks, JobContext* context,
                                                   std::int64_t* duplicates = nullptr,
                                                   EntrySurvey* surveyed = nullptr);

}  // namespace spyctrum
