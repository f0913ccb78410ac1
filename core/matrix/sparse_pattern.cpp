// SPDX-License-Identifier: Apache-2.0
// Patterns from sorted entries, and patterns from patterns (transposed, symmetrised, restricted). Storage: A.
// Buluç, J. R. Gilbert, "On the representation and multiplication of hypersparse matrices", IPDPS 2008.
#include "core/matrix/sparse_pattern.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/job_context.hpp"
#include "core/base/number_text.hpp"
#include "core/matrix/ascending_lines.hpp"
#include "core/matrix/entry_sort.hpp"
#include "core/matrix/packed_entries.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 19U;  // entries of one task: a few ms
/// The same where each entry accesses memory out of order, which may take a hundred nanoseconds.
constexpr std::size_t kScatteredBlock = std::size_t{1} << 16U;

// Whether an array with one element per row (column) takes at most about as much memory as the entries, or so
// little that filling it takes a microsecond.
bool is_small_table(std::uint64_t side, std::size_t entries) {
  return side <= 4 * entries + (std::uint64_t{1} << 12U);
}

void check_sides(std::uint64_t rows, std::uint64_t cols) {
  if (rows >= 1 && cols >= 1 && rows <= kLargestSide && cols <= kLargestSide) return;
  throw Failure(ErrorCode::bad_input, "A matrix of " + counted(rows, "row", "rows") + " and " +
                                          counted(cols, "column", "columns") +
                                          ": each side must be between 1 and " + grouped(kLargestSide) + ".");
}

// Position of an id in an ascending list of ids.
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

AxisCounts count_by_table(std::span<const Index> ids, std::uint64_t side, JobContext* context) {
  // If tables are small, each thread counts in its own one; in a common table every addition is atomic, which
  // takes several times as long.
  constexpr std::uint64_t kMostCounts = std::uint64_t{1} << 22U;
  const std::uint64_t threads = context != nullptr ? context->pool().threads() : 1;
  const bool is_shared = threads > 1 && threads * side > kMostCounts;
  std::vector<std::vector<Index>> tables(is_shared ? 1 : threads);
  tables.front().resize(side);
  const auto count = [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (context != nullptr) context->check_stop();
    std::vector<Index>& own = tables[is_shared ? 0 : worker];
    own.resize(side);
    for (std::size_t t = begin; t < end; ++t) {
      if (is_shared)
        std::atomic_ref<Index>(own[ids[t]]).fetch_add(1, std::memory_order_relaxed);
      else
        ++own[ids[t]];
    }
  };
  if (context != nullptr)
    context->pool().parallel_for(ids.size(), kBlock, count);
  else
    count(0, ids.size(), 0);
  std::vector<Index>& table = tables.front();
  for (std::size_t other = 1; other < tables.size(); ++other)
    for (std::size_t id = 0; id < tables[other].size(); ++id) table[id] += tables[other][id];
  AxisCounts counts;
  const auto active = static_cast<std::size_t>(table.size()) -
                      static_cast<std::size_t>(std::count(table.begin(), table.end(), Index{0}));
  counts.ids.reserve(active);
  counts.counts.reserve(active);
  for (std::size_t id = 0; id < table.size(); ++id) {
    if (table[id] == 0) continue;
    counts.ids.push_back(static_cast<Index>(id));
    counts.counts.push_back(table[id]);
  }
  return counts;
}

// For many more ids than entries: sorts pairs (id, position) and counts equal ids.
AxisCounts count_by_sorting(std::span<const Index> ids, JobContext* context) {
  EntryChunks chunks(1);
  chunks[0].resize(ids.size());
  for (std::size_t t = 0; t < ids.size(); ++t) chunks[0][t] = pack_entry(static_cast<Index>(t), ids[t]);
  AxisCounts counts;
  for (const PackedEntry entry : sort_unique(std::move(chunks), context)) {
    if (counts.ids.empty() || counts.ids.back() != col_of(entry)) {
      counts.ids.push_back(col_of(entry));
      counts.counts.push_back(0);
    }
    ++counts.counts.back();
  }
  return counts;
}

std::vector<std::int64_t> starts_of(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> starts(counts.size() + 1, 0);
  for (std::size_t k = 0; k < counts.size(); ++k) starts[k + 1] = starts[k] + counts[k];
  return starts;
}

