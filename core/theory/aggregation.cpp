// SPDX-License-Identifier: Apache-2.0
// Sums over occupied blocks, one strip of b columns at a time.
#include "core/theory/aggregation.hpp"

#include <algorithm>
#include <vector>

namespace spyctrum {

namespace {

/// Σa per block of one strip of b columns; only occupied blocks are visited and reset.
class StripSums {
 public:
  explicit StripSums(std::uint64_t block_rows) : sums_(block_rows), counts_(block_rows) {}
  void add(std::uint64_t block_row, double weight) {
    if (counts_[block_row]++ == 0) touched_.push_back(block_row);
    sums_[block_row] += weight;
  }
  /// Returns Σ (Σa)²/area over the strip, area = height(block row)·width the cells of a block, and resets the
  /// sums.
  template <class Height>
  double take(Height&& height, double width) {
    double sum = 0;
    for (const std::uint64_t p : touched_) {
      sum += sums_[p] * sums_[p] / (height(p) * width);
      sums_[p] = 0;
      counts_[p] = 0;
    }
    occupied_ += touched_.size();
    touched_.clear();
    return sum;
  }
  [[nodiscard]] std::uint64_t occupied() const { return occupied_; }

 private:
  std::vector<double> sums_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> touched_;
  std::uint64_t occupied_ = 0;
};

}  // namespace

Aggregation aggregation_of(const SparsePattern& pattern, std::uint64_t block, JobContext& context) {
  const std::uint64_t m = pattern.rows();
  const std::uint64_t n = pattern.cols();
  const std::uint64_t block_rows = (m + block - 1) / block;
  const std::uint64_t block_cols = (n + block - 1) / block;
  Aggregation result;
  result.blocks = block_rows * block_cols;
  const Booking booked(context.memory(), 24 * block_rows, "block sums");
  StripSums strip(block_rows);
  const auto height = [&](std::uint64_t p) { return static_cast<double>(std::min(block, m - p * block)); };
  const auto columns = pattern.column_ids();
  double squares = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    context.check_stop();
    const auto rows = pattern.column(k);
    const auto weights = pattern.column_weights(k);
    for (std::size_t t = 0; t < rows.size(); ++t)
      strip.add(rows[t] / block, weights.empty() ? 1.0 : static_cast<double>(weights[t]));
    const std::uint64_t q = columns[k] / block;
    if (k + 1 < columns.size() && columns[k + 1] / block == q) continue;
    squares += strip.take(height, static_cast<double>(std::min(block, n - q * block)));
  }
  const double power = pattern.weight_squares();
  result.loss = std::max(0.0, power - squares);
  result.relative = power > 0 ? result.loss / power : 0;
  result.occupied_blocks = strip.occupied();
  return result;
}

}  // namespace spyctrum
