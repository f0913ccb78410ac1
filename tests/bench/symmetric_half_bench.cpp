// SPDX-License-Identifier: Apache-2.0
// Which is the better use of processor time for a symmetric pattern in the stream with error bars
// (core/engine/refining_stream.hpp): whole rows, or the half |v| ≤ u of each row (the symmetric half)? Both
// feed the estimator, tile by tile in its order, until a share of the processor time of all whole rows is
// used. Printed: error bars, true errors, and the root mean square of true error over error bar. Arguments:
// symmetric matrices; none: two of the shared ones and a generated one.
#include <cmath>
#include <cstdio>
#include <ctime>

#include "core/features/feature_errors.hpp"
#include "core/features/feature_progress.hpp"
#include "core/features/feature_totals.hpp"
#include "core/fft/row_transform.hpp"
#include "tests/bench/bench_matrices.hpp"

namespace spyctrum::bench {
namespace {

constexpr std::size_t kAtOnce = 8;

struct Tile {
  FeatureTotals totals;
  double seconds = 0;
};

class Tiles {
 public:
  Tiles(const SparsePattern& pattern, bool symmetric_half)
      : pattern_(pattern),
        symmetric_half_(symmetric_half),
        transform_(pattern, symmetric_half ? LengthRule::resampled_bands : LengthRule::library),
        order_(ColumnOrder::dft(pattern.cols())),
        buffer_(kAtOnce * transform_.length() + transform_.scratch_size(kAtOnce)) {}

  Tile compute(std::uint64_t first, std::uint64_t last) {
    const std::clock_t began = std::clock();
    FeatureRows rows(pattern_.rows(), pattern_.cols());
    for (std::uint64_t u = first; u < last; u += kAtOnce) add(u, std::min(last, u + kAtOnce), rows);
    return {rows.totals(), static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC};
  }

 private:
  void add(std::uint64_t first, std::uint64_t last, FeatureRows& rows) {
    std::vector<std::int64_t> u;
    for (std::uint64_t k = first; k < last; ++k) u.push_back(static_cast<std::int64_t>(k));
    const std::size_t stride = transform_.length();
    const auto scratch = std::span(buffer_).subspan(kAtOnce * stride);
    if (symmetric_half_)
      transform_.transform_band(u, last - 1, buffer_.data(), stride, scratch);
    else
      transform_.transform(u, buffer_.data(), stride, scratch);
    for (std::size_t k = 0; k < u.size(); ++k) {
      const auto values = std::span(buffer_).subspan(k * stride, pattern_.cols());
      if (symmetric_half_)
        rows.add_symmetric_half(u[k], values, order_);
      else
        rows.add(u[k], u[k] != 0 && 2 * static_cast<std::uint64_t>(u[k]) != pattern_.rows(), values, order_);
    }
  }