// The column, as a position in column_ids(), of entry number t.
std::size_t column_of_entry(std::span<const std::int64_t> starts, std::size_t t) {
  return static_cast<std::size_t>(std::ranges::upper_bound(starts, static_cast<std::int64_t>(t)) -
                                  starts.begin()) -
         1;
}

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
      context != nullptr ? std::min<std::size_t>(context->pool().threads(), 1 + rows.size() / kBlock) : 1;
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

// symmetric() without the weights.
bool is_symmetric_pattern(const SparsePattern& pattern, JobContext* context) {
  return pattern.symmetric() || (pattern.has_weights() && equals_its_transpose(pattern, context));
}

// Divides the weights by 2^scale, so that their mean square is in [1, 4); returns scale.
int normalise(std::vector<float>& weights) {
  double squares = 0;  // single precision squared is within double precision
  for (const float weight : weights) squares += static_cast<double>(weight) * static_cast<double>(weight);
  if (!(squares > 0)) return 0;
  const int scale =
      static_cast<int>(std::floor(std::ilogb(squares / static_cast<double>(weights.size())) / 2.0));
  if (scale == 0) return 0;
  for (float& weight : weights) weight = static_cast<float>(std::ldexp(static_cast<double>(weight), -scale));
  return scale;
}

// The row indices of the transposed pattern if there are many more rows than entries: sorting is then several
// times as fast as a binary search for every entry.
IndexList rows_by_sorting(const SparsePattern& pattern, JobContext& context) {
  const auto ids = pattern.column_ids();
  const auto starts = pattern.column_starts();
  const auto rows = pattern.row_indices();
  const Booking booking(context.memory(), rows.size() * sizeof(PackedEntry), "transposing of a pattern");
  EntryChunks chunks((rows.size() + kBlock - 1) / kBlock);
  for_blocks(&context, rows.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    auto& chunk = chunks[begin / kBlock];
    chunk.reserve(end - begin);
    std::size_t column = column_of_entry(starts, begin);
    for (std::size_t t = begin; t < end; ++t) {
      while (static_cast<std::int64_t>(t) >= starts[column + 1]) ++column;
      chunk.push_back(pack_entry(ids[column], rows[t]));
    }
  });
  const std::vector<PackedEntry> entries = sort_unique(std::move(chunks), &context);
  IndexList result(entries.size());
  for_blocks(&context, entries.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    std::transform(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                   entries.begin() + static_cast<std::ptrdiff_t>(end),
                   result.begin() + static_cast<std::ptrdiff_t>(begin), row_of);
  });
  return result;
}

[[noreturn]] void fail_outside(std::uint64_t rows, std::uint64_t cols) {
  throw Failure(ErrorCode::bad_input, "An entry lies outside the " + sides_text(rows, cols) + " matrix.");
}

// Replaces the ids of compressed rows, below `cols`, by those of the columns, ascending and with repeated
// ones; returns the ends of the columns. Each thread counts and moves the entries of a part of the rows.
std::vector<std::uint64_t> transpose_rows(std::span<const std::uint64_t> ends, IndexList& ids,
                                          std::uint64_t rows, std::uint64_t cols, JobContext& context) {
  // The tables of all parts take at most as much memory as the ids.
  const std::size_t parts = std::clamp<std::size_t>(ids.size() / (2 * cols), 1, context.pool().threads());
  const auto begin_of = [&](std::size_t part) { return ids.size() * part / parts; };
  const Booking booking(context.memory(),
                        2 * ids.size() * sizeof(Index) + parts * cols * sizeof(std::uint64_t),
                        "transposing of a pattern");
  std::vector<std::vector<std::uint64_t>> next(parts);  // number of entries, then next place of each column
  for_blocks(&context, parts, 1, [&](std::size_t part, std::size_t) {
    next[part].resize(cols);
    std::uint64_t* const counts = next[part].data();
    for (std::size_t k = begin_of(part); k < begin_of(part + 1); ++k) {
      if (ids[k] >= cols) fail_outside(rows, cols);
      ++counts[ids[k]];
      if (k % kScatteredBlock == 0) context.check_stop();
    }
  });
  std::uint64_t sum = 0;
  for (std::uint64_t col = 0; col < cols; ++col)
    for (std::vector<std::uint64_t>& counts : next) sum += std::exchange(counts[col], sum);
  IndexList moved(ids.size());
  for_blocks(&context, parts, 1, [&](std::size_t part, std::size_t) {
    std::uint64_t* const places = next[part].data();
    std::size_t k = begin_of(part);
    auto row = static_cast<std::size_t>(std::ranges::upper_bound(ends, k) - ends.begin());
    for (; k < begin_of(part + 1); ++row)
      for (const std::size_t last = std::min<std::size_t>(ends[row], begin_of(part + 1)); k < last; ++k) {
        moved[places[ids[k]]++] = static_cast<Index>(row);
        if (k % kScatteredBlock == 0) context.check_stop();
      }
  });
  ids = std::move(moved);
  return std::move(next.back());  // the last part ends where the column does
}

}  // namespace

