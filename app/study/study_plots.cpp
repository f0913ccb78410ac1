// SPDX-License-Identifier: Apache-2.0
// The table of figures: axes and quantity of each, and its values method by method.
#include "app/study/study_plots.hpp"

#include <algorithm>
#include <optional>

#include "core/reconstruction/smooth_fill.hpp"

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

/// A figure: title, file name, axes, and the quantity on the y axis.
struct PlotDefinition {
  const char* title;
  const char* file;
  StudyAxes axes;
  CellValue value;
};

const PlotDefinition& definition_of(StudyPlot plot) {
  const auto by_block = [](const char* quantity, bool in_logarithms = true) {
    return StudyAxes{"block size b", quantity, true, in_logarithms, true};
  };
  constexpr const char* kReconstruction = "Hellinger distance, reconstruction";
  static const std::array<PlotDefinition, kStudyPlots> definitions{{
      {"Time against n·K", "01-time-by-size", {"n·K", "seconds"}, value_seconds()},
      {"Time against block size", "02-time-by-block", by_block("seconds"), value_seconds()},
      {"Memory against block size", "03-memory-by-block", by_block("peak bytes"), value_bytes()},
      {"Entropy error", "04-entropy-error", by_block("relative error of the entropy"),
       value_error("entropy")},
      {"Radial error", "05-radial-error", by_block("Hellinger distance, radial energy"),
       value_error("radial")},
      {"Directional error", "06-directional-error", by_block("Hellinger distance, directional energy"),
       value_error("sectors")},
      {"Reconstruction", "07-reconstruction", by_block(kReconstruction, false), value_hellinger()},
      {"Recall", "08-recall", by_block("recall of the top 10 %", false), value_recall()},
      {"Feature error against time", "09-feature-error-by-time", StudyAxes{"seconds", "mean feature error"},
       value_mean_error()},
      {"Reconstruction against time", "10-reconstruction-by-time",
       StudyAxes{"seconds", kReconstruction, true, false}, value_hellinger()},
  }};
  return definitions[static_cast<std::size_t>(plot)];
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
      const auto found = definition_of(plot).value(cell);
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

StudyAxes axes_of(StudyPlot plot) { return definition_of(plot).axes; }
const char* title_of(StudyPlot plot) { return definition_of(plot).title; }
std::string file_name_of(StudyPlot plot) { return definition_of(plot).file; }

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
      const auto y = definition_of(plot).value(cell);
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
