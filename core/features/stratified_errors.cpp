// SPDX-License-Identifier: Apache-2.0
// Standard errors of the stratified decoder; core/features/ERRORS.md has all steps. Each interval of the rows
// holds one sampled pair, so that the variance within an interval is taken from neighbouring intervals:
// second differences (e_{k−1} − 2e_k + e_{k+1})²/6, which leave out a trend over the rows (Wolter,
// Introduction to Variance Estimation, 2007, ch. 8). With V their sum and q the share of V that its largest
// term has,
//   variance         V·f, f = kBaseFactor + kFactorPerShare·(q − kUsualShare);
//   variance of bars V·max(f, 1).
// Interval k of n contains the places ⌊kN/n⌋ … ⌊(k+1)N/n⌋−1 of N rows, so that its halves are intervals of
// 2n. Its row is random number n + k, which no other interval of any n uses.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>

#include "core/features/decode_stratified.hpp"
#include "core/features/row_sample.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

// The constants are fitted to the lists of tests/bench/coverage_patterns.hpp.

/// Every class of a distribution has at least this share of the distribution's largest variance. The low
/// frequencies follow the radial bins.
constexpr double kLeastOfLargest = 0.005;
/// Number of unsampled rows that are assumed to be like the one that differs most in any class; each class
/// gets the share of its coefficients.
constexpr double kUnseenRows = 2;
/// The share q of normally distributed rows, which is the least that is assumed. A larger one means that rare
/// rows were sampled, so that others may be unsampled.
constexpr double kUsualShare = 0.12;
constexpr double kBaseFactor = 0.5;
constexpr double kFactorPerShare = 1.5;
/// Factor of the variances of Σ f(P) and Σ ln P, whose slopes on the power are fitted to the same rows; and
/// factor of the variances that the slopes add.
constexpr double kFittedSlope = 1.5;
constexpr double kSlopes = 6;

/// The contribution of a row to the estimate, relative to its mean.
Moments adjusted(Moments part, const StratifiedWeights& weights) {
  part += (-part.power()) * weights.slopes;
  if (weights.symmetric) average_mirrored_sectors(part);
  return part;
}

/// The variance of the sum of `rows`, one for each interval. Second differences contain the first and the
/// last row with a sixth only, though the first one lies beside the axis: first differences add the other
/// 5/6.
StratifiedVariances variance_of(const std::vector<Moments>& rows) {
  Moments sum;
  Moments largest;
  Moments widening;
  const std::size_t n = rows.size();
  if (n < 3) return {};
  const auto add = [&](std::size_t j, double square) {
    sum.sums[j] += square;
    largest.sums[j] = std::max(largest.sums[j], square);
  };
  for (std::size_t j = 0; j < Moments::kSize; ++j) {
    const auto at = [&](std::size_t k) { return rows[k].sums[j]; };
    const auto first_difference = [&](double difference) { add(j, difference * difference * 5 / 6); };
    first_difference(at(0) - at(1));
    first_difference(at(n - 1) - at(n - 2));
    for (std::size_t k = 1; k + 1 < n; ++k) {
      const double difference = at(k - 1) - 2 * at(k) + at(k + 1);
      add(j, difference * difference / 6);
    }
  }
  for (std::size_t j = 0; j < Moments::kSize; ++j) {
    if (!(sum.sums[j] > 0)) continue;
    const double share = std::max(kUsualShare, largest.sums[j] / sum.sums[j]);  // q
    const double factor = kBaseFactor + kFactorPerShare * (share - kUsualShare);
    widening.sums[j] = sum.sums[j] * std::max(0.0, 1 - factor);
    sum.sums[j] *= factor;
  }
  const auto count = static_cast<double>(n);
  const double scale = count / (count + 4.0 / 3);
  return {scale * sum, largest, scale * widening};
}

/// Variances of the slopes β, Σ p(y/p − β)²/Σp · Σp²/(Σp)² over the sampled rows of power p and sums y: the
/// mean square distance of y/p from β over the effective number of rows (Σp)²/Σp². Residuals would not show
/// this variance: a row that has most of the power determines the slope, and leaves none.
Moments slope_variances(const std::vector<SampledRowMoments>& rows, const Moments& slopes) {
  Moments squares;
  double power = 0;
  double power_squares = 0;
  for (const SampledRowMoments& row : rows) {
    Moments both = row.above;
    both += row.below;
    const double p = both.power();
    if (!(p > 0)) continue;
    power += p;
    power_squares += p * p;
    for (std::size_t j = 0; j < Moments::kCount; ++j) {
      const double distance = both.sums[j] / p - slopes.sums[j];
      squares.sums[j] += p * distance * distance;
    }
  }
  return power > 0 ? (power_squares / (power * power * power)) * squares : Moments{};
}

/// Share of the coefficients of a plane that each class has. They hardly depend on its sides.
const Moments& class_shares() {
  static const Moments kShares = [] {
    Moments shares;
    for (const Moments& tile : class_counts({.m = 512, .n = 512})) shares += tile;
    return (1 / shares.count()) * shares;
  }();
  return kShares;
}

std::size_t begin_of(std::size_t k, std::size_t intervals, std::size_t places) {
  return k * places / intervals;
}

std::size_t draw(std::size_t k, std::size_t intervals, std::size_t places) {
  static constexpr CounterRandom kRandom(1, 0x726f7773);
  const std::size_t begin = begin_of(k, intervals, places);
  return begin + kRandom.below(intervals + k, begin_of(k + 1, intervals, places) - begin);
}

}  // namespace

