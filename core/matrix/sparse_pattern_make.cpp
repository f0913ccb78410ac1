// SPDX-License-Identifier: Apache-2.0
// Patterns from entries in any order, and from compressed rows or columns.
#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "core/base/counts_text.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/ascending_lines.hpp"
#include "core/matrix/entry_lookup.hpp"
#include "core/matrix/entry_sort.hpp"
#include "core/matrix/packed_entries.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

namespace {

/// Entries between two tests for a stop where each accesses memory out of order, which may take a hundred
/// nanoseconds.
constexpr std::size_t kScatteredEntries = std::size_t{1} << 16U;

void check_sides(std::uint64_t rows, std::uint64_t cols) {
  if (rows >= 1 && cols >= 1 && rows <= kLargestSide && cols <= kLargestSide) return;
  throw Failure(ErrorCode::bad_input, "A matrix of " + counted(rows, "row", "rows") + " and " +
                                          counted(cols, "column", "columns") +
                                          ": each side must be between 1 and " + grouped(kLargestSide) + ".");
}

[[noreturn]] void fail_outside(std::uint64_t rows, std::uint64_t cols) {
  throw Failure(ErrorCode::bad_input, "An entry lies outside the " + sides_text(rows, cols) + " matrix.");
}

/// Replaces the ids of compressed rows, below `cols`, by those of the columns, ascending and with repeated
/// ones; returns the ends of the columns. Each thread counts and moves the entries of a part of the rows.
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
      if (k % kScatteredEntries == 0) context.check_stop();
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
        if (k % kScatteredEntries == 0) context.check_stop();
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
    if (line % kEntriesOfTask == 0) context.check_stop();
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

}  // namespace spyctrum
