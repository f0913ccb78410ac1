// SPDX-License-Identifier: Apache-2.0
// Coefficients around DC, less what rows and columns explain: G[u, v] = F[u, v] − F[u, 0]·F[0, v]/K, whose
// power in noise is at most K(1 − K/mn). Half of the plane is tested; the other half is its mirror.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/explain/explain_internal.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::explaining {

namespace {

constexpr std::int64_t kHalfWindow = 128;
constexpr double kTimesFloor = 1.5;  // the least mean power of the middle, over the noise floor, for a
                                     // finding
constexpr double kAboveOthers = 8;   // mean power of a line over that of the lines beside it

struct Window {
  std::int64_t half_u = 0, half_v = 0;
  std::vector<double> power;  ///< |G|²/floor of u from 1 … half_u, v from −half_v … half_v; 0 at v = 0
  [[nodiscard]] double at(std::int64_t u, std::int64_t v) const {
    if (u < 0) return at(-u, -v);
    if (u == 0 || u > half_u || std::abs(v) > half_v) return 0;
    return power[static_cast<std::size_t>((u - 1) * (2 * half_v + 1) + v + half_v)];
  }
};

Window window_of(const Scene& scene, JobContext& context) {
  Window window;
  window.half_u = std::min<std::int64_t>(kHalfWindow, (static_cast<std::int64_t>(scene.m) - 1) / 2);
  window.half_v = std::min<std::int64_t>(kHalfWindow, (static_cast<std::int64_t>(scene.n) - 1) / 2);
  const auto height = static_cast<std::uint64_t>(window.half_u + 1),
             width = static_cast<std::uint64_t>(2 * window.half_v + 1);
  const Method& method = usual_method(MethodRole::window);
  ResolvedRequest request = default_request(method, scene.pattern);
  request.window = FrequencyGrid{FrequencyAxis::progression(scene.pattern->rows(), 0, 1, height),
                                 FrequencyAxis::progression(scene.pattern->cols(), -window.half_v, 1, width)};
  request.outputs = {.values = true, .features = false, .pyramid = false};
  const SpectrumPtr spectrum = or_throw(run_method(method, request, context));
  const auto value = [&](std::uint64_t u, std::uint64_t v) {
    return std::complex<double>(spectrum->values[u * width + v]);
  };
  window.power.assign(static_cast<std::size_t>(window.half_u) * width, 0);
  const auto middle = static_cast<std::uint64_t>(window.half_v);
  for (std::uint64_t u = 1; u < height; ++u)
    for (std::uint64_t v = 0; v < width; ++v)
      if (v != middle)
        window.power[(u - 1) * width + v] =
            std::norm(value(u, v) - value(u, middle) * value(0, v) / scene.entries) / scene.floor;
  return window;
}

/// Whether (u, v) lies on a line u/m = ±v/n, which is explained by diagonals.
bool on_diagonals(const Scene& scene, std::int64_t u, std::int64_t v) {
  const double difference =
      std::abs(std::abs(static_cast<double>(u)) * scene.n - std::abs(static_cast<double>(v)) * scene.m);
  return difference <= 1.01 * std::max(scene.m, scene.n);
}

void for_each(const Window& window,
              const std::function<void(std::int64_t u, std::int64_t v, double power)>& visit) {
  for (std::int64_t u = 1; u <= window.half_u; ++u)
    for (std::int64_t v = -window.half_v; v <= window.half_v; ++v)
      if (v != 0) visit(u, v, window.at(u, v));
}

void find_centre(Scene& scene, const Window& window, std::vector<Finding>& found) {
  constexpr std::array<double, 5> kRadii{4, 8, 16, 32, 64};
  std::array<double, kRadii.size()> sums{}, counts{};
  for_each(window, [&](std::int64_t u, std::int64_t v, double power) {
    if (on_diagonals(scene, u, v)) return;
    const double radius = std::hypot(static_cast<double>(u), static_cast<double>(v));
    for (std::size_t k = 0; k < kRadii.size(); ++k)
      if (radius <= kRadii.at(k)) {
        sums.at(k) += power / scene.copies;
        counts.at(k) += 1 / scene.copies;
      }
  });
  scene.tests += kRadii.size();
  std::size_t best = kRadii.size();
  double least = 0;
  for (std::size_t k = 0; k < kRadii.size(); ++k) {
    double chance = log_power_tail(sums.at(k), counts.at(k));
    if (sums.at(k) < kTimesFloor * counts.at(k) || !passes(scene, chance, kRadii.size())) continue;
    if (best < kRadii.size() && chance > least) continue;
    best = k;
    least = chance;
  }
  if (best == kRadii.size()) return;
  const double radius = kRadii.at(best), ratio = sums.at(best) / counts.at(best);
  Finding finding;
  finding.kind = FindingKind::centre;
  finding.sentence =
      "The middle of the plane is bright, beyond what rows and columns explain: the density varies over "
      "parts as large as " +
      number(scene.m / radius / 2, 2) + " × " + number(scene.n / radius / 2, 2) +
      " and more, as blocks, clusters or gradients do.";
  finding.evidence = "Within " + number(radius) + " indices of DC the mean power is " + number(ratio) +
                     " times the noise floor, without axes and diagonals.";
  finding.log_chance = least;
  finding.excess = (ratio - 1) * counts.at(best) * scene.floor;
  const double shown = 1.5 * radius;
  finding.spectrum = PlaneRect{-shown, -shown, shown, shown};
  finding.pattern = PlaneRect{0, 0, scene.m, scene.n};
  found.push_back(std::move(finding));
}

/// Mean powers of the lines u + v = c (anti: v − u = c), c > 0, without those on the diagonals.
struct Line {
  double sum = 0, count = 0;
  [[nodiscard]] double mean() const { return count > 0 ? sum / count : 0; }
};

std::vector<Line> lines_of(const Scene& scene, const Window& window, bool anti) {
  std::vector<Line> lines(static_cast<std::size_t>(window.half_u + window.half_v) + 1);
  for_each(window, [&](std::int64_t u, std::int64_t v, double power) {
    const std::int64_t c = std::abs(anti ? v - u : u + v);
    // The other diagonal crosses the line.
    const bool crosses = std::abs(anti ? u + v : u - v) <= 1;
    if (c == 0 || crosses) return;
    Line& line = lines[static_cast<std::size_t>(c)];
    line.sum += power / scene.copies;
    line.count += 1 / scene.copies;
  });
  return lines;
}

void find_parallel_lines(Scene& scene, const Window& window, bool anti, std::vector<Finding>& found) {
  const std::vector<Line> lines = lines_of(scene, window, anti);
  constexpr std::size_t kFirst = 3;
  const std::size_t last = std::min<std::size_t>(lines.size(), static_cast<std::size_t>(window.half_u) + 1);
  const auto tests = 2 * static_cast<double>(last);
  scene.tests += last;
  std::vector<std::size_t> passing;
  double least = 0;
  for (std::size_t c = kFirst; c + 2 < last; ++c) {
    const Line& line = lines[c];
    const double beside = std::max({1.0, lines[c - 2].mean(), lines[c + 2].mean()});
    const bool is_highest = line.mean() >= lines[c - 1].mean() && line.mean() >= lines[c + 1].mean();
    if (!is_highest || line.mean() < kAboveOthers * beside) continue;
    double chance = log_power_tail(line.sum, line.count);
    if (!passes(scene, chance, tests)) continue;
    passing.push_back(c);
    least = std::min(least, chance);
  }
  // A single line belongs to a peak or to a lobe; a repeating pattern has a second line at twice the
  // distance.
  if (passing.size() < 2) return;
  const double times = static_cast<double>(passing[1]) / static_cast<double>(passing[0]);
  if (std::abs(times - 2) > 1.01 / static_cast<double>(passing[0])) return;
  // The position of the first line between indices, from the powers beside it.
  const std::size_t c = passing.front();
  const double below = lines[c - 1].mean(), at = lines[c].mean(), above = lines[c + 1].mean();
  const double place = static_cast<double>(c) + (above - below) / (below + at + above);
  Finding finding;
  finding.kind = FindingKind::parallel_lines;
  finding.period_rows = finding.period_cols = scene.n / place;
  finding.sentence = std::string("Lines run parallel to ") + (anti ? "u = v" : "u = −v") +
                     ": the pattern repeats when it is moved by about " + number(finding.period_rows) +
                     (anti ? " rows up and as many columns to the right." : " rows and columns at once.");
  finding.evidence = std::to_string(passing.size()) + " lines stand out, the first " + number(place) +
                     " indices beside the middle with " + number(at) + " times the noise floor.";
  finding.log_chance = least;
  finding.excess = (at - 1) * lines[c].count * static_cast<double>(passing.size()) * scene.floor;
  const double shown = std::min(static_cast<double>(window.half_u), 3.5 * static_cast<double>(c));
  finding.spectrum = PlaneRect{-shown, -shown, shown, shown};
  const double side = std::min(scene.n, 3 * finding.period_rows);
  finding.pattern = PlaneRect{0, anti ? scene.n - side : 0, side, anti ? scene.n : side};
  found.push_back(std::move(finding));
}

void find_peak(Scene& scene, const Window& window, std::vector<Finding>& found) {
  const auto tests = static_cast<double>(window.power.size());
  scene.tests += window.power.size();
  std::int64_t best_u = 0, best_v = 0;
  double most = 0;
  for_each(window, [&](std::int64_t u, std::int64_t v, double power) {
    if (power <= most || on_diagonals(scene, u, v)) return;
    // A period occurs at least four times, as along the lines.
    if (std::abs(u) < 4 && std::abs(v) < 4) return;
    double chance = -power;
    if (!passes(scene, chance, tests)) return;
    for (std::int64_t du = -3; du <= 3; ++du)
      for (std::int64_t dv = -3; dv <= 3; ++dv) {
        if (std::max(std::abs(du), std::abs(dv)) < 2) continue;
        if (window.at(u + du, v + dv) * kAboveNeighbours > power) return;
      }
    most = power;
    best_u = u;
    best_v = v;
  });
  if (most == 0) return;
  Finding finding;
  finding.kind = FindingKind::peak;
  finding.period_rows = scene.m / static_cast<double>(std::abs(best_u));
  finding.period_cols = scene.n / static_cast<double>(std::abs(best_v));
  finding.sentence = "A single peak at u = " + index_text(best_u) + ", v = " + index_text(best_v) +
                     ": the density repeats every " + number(finding.period_rows) + " rows and every " +
                     number(finding.period_cols) + " columns.";
  finding.evidence = "Its power is " + number(most) +
                     " times the noise floor, and its neighbours' less than an eighth of it.";
  finding.log_chance = -most + std::log(tests);
  finding.excess = most * scene.floor;
  finding.wave = {best_u, best_v};
  const auto u = static_cast<double>(best_u), v = static_cast<double>(best_v);
  finding.spectrum = PlaneRect{u - 12.5, v - 12.5, u + 12.5, v + 12.5};
  found.push_back(std::move(finding));
}

}  // namespace

void find_in_window(Scene& scene, std::vector<Finding>& found, JobContext& context) {
  constexpr double kShortest = 32;
  if (scene.m < kShortest || scene.n < kShortest) return;
  const Window window = window_of(scene, context);
  // The ends of a band add power all around the middle, which is no evidence of blocks.
  constexpr double kMostOnDiagonals = 0.3;
  if (scene.on_diagonals < kMostOnDiagonals) find_centre(scene, window, found);
  const std::size_t before = found.size();
  if (scene.m == scene.n) {
    find_parallel_lines(scene, window, false, found);
    find_parallel_lines(scene, window, true, found);
  }
  // Where parallel lines were found, large coefficients on them are not reported as peaks.
  if (found.size() == before) find_peak(scene, window, found);
}

}  // namespace spyctrum::explaining
