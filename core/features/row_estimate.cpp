// SPDX-License-Identifier: Apache-2.0
// Totals from a stratified sample of tiles, with their standard errors. With stratum h of N_h tiles, n_h of
// them sampled, y the sums of a tile, c its number of coefficients of the class, x its power less the mean
// power of as many coefficients, the total of y is estimated by
//   Σ_h N_h·ȳ_h + β_c·(Σc − Σ_h N_h·c̄_h) + β_x·(0 − Σ_h N_h·x̄_h),
// and its variance from the residuals e = y − β_c·c − β_x·x within strata and between neighbouring ones,
//   V = Σ_h N_h²·(1 − n_h/N_h)/n_h·(Σ(e − ē_h)²/(n_h − 1) + ((ē_h − ē_{h+1})/2)²).
// Degrees of freedom follow from the fourth moments of e, since a variance that few residuals carry is itself
// uncertain; small ones are moderated towards a variance common to all bins (G. Smyth, Stat. Appl. Genet.
// Mol. Biol. 3, 2004). All steps: core/features/ERRORS.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/features/row_sample.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kEdge = Moments::kLow;  // of with_edge()
constexpr std::size_t kClasses = Moments::kLow + 1;
/// Weight of the prior of the slopes, in tiles.
constexpr double kPriorTiles = 4;
/// Relative differences between tiles below this carry little weight for the slopes.
constexpr double kTileSpread = 0.01;
/// Degrees of freedom of the common variance, at least and at most.
constexpr double kCommonFreedom = 2;
constexpr double kMostCommonFreedom = 20;
/// The density of a class is taken as at least this share of the mean power per coefficient.
constexpr double kLeastDensity = 0.3;
/// Weight of the square of the largest residual, which is added to every class: an unsampled tile may have
/// one as large.
constexpr double kUnseenSpike = 2;
/// No bar of a class is below this share of the largest bar of its distribution.
constexpr double kLeastBar = 0.2;
/// A mismatch with the known power beyond this many variances widens the bars.
constexpr double kMismatch = 4;
/// An estimate is reliable if every deviation above kMattering times the largest has at least kFewestFreedom
/// degrees of freedom, kFewestOfItsOwn of them without the common variance, and if each class was met in
/// kFewestTilesOfClass tiles.
constexpr double kMattering = 0.2;
constexpr double kFewestFreedom = 10;
constexpr double kFewestOfItsOwn = 8;
/// Factor of the bars, which the allowances above for unsampled rows make too wide on average; fitted to the
/// lists of tests/bench/coverage_patterns.hpp.
constexpr double kCalibration = 0.84;
constexpr std::size_t kFewestTilesOfClass = 8;

/// Low frequencies are the first two radial bins and their outer edge. Returns `moments` with the edge alone
/// in the place of the low frequencies, so that the two bins are not estimated twice.
Moments with_edge(Moments moments) {
  moments.sums[kEdge] -= moments.sums[0] + moments.sums[1];
  return moments;
}

/// Quantile of Student's t for 84.13 %, that is one standard deviation: expansion in 1/ν (Abramowitz and
/// Stegun, 26.7.5).
double student(double freedom) {
  const double x = 1 / std::max(1.0, freedom);
  return 1 + x / 2 + x * x / 4 + x * x * x / 16;
}

/// The sampled tiles of a stratum, or their mean.
struct Stratum {
  double number = 0;  // sampled
  double size = 0;
  Moments sums;
  Moments counts;
  double power = 0;
};

struct SampledTile {
  std::uint32_t stratum = 0;
  double weight = 0;  // of its squared residual in V
  Moments sums;
  Moments counts;
  double power = 0;  // x
};

/// A group of moments whose residuals are alike.
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
};
constexpr auto kGroups = [] {
  std::array<Group, kPowerSums + 3> groups{{{0, kClasses}, {Moments::kZeros, Moments::kZeros + 1}}};
  for (std::size_t k = Moments::kSumsAt; k <= Moments::kLog; ++k)
    groups[2 + k - Moments::kSumsAt] = {k, k + 1};
  return groups;
}();
/// Distributions of the power over disjoint classes.
constexpr Group kDistributions[] = {{0, kRadialBins}, {kRadialBins, kRadialBins + kSectors}};

