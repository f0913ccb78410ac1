// SPDX-License-Identifier: Apache-2.0
// Each interval of the rows holds one sampled pair, so that the variance within an interval is taken from
// neighbours: second differences (e_{k−1} − 2e_k + e_{k+1})²/6, which a trend over the rows leaves out
// (Wolter, Introduction to Variance Estimation, 2007, ch. 8). The lattice's coefficients have the variance of
// those of the rows, half of it where a row counts for its conjugate too.
#include "core/features/stratified_errors.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace spyctrum {

namespace {

/// Share of the largest variance of a distribution that every one of its classes has at least.
constexpr double kLeastOfLargest = 0.04;
constexpr double kUsualLargest = 0.12;
/// Factor of a variance without rare rows, and what each unit of their share above the usual adds. Fitted to
/// the patterns of bench_coverage.
constexpr double kWhereUsual = 1;
constexpr double kPerExcess = 4;
/// Factor of the variance of Σ P ln P, whose slope on the power is fitted to the same rows.
constexpr double kFittedSlope = 2.5;

/// What a row adds to the estimate, about its mean.
Moments adjusted(Moments part, const StratifiedWeights& weights) {
  part += (-part.power()) * weights.slopes;
  if (weights.symmetric) average_mirrored_sectors(part);
  return part;
}

/// Σ of squared second differences, with the largest of them once more: the sampled rows may lack one like
/// it.
Moments variance_of(const std::vector<Moments>& rows) {
  Moments sum;
  Moments largest;
  const std::size_t n = rows.size();
  if (n < 3) return sum;
  for (std::size_t k = 1; k + 1 < n; ++k) {
    for (std::size_t j = 0; j < Moments::kSize; ++j) {
      const double difference = rows[k - 1].sums[j] - 2 * rows[k].sums[j] + rows[k + 1].sums[j];
      const double square = difference * difference / 6;
      sum.sums[j] += square;
      largest.sums[j] = std::max(largest.sums[j], square);
    }
  }
  for (std::size_t j = 0; j < Moments::kSize; ++j) {
    if (!(sum.sums[j] > 0)) continue;
    const double excess = std::max(0.0, largest.sums[j] / sum.sums[j] - kUsualLargest);
    sum.sums[j] *= kWhereUsual + kPerExcess * excess;
  }
  return (static_cast<double>(n) / static_cast<double>(n - 2)) * sum;
}

void raise_to_largest(std::span<double> variances) {
  const double most = *std::ranges::max_element(variances);
  for (double& variance : variances) variance += kLeastOfLargest * most;
}

}  // namespace

void average_mirrored_sectors(Moments& moments) {
  const Moments before = moments;
  for (std::size_t k = 0; k < kSectors; ++k) {
    moments.sums[Moments::kSectorsAt + k] =
        (before.sums[Moments::kSectorsAt + k] + before.sums[Moments::kSectorsAt + transposed_sector(k)]) / 2;
  }
}

Moments stratified_deviations(const std::vector<SampledRowMoments>& rows, const StratifiedWeights& weights) {
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
  Moments variances = (1 - 1 / weights.rate) * variance_of(all);
  if (count > 0) variances += (weights.lattice / (2 * count)) * variance_of(bulk);
  variances.sums[Moments::kPowerLog] *= kFittedSlope;
  raise_to_largest(std::span(variances.sums).first(kRadialBins));
  raise_to_largest(std::span(variances.sums).subspan(Moments::kSectorsAt, kSectors));
  for (double& value : variances.sums) value = std::sqrt(value);
  return variances;
}

}  // namespace spyctrum