Result<SparsePattern> SparsePattern::from_coordinates(std::uint64_t rows, std::uint64_t cols,
                                                      std::vector<Index> row, std::vector<Index> col,
                                                      std::int64_t* duplicates) {
  return run_guarded([&] {
    check_sides(rows, cols);
    if (row.size() != col.size())
      throw Failure(ErrorCode::internal, "from_coordinates: " + std::to_string(row.size()) +
                                             " row indices beside " + std::to_string(col.size()) +
                                             " column indices.");
    EntryChunks chunks(1);
    chunks[0].resize(row.size());
    for (std::size_t t = 0; t < row.size(); ++t) {
      if (row[t] >= rows || col[t] >= cols)
        throw Failure(ErrorCode::bad_input, "Entry " + std::to_string(t) + " at row " +
                                                std::to_string(row[t]) + ", column " +
                                                std::to_string(col[t]) + " lies outside the " +
                                                sides_text(rows, cols) + " matrix (indices count from 0).");
      chunks[0][t] = pack_entry(row[t], col[t]);
    }
    row = {};
    col = {};
    return from_chunks(rows, cols, std::move(chunks), nullptr, duplicates);
  });
}

SparsePattern SparsePattern::from_packed(std::uint64_t rows, std::uint64_t cols, EntryChunks chunks,
                                         JobContext& context, std::int64_t* duplicates) {
  check_sides(rows, cols);
  return from_chunks(rows, cols, std::move(chunks), &context, duplicates);
}

SparsePattern SparsePattern::from_chunks(std::uint64_t rows, std::uint64_t cols, EntryChunks chunks,
                                         JobContext* context, std::int64_t* duplicates) {
  SparsePattern pattern;
  pattern.rows_ = rows;
  pattern.cols_ = cols;
  {
    EntrySurvey survey;
    std::vector<SortedPart> parts = sorted_parts(std::move(chunks), context, duplicates, &survey);
    if (survey.largest_row >= rows || col_of(survey.largest) >= cols) fail_outside(rows, cols);
    std::size_t total = 0;
    for (const SortedPart& part : parts) total += part.size;
    Booking booking;
    if (context != nullptr)
      booking = Booking(context->memory(), total * sizeof(Index), "pattern of the matrix");
    // Each group of parts is freed once it is appended, so that memory never holds all sorted entries and the
    // whole pattern.
    const std::size_t group = context != nullptr ? std::size_t{4} * context->pool().threads() : 1;
    pattern.row_indices_.reserve(total);
    advise_large_pages(pattern.row_indices_.data(), total * sizeof(Index));
    for (std::size_t first = 0; first < parts.size(); first += group) {
      const std::span<SortedPart> now =
          std::span(parts).subspan(first, std::min(group, parts.size() - first));
      pattern.append_sorted(now, context);
      for (SortedPart& part : now) {
        release_pages(part.entries(), total);
        part = {};
      }
    }
  }
  pattern.count_columns();
  return pattern;
}

