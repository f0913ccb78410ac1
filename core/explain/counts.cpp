// SPDX-License-Identifier: Apache-2.0
// Rows and columns. By the projection–slice theorem F[u, 0] is the DFT of the row counts r, so that the power
// of the line v = 0 without DC is m Σ(r − K/m)², which noise holds K(1 − K/mn) of in each coefficient.
#include <algorithm>
#include <cmath>

#include "core/explain/explain_internal.hpp"

namespace spyctrum::explaining {

namespace {

struct Spread {
  double ratio = 0;  ///< variance of the counts over that of noise
  double log_chance = 0;
};

Spread spread_of(const Scene& scene, const std::vector<double>& counts) {
  const auto size = static_cast<double>(counts.size());
  const double mean = scene.entries / size;
  double squares = 0, pairs = 0;
  for (const double count : counts) {
    squares += (count - mean) * (count - mean);
    pairs += count * (count - 1) / 2;
  }
  const double independent = (size - 1) / 2 / scene.copies;
  const double noise = mean * (1 - scene.entries / (scene.m * scene.n));
  Spread spread;
  spread.ratio = squares / (noise * (size - 1));
  // Where most rows are empty their counts are not normal: what varies is the number of pairs in one row.
  const double expected_pairs = scene.entries * (scene.entries - 1) / 2 / size;
  spread.log_chance = std::max(log_power_tail(spread.ratio * independent, independent),
                               log_poisson_tail(pairs / scene.copies, expected_pairs / scene.copies));
  return spread;
}

void find_uneven(Scene& scene, bool of_rows, std::vector<Finding>& found) {
  const std::vector<double>& counts = of_rows ? scene.rows : scene.cols;
  ++scene.tests;
  if (counts.size() < 4) return;
  Spread spread = spread_of(scene, counts);
  if (!passes(scene, spread.log_chance, 1)) return;
  const auto [least, most] = std::ranges::minmax_element(counts);
  const std::string one = of_rows ? "row" : "column", many = one + "s";
  const auto size = static_cast<double>(counts.size());
  Finding finding;
  finding.kind = of_rows ? FindingKind::uneven_rows : FindingKind::uneven_columns;
  finding.sentence = "The " + many + " hold unequal numbers of entries, from " + number(*least, 9) + " to " +
                     number(*most, 9) + " with a mean of " + number(scene.entries / size) +
                     ": a line through the middle, " + (of_rows ? "v = 0." : "u = 0.");
  finding.evidence = "The mean power on the line is " + number(spread.ratio) + " times the noise floor.";
  finding.log_chance = spread.log_chance;
  finding.excess = (spread.ratio - 1) * (size - 1) * scene.floor;
  const auto at = static_cast<double>(most - counts.begin());
  if (of_rows) {
    finding.pattern = FindingRect{at, 0, at + 1, scene.n};
    finding.spectrum = FindingRect{-scene.m / 2, -8.5, scene.m / 2, 8.5};
    finding.wave = {1, 0};
  } else {
    finding.pattern = FindingRect{0, at, scene.m, at + 1};
    finding.spectrum = FindingRect{-8.5, -scene.n / 2, 8.5, scene.n / 2};
    finding.wave = {0, 1};
  }
  found.push_back(std::move(finding));
}

void find_period_of(Scene& scene, bool of_rows, std::vector<Finding>& found, JobContext& context) {
  const std::vector<double>& counts = of_rows ? scene.rows : scene.cols;
  const auto size = static_cast<double>(counts.size());
  std::vector<double> signal(counts.size());
  for (std::size_t k = 0; k < counts.size(); ++k) signal[k] = counts[k] - scene.entries / size;
  const auto period = find_period(scene, signal, counts.size(), false, context);
  if (!period) return;
  Finding finding;
  finding.kind = FindingKind::period;
  const std::string many = of_rows ? "rows" : "columns";
  finding.sentence = "The number of entries repeats every " + number(period->length) + " " + many + ": " +
                     (period->peaks > 1 ? "a comb of peaks" : "a peak") + " on the line " +
                     (of_rows ? "v = 0." : "u = 0.");
  finding.evidence = "Power at a frequency of 1/" + number(period->length) + " is " + number(period->ratio) +
                     " times the level around it; " + std::to_string(period->peaks) +
                     (period->peaks > 1 ? " of its multiples stand out." : " peak stands out.");
  finding.log_chance = period->log_chance;
  finding.excess = period->ratio * scene.floor;
  const auto at = static_cast<std::int64_t>(std::llround(size / period->length));
  if (of_rows) {
    finding.period_rows = period->length;
    finding.wave = {at, 0};
  } else {
    finding.period_cols = period->length;
    finding.wave = {0, at};
  }
  found.push_back(std::move(finding));
}

}  // namespace

void find_uneven_counts(Scene& scene, std::vector<Finding>& found) {
  find_uneven(scene, true, found);
  find_uneven(scene, false, found);
}

void find_periods_of_counts(Scene& scene, std::vector<Finding>& found, JobContext& context) {
  find_period_of(scene, true, found, context);
  find_period_of(scene, false, found, context);
}

}  // namespace spyctrum::explaining
