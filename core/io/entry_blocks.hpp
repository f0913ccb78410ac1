// SPDX-License-Identifier: Apache-2.0
// Converts arrays in memory to entries, on all threads, in blocks that do not depend on the number of
// threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

/// Adds the stored elements 0 … count−1 to `entries`, an EntryList or EntryTotals, in their order.
/// make(begin, end, block) adds a range of them to an EntryBlock, on any thread. If it throws, the exception
/// of the first failed range is thrown. Throws also Failure{cancelled}, {out_of_memory}.
template <class Entries, class Make>
void add_in_blocks(std::uint64_t count, Entries& entries, JobContext& context, const Make& make) {
  constexpr std::uint64_t kElements = std::uint64_t{1} << 16U;
  const std::uint64_t blocks = (count + kElements - 1) / kElements;
  const std::uint64_t at_once = std::uint64_t{4} * context.pool().threads();
  for (std::uint64_t first = 0; first < blocks; first += at_once) {
    const auto now = static_cast<std::size_t>(std::min(at_once, blocks - first));
    std::vector<EntryBlock> made(now);
    std::vector<std::exception_ptr> failures(now);
    context.pool().parallel_for(now, 1, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
      for (std::size_t k = begin; k < end; ++k) try {
          context.check_stop();
          const std::uint64_t from = (first + k) * kElements;
          make(from, std::min(count, from + kElements), made[k]);
        } catch (...) {
          failures[k] = std::current_exception();
        }
    });
    for (std::size_t k = 0; k < now; ++k) {
      if (failures[k]) std::rethrow_exception(failures[k]);
      entries.add(std::move(made[k]));
    }
    context.checkpoint(std::min(count, (first + now) * kElements), count);
  }
}

/// Adds elements begin … end−1 of compressed rows (`by_rows`) or columns to `block`, without values. Row (or
/// column) l ends before element ends[l]; at(k) is the other index of element k.
template <class At>
void add_places(std::uint64_t begin, std::uint64_t end, std::span<const std::uint64_t> ends, bool by_rows,
                const At& at, EntryBlock& block) {
  block.entries.reserve(end - begin);
  block.count += end - begin;
  auto line = static_cast<std::size_t>(std::ranges::upper_bound(ends, begin) - ends.begin());
  for (std::uint64_t k = begin; k < end; ++line) {
    const auto own = static_cast<Index>(line);
    for (const std::uint64_t last = std::min(end, ends[line]); k < last; ++k)
      block.entries.push_back(by_rows ? pack_entry(own, at(k)) : pack_entry(at(k), own));
  }
}

}  // namespace spyctrum
