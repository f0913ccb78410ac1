// SPDX-License-Identifier: Apache-2.0
// Sorted entries in parts, so that their memory can be freed part by part while the pattern is made of them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/matrix/packed_entries.hpp"

namespace spyctrum {

struct SortedPart {
  std::vector<PackedEntry> listed;        ///< the entries, if they were ascending when they were listed
  std::unique_ptr<PackedEntry[]> sorted;  ///< else an array, of which `size` are in use
  std::size_t size = 0;
  [[nodiscard]] std::span<const PackedEntry> entries() const {
    return {sorted ? sorted.get() : listed.data(), size};
  }
};

/// Returns the memory of a list to the system before it is freed. free() alone keeps blocks of less than a
/// few MB for later, so that long lists, freed block by block, would stay in memory beside what is made of
/// them. Without effect for lists of less than 2^23 entries in all (`total`), where it would cost more time
/// than it saves memory.
void release_pages(std::span<const PackedEntry> list, std::size_t total) noexcept;

/// As sort_unique(), in parts of a few MB. Frees each chunk once its entries are in a part, so that it takes
/// little more than memory for one copy of the entries.
[[nodiscard]] std::vector<SortedPart> sorted_parts(EntryChunks chunks, JobContext* context,
                                                   std::int64_t* duplicates = nullptr);

}  // namespace spyctrum
