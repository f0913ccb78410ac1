// SPDX-License-Identifier: Apache-2.0
// Diagonals. Their counts h(d) are compared with those of the degree model, in which the entry (i, j) has the
// chance r(i)·c(j)/K, so that full rows and columns are not taken for diagonals. Intervals of d of all widths
// 1, 2, 4, … are tested; the power on the line u/m = −v/n is the DFT of the same counts.
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/explain/explain_internal.hpp"
#include "core/fft/fft.hpp"
#include "core/matrix/entry_weights.hpp"

namespace spyctrum::explaining {

namespace {

constexpr double kTimesExpected = 1.5;  // the least ratio of entries to those of the model for a finding
constexpr std::size_t kMostListed = 6;

struct Counts {
  std::vector<double> observed, expected;  ///< by offset, from the first diagonal on
  std::vector<double> places;              ///< positions on it
};

Counts counts_of(const Scene& scene, bool anti, JobContext& context) {
  const std::size_t m = scene.rows.size(), n = scene.cols.size();
  Counts counts;
  counts.observed.assign(m + n - 1, 0);
  for_each_entry(*scene.pattern, &context, [&](Index row, Index col, std::size_t) {
    ++counts.observed[anti ? std::size_t{row} + col : m - 1 - row + col];
  });
  const std::size_t length = smooth_size(m + n);
  std::vector<std::complex<double>> a(length), b(length);
  for (std::size_t i = 0; i < m; ++i) a[anti ? i : m - 1 - i] = scene.rows[i] / scene.entries;
  std::ranges::copy(scene.cols, b.begin());
  context.check_stop();
  fft_rows(a.data(), length, 1, length);
  fft_rows(b.data(), length, 1, length);
  for (std::size_t k = 0; k < length; ++k) a[k] *= b[k] / static_cast<double>(length);
  fft_rows(a.data(), length, 1, length, false);
  context.check_stop();
  // Rounding leaves up to about 1e-12 of the entries where no entry is possible.
  counts.expected.resize(m + n - 1);
  counts.places.resize(m + n - 1);
  for (std::size_t t = 0; t < counts.expected.size(); ++t) {
    counts.expected[t] = std::max(a[t].real(), 1e-9 * scene.entries);
    counts.places[t] = static_cast<double>(std::min({t + 1, m, n, m + n - 1 - t}));
  }
  return counts;
}

/// Offsets [begin, end) that hold more than expected.
struct Run {
  std::size_t begin = 0, end = 0;
  double observed = 0, expected = 0, log_chance = 0;
};

/// Whether an offset of the run holds more entries than one on either side of it. Full rows and blocks change
/// how many entries the model expects, but not suddenly.
bool rises_above_neighbours(const Counts& counts, const Run& run) {
  constexpr double kContrast = 1.3;
  const std::size_t span = run.end - run.begin, length = counts.observed.size();
  const auto mean = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t t = begin; t < end; ++t) sum += counts.observed[t];
    return end > begin ? sum / static_cast<double>(end - begin) : 0;
  };
  const double inside = mean(run.begin, run.end);
  const double before = mean(run.begin > span ? run.begin - span : 0, run.begin);
  const double behind = mean(run.end, std::min(length, run.end + span));
  return inside >= kContrast * std::max(before, behind);
}

/// The intervals of the width that pass, joined where they touch. `tests`: of all widths.
std::vector<Run> runs_of(const Scene& scene, const Counts& counts, std::size_t width, double tests) {
  std::vector<Run> runs;
  const std::size_t step = std::max<std::size_t>(1, width / 2);
  for (std::size_t begin = 0; begin + width <= counts.observed.size(); begin += step) {
    double observed = 0, expected = 0, places = 0;
    for (std::size_t t = begin; t < begin + width; ++t) {
      observed += counts.observed[t];
      expected += counts.expected[t];
      places += counts.places[t];
    }
    if (observed < kTimesExpected * expected) continue;
    double chance =
        log_binomial_tail(observed / scene.copies, expected / scene.copies, places / scene.copies);
    if (!passes(scene, chance, tests)) continue;
    if (!runs.empty() && runs.back().end >= begin) {
      runs.back().end = begin + width;
      runs.back().log_chance = std::min(runs.back().log_chance, chance);
    } else {
      runs.push_back({begin, begin + width, 0, 0, chance});
    }
  }
  for (Run& run : runs)
    for (std::size_t t = run.begin; t < run.end; ++t) {
      run.observed += counts.observed[t];
      run.expected += counts.expected[t];
    }
  std::erase_if(runs, [&](const Run& run) { return !rises_above_neighbours(counts, run); });
  return runs;
}