/// Estimates the totals over the tiles that are not certain, from the first `done` tiles of the sample's
/// order.
class SampledTiles {
 public:
  /// `power`, `count`: the known totals of these tiles.
  SampledTiles(const RowSample& sample, std::uint64_t done, std::span<const Moments> sums,
               std::span<const Moments> counts, double power, double count)
      : power_(power), count_(count), strata_(sample.strata.size()) {
    for (std::uint64_t k = sample.certain; k < sample.order.size(); ++k) {
      const std::uint64_t t = sample.order[k];
      known_counts_ += with_edge(counts[t]);
      if (k >= done) continue;
      SampledTile tile;
      tile.stratum = sample.stratum_of[t];
      tile.sums = with_edge(sums[t]);
      tile.counts = with_edge(counts[t]);
      tiles_.push_back(tile);
    }
    population_ = static_cast<double>(sample.order.size() - sample.certain);
    const double density = power / known_counts_.count();
    for (SampledTile& tile : tiles_) tile.power = tile.sums.power() - density * tile.counts.count();
    total(sample);
  }

  RowEstimate estimate() {
    count_slopes();
    power_slopes();
    variances();
    for (std::size_t k = 0; k < Moments::kSize; ++k)
      estimate_.sums[k] += count_slopes_.sums[k] * (known_counts_.sums[k] - counts_.sums[k]) -
                           power_slopes_.sums[k] * power_mismatch_;
    estimate_.sums[Moments::kCount] = count_;
    estimate_.sums[Moments::kZeros] = std::clamp(estimate_.sums[Moments::kZeros], 0.0, count_);
    variances_.sums[Moments::kCount] = 0;
    moderate();
    allow_for_mismatch();
    return result();
  }

 private:
  /// Estimated totals without regression; deviations of all variables from the means of their strata.
  void total(const RowSample& sample) {
    for (const SampledTile& tile : tiles_) {
      Stratum& sum = strata_[tile.stratum];
      sum.number += 1;
      sum.sums += tile.sums;
      sum.counts += tile.counts;
      sum.power += tile.power;
    }
    for (std::size_t h = 0; h < strata_.size(); ++h) {
      Stratum& mean = strata_[h];
      mean.size = static_cast<double>(sample.strata[h]);
      if (mean.number == 0) continue;
      mean.sums = (1 / mean.number) * mean.sums;
      mean.counts = (1 / mean.number) * mean.counts;
      mean.power /= mean.number;
      estimate_ += mean.size * mean.sums;
      counts_ += mean.size * mean.counts;
      power_mismatch_ += mean.size * mean.power;
      spread_counts_ += variance_weight(mean) * mean.counts;
      freedom_ += mean.number - 1;
    }
    for (SampledTile& tile : tiles_) {
      const Stratum& mean = strata_[tile.stratum];
      tile.weight = mean.number > 1 ? variance_weight(mean) / (mean.number - 1) : 0;
      for (std::size_t k = 0; k < kClasses; ++k)
        if (tile.counts.sums[k] > 0) met_[k] += 1;
      tile.sums += -1 * mean.sums;
      tile.counts += -1 * mean.counts;
      tile.power -= mean.power;
      mean_weight_ += tile.weight / static_cast<double>(tiles_.size());
    }
    for (std::size_t k = 0; k < Moments::kSize; ++k)
      if (counts_.sums[k] > 0) densities_.sums[k] = estimate_.sums[k] / counts_.sums[k];
  }

  /// N²·(1 − n/N)/n, by which V counts the mean squared residual of a stratum.
  static double variance_weight(const Stratum& stratum) {
    return stratum.size * (stratum.size / stratum.number - 1);
  }

  /// y − β_c·c − β_x·x of a tile or of the mean tile of a stratum, of moment k.
  template <class Tile>
  [[nodiscard]] double residual(const Tile& tile, std::size_t k) const {
    return tile.sums.sums[k] - count_slopes_.sums[k] * tile.counts.sums[k] -
           power_slopes_.sums[k] * tile.power;
  }