SparsePattern SparsePattern::from_lines(std::uint64_t rows, std::uint64_t cols, bool by_rows,
                                        std::span<const std::uint64_t> ends, IndexList ids,
                                        JobContext& context, std::int64_t* duplicates, bool ascend) {
  check_sides(rows, cols);
  const std::uint64_t lines = by_rows ? rows : cols;
  const std::uint64_t line_length = by_rows ? cols : rows;
  if (ends.size() > lines || (ends.empty() ? 0 : ends.back()) != ids.size() || !std::ranges::is_sorted(ends))
    throw Failure(ErrorCode::internal, "from_lines: the ends do not divide the ids.");
  if (by_rows && is_small_table(cols, ids.size())) {
    const std::vector<std::uint64_t> column_ends = transpose_rows(ends, ids, rows, cols, context);
    return from_lines(rows, cols, false, column_ends, std::move(ids), context, duplicates, ascend);
  }
  const Booking booking(context.memory(), (by_rows ? 2 : 1) * ids.size() * sizeof(Index),
                        "pattern of the matrix");
  constexpr std::size_t kLines = 4096;
  std::atomic<bool> has_duplicates{false};
  for_blocks(&context, ends.size(), kLines, [&](std::size_t begin, std::size_t end) {
    if (ascend || all_lines_ascend(ends, ids, begin, end, line_length)) return;
    for (std::size_t line = begin; line < end; ++line) {
      const std::uint64_t first = line == 0 ? 0 : ends[line - 1];
      const std::span<Index> own(ids.data() + first, ends[line] - first);
      if (std::ranges::adjacent_find(own, std::greater_equal()) != own.end()) {
        std::ranges::sort(own);
        if (std::ranges::adjacent_find(own) != own.end()) has_duplicates = true;
      }
      if (!own.empty() && own.back() >= line_length) fail_outside(rows, cols);
    }
  });
  SparsePattern pattern;
  pattern.rows_ = line_length;
  pattern.cols_ = lines;
  const std::int64_t removed = pattern.assign_lines(ends, std::move(ids), has_duplicates, context);
  if (duplicates != nullptr) *duplicates = removed;
  pattern.count_columns();
  if (by_rows) return pattern.transposed(&context);
  return pattern;
}

std::int64_t SparsePattern::assign_lines(std::span<const std::uint64_t> ends, IndexList ids,
                                         bool has_duplicates, JobContext& context) {
  // One element more than there can be columns: the next line overwrites that of an empty line.
  const std::size_t most = std::min(ends.size(), ids.size()) + 1;
  column_ids_.resize(most);
  column_starts_.resize(most + 1);
  std::size_t columns = 0;
  std::size_t to = 0;
  std::size_t first = 0;
  Index* const column_id = column_ids_.data();  // checks of the index would take half of the time
  std::int64_t* const column_end = column_starts_.data() + 1;
  for (std::size_t line = 0; line < ends.size(); ++line) {
    if (line % kBlock == 0) context.check_stop();
    const std::size_t begin = to;
    const std::size_t end = ends[line];
    if (!has_duplicates) to = end;
    for (std::size_t t = first; has_duplicates && t < end; ++t)
      if (to == begin || ids[to - 1] != ids[t]) ids[to++] = ids[t];
    first = end;
    column_id[columns] = static_cast<Index>(line);
    column_end[columns] = static_cast<std::int64_t>(to);
    columns += to == begin ? 0 : 1;
  }
  column_ids_.resize(columns);
  column_starts_.resize(columns + 1);
  const auto removed = static_cast<std::int64_t>(ids.size() - to);
  ids.resize(to);
  row_indices_ = std::move(ids);
  return removed;
}

void SparsePattern::append_sorted(std::span<const SortedPart> parts, JobContext* context) {
  std::vector<std::size_t> starts(parts.size() + 1, row_indices_.size());
  for (std::size_t p = 0; p < parts.size(); ++p) starts[p + 1] = starts[p] + parts[p].size;
  row_indices_.resize(starts.back());
  std::vector<std::vector<std::pair<Index, std::int64_t>>> columns(parts.size());  // id and start
  for_blocks(context, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::size_t to = starts[p];
      for (const PackedEntry entry : parts[p].entries()) {
        if (columns[p].empty() || columns[p].back().first != col_of(entry))
          columns[p].emplace_back(col_of(entry), static_cast<std::int64_t>(to));
        row_indices_[to++] = row_of(entry);
      }
    }
  });
  column_starts_.pop_back();
  for (const auto& own : columns)
    for (const auto& [id, start] : own) {
      if (!column_ids_.empty() && column_ids_.back() == id) continue;  // the column began in another part
      column_ids_.push_back(id);
      column_starts_.push_back(start);
    }
  column_starts_.push_back(static_cast<std::int64_t>(starts.back()));
}