void average_mirrored_sectors(Moments& moments) {
  const Moments before = moments;
  for (std::size_t k = 0; k < kSectors; ++k) {
    moments.sums[Moments::kSectorsAt + k] =
        (before.sums[Moments::kSectorsAt + k] + before.sums[Moments::kSectorsAt + transposed_sector(k)]) / 2;
  }
}

StratifiedVariances stratified_variances(const std::vector<SampledRowMoments>& rows,
                                         const StratifiedWeights& weights) {
  std::vector<Moments> all;
  std::vector<Moments> bulk;
  double count = 0;
  for (const SampledRowMoments& row : rows) {
    Moments below = weights.bulk * row.below;
    below += (-weights.bulk * row.below.count()) * weights.mean;
    Moments both = weights.rate * row.above;
    both += (-weights.rate * row.above.count()) * weights.mean;
    both += below;
    all.push_back(adjusted(both, weights));
    bulk.push_back(adjusted(below, weights));
    count += row.below.count();
  }
  const StratifiedVariances of_rows = variance_of(all);
  const double unsampled = 1 - 1 / weights.rate;  // share of the rows
  Moments variances = unsampled * of_rows.sums;
  Moments widening = unsampled * of_rows.widening;
  if (count > 0) {
    const StratifiedVariances of_bulk = variance_of(bulk);
    const double of_lattice = weights.lattice / (2 * count);
    variances += of_lattice * of_bulk.sums;
    widening += of_lattice * of_bulk.widening;
  }
  variances += weights.disagreement;
  const double power = weights.missing_power;
  variances += (kSlopes * power * power) * slope_variances(rows, weights.slopes);
  for (std::size_t k = Moments::kSumsAt; k < Moments::kCount; ++k) variances.sums[k] *= kFittedSlope;
  return {variances, unsampled * of_rows.largest, widening};
}

Moments stratified_deviations(const StratifiedVariances& variances) {
  struct Allowance {
    double least = 0;
    double unseen = 0;
    [[nodiscard]] double of(std::size_t k) const { return least + unseen * class_shares().sums[k]; }
  };
  const auto allowance = [&](std::size_t first, std::size_t count) {
    const auto largest = [&](const Moments& of) {
      return *std::ranges::max_element(std::span(of.sums).subspan(first, count));
    };
    return Allowance{kLeastOfLargest * largest(variances.sums), kUnseenRows * largest(variances.largest)};
  };
  const Allowance rings = allowance(0, kRadialBins);
  const Allowance sectors = allowance(Moments::kSectorsAt, kSectors);
  Moments result = variances.sums;
  result += variances.widening;
  for (std::size_t k = 0; k < kRadialBins; ++k) result.sums[k] += rings.of(k);
  for (std::size_t k = Moments::kSectorsAt; k < Moments::kSectorsAt + kSectors; ++k)
    result.sums[k] += sectors.of(k);
  result.sums[Moments::kLow] += rings.of(Moments::kLow);
  for (double& value : result.sums) value = std::sqrt(value);
  return result;
}

PredictedErrors predicted_errors(const Moments& variances, const Features& features, double dc_power,
                                 double cells) {
  PredictedErrors predicted;
  const double total = features.total_power;
  const double non_dc = total - dc_power;
  if (!(non_dc > 0)) return predicted;
  const auto distance = [&](std::size_t at, std::span<const double> shares, double whole) {
    double sum = 0;  // Σ (√p − √q)², twice the square of the distance
    for (std::size_t k = 0; k < shares.size(); ++k) {
      const double variance = variances.sums[at + k] / (whole * whole);
      if (variance > 0) sum += variance / (4 * std::max(shares[k], std::sqrt(variance)));
    }
    return std::sqrt(sum / 2);
  };
  predicted.radial = distance(0, features.radial, total);
  predicted.sectors = distance(Moments::kSectorsAt, features.sectors, non_dc);
  const double scale = features.entropy * total * std::log(cells);
  if (scale > 0) predicted.entropy = std::sqrt(variances.sums[Moments::kPowerLog]) / scale;
  return predicted;
}

IntervalRows::IntervalRows(const ChosenLines& lines, std::size_t intervals) {
  for (std::uint64_t u = 1; 2 * u < lines.m; ++u)
    if (!lines.rows.holds(u)) others_.push_back(static_cast<std::int64_t>(u));
  places_.resize(std::min(intervals, others_.size()));
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  if (all()) return;
  for (std::size_t& place : places_) place = draw(place, intervals, others_.size());
}

std::vector<std::int64_t> IntervalRows::rows() const {
  std::vector<std::int64_t> rows;
  for (const std::size_t place : places_) rows.push_back(others_[place]);
  return rows;
}

std::vector<std::int64_t> IntervalRows::complete() {
  std::vector<std::int64_t> added;
  std::ranges::set_difference(others_, rows(), std::back_inserter(added));
  places_.resize(others_.size());
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  return added;
}

std::vector<std::int64_t> IntervalRows::refine(std::vector<bool>& is_new) {
  const std::size_t intervals = 2 * places_.size();
  std::vector<std::int64_t> added;
  std::vector<std::size_t> finer(intervals);
  is_new.assign(intervals, true);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const bool is_upper = places_[k] >= begin_of(2 * k + 1, intervals, others_.size());
    finer[2 * k + (is_upper ? 1 : 0)] = places_[k];
    is_new[2 * k + (is_upper ? 1 : 0)] = false;
  }
  for (std::size_t k = 0; k < intervals; ++k) {
    if (!is_new[k]) continue;
    finer[k] = draw(k, intervals, others_.size());
    added.push_back(others_[finer[k]]);
  }
  places_ = std::move(finer);
  return added;
}

}  // namespace spyctrum
