// SPDX-License-Identifier: Apache-2.0
// Upper bounds of the chances of noise, as natural logarithms (H. Chernoff, Annals of Mathematical Statistics
// 23, 1952), so that no sum of small numbers underflows.
#pragma once

#include <cmath>

namespace spyctrum {

/// ln P(X ≥ observed) for a Poisson count X of mean `expected`, at most; 0 where observed ≤ expected.
[[nodiscard]] inline double log_poisson_tail(double observed, double expected) {
  if (!(observed > expected)) return 0;
  return observed - expected - observed * std::log(observed / expected);
}

/// ln P(X ≥ observed) for a binomial count X of `places` trials and mean `expected`, at most: −places times
/// the Kullback–Leibler divergence of the two shares.
[[nodiscard]] inline double log_binomial_tail(double observed, double expected, double places) {
  if (!(observed > expected) || !(places > 0)) return 0;
  const double p = expected / places, q = observed < places ? observed / places : 1;
  return -places * (q * std::log(q / p) + (q < 1 ? (1 - q) * std::log((1 - q) / (1 - p)) : 0));
}

/// ln P(X ≥ sum) for a sum X of `count` independent exponentials of mean 1, at most: powers of noise over
/// their floor.
[[nodiscard]] inline double log_power_tail(double sum, double count) {
  if (!(sum > count) || !(count > 0)) return 0;
  return count - sum + count * std::log(sum / count);
}

/// ln P(X ≥ ratio) for one such power over the median/ln 2 of `count` others, which stands for the mean of
/// 0.48·count of them (the relative variance of that estimate is 1/(count·ln²2)): (1 + t/ν)^−ν, exact for a
/// mean of ν powers.
[[nodiscard]] inline double log_peak_tail(double ratio, double count) {
  const double degrees = 0.48 * count;
  if (!(ratio > 0) || !(degrees > 0)) return 0;
  return -degrees * std::log1p(ratio / degrees);
}

}  // namespace spyctrum