void SparsePattern::count_columns() {
  column_counts_.ids = column_ids_;
  column_counts_.counts.resize(column_ids_.size());
  std::transform(column_starts_.begin() + 1, column_starts_.end(), column_starts_.begin(),
                 column_counts_.counts.begin(), std::minus());
}

void SparsePattern::Properties::set_rows(AxisCounts counts, bool is_symmetric) {
  row_counts = std::move(counts);
  symmetric = is_symmetric;
  has_rows = true;
}

void SparsePattern::Properties::set_fingerprint(std::uint64_t value) {
  fingerprint = value;
  has_fingerprint = true;
}

void SparsePattern::determine_properties(JobContext& context) const {
  (void)with_rows(&context);
  (void)with_fingerprint(&context);
}

const SparsePattern::Properties& SparsePattern::with_rows(JobContext* context) const {
  Properties& properties = *properties_;
  if (properties.has_rows) return properties;
  const std::lock_guard lock(properties.mutex);
  if (properties.has_rows) return properties;
  const bool is_symmetric = equals_its_transpose(*this, context);
  properties.set_rows(is_symmetric ? column_counts_
                      : is_small_table(rows_, row_indices_.size())
                          ? count_by_table(row_indices_, rows_, context)
                          : count_by_sorting(row_indices_, context),
                      is_symmetric);
  return properties;
}

const SparsePattern::Properties& SparsePattern::with_fingerprint(JobContext* context) const {
  Properties& properties = *properties_;
  if (properties.has_fingerprint) return properties;
  const std::lock_guard lock(properties.mutex);
  if (properties.has_fingerprint) return properties;
  // The sum of hashed entries does not depend on the order of the blocks.
  std::atomic<std::uint64_t> sum{0};
  for_blocks(context, row_indices_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    std::uint64_t own = 0;
    std::size_t column = column_of_entry(column_starts_, begin);
    const Index* const rows = row_indices_.data();  // no checks of the index
    for (std::size_t t = begin; t < end; ++column) {
      const std::size_t last = std::min(end, static_cast<std::size_t>(column_starts_[column + 1]));
      const PackedEntry first = pack_entry(0, column_ids_[column]);
      // Four sums of one expression, whose multiplications do not wait for each other.
      for (; t + 3 < last; t += 4)
        own += split_mix64(first | rows[t]) + split_mix64(first | rows[t + 1]) +
               split_mix64(first | rows[t + 2]) + split_mix64(first | rows[t + 3]);
      for (; t < last; ++t) own += split_mix64(first | rows[t]);
    }
    sum.fetch_add(own, std::memory_order_relaxed);
  });
  properties.set_fingerprint(split_mix64(split_mix64(split_mix64(rows_) ^ cols_) ^ sum.load()));
  return properties;
}

std::optional<std::size_t> SparsePattern::entry_at(std::uint64_t row, std::uint64_t col) const {
  if (row >= rows_ || col >= cols_) return std::nullopt;
  const auto column = std::lower_bound(column_ids_.begin(), column_ids_.end(), static_cast<Index>(col));
  if (column == column_ids_.end() || *column != col) return std::nullopt;
  const auto k = static_cast<std::size_t>(column - column_ids_.begin());
  const auto rows = this->column(k);
  const auto found = std::ranges::lower_bound(rows, static_cast<Index>(row));
  if (found == rows.end() || *found != row) return std::nullopt;
  return static_cast<std::size_t>(column_starts_[k] + (found - rows.begin()));
}

double SparsePattern::density() const {
  if (rows_ == 0 || cols_ == 0) return 0;
  return static_cast<double>(nonzeros()) / static_cast<double>(rows_) / static_cast<double>(cols_);
}

