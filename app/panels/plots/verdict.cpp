// SPDX-License-Identifier: Apache-2.0
// Collects what was run, and chooses the run with the least error within the limits.
#include "app/panels/plots/verdict.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "app/panels/widgets/format.hpp"
#include "core/features/feature_errors.hpp"

namespace spyctrum::panels {
namespace {

struct Run {
  std::string label, setting;  ///< "Elastic BS-FFT", ", b = 16"
  double seconds = 0, bytes = 0, error = 0;
};

std::string setting_of(std::uint32_t block) { return ", b = " + std::to_string(block); }

std::vector<Run> runs_of(const AppState& state) {
  std::vector<Run> runs;
  for (const Column& column : state.columns) {
    if (!column.spectrum || column.outdated || !column.is_of_matrix() ||
        (!column.reference && !column.feature_errors))
      continue;
    runs.push_back({column.label, column.uses_block ? setting_of(column.block) : "", column.cost.seconds,
                    static_cast<double>(column.cost.bytes_peak),
                    column.reference ? 0 : mean_error(*column.feature_errors)});
  }
  for (const SweepPoint& point : state.sweep)
    runs.push_back({point.label, setting_of(point.block), point.seconds,
                    static_cast<double>(point.bytes_peak), mean_error(point.errors)});
  for (const Prospect& prospect : state.advisor.known.prospects)
    if (prospect.runs > 0 && !prospect.exact)
      runs.push_back({prospect.label, prospect.block ? setting_of(*prospect.block) : "", prospect.seconds,
                      static_cast<double>(prospect.bytes), prospect.error});
  return runs;
}

/// The column whose cost the verdict is about; null where no error is known.
const Column* judged_column(const AppState& state) {
  const auto is_known = [](const Column& column) {
    return !column.reference && !column.outdated && column.spectrum && column.feature_errors;
  };
  if (const Column* focused = state.focused(); focused != nullptr && is_known(*focused)) return focused;
  const auto first = std::ranges::find_if(state.columns, is_known);
  return first == state.columns.end() ? nullptr : &*first;
}

/// The run with the least error of those whose `cost` is at most `limit`.
const Run* best_within(const std::vector<Run>& runs, double Run::*cost, double limit) {
  const Run* best = nullptr;
  for (const Run& run : runs)
    if (run.*cost <= limit && (best == nullptr || run.error < best->error)) best = &run;
  return best;
}

std::string words_of(const Run& run) {
  constexpr double kRounding = 1e-6;
  return run.label + run.setting +
         (run.error > kRounding ? " (features off by " + percent_text(run.error) + ")" : " (features exact)");
}

}  // namespace

std::string verdict(const AppState& state) {
  const Column* judged = judged_column(state);
  if (judged == nullptr) return {};
  const std::vector<Run> runs = runs_of(state);
  const auto bytes = static_cast<double>(judged->cost.bytes_peak);
  const Run* by_bytes = best_within(runs, &Run::bytes, bytes);
  const Run* by_time = best_within(runs, &Run::seconds, judged->cost.seconds);
  if (by_bytes == nullptr || by_time == nullptr) return {};
  const std::string memory = bytes_text(judged->cost.bytes_peak), time = seconds_text(judged->cost.seconds);
  const std::string first = "Of what was run, most accurate within " + memory;
  if (by_bytes == by_time) return first + " and " + time + ": " + words_of(*by_bytes) + ".";
  return first + ": " + words_of(*by_bytes) + "; within " + time + ": " + words_of(*by_time) + ".";
}

}  // namespace spyctrum::panels
