// SPDX-License-Identifier: Apache-2.0
// Standard errors of the sums that decode_stratified() estimates, from the differences between its sampled
// rows.
#pragma once

#include <vector>

#include "core/features/moments.hpp"
#include "core/features/stratified.hpp"

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
  Moments disagreement{};    ///< variances added because rows and lattice contradict each other
  bool symmetric = false;    ///< F[v,u] = F[u,v]: mirrored sectors are averaged
};

/// F[v,u] = F[u,v]: the angles θ and π/2 − θ hold equal power.
void average_mirrored_sectors(Moments& moments);

struct StratifiedVariances {
  Moments sums;     ///< the variance of each estimated sum
  Moments largest;  ///< the part of each variance due to the one row that differs most from its neighbours
  Moments even;     ///< what the bars add to it if no row stands out
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

}  // namespace spyctrum