std::uint64_t SparsePattern::bytes() const {
  const auto axis = [](const AxisCounts& counts) {
    return counts.ids.capacity() * sizeof(Index) + counts.counts.capacity() * sizeof(std::int64_t);
  };
  return column_ids_.capacity() * sizeof(Index) + column_starts_.capacity() * sizeof(std::int64_t) +
         row_indices_.capacity() * sizeof(Index) + weights_.capacity() * sizeof(float) +
         axis(column_counts_) + (properties_->has_rows ? axis(properties_->row_counts) : 0);
}

SparsePattern SparsePattern::transposed(JobContext* context) const {
  const AxisCounts& row_counts = with_rows(context).row_counts;
  SparsePattern result;
  result.rows_ = cols_;
  result.cols_ = rows_;
  result.column_ids_ = row_counts.ids;
  result.column_starts_ = starts_of(row_counts.counts);
  result.column_counts_ = row_counts;
  result.properties_->set_rows(column_counts_, is_symmetric_pattern(*this, context));
  // A table over all rows is the fastest if it is small, then sorting of the entries, which would lose
  // weights, then bisection.
  if (context != nullptr && !is_small_table(rows_, row_indices_.size()) && !has_weights()) {
    result.row_indices_ = rows_by_sorting(*this, *context);
    return result;
  }
  result.row_indices_.resize(row_indices_.size());
  const Positions position(result.column_ids_, rows_, row_indices_.size());
  std::vector<std::int64_t> next(result.column_starts_.begin(), result.column_starts_.end() - 1);
  std::int64_t checked = 0;
  std::vector<float> moved(weights_.size());
  for (std::size_t k = 0; k < column_ids_.size(); ++k) {
    if (context != nullptr && column_starts_[k] - checked > static_cast<std::int64_t>(kBlock)) {
      checked = column_starts_[k];
      context->check_stop();
    }
    for (std::int64_t t = column_starts_[k]; t < column_starts_[k + 1]; ++t) {
      const Index row = row_indices_[static_cast<std::size_t>(t)];
      const auto to = static_cast<std::size_t>(next[position(row)]++);
      result.row_indices_[to] = column_ids_[k];
      if (!moved.empty()) moved[to] = weights_[static_cast<std::size_t>(t)];
    }
  }
  if (has_weights()) result.set_weights(std::move(moved), exponent_, context);
  return result;
}

SparsePattern SparsePattern::symmetrised(JobContext* context) const {
  if (rows_ != cols_) throw Failure(ErrorCode::internal, "symmetrised: the pattern is not square.");
  if (with_rows(context).symmetric) return has_weights() ? without_weights() : *this;
  const SparsePattern mirror = transposed(context);
  SparsePattern result;
  result.rows_ = rows_;
  result.cols_ = cols_;
  std::ranges::set_union(column_ids_, mirror.column_ids_, std::back_inserter(result.column_ids_));
  result.column_starts_.reserve(result.column_ids_.size() + 1);
  result.row_indices_.reserve(2 * row_indices_.size());
  const auto column_of = [](const SparsePattern& pattern, std::size_t& k, Index id) {
    if (k == pattern.column_ids_.size() || pattern.column_ids_[k] != id) return std::span<const Index>();
    return pattern.column(k++);
  };
  std::size_t mine = 0;
  std::size_t mirrored = 0;
  std::size_t checked = 0;
  for (const Index id : result.column_ids_) {
    std::ranges::set_union(column_of(*this, mine, id), column_of(mirror, mirrored, id),
                           std::back_inserter(result.row_indices_));
    result.column_starts_.push_back(static_cast<std::int64_t>(result.row_indices_.size()));
    if (context != nullptr && result.row_indices_.size() - checked > kBlock) {
      checked = result.row_indices_.size();
      context->check_stop();
    }
  }
  result.row_indices_.shrink_to_fit();
  result.count_columns();
  result.properties_->set_rows(result.column_counts_, true);
  return result;
}

