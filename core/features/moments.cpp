// SPDX-License-Identifier: Apache-2.0
// Regression estimation of totals (Cochran, Sampling Techniques, 1977, ch. 7).
#include "core/features/moments.hpp"

#include <algorithm>
#include <cmath>

namespace spyctrum {

namespace {

/// Relative spread of line powers below which the slopes of the common factor dominate.
constexpr double kLineSpread = 0.01;
/// Standard error of every share, and relative one of entropy and flatness, from the rounding of single
/// precision alone.
constexpr double kRounding = 1e-6;

/// The totals with these moments, in which the floors are already applied; without DC.
FeatureTotals totals_of(const Moments& moments) {
  FeatureTotals totals;
  std::copy_n(moments.sums, kRadialBins, totals.radial.begin());
  std::copy_n(moments.sums + Moments::kSectorsAt, kSectors, totals.sectors.begin());
  totals.low = moments.sums[Moments::kLow];
  std::copy_n(moments.sums + Moments::kSumsAt, kPowerSums, totals.f.of);
  totals.log_power = moments.sums[Moments::kLog];
  totals.count = moments.count();
  totals.zeros = moments.sums[Moments::kZeros];
  return totals;
}

}  // namespace

Moments moments_of(const FeatureTotals& totals, const PowerFloors& floors) {
  Moments moments;
  std::ranges::copy(totals.radial, moments.sums);
  std::ranges::copy(totals.sectors, moments.sums + Moments::kSectorsAt);
  moments.sums[Moments::kLow] = totals.low;
  std::ranges::copy(totals.f.of, moments.sums + Moments::kSumsAt);
  moments.sums[Moments::kLog] = totals.floored_log_sum(floors.noise);
  moments.sums[Moments::kCount] = totals.count;
  moments.sums[Moments::kZeros] = totals.zero_count(floors.zero);
  return moments;
}

Features features_of(const Moments& moments, double dc_power, double cells) {
  FeatureTotals totals = totals_of(moments);
  for (double& power : totals.radial) power = std::max(0.0, power);
  for (double& power : totals.sectors) power = std::max(0.0, power);
  totals.low = std::max(0.0, totals.low);
  totals.dc_power = dc_power;
  return features_of(totals, totals.log_power, totals.zeros, cells);
}

Features standard_errors_of(const Moments& deviations, const Features& features, double dc_power,
                            double cells, double count) {
  Features errors;
  const double total = features.total_power;
  const double non_dc = total - dc_power;
  if (!(total > 0)) return errors;
  const auto share = [&](std::size_t k, double whole) {
    return std::hypot(deviations.sums[k] / whole, kRounding);
  };
  if (cells > 1) errors.entropy = share(Moments::kPowerLog, total * std::log(cells));
  for (std::size_t k = 0; k < kRadialBins; ++k) errors.radial[k] = share(k, total);
  if (!(non_dc > 0) || !(count > 0)) return errors;
  for (std::size_t k = 0; k < kSectors; ++k) errors.sectors[k] = share(Moments::kSectorsAt + k, non_dc);
  errors.low_frequency_ratio = share(Moments::kLow, non_dc);
  errors.flatness = features.flatness * share(Moments::kLog, count);
  return errors;
}

Moments common_slopes(const Moments& sums, double count) {
  const double power = sums.power();
  Moments slopes = (1 / power) * sums;
  for (std::size_t k = 0; k < kPowerSums; ++k) {
    double& slope = slopes.sums[Moments::kSumsAt + k];
    slope = kPowerFunctions[k].power * slope + kPowerFunctions[k].logarithm;
  }
  slopes.sums[Moments::kLog] = count / power;
  slopes.sums[Moments::kCount] = slopes.sums[Moments::kZeros] = 0;
  return slopes;
}

void LineSample::add(const Moments& line) {
  const double power = line.power();
  lines_ += 1;
  sums_ += line;
  for (std::size_t k = 0; k < Moments::kSize; ++k) {
    squares_[k] += line.sums[k] * line.sums[k];
    power_products_[k] += line.sums[k] * power;
  }
  power_squares_ += power * power;
}

Moments LineSample::slopes(const Moments& estimate) const {
  if (!(estimate.power() > 0)) return {};
  const Moments common = common_slopes(estimate, estimate.count());
  if (lines_ < 2) return common;
  const double mean = sums_.power() / lines_;
  const double prior = lines_ * (kLineSpread * mean) * (kLineSpread * mean);
  const double spread = std::max(0.0, power_squares_ - lines_ * mean * mean);
  if (!(prior > 0)) return common;
  Moments slopes;
  for (std::size_t k = 0; k < Moments::kSize; ++k) {
    const double product = power_products_[k] - mean * sums_.sums[k];
    slopes.sums[k] = (product + prior * common.sums[k]) / (spread + prior);
  }
  slopes.sums[Moments::kCount] = slopes.sums[Moments::kZeros] = 0;
  return slopes;
}

Moments LineSample::residual_variances(const Moments& slopes) const {
  Moments variances;
  if (lines_ < 2) return variances;
  const double power_sum = sums_.power();
  const double power_spread = power_squares_ - power_sum * power_sum / lines_;
  for (std::size_t k = 0; k < Moments::kSize; ++k) {
    const double spread = squares_[k] - sums_.sums[k] * sums_.sums[k] / lines_;
    const double product = power_products_[k] - sums_.sums[k] * power_sum / lines_;
    const double slope = slopes.sums[k];
    variances.sums[k] =
        std::max(0.0, spread - 2 * slope * product + slope * slope * power_spread) / (lines_ - 1);
  }
  return variances;
}

}  // namespace spyctrum
