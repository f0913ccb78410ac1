// SPDX-License-Identifier: Apache-2.0
// Rows and columns. By the projection–slice theorem F[u, 0] is the DFT of the row counts r, so that the power
// of the line v = 0 without DC is m Σ(r − K/m)²; noise has the power K(1 − K/mn) in each coefficient. Periods
// of counts along a direction are single powers of their spectrum that exceed the level around them. A wide
// lobe (a Dirichlet kernel, a gradient) is no period: its neighbours are as high.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/explain/explain_internal.hpp"
#include "core/fft/fft.hpp"

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
  // Where most rows are empty, their counts are not normally distributed: the number of pairs of entries in
  // one row is tested instead.
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
    finding.pattern = PlaneRect{at, 0, at + 1, scene.n};
    finding.spectrum = PlaneRect{-scene.m / 2, -8.5, scene.m / 2, 8.5};
    finding.wave = {1, 0};
  } else {
    finding.pattern = PlaneRect{0, at, scene.m, at + 1};
    finding.spectrum = PlaneRect{-8.5, -scene.n / 2, 8.5, scene.n / 2};
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

constexpr std::size_t kAround = 256, kFewest = 16;  // powers on either side that give the level
constexpr std::size_t kLeastPeriods = 4;            // the least number of periods in the counts

std::vector<double> powers_of(const std::vector<double>& signal, std::size_t padded, JobContext& context) {
  std::vector<std::complex<double>> values(padded);
  std::ranges::copy(signal, values.begin());
  context.check_stop();
  fft_rows(values.data(), padded, 1, padded);
  context.check_stop();
  std::vector<double> powers(padded / 2 + 1);
  for (std::size_t k = 0; k < powers.size(); ++k) powers[k] = std::norm(values[k]);
  return powers;
}

/// Median of the powers within kAround of `at`, without the nearest ones, over ln 2.
double level_at(const std::vector<double>& powers, std::size_t at, std::size_t near,
                std::vector<double>& others) {
  others.clear();
  const std::size_t begin = std::max<std::size_t>(1, at > kAround ? at - kAround : 1);
  const std::size_t end = std::min(powers.size(), at + kAround + 1);
  for (std::size_t k = begin; k < end; ++k)
    if (k + near < at || k > at + near) others.push_back(powers[k]);
  if (others.size() < kFewest) return 0;
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::ranges::nth_element(others, middle);
  return *middle / std::log(2.0);
}

/// Whether the powers beside `at`, beyond the lobe of one frequency, are far below it.
bool stands_alone(const std::vector<double>& powers, std::size_t at, std::size_t lobe) {
  for (std::size_t k = lobe; k <= 2 * lobe; ++k) {
    if (at >= k + 1 && powers[at - k] * kAboveNeighbours > powers[at]) return false;
    if (at + k < powers.size() && powers[at + k] * kAboveNeighbours > powers[at]) return false;
  }
  return true;
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

std::optional<Period> find_period(Scene& scene, const std::vector<double>& signal, std::size_t padded,
                                  bool is_even, JobContext& context) {
  // A frequency of the signal fills 2·padded/length powers.
  const std::size_t lobe = 2 * ((padded + signal.size() - 1) / std::max<std::size_t>(1, signal.size()));
  if (signal.size() < 4 * kFewest) return {};
  const std::vector<double> powers = powers_of(signal, padded, context);
  const auto tests = static_cast<double>(powers.size());
  scene.tests += powers.size();
  const double mean = std::reduce(powers.begin() + 1, powers.end()) / tests;
  std::vector<double> others;
  std::vector<std::pair<std::size_t, double>> peaks;  // place, log chance
  std::size_t best = 0;
  double best_ratio = 0, best_chance = 0;
  const std::size_t first = std::max<std::size_t>(lobe + 1, kLeastPeriods * padded / signal.size());
  for (std::size_t k = first; k < powers.size(); ++k) {
    // Only local maxima above the mean can pass, so that the level is computed for few powers.
    if (powers[k] <= mean || powers[k] < powers[k - 1] ||
        (k + 1 < powers.size() && powers[k] < powers[k + 1]))
      continue;
    if (!stands_alone(powers, k, lobe)) continue;
    const double level = level_at(powers, k, 2 * lobe, others);
    // A level below the rounding of the mean is replaced by that rounding.
    const double ratio = powers[k] / std::max(level, 1e-9 * mean);
    // The square of one normal number instead of two: P(X > t·mean) < e^(−t/2), and a median of 0.455 times
    // the mean instead of ln 2.
    constexpr double kOfOneNumber = 0.455 / 0.693 / 2;
    double chance = log_peak_tail(is_even ? kOfOneNumber * ratio : ratio, static_cast<double>(others.size()));
    if (!passes(scene, chance, tests)) continue;
    peaks.emplace_back(k, chance);
    if (powers[k] > powers[best] || best == 0) {
      best = k;
      best_ratio = ratio;
      best_chance = chance;
    }
  }
  if (peaks.empty()) return {};
  // The lowest peak of which the highest one is a multiple is the fundamental.
  const auto fits = [&](std::size_t of, std::size_t fundamental) {
    const double times = static_cast<double>(of) / static_cast<double>(fundamental);
    return std::abs(times - std::round(times)) * static_cast<double>(fundamental) <=
           0.75 * std::ceil(times / 2);
  };
  std::size_t fundamental = best;
  for (const auto& [k, chance] : peaks)
    if (k < fundamental && fits(best, k)) fundamental = k;
  Period period;
  // The frequency of the peak, between those of the transform, from the powers beside it.
  const double below = powers[fundamental - 1], at = powers[fundamental],
               above = fundamental + 1 < powers.size() ? powers[fundamental + 1] : below;
  const double place = static_cast<double>(fundamental) + (above - below) / (below + at + above);
  period.length = static_cast<double>(padded) / place;
  period.log_chance = best_chance;
  period.ratio = best_ratio;
  period.peaks = static_cast<std::size_t>(
      std::ranges::count_if(peaks, [&](const auto& one) { return fits(one.first, fundamental); }));
  return period;
}

}  // namespace spyctrum::explaining