double excess_of(const std::vector<Run>& runs) {
  double excess = 0;
  for (const Run& run : runs) excess += run.observed - run.expected;
  return excess;
}

/// The runs of the finest width that have nearly as much excess as the runs of any width.
std::vector<Run> best_runs(Scene& scene, const Counts& counts) {
  const std::size_t length = counts.observed.size();
  double tests = 0;
  std::vector<std::size_t> widths;
  for (std::size_t width = 1; width <= std::max<std::size_t>(1, length / 4); width *= 2) {
    widths.push_back(width);
    tests += static_cast<double>(length) / static_cast<double>(std::max<std::size_t>(1, width / 2));
  }
  scene.tests += static_cast<std::uint64_t>(tests);
  std::vector<std::vector<Run>> all;
  double most = 0;
  for (const std::size_t width : widths) {
    all.push_back(runs_of(scene, counts, width, tests));
    most = std::max(most, excess_of(all.back()));
  }
  constexpr double kNearlyAll = 0.8;
  for (std::vector<Run>& runs : all)
    if (!runs.empty() && excess_of(runs) >= kNearlyAll * most) return std::move(runs);
  return {};
}

PlaneRect around_diagonal(const Scene& scene, double offset, bool anti) {
  // A square of 64 entries in the middle of the diagonal.
  const double low = anti ? std::max(0.0, offset - scene.n + 1) : std::max(0.0, -offset);
  const double high = anti ? std::min(scene.m - 1, offset) : std::min(scene.m - 1, scene.n - 1 - offset);
  const double i = std::floor((low + high) / 2), j = anti ? offset - i : i + offset;
  const double half = std::min({32.0, scene.m / 2, scene.n / 2});
  return {i - half, j - half, i + half, j + half};
}

Finding describe(const Scene& scene, const Run& run, bool anti) {
  const double base = anti ? 0 : scene.m - 1;
  Finding finding;
  finding.kind = anti ? FindingKind::antidiagonals : FindingKind::diagonals;
  finding.first = static_cast<std::int64_t>(static_cast<double>(run.begin) - base);
  finding.last = static_cast<std::int64_t>(static_cast<double>(run.end) - 1 - base);
  const std::string what = anti ? "antidiagonal" : "diagonal", index = anti ? "i + j" : "j − i";
  const double share = 100 * run.observed / scene.entries, chance = 100 * run.expected / scene.entries;
  const auto span = finding.last - finding.first + 1;
  if (span == 1)
    finding.sentence = "Entries lie on the " + what + " " + index + " = " + index_text(finding.first);
  else
    finding.sentence = "Entries gather in a band of " + std::to_string(span) + " " + what + "s, " + index +
                       " from " + index_text(finding.first) + " to " + index_text(finding.last);
  finding.sentence +=
      std::string(": power along ") + (anti ? "u = v" : "u = −v") +
      (span == 1
           ? ", at every distance from the middle."
           : ", bright up to about v = " + number(std::max(1.0, scene.n / static_cast<double>(span))) + ".");
  finding.evidence = number(share) + " % of the entries are there; from the counts of rows and columns " +
                     number(chance) + " % are expected.";
  finding.log_chance = run.log_chance;
  // Of the same unit as the other findings: power on the line over noise.
  finding.excess = (run.observed - run.expected) * (run.observed - run.expected) / static_cast<double>(span) /
                   std::max(1.0, scene.entries) * std::min(scene.m, scene.n);
  const double middle = static_cast<double>(finding.first + finding.last) / 2;
  finding.pattern = around_diagonal(scene, std::floor(middle), anti);
  if (scene.m == scene.n) {
    const auto v = static_cast<std::int64_t>(
        std::max(1.0, std::min(scene.n / 4, std::floor(scene.n / static_cast<double>(span) / 2))));
    finding.wave = {anti ? v : -v, v};
  }
  const double shown = std::min({scene.m / 2, scene.n / 2, 2 * scene.n / static_cast<double>(span) + 8});
  finding.spectrum = PlaneRect{-shown, -shown, shown, shown};
  return finding;
}

/// The strongest period in the difference between the counts and those of the model, along one direction.
std::optional<Period> period_along(Scene& scene, const Counts& counts, bool is_even, JobContext& context) {
  std::vector<double> signal(counts.observed.size());
  for (std::size_t t = 0; t < signal.size(); ++t) signal[t] = counts.observed[t] - counts.expected[t];
  return find_period(scene, signal, smooth_size(signal.size() + 1), is_even, context);
}

