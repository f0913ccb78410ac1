// SPDX-License-Identifier: Apache-2.0
// How often is the error of a feature within its standard error? The tiles of a pattern's plane are summed
// once; runs of the stream with error bars (core/engine/refining_stream.hpp) that differ in seed and
// requested error are then replayed from these sums, and each feature's distance from the exact one is
// compared with its error bar.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "core/features/feature_progress.hpp"
#include "core/features/feature_table.hpp"
#include "core/features/feature_totals.hpp"
#include "core/fft/row_transform.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum::test {

/// A pattern and the sums of every tile of its plane.
class SummedPlane {
 public:
  SummedPlane(PatternPtr pattern, JobContext& context) : pattern_(std::move(pattern)) {
    FeatureProgress all;
    all.prepare(*pattern_, context);
    const RowTransform transform(*pattern_, LengthRule::library);
    const ColumnOrder order = ColumnOrder::dft(pattern_->cols());
    const std::size_t tile_rows = all.tile_rows();
    std::vector<std::complex<float>> buffer(tile_rows * transform.length() +
                                            transform.scratch_size(tile_rows));
    const std::size_t tiles = all.remaining().size();
    for (std::size_t t = 0; t < tiles; ++t) {
      std::vector<std::int64_t> u;
      for (std::uint64_t row = all.first_row(t); row < all.first_row(t + 1); ++row)
        u.push_back(static_cast<std::int64_t>(row));
      const std::size_t stride = transform.length();
      transform.transform(u, buffer.data(), stride, std::span(buffer).subspan(tile_rows * stride));
      FeatureRows rows(pattern_->rows(), pattern_->cols());
      for (std::size_t k = 0; k < u.size(); ++k)
        rows.add(spectrum_row(u[k], pattern_->rows(), std::span(buffer).subspan(k * stride, pattern_->cols()),
                              all.symmetric_half()),
                 order);
      tiles_.push_back(rows.totals());
      all.add(t, tiles_.back());
    }
    exact_ = all.estimate()->features;
  }

  /// The last estimate of a stream with this seed that stops at errors of `until`.
  [[nodiscard]] FeatureEstimate estimate(std::uint64_t seed, double until, ThreadPool& pool) const {
    JobContext::Options options;
    options.seed = seed;
    JobContext context(pool, options);
    FeatureProgress progress;
    progress.prepare(*pattern_, context);
    while (true) {
      for (const std::uint64_t tile : progress.next_round()) progress.add(tile, tiles_[tile]);
      const FeatureEstimate estimate = *progress.estimate();
      if (estimate.complete() || (estimate.reliable && estimate.largest <= until)) return estimate;
    }
  }
  [[nodiscard]] const Features& exact() const { return exact_; }

 private:
  PatternPtr pattern_;
  std::vector<FeatureTotals> tiles_;
  Features exact_;
};

/// Distances of estimates from exact features, in error bars.
class Coverage {
 public:
  /// Bars below this are the rounding of single precision; estimates within five of them count as exact.
  static constexpr double kRounding = 3e-6;

  void add(const FeatureEstimate& estimate, const Features& exact) {
    if (estimate.complete()) {
      ++complete_;
      return;
    }
    add(estimate.features, estimate.errors, exact);
    rows_ += static_cast<double>(estimate.rows_done) / static_cast<double>(estimate.rows);
  }
  /// `bars`: error bars of `features`. Where they are distances from a reference (errors_of_biased()),
  /// `sigma` holds the standard errors of it: where it is exact to rounding, the error is known, and no claim
  /// is made.
  void add(const Features& features, const Features& bars, const Features& exact,
           const Features* sigma = nullptr) {
    ++runs_;
    for (std::size_t k = 0; k < kFeatureCount; ++k) {
      const FeatureDefinition& feature = kFeatureTable[k];
      if (feature.standard_error == StandardError::unknown) continue;
      for (std::size_t i = 0; i < feature.of(bars).size(); ++i) {
        const double error = feature.of(features)[i] - feature.of(exact)[i];
        const double bar = feature.of(bars)[i];
        if (sigma == nullptr)
          add(k, i, error, bar);
        else if (feature.of(*sigma)[i] > kRounding || std::abs(error) > bar + 5 * kRounding)
          add({k, i, std::abs(error) / bar});
        else
          ++known_;
      }
    }
  }
  void add(const Coverage& other) {
    runs_ += other.runs_;
    complete_ += other.complete_;
    rows_ += other.rows_;
    known_ += other.known_;
    cases_.insert(cases_.end(), other.cases_.begin(), other.cases_.end());
  }

  struct Case {
    std::size_t feature = 0;
    std::size_t index = 0;
    double distance = 0;  ///< in error bars
  };
  [[nodiscard]] const std::vector<Case>& cases() const { return cases_; }
  /// Runs that ended early, and runs that went to the last row.
  [[nodiscard]] int runs() const { return runs_; }
  [[nodiscard]] int complete() const { return complete_; }
  /// Errors that the bars give exactly, which are no cases.
  [[nodiscard]] int known() const { return known_; }
  /// Mean share of the rows that runs which ended early computed.
  [[nodiscard]] double rows() const { return runs_ > 0 ? rows_ / runs_ : 1; }
  /// Share of the cases within so many bars: of all, or of one feature.
  [[nodiscard]] double within(double bars) const {
    return share(bars, [](const Case&) { return true; });
  }
  [[nodiscard]] double within(double bars, FeatureKey feature) const {
    return share(bars, [&](const Case& one) { return one.feature == feature.place; });
  }
  /// The case farthest from the exact feature; distance 0 where there is none.
  [[nodiscard]] Case farthest() const {
    Case most;
    for (const Case& one : cases_)
      if (one.distance > most.distance) most = one;
    return most;
  }

 private:
  template <class Counts>
  [[nodiscard]] double share(double bars, Counts&& counts) const {
    double inside = 0;
    double all = 0;
    for (const Case& one : cases_) {
      if (!counts(one)) continue;
      all += 1;
      inside += one.distance <= bars ? 1 : 0;
    }
    return all > 0 ? inside / all : 1;
  }
  void add(std::size_t feature, std::size_t index, double error, double bar) {
    const double distance = bar > 0 ? std::abs(error) / bar : (error == 0 ? 0.0 : HUGE_VAL);
    if (bar <= kRounding && (distance <= 5 || std::abs(error) <= 5 * kRounding)) return;
    add({feature, index, distance});
  }
  void add(const Case& one) { cases_.push_back(one); }
  int runs_ = 0;
  int complete_ = 0;
  int known_ = 0;
  double rows_ = 0;
  std::vector<Case> cases_;
};

}  // namespace spyctrum::test
