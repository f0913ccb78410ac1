// SPDX-License-Identifier: Apache-2.0
// The parts of explain(): counts along four directions and their spectra, and a window around DC.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "core/explain/explain.hpp"

namespace spyctrum::explaining {

/// What all tests need.
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

inline std::string number(double value, int digits = 3) { return number_text(value, digits); }
/// With the minus sign of the formulas (U+2212) in place of a hyphen.
inline std::string index_text(std::int64_t index) {
  return (index < 0 ? "−" : "") + std::to_string(index < 0 ? -index : index);
}

void find_uneven_counts(Scene& scene, std::vector<Finding>& found);
/// Diagonals or antidiagonals, whichever are stronger, and periods across and along them.
void find_diagonals(Scene& scene, std::vector<Finding>& found, JobContext& context);
void find_periods_of_counts(Scene& scene, std::vector<Finding>& found, JobContext& context);
void find_in_window(Scene& scene, std::vector<Finding>& found, JobContext& context);

/// The strongest period of `signal` (differences of counts from their expectation, zero beyond its end): in
/// units of its index. `least`: a period occurs at least so often. Found where a power stands out of the 256
/// on either side and of its own neighbours.
struct Period {
  double length = 0;
  double log_chance = 0;
  double ratio = 0;       ///< power over the local level
  std::size_t peaks = 0;  ///< multiples of its frequency that stand out, itself included
};
/// `is_even`: the signal is symmetric about its middle, so that its spectrum is real but for a shift.
[[nodiscard]] std::optional<Period> find_period(Scene& scene, const std::vector<double>& signal,
                                                std::size_t padded, bool is_even, JobContext& context);

}  // namespace spyctrum::explaining
