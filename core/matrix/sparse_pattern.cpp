// SPDX-License-Identifier: Apache-2.0
// The properties and weights of a pattern. Storage: A. Buluç, J. R. Gilbert, "On the representation and
// multiplication of hypersparse matrices", IPDPS 2008. Patterns from entries: sparse_pattern_make.cpp;
// patterns from patterns: sparse_pattern_transform.cpp.
#include "core/matrix/sparse_pattern.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "core/base/job_context.hpp"
#include "core/matrix/entry_lookup.hpp"
#include "core/matrix/packed_entries.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

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
    context->pool().parallel_for(ids.size(), kEntriesOfTask, count);
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

}  // namespace

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
  for_blocks(context, row_indices_.size(), kEntriesOfTask, [&](std::size_t begin, std::size_t end) {
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
