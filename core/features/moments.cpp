// SPDX-License-Identifier: Apache-2.0
// Regression estimation of totals (Cochran, Sampling Techniques, 1977, ch. 7).
#include "core/features/moments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spyctrum {

namespace {

/// Relative spread of line powers below which the slopes of the common factor dominate.
constexpr double kSpread = 0.01;
/// Standard error of every share, and relative one of entropy and flatness, from the rounding of single
/// precision alone.
constexpr double kRounding = 1e-6;

}  // namespace

double Moments::power() const { return std::accumulate(sums.begin(), sums.begin() + kRadialBins, 0.0); }

Moments& Moments::operator+=(const Moments& other) {
  for (std::size_t k = 0; k < kSize; ++k) sums[k] += other.sums[k];
  return *this;
}

Moments moments_of(const FeatureTotals& totals, const PowerFloors& floors) {
  Moments moments;
  std::copy(totals.radial.begin(), totals.radial.end(), moments.sums.begin());
  std::copy(totals.sectors.begin(), totals.sectors.end(), moments.sums.begin() + Moments::kSectorsAt);
  moments.sums[Moments::kLow] = totals.low;
  moments.sums[Moments::kPowerLog] = totals.power_log_power;
  moments.sums[Moments::kLog] = totals.floored_log_sum(floors.noise);
  moments.sums[Moments::kCount] = totals.count;
  moments.sums[Moments::kZeros] = totals.zero_count(floors.zero);
  return moments;
}

Features features_of(const Moments& moments, double dc_power, double cells) {
  FeatureTotals totals;
  std::copy_n(moments.sums.begin(), kRadialBins, totals.radial.begin());
  std::copy_n(moments.sums.begin() + Moments::kSectorsAt, kSectors, totals.sectors.begin());
  for (double& power : totals.radial) power = std::max(0.0, power);
  for (double& power : totals.sectors) power = std::max(0.0, power);
  totals.low = std::max(0.0, moments.sums[Moments::kLow]);
  totals.power_log_power = moments.sums[Moments::kPowerLog];
  totals.count = moments.count();
  totals.dc_power = dc_power;
  totals.dc_count = 1;
  return features_of(totals, moments.sums[Moments::kLog], moments.sums[Moments::kZeros], cells);
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

void LineSample::add(const LineSample& other) {
  lines_ += other.lines_;
  sums_ += other.sums_;
  for (std::size_t k = 0; k < Moments::kSize; ++k) {
    squares_[k] += other.squares_[k];
    power_products_[k] += other.power_products_[k];
  }
  power_squares_ += other.power_squares_;
}

Moments LineSample::slopes(const Moments& estimate) const {
  const double power = estimate.power();
  if (!(power > 0)) return {};
  Moments common = (1 / power) * estimate;
  common.sums[Moments::kPowerLog] += 1;  // d(cP ln cP)/dc = P ln P + P
  common.sums[Moments::kLog] = estimate.count() / power;
  common.sums[Moments::kCount] = common.sums[Moments::kZeros] = 0;
  if (lines_ < 2) return common;
  const double mean = sums_.power() / lines_;
  const double prior = lines_ * (kSpread * mean) * (kSpread * mean);
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
