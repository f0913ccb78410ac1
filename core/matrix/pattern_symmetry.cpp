// SPDX-License-Identifier: Apache-2.0
// One pass over the entries, which compares each entry below the diagonal with one above it.
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/job_context.hpp"
#include "core/matrix/entry_lookup.hpp"
#include "core/matrix/packed_entries.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

namespace {

/// The columns (and rows of the same numbers) `first` … last−1, as positions in column_ids().
struct LineRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Whether the entries left of the diagonal in the rows of `part` are the transposes of those above the
/// diagonal in its columns; sets `is_equal` to false otherwise. In column-major order the entries (i, j),
/// j < i, of row i have ascending j, and so have the entries (j, i) of column i above the diagonal: (j, i)
/// must be the next unused entry of column i. Accesses to the columns i wait for memory, so many are
/// prefetched before the first is needed. `Cursor` must hold twice the number of entries; `is_full`: every
/// column has an entry. The comparison also ends when another part sets `is_equal` to false.
template <class Cursor, bool is_full>
void compare_with_transpose(const SparsePattern& pattern, const Positions& position, LineRange part,
                            std::atomic<bool>& is_equal, JobContext* context) {
  const Index* const ids = pattern.column_ids().data();
  const std::size_t columns = pattern.column_ids().size();
  const std::int64_t* const starts = pattern.column_starts().data();
  const Index* const rows = pattern.row_indices().data();
  const auto last_entry = static_cast<Cursor>(starts[columns] - 1);
  const Index row_begin = ids[part.first];
  const std::uint64_t row_end = part.last == columns ? pattern.rows() : ids[part.last];
  // Of each column of the part, the first entry that no row has used.
  std::vector<Cursor> unused(starts + part.first, starts + part.last);
  Cursor* const cursor = unused.data();
  constexpr std::size_t kAtOnce = 512;
  std::array<Cursor, kAtOnce> entries{};  // that must be in row own[k]
  std::array<Index, kAtOnce> own{};
  std::size_t waiting = 0;
  std::size_t above = 0;  // entries above the diagonal so far, of which each must have been used
  std::size_t below = 0;
  const auto compare = [&] {
    bool are_equal = true;
    for (std::size_t k = 0; k < waiting; ++k) are_equal &= rows[entries[k]] == own[k];
    if (!are_equal) is_equal = false;
    below += waiting;
    waiting = 0;
    if (context != nullptr) context->check_stop();
  };
  for (std::size_t k = 0; k < part.last && is_equal.load(std::memory_order_relaxed); ++k) {
    const Index id = ids[k];
    const Index* row = rows + starts[k];
    const Index* const end = rows + starts[k + 1];
    if (k < part.first) {
      row = std::lower_bound(row, end, row_begin);
    } else {
      while (row != end && *row < id) ++row;
      above += static_cast<std::size_t>(row - (rows + starts[k]));
      if (row != end && *row == id) ++row;
    }
    for (; row != end && *row < row_end; ++row) {
      const std::size_t column = is_full ? *row : position(*row);
      if (!is_full && (column == columns || ids[column] != *row)) {
        is_equal = false;
        break;
      }
      const Cursor entry = std::min(cursor[column - part.first]++, last_entry);
      __builtin_prefetch(rows + entry);
      entries[waiting] = entry;
      own[waiting] = id;
      if (++waiting == kAtOnce) compare();
    }
    if (above > below + waiting) is_equal = false;
  }
  compare();
  for (std::size_t k = part.first; k < part.last && is_equal; ++k) {
    const auto t = static_cast<std::int64_t>(cursor[k - part.first]);
    if (t > starts[k + 1] || (t < starts[k + 1] && rows[t] < ids[k])) is_equal = false;
  }
}

}  // namespace

// Each thread compares some of the rows left of the diagonal with the columns above it. Nearly every pattern
// that is not symmetric differs in the first columns.
bool equals_its_transpose(const SparsePattern& pattern, JobContext* context) {
  const auto ids = pattern.column_ids();
  const auto rows = pattern.row_indices();
  if (pattern.rows() != pattern.cols()) return false;
  if (rows.empty()) return true;
  const Positions position(ids, pattern.cols(), rows.size());
  const bool is_full = ids.size() == pattern.cols();
  const bool is_short = rows.size() < std::numeric_limits<std::uint32_t>::max() / 2;
  const std::size_t parts =
      context != nullptr ? std::min<std::size_t>(context->pool().threads(), 1 + rows.size() / kEntriesOfTask)
                         : 1;
  // Row i has about i/m of its entries below the diagonal: roots make the parts equal.
  const auto begin_of = [&](std::size_t part) {
    const double share = std::sqrt(static_cast<double>(part) / static_cast<double>(parts));
    return part == parts
               ? ids.size()
               : column_of_entry(pattern.column_starts(),
                                 static_cast<std::size_t>(share * static_cast<double>(rows.size())));
  };
  std::atomic<bool> is_equal{true};
  for_blocks(context, parts, 1, [&](std::size_t part, std::size_t) {
    const LineRange range{begin_of(part), begin_of(part + 1)};
    if (range.first == range.last) return;
    const auto compare = is_full    ? is_short ? compare_with_transpose<std::uint32_t, true>
                                               : compare_with_transpose<std::uint64_t, true>
                            : is_short ? compare_with_transpose<std::uint32_t, false>
                                    : compare_with_transpose<std::uint64_t, false>;
    compare(pattern, position, range, is_equal, context);
  });
  return is_equal;
}

}  // namespace spyctrum