  /// β_c = λ·(mean of y per coefficient of the class), with one λ for each group: 1 where power is spread
  /// evenly over the frequencies, near 0 where it follows other lines.
  void count_slopes() {
    for (const Group& group : kGroups) {
      double product = 0;
      double square = 0;
      double largest = 0;
      for (std::size_t k = group.begin; k < group.end; ++k) {
        largest = std::max(largest, std::abs(estimate_.sums[k]));
        for (const SampledTile& tile : tiles_) {
          const double expected = densities_.sums[k] * tile.counts.sums[k];
          product += tile.weight * expected * tile.sums.sums[k];
          square += tile.weight * expected * expected;
        }
      }
      const double prior = prior_square(kTileSpread * largest / population_);
      if (!(square + prior > 0)) continue;
      for (std::size_t k = group.begin; k < group.end; ++k)
        count_slopes_.sums[k] = densities_.sums[k] * (product + prior) / (square + prior);
    }
  }

  [[nodiscard]] double prior_square(double of_one) const {
    return mean_weight_ * static_cast<double>(tiles_.size()) * of_one * of_one;
  }

  /// β_x by regression, shrunk towards the derivative under a common factor of all powers.
  void power_slopes() {
    const double power = estimate_.power();
    if (!(power > 0)) return;
    Moments products;
    for (const SampledTile& tile : tiles_) {
      power_square_ += tile.weight * tile.power * tile.power;
      for (std::size_t k = 0; k < Moments::kSize; ++k)
        products.sums[k] +=
            tile.weight * tile.power * (tile.sums.sums[k] - count_slopes_.sums[k] * tile.counts.sums[k]);
    }
    const Moments common = common_slopes(estimate_, count_);
    const double prior = kPriorTiles * power_square_ / static_cast<double>(tiles_.size()) +
                         prior_square(kTileSpread * power / population_);
    if (!(power_square_ + prior > 0)) return;
    for (std::size_t k = 0; k < Moments::kSize; ++k)
      power_slopes_.sums[k] = (products.sums[k] + prior * common.sums[k]) / (power_square_ + prior);
    power_slopes_.sums[Moments::kCount] = power_slopes_.sums[Moments::kZeros] = 0;
  }

  void variances() {
    const double n = std::max(2.0, static_cast<double>(tiles_.size()));
    std::vector<Moments> by_stratum(strata_.size());
    Moments fourth;
    for (const SampledTile& tile : tiles_) {
      double low = 0;
      for (std::size_t k = 0; k < Moments::kSize; ++k) {
        const double off = residual(tile, k);
        if (k < 2 || k == kEdge) low += off;
        const double square = tile.weight * off * off;
        by_stratum[tile.stratum].sums[k] += square;
        fourth.sums[k] += square * square;
        largest_.sums[k] = std::max(largest_.sums[k], square);
      }
      low_variance_ += tile.weight * low * low;
    }
    Moments of_strata;
    for (std::size_t h = 0; h < strata_.size(); ++h) {
      variances_ += by_stratum[h];
      if (strata_[h].number < 2) continue;
      for (std::size_t k = 0; k < Moments::kSize; ++k)
        of_strata.sums[k] += by_stratum[h].sums[k] * by_stratum[h].sums[k] / (strata_[h].number - 1);
    }
    for (std::size_t k = 0; k < Moments::kSize; ++k) {
      const double variance = variances_.sums[k];
      freedoms_.sums[k] = 1;
      if (!(variance > 0)) continue;
      const double satterthwaite = variance * variance / of_strata.sums[k];
      const double by_kurtosis = 2 / std::max(1e-3, fourth.sums[k] / (variance * variance) - 1 / n);
      freedoms_.sums[k] = std::max(1.0, std::min(satterthwaite, by_kurtosis));
    }
    if (freedom_ > 1) variances_ = freedom_ / (freedom_ - 1) * variances_;  // one slope was fitted
    add_differences_of_strata();
  }

  /// The few sampled tiles of a stratum may be alike by chance. So each counts with its distance from the
  /// common mean of its stratum and the next one ("collapsed strata", Cochran 1977, §5A.12), which adds the
  /// square of half the difference of their means.
  void add_differences_of_strata() {
    for (std::size_t h = 0; strata_.size() > 1 && h < strata_.size(); ++h) {
      const Stratum& next = strata_[h + 1 < strata_.size() ? h + 1 : h - 1];
      if (strata_[h].number == 0 || next.number == 0) continue;
      for (std::size_t k = 0; k < Moments::kSize; ++k) {
        const double apart = (residual(strata_[h], k) - residual(next, k)) / 2;
        variances_.sums[k] += variance_weight(strata_[h]) * apart * apart;
      }
    }
  }