SparsePattern SparsePattern::restricted_to(std::uint64_t row0, std::uint64_t col0, std::uint64_t height,
                                           std::uint64_t width) const {
  SparsePattern result;
  result.rows_ = rows_;
  result.cols_ = cols_;
  // callers pass the largest height for "all rows from row0", and row0 + height would overflow
  const std::uint64_t row_end = row0 + std::min(height, rows_ - std::min(rows_, row0));
  const std::uint64_t col_end = col0 + std::min(width, cols_ - std::min(cols_, col0));
  std::vector<float> weights;
  for (std::size_t k = 0; k < column_ids_.size(); ++k) {
    if (column_ids_[k] < col0 || column_ids_[k] >= col_end) continue;
    const auto rows = column(k);
    const auto first = std::lower_bound(rows.begin(), rows.end(), row0);
    const auto last = std::lower_bound(first, rows.end(), row_end);
    if (first == last) continue;
    result.column_ids_.push_back(column_ids_[k]);
    result.row_indices_.insert(result.row_indices_.end(), first, last);
    if (has_weights()) {
      const auto own = column_weights(k).subspan(static_cast<std::size_t>(first - rows.begin()),
                                                 static_cast<std::size_t>(last - first));
      weights.insert(weights.end(), own.begin(), own.end());
    }
    result.column_starts_.push_back(static_cast<std::int64_t>(result.row_indices_.size()));
  }
  result.count_columns();
  if (!has_weights()) return result;
  const int scale = normalise(weights);
  result.set_weights(std::move(weights), exponent_ + scale);
  return result;
}

SparsePattern SparsePattern::with_weights(std::vector<float> weights, int exponent) const {
  const bool is_finite = std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); });
  if (weights.size() != row_indices_.size() || !is_finite)
    throw Failure(ErrorCode::internal, "with_weights: " + std::to_string(weights.size()) + " weights of " +
                                           std::to_string(row_indices_.size()) +
                                           (is_finite ? " entries." : " entries are not all finite."));
  SparsePattern result = without_weights();
  const int scale = normalise(weights);
  result.set_weights(std::move(weights), exponent + scale);
  return result;
}

SparsePattern SparsePattern::moved(const SparsePattern& from, std::uint64_t rows, std::uint64_t cols,
                                   std::vector<PackedEntry> entries, JobContext& context) {
  std::vector<float> weights;
  const std::uint64_t count = entries.size();
  const Booking booking(context.memory(), from.has_weights() ? 12 * count : 0, "weights of the entries");
  if (from.has_weights()) {
    std::vector<std::size_t> order(entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t t) { return entries[t]; });
    weights.resize(order.size());
    std::ranges::transform(order, weights.begin(), [&](std::size_t t) { return from.weights_[t]; });
  }
  EntryChunks chunks(1);
  chunks[0] = std::move(entries);
  SparsePattern result = from_packed(rows, cols, std::move(chunks), context);
  if (weights.empty()) return result;
  if (weights.size() != result.row_indices_.size())
    throw Failure(ErrorCode::internal, "moved: two entries have the same place.");
  result.set_weights(std::move(weights), from.exponent_, &context);
  return result;
}

SparsePattern SparsePattern::without_weights() const {
  SparsePattern result = *this;
  if (!has_weights()) return result;
  result.weights_ = {};
  result.exponent_ = 0;
  result.weight_sums_ = {};
  result.properties_ = std::make_shared<Properties>();
  return result;
}

/// Stores w = `weights` unchanged, with a = w·2^exponent, and adds them to the fingerprint of the pattern.
void SparsePattern::set_weights(std::vector<float> weights, int exponent, JobContext* context) {
  const std::shared_ptr<Properties> of_pattern = properties_;
  (void)with_rows(context);
  (void)with_fingerprint(context);
  properties_ = std::make_shared<Properties>();
  weights_ = std::move(weights);
  exponent_ = exponent;
  weight_sums_ = {};
  std::uint64_t hash = split_mix64(of_pattern->fingerprint ^ static_cast<std::uint64_t>(exponent_));
  for (const float weight : weights_) {
    const auto value = static_cast<double>(weight);
    weight_sums_.sum += value;
    weight_sums_.squares += value * value;
    weight_sums_.magnitudes += std::abs(value);
    hash = split_mix64(hash ^ std::bit_cast<std::uint32_t>(weight == 0 ? 0.0F : weight));
  }
  properties_->set_fingerprint(hash);
  properties_->set_rows(of_pattern->row_counts, of_pattern->symmetric && has_symmetric_weights());
  weight_sums_.line_squares = weighted_line_squares();
}

