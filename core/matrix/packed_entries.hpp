// SPDX-License-Identifier: Apache-2.0
// The work form of a pattern while it is made: one 64-bit number per entry,
// column above row, so that ascending numbers are column-major order. Sorting
// is one radix partition into cache-sized buckets and a radix sort inside each,
// spread over the job's threads; it stops within milliseconds when asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Entries in the pieces in which they were produced.
using EntryChunks = std::vector<std::vector<PackedEntry>>;

/// Calls work(begin, end) on ranges of at most `block` covering [0, count): on
/// the job's threads, with a stop check before each range, or on the calling
/// thread alone where `context` is null.
void for_blocks(JobContext* context, std::size_t count, std::size_t block,
                const std::function<void(std::size_t begin, std::size_t end)>& work);

/// All entries in ascending order, each once. Chunks that are in order already
/// are only joined. Holds at most two copies of the entries at a time.
/// `duplicates`, when given, receives the number of entries dropped because an
/// equal one was there. Throws Failure{cancelled}, Failure{out_of_memory} when
/// the job's allowance is passed.
[[nodiscard]] std::vector<PackedEntry> sort_unique(EntryChunks chunks, JobContext* context,
                                                   std::int64_t* duplicates = nullptr);

}  // namespace spyctrum
