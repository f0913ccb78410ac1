// SPDX-License-Identifier: Apache-2.0
// Parts of the stratified decoder: standard errors of the sums that it estimates, from the differences
// between its sampled rows; the rows that it samples; and what it does where whole lines are too expensive.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/features/chosen_lines.hpp"
#include "core/features/moments.hpp"
#include "core/features/stratified.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// The weights by which the sums over all coefficients off the chosen lines follow from the sampled pairs of
/// rows ±u:
///   Ŷ = rate·Σ above + bulk·Σ below + …, adjusted by slopes·(known power − Ŷ's power).
struct StratifiedWeights {
  double rate = 1;           ///< pairs of rows in the plane per sampled pair
  double bulk = 1;           ///< coefficients of the bulk in the plane per coefficient in rows and lattice
  Moments mean{};            ///< moments of one coefficient of the bulk
  Moments slopes{};          ///< d(sum)/d(power)
  double missing_power = 0;  ///< known power − Ŷ's power
  double lattice = 0;        ///< coefficients that the lattice contributes, times the square of their weight
  Moments disagreement{};    ///< variances added where rows and lattice differ by more than their errors
  bool symmetric = false;    ///< F[v,u] = F[u,v]: mirrored sectors are averaged
};

/// F[v,u] = F[u,v]: the angles θ and π/2 − θ hold equal power.
void average_mirrored_sectors(Moments& moments);

struct StratifiedVariances {
  Moments sums;      ///< the variance of each estimated sum, by which the number of rows is chosen
  Moments largest;   ///< the part of each variance due to the one row that differs most from its neighbours
  Moments widening;  ///< what the bars add to each variance: they are never below the unbiased estimate
};
/// `rows`: one from each of equal intervals of the rows, in order.
[[nodiscard]] StratifiedVariances stratified_variances(const std::vector<SampledRowMoments>& rows,
                                                       const StratifiedWeights& weights);

/// Standard deviations from stratified_variances(), including what unsampled rows may add to each class of a
/// distribution.
[[nodiscard]] Moments stratified_deviations(const StratifiedVariances& variances);

/// Root mean squares of the errors to be expected from variances of sums.
struct PredictedErrors {
  double radial = 0;   ///< Hellinger distance
  double sectors = 0;  ///< Hellinger distance
  double entropy = 0;  ///< relative
};
/// Expected errors of `features` of a plane of `cells` coefficients. A share p with variance V contributes
/// (√p − √q)² = V/4p.
[[nodiscard]] PredictedErrors predicted_errors(const Moments& variances, const Features& features,
                                               double dc_power, double cells);

// Features estimated from a lattice, for planes with a side above kLongestWholeLine, where whole lines are
// too expensive (chosen_lines.hpp).

/// As decode_stratified(), with two strata: the lines near the axes (sampled if longer than kLongestLine),
/// and all other coefficients, from the lattice. Throws Failure{wrong_use} if the lattice lies on the axes.
[[nodiscard]] Features decode_long_lines(const SparsePattern& pattern, const FrequencyGrid& grid,
                                         std::span<const std::complex<float>> values, double zero_floor,
                                         JobContext& context);

/// An upper bound of the bytes that decode_long_lines() books.
[[nodiscard]] std::uint64_t decode_long_lines_bytes(const SparsePattern& pattern);

/// The rows that the stratified decoder samples: one random row from each of equal intervals of the rows that
/// are not chosen lines. (Equal steps could coincide with a period of the matrix.) Halving the intervals
/// keeps the rows already drawn, so that a sample can grow until it suffices.
class IntervalRows {
 public:
  /// Divides the rows u = 1 … ⌈m/2⌉−1 that are not chosen lines into `intervals`; takes all of them if there
  /// are no more.
  IntervalRows(const ChosenLines& lines, std::size_t intervals);
  /// Number of rows to sample from, and the sampled ones, ascending.
  [[nodiscard]] std::uint64_t population() const { return others_.size(); }
  [[nodiscard]] std::vector<std::int64_t> rows() const;
  [[nodiscard]] bool all() const { return places_.size() == others_.size(); }
  /// Takes all rows; returns those that were added, ascending.
  std::vector<std::int64_t> complete();
  /// Doubles the number of intervals; returns the new rows. Sets is_new[k] if rows()[k] is new.
  std::vector<std::int64_t> refine(std::vector<bool>& is_new);

 private:
  std::vector<std::int64_t> others_;
  std::vector<std::size_t> places_;  // of the sampled rows among `others_`, ascending
};

}  // namespace spyctrum