  /// Moderates the variances V of a distribution's classes towards φ·scale_of(class), with one φ for the
  /// whole distribution; then allows for an unsampled tile with a residual like the largest one, in any
  /// class.
  void moderate() {
    for (const Group& group : kDistributions) {
      double scales = 0;
      double variance = 0;
      double spike = 0;
      for (std::size_t k = group.begin; k < group.end; ++k) {
        scales += scale_of(k);
        variance += variances_.sums[k];
        spike = std::max(spike, largest_.sums[k]);
      }
      if (!(scales > 0)) continue;
      const double phi = variance / scales;
      const double prior = common_freedom(group, phi, scales);
      double most = 0;
      for (std::size_t k = group.begin; k < group.end; ++k) {
        double& one = variances_.sums[k];
        double& freedom = freedoms_.sums[k];
        one = (freedom * one + prior * phi * scale_of(k)) / (freedom + prior);
        one += kUnseenSpike * spike * known_counts_.sums[k] / known_counts_.count();
        own_freedoms_.sums[k] = freedom;
        freedom += prior;
        most = std::max(most, one);
      }
      for (std::size_t k = group.begin; k < group.end; ++k)
        if (known_counts_.sums[k] > 0) variances_.sums[k] += kLeastBar * kLeastBar * most;
    }
  }
  /// √(density·mean density)·coefficients of a class, which its variance is expected to be proportional to.
  [[nodiscard]] double scale_of(std::size_t k) const {
    const double mean_density = power_ / known_counts_.count();
    return std::sqrt(std::max(kLeastDensity * mean_density, densities_.sums[k]) * mean_density) *
           spread_counts_.sums[k];
  }
  /// Degrees of freedom of the common φ: the more, the less V/scale_of(class) differs from φ among the
  /// classes beyond its own uncertainty. `scales`: the sum of scale_of().
  [[nodiscard]] double common_freedom(const Group& group, double phi, double scales) const {
    double apart = 0;
    for (std::size_t k = group.begin; k < group.end; ++k) {
      const double scale = scale_of(k);
      if (!(scale > 0 && phi > 0)) continue;
      const double off = variances_.sums[k] / scale / phi - 1;
      apart += scale / scales * (off * off - 2 / freedoms_.sums[k]);
    }
    return std::max(kCommonFreedom, 2 / std::max(apart, 2 / kMostCommonFreedom));
  }

  /// The total power is known. Where the estimated power differs from it by more than its own deviation, the
  /// difference lies somewhere among the rows that were not computed; the shares of each distribution are
  /// made to add up to the total.
  void allow_for_mismatch() {
    const double power = estimate_.power();
    const double excess = power_mismatch_ * power_mismatch_ - kMismatch * power_square_;
    if (excess > 0) {
      for (std::size_t k = 0; k < Moments::kSize; ++k) {
        const double slope = power_slopes_.sums[k];
        const double share = power > 0 ? std::max(0.0, estimate_.sums[k]) / power : 1;
        if (k == Moments::kCount) continue;
        variances_.sums[k] += excess * (k < kClasses ? std::min(1.0, share + 0.1) : slope * slope);
      }
    }
    for (const Group& group : kDistributions) {
      double variance = 0;
      for (std::size_t k = group.begin; k < group.end; ++k) variance += variances_.sums[k];
      if (!(variance > 0)) continue;
      const double off = make_add_up(group);
      const double widening = std::max(1.0, off * off / (kMismatch * variance));
      for (std::size_t k = group.begin; k < group.end; ++k) variances_.sums[k] *= widening;
    }
  }