std::string stands_out(const Period& period) {
  return "Power at the period " + number(period.length) + " is " + number(period.ratio) +
         " times the level around it; " + std::to_string(period.peaks) +
         (period.peaks > 1 ? " of its multiples stand out." : " peak stands out.");
}

Finding period_finding(const Scene& scene, const Period& period, bool anti) {
  Finding finding;
  finding.kind = FindingKind::period;
  finding.evidence = stands_out(period);
  finding.log_chance = period.log_chance;
  finding.excess = period.ratio * scene.floor;
  finding.period_rows = finding.period_cols = period.length;
  const auto u = std::llround(scene.m / period.length), v = std::llround(scene.n / period.length);
  finding.wave = {anti ? u : -u, v};
  return finding;
}

/// The stronger of the two directions: its runs, and the period of its offsets.
void add_main_direction(Scene& scene, const Counts& counts, const std::vector<Run>& runs, bool anti,
                        std::vector<Finding>& found, JobContext& context) {
  // The diagonals of a symmetric pattern come in pairs j − i = ±d.
  const auto period = period_along(scene, counts, !anti && scene.copies > 1, context);
  // The side lobes of a few diagonals or of a band are no period; a comb of at least kTeeth peaks is.
  constexpr std::size_t kTeeth = 3;
  const bool repeats = period && (runs.empty() || period->peaks >= kTeeth);
  if (repeats) {
    Finding finding = period_finding(scene, *period, anti);
    finding.sentence = std::string("The ") + (anti ? "antidiagonals" : "diagonals") + " repeat: every " +
                       number(period->length) + " rows or columns they hold the same number of entries, " +
                       (period->peaks > 1 ? "a comb of peaks" : "a peak") + " along " +
                       (anti ? "u = v." : "u = −v.");
    found.push_back(std::move(finding));
  }
  if (repeats && runs.size() > kMostListed) return;
  for (std::size_t k = 0; k < std::min(runs.size(), kMostListed); ++k)
    found.push_back(describe(scene, runs[k], anti));
}

/// Adds a finding from the other direction, once the entries are known to gather along the main one: a
/// pattern that repeats along its diagonals. Its period is half of that of i + j (of j − i).
void add_repetition(Scene& scene, const Counts& counts, bool main_is_anti, std::vector<Finding>& found,
                    JobContext& context) {
  const auto period = period_along(scene, counts, main_is_anti && scene.copies > 1, context);
  // Along one diagonal every i + j has the same parity, which is a period of 2.
  if (!period || period->length < 4) return;
  Finding finding = period_finding(scene, *period, !main_is_anti);
  finding.period_rows /= 2;
  finding.period_cols /= 2;
  finding.sentence = "Along the " + std::string(main_is_anti ? "antidiagonals" : "diagonals") +
                     " the pattern repeats every " + number(finding.period_rows) +
                     " rows and columns: " + (period->peaks > 1 ? "a comb of peaks" : "a peak") +
                     " across the line.";
  found.push_back(std::move(finding));
}

double strength_of(const std::vector<Run>& runs) {
  double least = 0;
  for (const Run& run : runs) least = std::min(least, run.log_chance);
  return -least;
}

}  // namespace

void find_diagonals(Scene& scene, std::vector<Finding>& found, JobContext& context) {
  const Counts along = counts_of(scene, false, context), across = counts_of(scene, true, context);
  const auto sorted = [&](const Counts& counts) {
    std::vector<Run> runs = best_runs(scene, counts);
    std::ranges::sort(runs, std::greater{}, [](const Run& run) { return run.observed - run.expected; });
    return runs;
  };
  const std::vector<Run> diagonals = sorted(along), antidiagonals = sorted(across);
  const bool is_anti = strength_of(antidiagonals) > strength_of(diagonals);
  const std::vector<Run>& runs = is_anti ? antidiagonals : diagonals;
  add_main_direction(scene, is_anti ? across : along, runs, is_anti, found, context);
  if (runs.empty())
    add_main_direction(scene, across, {}, true, found, context);
  else
    add_repetition(scene, is_anti ? along : across, is_anti, found, context);
  constexpr double kNarrow = 0.15;
  for (const Run& run : runs)
    if (static_cast<double>(run.end - run.begin) < kNarrow * static_cast<double>(along.observed.size()))
      scene.on_diagonals += run.observed / scene.entries;
}

}  // namespace spyctrum::explaining