  const SparsePattern& pattern_;
  bool symmetric_half_;
  RowTransform transform_;
  ColumnOrder order_;
  std::vector<std::complex<float>> buffer_;
};

/// The pattern with one entry moved within its row, so that the estimator treats it as not symmetric.
SparsePattern with_an_entry_moved(const SparsePattern& pattern) {
  std::vector<Index> rows, cols;
  const auto ids = pattern.column_ids();
  const auto starts = pattern.column_starts();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    for (std::int64_t t = starts[k]; t < starts[k + 1]; ++t) {
      rows.push_back(pattern.row_indices()[static_cast<std::size_t>(t)]);
      cols.push_back(ids[k]);
    }
  }
  std::uint64_t to = 0;
  while (to == cols.front() || to == rows.front() || pattern.contains(rows.front(), to)) ++to;
  cols.front() = static_cast<Index>(to);
  return SparsePattern::from_coordinates(pattern.rows(), pattern.cols(), std::move(rows), std::move(cols))
      .value();
}

/// Root mean square over the features of (true error / error bar).
double coverage(const FeatureEstimate& estimate, const Features& exact) {
  double squares = 0;
  double count = 0;
  const auto add = [&](double got, double expected, double bar) {
    if (!(bar > 0)) return;
    squares += (got - expected) * (got - expected) / (bar * bar);
    count += 1;
  };
  const Features& got = estimate.features;
  const Features& bars = estimate.errors;
  add(got.entropy, exact.entropy, bars.entropy);
  add(got.flatness, exact.flatness, bars.flatness);
  add(got.low_frequency_ratio, exact.low_frequency_ratio, bars.low_frequency_ratio);
  for (std::size_t k = 0; k < kRadialBins; ++k) add(got.radial[k], exact.radial[k], bars.radial[k]);
  for (std::size_t k = 0; k < kSectors; ++k) add(got.sectors[k], exact.sectors[k], bars.sectors[k]);
  return std::sqrt(squares / count);
}

void measure(const std::string& name, const SparsePattern& pattern) {
  if (!pattern.symmetric()) return;
  const SparsePattern unsymmetric = with_an_entry_moved(pattern);
  JobContext context(pool());
  FeatureProgress all;
  all.prepare(pattern, context);
  const std::vector<std::uint64_t> order = all.remaining();
  std::vector<Tile> of_rows, of_symmetric_half;
  Tiles rows(pattern, false), symmetric_half(pattern, true);
  double whole_seconds = 0, symmetric_half_seconds = 0;
  for (std::uint64_t t = 0; t < order.size(); ++t) {
    of_rows.push_back(rows.compute(all.first_row(t), all.first_row(t + 1)));
    of_symmetric_half.push_back(symmetric_half.compute(all.first_row(t), all.first_row(t + 1)));
    whole_seconds += of_rows.back().seconds;
    symmetric_half_seconds += of_symmetric_half.back().seconds;
    all.add(t, of_symmetric_half.back().totals);
  }
  const Features exact = all.estimate()->features;
  std::printf("%s: processor time of all rows %.2f s, of their symmetric halves %.2f s\n", name.c_str(),
              whole_seconds, symmetric_half_seconds);
  for (const bool by_symmetric_half : {false, true}) {
    const std::vector<Tile>& tiles = by_symmetric_half ? of_symmetric_half : of_rows;
    FeatureProgress progress;
    progress.prepare(by_symmetric_half ? pattern : unsymmetric, context);
    std::size_t next = 0;
    double used = 0;
    for (const double share : {0.03, 0.06, 0.12, 0.25, 0.5}) {
      for (; next < order.size() && used + tiles[order[next]].seconds <= share * whole_seconds; ++next) {
        used += tiles[order[next]].seconds;
        progress.add(order[next], tiles[order[next]].totals);
      }
      const auto estimate = progress.estimate();
      if (!estimate) continue;
      const FeatureErrors errors = feature_errors(estimate->features, exact);
      std::printf(
          "  %2.0f %% of the time by %-6s  %4.1f %% of the rows  error bar %.1e  true: entropy %.1e, "
          "radial %.1e, sectors %.1e  over bars %.2f\n",
          100 * share, by_symmetric_half ? "halves" : "rows",
          100 * static_cast<double>(estimate->rows_done) / static_cast<double>(estimate->rows),
          estimate->largest, errors["entropy"], errors["radial"], errors["sectors"],
          coverage(*estimate, exact));
    }
  }
}

}  // namespace
}  // namespace spyctrum::bench

int main(int count, char** arguments) {
  using namespace spyctrum::bench;
  if (count == 1) {
    measure(corafull().name, *corafull().pattern);
    measure(amazon_computers().name, *amazon_computers().pattern);
  }
  for (int k = 1; k < std::max(2, count); ++k) {
    const std::string name = count > 1 ? arguments[k] : "gen:power-law:n=12001,nnz=200000";
    spyctrum::JobContext context(pool());
    const auto matrix = spyctrum::load_matrix(name, {}, context);
    if (matrix) measure(name, *matrix->pattern);
  }
}
