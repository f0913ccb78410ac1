// SPDX-License-Identifier: Apache-2.0
// The sums from which features are computed, as one vector (Moments, core/device/interface/power_sums.hpp),
// so that the formulas of survey sampling are written once for all of them: totals of a population of N lines
// are estimated from n sampled lines and adjusted to the known total power (regression estimator; Cochran,
// Sampling Techniques, 1977, ch. 7).
#pragma once

#include <array>

#include "core/features/feature_totals.hpp"

namespace spyctrum {

/// Powers below which values are replaced.
struct PowerFloors {
  double noise = 0;  ///< noise_floor(): smaller powers enter Σ ln P with this value
  double zero = 0;   ///< rounding_floor(): smaller powers are zero
};

[[nodiscard]] Moments moments_of(const FeatureTotals& totals, const PowerFloors& floors);

/// Features of a plane of `cells` coefficients with these moments and a DC term of power `dc_power`.
[[nodiscard]] Features features_of(const Moments& moments, double dc_power, double cells);

/// Standard errors of `features` of a plane of `cells` coefficients and known total power; `deviations` are
/// the standard deviations of the sums without DC over `count` coefficients. At least 1e-6, the rounding of
/// single precision.
[[nodiscard]] Features standard_errors_of(const Moments& deviations, const Features& features,
                                          double dc_power, double cells, double count);

/// d(sum)/d(power) for each of the `sums` over `count` coefficients of some power, if a common factor of all
/// powers changes: a·f/ΣP for f = P^a, (P ln P + P)/ΣP for P ln P; 0 for the numbers of coefficients.
[[nodiscard]] Moments common_slopes(const Moments& sums, double count);

/// Sums over lines sampled from a population of lines of equal length, with the products needed for
/// regression on power.
class LineSample {
 public:
  void add(const Moments& line);
  [[nodiscard]] double lines() const { return lines_; }
  [[nodiscard]] const Moments& sums() const { return sums_; }
  /// d(sum)/d(power) for each sum of `estimate`: by regression over the sampled lines if their powers differ,
  /// otherwise common_slopes().
  [[nodiscard]] Moments slopes(const Moments& estimate) const;
  /// Variances of the sums of one line about the regression line with these slopes.
  [[nodiscard]] Moments residual_variances(const Moments& slopes) const;

 private:
  double lines_ = 0;
  Moments sums_;
  std::array<double, Moments::kSize> squares_{};
  std::array<double, Moments::kSize> power_products_{};
  double power_squares_ = 0;
};

}  // namespace spyctrum
