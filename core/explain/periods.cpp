// SPDX-License-Identifier: Apache-2.0
// Periods of counts along a direction: single powers of their spectrum that stand out of the level around
// them. A wide lobe (a Dirichlet kernel, a gradient) is no period: its neighbours are as high.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/explain/explain_internal.hpp"
#include "core/fft/fft.hpp"

namespace spyctrum::explaining {

namespace {

constexpr std::size_t kAround = 256, kFewest = 16;  // powers on either side that give the level
constexpr std::size_t kLeastPeriods = 4;            // a period occurs at least so often
constexpr double kAboveNeighbours = 8;

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
    // Only local maxima above the mean can pass; the level is found for few of them.
    if (powers[k] <= mean || powers[k] < powers[k - 1] ||
        (k + 1 < powers.size() && powers[k] < powers[k + 1]))
      continue;
    if (!stands_alone(powers, k, lobe)) continue;
    const double level = level_at(powers, k, 2 * lobe, others);
    // What is zero but for rounding is no level.
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
  // Between the frequencies of the transform by the powers beside it.
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