  /// Makes the classes add up to the known power, the difference divided by variance and no class below zero;
  /// returns the difference.
  double make_add_up(const Group& group) {
    double first = 0;
    std::array<bool, kClasses> empty{};
    for (std::size_t step = 0; step <= group.end - group.begin; ++step) {
      double off = power_;
      double variance = 0;
      for (std::size_t k = group.begin; k < group.end; ++k) {
        off -= estimate_.sums[k];
        if (!empty[k]) variance += variances_.sums[k];
      }
      if (step == 0) first = off;
      if (!(variance > 0)) break;
      bool has_negative = false;
      for (std::size_t k = group.begin; k < group.end; ++k) {
        if (empty[k]) continue;
        estimate_.sums[k] += off * variances_.sums[k] / variance;
        empty[k] = estimate_.sums[k] < 0;
        if (empty[k]) estimate_.sums[k] = 0;
        has_negative = has_negative || empty[k];
      }
      if (!has_negative) break;
    }
    return first;
  }

  RowEstimate result() {
    RowEstimate result;
    estimate_.sums[Moments::kLow] += estimate_.sums[0] + estimate_.sums[1];
    const double apart = variances_.sums[kEdge] + variances_.sums[0] + variances_.sums[1];
    variances_.sums[Moments::kLow] = std::max(apart, low_variance_);
    const std::size_t ring = variances_.sums[0] > variances_.sums[1] ? 0 : 1;
    freedoms_.sums[Moments::kLow] = freedoms_.sums[ring];
    own_freedoms_.sums[Moments::kLow] = own_freedoms_.sums[ring];
    double largest = 0;
    for (std::size_t k = 0; k < Moments::kSize; ++k) {
      result.deviations.sums[k] = kCalibration * std::sqrt(variances_.sums[k]) * student(freedoms_.sums[k]);
      if (k < kClasses) largest = std::max(largest, result.deviations.sums[k]);
    }
    result.totals = estimate_;
    result.reliable = true;
    for (std::size_t k = 0; k < kClasses; ++k) {
      const bool matters = result.deviations.sums[k] > kMattering * largest;
      const bool is_sure = freedoms_.sums[k] >= kFewestFreedom && own_freedoms_.sums[k] >= kFewestOfItsOwn;
      if (matters && !is_sure) result.reliable = false;
      if (k != kEdge && known_counts_.sums[k] > 0 && met_[k] < kFewestTilesOfClass) result.reliable = false;
    }
    return result;
  }

  double power_;                 // known, of the population
  double count_;                 // known
  std::vector<Stratum> strata_;  // Σ, then means
  double population_ = 0;        // tiles
  std::vector<SampledTile> tiles_;
  Moments known_counts_;
  Moments estimate_;           // Σ_h N_h·ȳ_h, then with the regressions
  Moments counts_;             // Σ_h N_h·c̄_h
  Moments spread_counts_;      // Σ_h N_h²·(1 − n_h/N_h)/n_h·c̄_h
  Moments densities_;          // mean of y per coefficient of the class
  double power_mismatch_ = 0;  // Σ_h N_h·x̄_h, which should be 0
  double power_square_ = 0;    // its variance
  double mean_weight_ = 0;
  double freedom_ = 0;
  double low_variance_ = 0;                  // of both low radial bins and their edge together
  std::array<std::size_t, kClasses> met_{};  // sampled tiles with coefficients of the class
  Moments count_slopes_, power_slopes_, variances_, freedoms_, own_freedoms_, largest_;
};

}  // namespace

RowEstimate estimate_rows(const RowPopulation& population, const RowSample& sample, std::uint64_t done,
                          std::span<const Moments> sums, std::span<const Moments> counts) {
  RowEstimate estimate;
  Moments certain;
  const std::uint64_t known = done == sample.order.size() ? done : sample.certain;
  // By tile, so that the same tiles give the same bits whatever their order.
  for (std::uint64_t t = 0; t < sums.size(); ++t)
    if (known == done || sample.stratum_of[t] == RowSample::kCertain) certain += sums[t];
  if (known == done) {
    estimate.totals = certain;
    estimate.reliable = true;
    return estimate;
  }
  const double dc_power = population.dc * population.dc;
  const double power = std::max(0.0, population.cells() * population.mean_power - dc_power - certain.power());
  SampledTiles rest(sample, done, sums, counts, power, population.cells() - 1 - certain.count());
  estimate = rest.estimate();
  estimate.totals += certain;
  return estimate;
}

}  // namespace spyctrum
