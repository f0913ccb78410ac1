// SPDX-License-Identifier: Apache-2.0
// The order of the tests, and the list of their findings.
#include "core/explain/explain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/explain/explain_internal.hpp"
#include "core/matrix/entry_weights.hpp"

namespace spyctrum {

namespace {

using namespace explaining;

constexpr double kFamilies = 12;  // kinds of tests that share the false-alarm rate
constexpr std::uint64_t kLongestSides = std::uint64_t{1} << 26U;

Scene scene_of(const PatternPtr& given, const ExplainOptions& options) {
  const std::uint64_t m = given->rows(), n = given->cols();
  if (given->nonzeros() == 0)
    throw Failure(ErrorCode::wrong_use, "The matrix has no entries: its spectrum is zero everywhere.");
  if (m + n > kLongestSides)
    throw Failure(ErrorCode::wrong_use,
                  "A matrix of " + std::to_string(m) + " × " + std::to_string(n) + " is too long to explain.",
                  "Select a region of it.");
  Scene scene;
  scene.pattern =
      given->has_weights() ? std::make_shared<const SparsePattern>(given->without_weights()) : given;
  scene.m = static_cast<double>(m);
  scene.n = static_cast<double>(n);
  scene.entries = static_cast<double>(given->nonzeros());
  scene.floor = scene.entries * (1 - scene.entries / (scene.m * scene.n));
  scene.copies = scene.pattern->symmetric() ? 2 : 1;
  scene.log_alpha = std::log(options.false_alarm / kFamilies);
  scene.rows.assign(m, 0);
  scene.cols.assign(n, 0);
  for_each_entry(*scene.pattern, nullptr, [&](Index row, Index col, std::size_t) {
    ++scene.rows[row];
    ++scene.cols[col];
  });
  return scene;
}

Finding nothing(const Scene& scene) {
  Finding finding;
  finding.sentence = "Nothing stands out: the spectrum cannot be distinguished from that of " +
                     number(scene.entries, 9) + " entries at random positions.";
  finding.evidence = "The expected power is K(1 − K/mn) = " + number(scene.floor, 4) +
                     " in every coefficient beside DC, distributed exponentially.";
  return finding;
}

}  // namespace

const char* name_of(FindingKind kind) {
  static constexpr std::array kNames{"uneven rows",   "uneven columns", "diagonals",
                                     "antidiagonals", "period",         "parallel lines",
                                     "bright centre", "peak",           "nothing"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Result<Explanation> explain(const PatternPtr& pattern, const ExplainOptions& options, JobContext& context) {
  return run_guarded([&] {
    const std::uint64_t sides = pattern->rows() + pattern->cols();
    const Booking booked(context.memory(), 8 * sides + 80 * std::min(sides, 2 * kLongestSides),
                         "counts along rows, columns and diagonals");
    context.begin_stage("counts");
    Scene scene = scene_of(pattern, options);
    Explanation result;
    // A full pattern has no power beside DC.
    if (scene.floor > 0) {
      find_uneven_counts(scene, result.findings);
      find_periods_of_counts(scene, result.findings, context);
      context.begin_stage("diagonals");
      find_diagonals(scene, result.findings, context);
      context.begin_stage("window");
      find_in_window(scene, result.findings, context);
    }
    std::ranges::stable_sort(result.findings, std::greater{}, &Finding::excess);
    if (result.findings.empty()) result.findings.push_back(nothing(scene));
    result.noise_power = scene.floor;
    result.tests = scene.tests;
    return result;
  });
}

}  // namespace spyctrum
