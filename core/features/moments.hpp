// SPDX-License-Identifier: Apache-2.0
// The sums that features are made of as one vector, so that sampling theory can
// be written for all of them at once: totals of a population of N lines from n
// of them, corrected by what is known of their power.
#pragma once

#include <array>
#include <cstddef>

#include "core/features/feature_totals.hpp"

namespace spyctrum {

/// Σ P by radial bin and sector, Σ P at low frequencies, Σ P ln P, Σ ln max(P, floor), count; DC apart.
struct Moments {
  static constexpr std::size_t kSectorsAt = kRadialBins;
  static constexpr std::size_t kLow = kRadialBins + kSectors;
  static constexpr std::size_t kPowerLog = kLow + 1;
  static constexpr std::size_t kLog = kLow + 2;
  static constexpr std::size_t kCount = kLow + 3;
  static constexpr std::size_t kSize = kLow + 4;
  std::array<double, kSize> sums{};

  [[nodiscard]] double power() const;
  [[nodiscard]] double count() const { return sums[kCount]; }
  Moments& operator+=(const Moments& other);
  friend Moments operator*(double factor, Moments moments) {
    for (double& sum : moments.sums) sum *= factor;
    return moments;
  }
};

[[nodiscard]] Moments moments_of(const FeatureTotals& totals, double floor);

/// Features of a plane of `cells` coefficients that holds these and a DC term of `dc_power`.
[[nodiscard]] Features features_of(const Moments& moments, double dc_power, double cells);

/// Sums over lines drawn from a population of lines of equal length, with the products that regression on
/// power needs. One for each thread; add() joins them.
class LineSample {
 public:
  void add(const Moments& line);
  void add(const LineSample& other);
  [[nodiscard]] double lines() const { return lines_; }
  [[nodiscard]] const Moments& sums() const { return sums_; }
  /// d(sum)/d(power): by how much each sum of an estimate changes with an error of its power. Regression over
  /// the lines where their powers differ, else the change under a common factor of all powers.
  [[nodiscard]] Moments slopes(const Moments& estimate) const;
  /// Variances of the sums of one line about the regression with these slopes.
  [[nodiscard]] Moments residual_variances(const Moments& slopes) const;

 private:
  double lines_ = 0;
  Moments sums_;
  std::array<double, Moments::kSize> squares_{};
  std::array<double, Moments::kSize> power_products_{};
  double power_squares_ = 0;
};

}  // namespace spyctrum
