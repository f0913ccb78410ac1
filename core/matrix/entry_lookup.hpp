// SPDX-License-Identifier: Apache-2.0
// Private to the sources of SparsePattern: where the entries of a row or column lie, and whether those of
// rows are those of columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix/index.hpp"

namespace spyctrum {

class JobContext;
class SparsePattern;

inline constexpr std::size_t kEntriesOfTask = std::size_t{1} << 19U;  ///< a few ms

/// Whether an array with one element per row (column) takes at most about as much memory as the entries, or
/// so little that filling it takes a microsecond.
inline bool is_small_table(std::uint64_t side, std::size_t entries) {
  return side <= 4 * entries + (std::uint64_t{1} << 12U);
}

/// Position of an id in an ascending list of ids.
class Positions {
 public:
  Positions(std::span<const Index> ids, std::uint64_t side, std::size_t entries)
      : ids_(ids), is_id_(ids.size() == side) {
    if (is_id_ || !is_small_table(side, entries)) return;
    table_.resize(side);
    for (std::size_t k = 0; k < ids.size(); ++k) table_[ids[k]] = static_cast<Index>(k);
  }
  [[nodiscard]] std::size_t operator()(Index id) const {
    if (is_id_) return id;
    if (!table_.empty()) return table_[id];
    return static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
  }

 private:
  std::span<const Index> ids_;
  bool is_id_;  // every row (column) has an entry
  std::vector<Index> table_;
};

/// The column, as a position in column_ids(), of entry number t.
inline std::size_t column_of_entry(std::span<const std::int64_t> starts, std::size_t t) {
  return static_cast<std::size_t>(std::ranges::upper_bound(starts, static_cast<std::int64_t>(t)) -
                                  starts.begin()) -
         1;
}

/// Whether the pattern is square and for every entry (i, j) also has the entry (j, i). With `context` on the
/// job's threads; then throws Failure{cancelled}. Defined in pattern_symmetry.cpp.
[[nodiscard]] bool equals_its_transpose(const SparsePattern& pattern, JobContext* context);

}  // namespace spyctrum