/// As equals_its_transpose(), for the weights of a symmetric pattern.
bool SparsePattern::has_symmetric_weights() const {
  const Positions position(column_ids_, cols_, row_indices_.size());
  std::vector<std::int64_t> cursor(column_starts_.begin(), column_starts_.end() - 1);
  for (std::size_t k = 0; k < column_ids_.size(); ++k)
    for (std::int64_t t = column_starts_[k]; t < column_starts_[k + 1]; ++t) {
      const auto at = static_cast<std::size_t>(t);
      const std::int64_t mirror = cursor[position(row_indices_[at])]++;
      if (weights_[at] != weights_[static_cast<std::size_t>(mirror)]) return false;
    }
  return true;
}

std::vector<double> SparsePattern::row_sums() const {
  std::vector<double> sums(row_counts().counts.begin(), row_counts().counts.end());
  if (!has_weights()) return sums;
  std::ranges::fill(sums, 0.0);
  const Positions position(row_counts().ids, rows_, row_indices_.size());
  for (std::size_t t = 0; t < row_indices_.size(); ++t)
    sums[position(row_indices_[t])] += static_cast<double>(weights_[t]);
  return sums;
}

std::vector<double> SparsePattern::column_sums() const {
  std::vector<double> sums(column_counts_.counts.begin(), column_counts_.counts.end());
  if (!has_weights()) return sums;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k] = 0;
    for (const float weight : column_weights(k)) sums[k] += static_cast<double>(weight);
  }
  return sums;
}

double SparsePattern::line_squares() const {
  if (has_weights()) return weight_sums_.line_squares;
  const auto squares = [](const std::vector<std::int64_t>& counts) {
    double sum = 0;
    for (const std::int64_t count : counts) sum += static_cast<double>(count) * static_cast<double>(count);
    return sum;
  };
  return std::max(squares(row_counts().counts), squares(column_counts_.counts));
}

/// The larger of Σ_i (Σ_j |w_ij|)² and Σ_j (Σ_i |w_ij|)².
double SparsePattern::weighted_line_squares() const {
  const auto squares = [](const std::vector<double>& lines) {
    return std::inner_product(lines.begin(), lines.end(), lines.begin(), 0.0);
  };
  std::vector<double> rows(row_counts().ids.size());
  std::vector<double> cols(column_ids_.size());
  const Positions position(row_counts().ids, rows_, row_indices_.size());
  for (std::size_t k = 0; k < column_ids_.size(); ++k)
    for (std::int64_t t = column_starts_[k]; t < column_starts_[k + 1]; ++t) {
      const double size = std::abs(static_cast<double>(weights_[static_cast<std::size_t>(t)]));
      rows[position(row_indices_[static_cast<std::size_t>(t)])] += size;
      cols[k] += size;
    }
  return std::max(squares(rows), squares(cols));
}

bool operator==(const SparsePattern& left, const SparsePattern& right) {
  return left.rows_ == right.rows_ && left.cols_ == right.cols_ && left.column_ids_ == right.column_ids_ &&
         left.column_starts_ == right.column_starts_ && left.row_indices_ == right.row_indices_ &&
         left.exponent_ == right.exponent_ && left.weights_ == right.weights_;
}

PatternStatistics statistics_of(const SparsePattern& pattern) {
  PatternStatistics statistics;
  statistics.empty_rows = pattern.rows() - pattern.row_counts().ids.size();
  statistics.empty_cols = pattern.cols() - pattern.column_counts().ids.size();
  const auto most = [](const std::vector<std::int64_t>& counts) {
    return counts.empty() ? 0 : std::ranges::max(counts);
  };
  statistics.max_row = most(pattern.row_counts().counts);
  statistics.max_col = most(pattern.column_counts().counts);
  const auto distance = [](std::uint64_t i, std::uint64_t j) { return i > j ? i - j : j - i; };
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    const Index column = pattern.column_ids()[k];
    const auto rows = pattern.column(k);
    statistics.bandwidth =
        std::max({statistics.bandwidth, distance(rows.front(), column), distance(rows.back(), column)});
  }
  statistics.density = pattern.density();
  return statistics;
}

}  // namespace spyctrum
