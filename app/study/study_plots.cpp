// SPDX-License-Identifier: Apache-2.0
#include "app/study/study_plots.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace spyctrum {

namespace {

constexpr double kLeast = 1e-7;

/// Mean error of the features; empty where a part of it is unknown.
CellValue value_mean_error() {
  return [](const StudyCell& cell) -> std::optional<double> {
    for (std::size_t k = 0; k < kFeatureCount; ++k)
      if (kFeatureTable[k].in_mean_error && !value_error(FeatureKey(k))(cell)) return std::nullopt;
    return mean_error(*cell.errors);
  };
}

CellValue value_of(StudyPlot plot) {
  switch (plot) {
    case StudyPlot::time_by_size:
    case StudyPlot::time_by_block:
      return value_seconds();
    case StudyPlot::memory_by_block:
      return value_bytes();
    case StudyPlot::entropy_by_block:
      return value_error("entropy");
    case StudyPlot::radial_by_block:
      return value_error("radial");
    case StudyPlot::sectors_by_block:
      return value_error("sectors");
    case StudyPlot::recall_by_block:
      return value_recall();
    case StudyPlot::error_by_time:
      return value_mean_error();
    case StudyPlot::hellinger_by_block:
    case StudyPlot::hellinger_by_time:
      break;
  }
  return value_hellinger();
}

bool by_time(StudyPlot plot) {
  return plot == StudyPlot::error_by_time || plot == StudyPlot::hellinger_by_time;
}

bool is_exact(const StudyCell& cell) { return cell.exactness == "exact" && !cell.block; }

/// The x coordinate of a cell; empty where the figure cannot show it.
std::optional<double> place_of(const Study& study, StudyPlot plot, const StudyCell& cell,
                               std::uint32_t size_block) {
  if (plot == StudyPlot::time_by_size) {
    if (cell.block && *cell.block != size_block) return std::nullopt;
    const StudyMatrix* matrix = study.matrix(cell.matrix);
    return static_cast<double>(matrix->cols) *
           static_cast<double>(std::max<std::int64_t>(1, matrix->nonzeros));
  }
  if (by_time(plot)) return is_exact(cell) ? std::nullopt : value_seconds()(cell);
  if (!cell.block) return std::nullopt;
  return static_cast<double>(*cell.block);
}

std::vector<StudySpread> spreads_of(const Study& study, StudyPlot plot, const StudyGroup& group,
                                    const std::string& method) {
  std::vector<StudySpread> spreads;
  if (plot == StudyPlot::time_by_size) return spreads;
  for (const std::uint32_t block : study_blocks(study)) {
    const CellValue value = [&](const StudyCell& cell) -> std::optional<double> {
      const auto found = value_of(plot)(cell);
      return found ? std::optional(std::max(kLeast, *found)) : std::nullopt;
    };
    auto y = values_over(study, group, method, block, value);
    if (!y) continue;
    const auto x = by_time(plot) ? values_over(study, group, method, block, value_seconds())
                                 : StudyValues({static_cast<double>(block)});
    if (x) spreads.push_back({x->median(), std::move(*y), plot == StudyPlot::recall_by_block});
  }
  return spreads;
}

}  // namespace

StudyAxes axes_of(StudyPlot plot) {
  switch (plot) {
    case StudyPlot::time_by_size:
      return {"n·K", "seconds"};
    case StudyPlot::time_by_block:
      return {"block size b", "seconds", true, true, true};
    case StudyPlot::memory_by_block:
      return {"block size b", "peak bytes", true, true, true};
    case StudyPlot::entropy_by_block:
      return {"block size b", "relative error of the entropy", true, true, true};
    case StudyPlot::radial_by_block:
      return {"block size b", "Hellinger distance, radial energy", true, true, true};
    case StudyPlot::sectors_by_block:
      return {"block size b", "Hellinger distance, directional energy", true, true, true};
    case StudyPlot::hellinger_by_block:
      return {"block size b", "Hellinger distance, reconstruction", true, false, true};
    case StudyPlot::recall_by_block:
      return {"block size b", "recall of the top 10 %", true, false, true};
    case StudyPlot::error_by_time:
      return {"seconds", "mean feature error"};
    case StudyPlot::hellinger_by_time:
      break;
  }
  return {"seconds", "Hellinger distance, reconstruction", true, false};
}

const char* title_of(StudyPlot plot) {
  switch (plot) {
    case StudyPlot::time_by_size:
      return "Time against n·K";
    case StudyPlot::time_by_block:
      return "Time against block size";
    case StudyPlot::memory_by_block:
      return "Memory against block size";
    case StudyPlot::entropy_by_block:
      return "Entropy error";
    case StudyPlot::radial_by_block:
      return "Radial error";
    case StudyPlot::sectors_by_block:
      return "Directional error";
    case StudyPlot::hellinger_by_block:
      return "Reconstruction";
    case StudyPlot::recall_by_block:
      return "Recall";
    case StudyPlot::error_by_time:
      return "Feature error against time";
    case StudyPlot::hellinger_by_time:
      break;
  }
  return "Reconstruction against time";
}

std::string file_name_of(StudyPlot plot) {
  static constexpr std::array<const char*, kStudyPlots> kNames{
      "01-time-by-size",          "02-time-by-block",         "03-memory-by-block", "04-entropy-error",
      "05-radial-error",          "06-directional-error",     "07-reconstruction",  "08-recall",
      "09-feature-error-by-time", "10-reconstruction-by-time"};
  return kNames[static_cast<std::size_t>(plot)];
}

bool has_bound(StudyPlot plot) {
  return plot == StudyPlot::hellinger_by_block || plot == StudyPlot::hellinger_by_time;
}

std::string bound_label() {
  return std::to_string(kSmoothingBound).substr(0, 5) + ", bound for samples of noise";
}

std::vector<StudySeries> study_series(const Study& study, StudyPlot plot, const StudyGroup& group,
                                      std::uint32_t size_block) {
  std::vector<StudySeries> all;
  for (const std::string& method : study_methods(study)) {
    StudySeries series{method, study_label(study, method), method_style(method), {}, {}};
    for (const StudyCell& cell : study.cells) {
      if (cell.method != method || std::ranges::find(group.matrices, cell.matrix) == group.matrices.end())
        continue;
      const auto y = value_of(plot)(cell);
      const auto x = place_of(study, plot, cell, size_block);
      if (x && y) series.points.push_back({*x, std::max(*y, kLeast), &cell});
    }
    if (series.points.empty()) continue;
    series.spreads = spreads_of(study, plot, group, method);
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace spyctrum
