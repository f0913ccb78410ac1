// SPDX-License-Identifier: Apache-2.0
// The parts of explain(): counts along four directions and their spectra, and a window around DC.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "core/explain/explain.hpp"

namespace spyctrum::explaining {

/// A peak has more than this many times the power of each coefficient around it, beyond its own lobe.
inline constexpr double kAboveNeighbours = 8;

// Upper bounds of the chances of noise, as natural logarithms (H. Chernoff, Annals of Mathematical Statistics
// 23, 1952), so that no sum of small numbers underflows.

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

/// The data that all tests share.
struct Scene {
  PatternPtr pattern;
  double m = 0, n = 0, entries = 0;  ///< m, n, K
  double floor = 0;                  ///< K(1 − K/mn)
  /// 2 for a symmetric pattern, whose entries off the diagonal come in pairs: half as many are independent.
  double copies = 1;
  double log_alpha = 0;      ///< ln of the false-alarm rate of one family of tests
  std::uint64_t tests = 0;   ///< counted up
  std::vector<double> rows;  ///< entries of each row
  std::vector<double> cols;
  double on_diagonals = 0;  ///< share of the entries on a few diagonals, once these are found
};

/// Whether a bound passes the correction for `tests` tests of its family; `log_chance` becomes the corrected
/// one.
inline bool passes(const Scene& scene, double& log_chance, double tests) {
  log_chance += std::log(tests);
  return log_chance < scene.log_alpha;
}

/// `value` rounded to `digits` significant digits, below a million without an exponent: 6600, not 6.6e+03.
inline std::string number(double value, int digits = 3) {
  return number_text(std::stod(number_text(value, digits)), std::max(digits, 6));
}
/// With the minus sign of the formulas (U+2212) in place of a hyphen.
inline std::string index_text(std::int64_t index) {
  return (index < 0 ? "−" : "") + std::to_string(index < 0 ? -index : index);
}

void find_uneven_counts(Scene& scene, std::vector<Finding>& found);
/// Diagonals or antidiagonals, whichever are stronger, and periods across and along them.
void find_diagonals(Scene& scene, std::vector<Finding>& found, JobContext& context);
void find_periods_of_counts(Scene& scene, std::vector<Finding>& found, JobContext& context);
void find_in_window(Scene& scene, std::vector<Finding>& found, JobContext& context);

/// The strongest period of a signal, in units of its index. Its power in the DFT exceeds those of the 256
/// frequencies on either side and of its own neighbours.
struct Period {
  double length = 0;
  double log_chance = 0;
  double ratio = 0;       ///< power over the local level
  std::size_t peaks = 0;  ///< multiples of its frequency that stand out, itself included
};
/// Returns the strongest period of `signal` (differences of counts from their expectation), zero-padded to
/// `padded` values, or nothing. `is_even`: the signal is symmetric about its middle, so that its spectrum is
/// real after a shift.
[[nodiscard]] std::optional<Period> find_period(Scene& scene, const std::vector<double>& signal,
                                                std::size_t padded, bool is_even, JobContext& context);

}  // namespace spyctrum::explaining
