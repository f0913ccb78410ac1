// SPDX-License-Identifier: Apache-2.0
// Patterns from patterns: transposed, symmetrised, restricted, with other weights or positions.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/base/job_context.hpp"
#include "core/matrix/entry_lookup.hpp"
#include "core/matrix/packed_entries.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

namespace {

std::vector<std::int64_t> starts_of(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> starts(counts.size() + 1, 0);
  for (std::size_t k = 0; k < counts.size(); ++k) starts[k + 1] = starts[k] + counts[k];
  return starts;
}

/// symmetric() without the weights.
bool is_symmetric_pattern(const SparsePattern& pattern, JobContext* context) {
  return pattern.symmetric() || (pattern.has_weights() && equals_its_transpose(pattern, context));
}

/// The row indices of the transposed pattern if there are many more rows than entries: sorting is then
/// several times as fast as a binary search for every entry.
IndexList rows_by_sorting(const SparsePattern& pattern, JobContext& context) {
  const auto ids = pattern.column_ids();
  const auto starts = pattern.column_starts();
  const auto rows = pattern.row_indices();
  const Booking booking(context.memory(), rows.size() * sizeof(PackedEntry), "transposing of a pattern");
  EntryChunks chunks((rows.size() + kEntriesOfTask - 1) / kEntriesOfTask);
  for_blocks(&context, rows.size(), kEntriesOfTask, [&](std::size_t begin, std::size_t end) {
    auto& chunk = chunks[begin / kEntriesOfTask];
    chunk.reserve(end - begin);
    std::size_t column = column_of_entry(starts, begin);
    for (std::size_t t = begin; t < end; ++t) {
      while (static_cast<std::int64_t>(t) >= starts[column + 1]) ++column;
      chunk.push_back(pack_entry(ids[column], rows[t]));
    }
  });
  const std::vector<PackedEntry> entries = sort_unique(std::move(chunks), &context);
  IndexList result(entries.size());
  for_blocks(&context, entries.size(), kEntriesOfTask, [&](std::size_t begin, std::size_t end) {
    std::transform(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                   entries.begin() + static_cast<std::ptrdiff_t>(end),
                   result.begin() + static_cast<std::ptrdiff_t>(begin), row_of);
  });
  return result;
}

/// Divides the weights by 2^scale, so that their mean square is in [1, 4); returns scale.
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

}  // namespace

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
    if (context != nullptr && column_starts_[k] - checked > static_cast<std::int64_t>(kEntriesOfTask)) {
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
    if (context != nullptr && result.row_indices_.size() - checked > kEntriesOfTask) {
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

SparsePattern SparsePattern::without_weights() const {
  SparsePattern result = *this;
  if (!has_weights()) return result;
  result.weights_ = {};
  result.exponent_ = 0;
  result.weight_sums_ = {};
  result.properties_ = std::make_shared<Properties>();
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

}  // namespace spyctrum
