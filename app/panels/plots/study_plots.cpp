// SPDX-License-Identifier: Apache-2.0
// The figures of a study. Faint points are single cells, lines are medians over the matrices of the group.
#include "app/panels/plots/study_plots.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/panels/plots/plot_style.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr double kLeast = 1e-7;  // an error of 0 has no place on a logarithmic axis

struct Axes {
  const char* x;
  const char* y;
  bool x_log = true, y_log = true;
};

Axes axes_of(StudyPlot plot) {
  switch (plot) {
    case StudyPlot::time_by_size:
      return {"n·K", "seconds"};
    case StudyPlot::time_by_block:
      return {"block size b", "seconds"};
    case StudyPlot::memory_by_block:
      return {"block size b", "peak bytes"};
    case StudyPlot::entropy_by_block:
      return {"block size b", "relative error of the entropy"};
    case StudyPlot::radial_by_block:
      return {"block size b", "Hellinger distance, radial energy"};
    case StudyPlot::sectors_by_block:
      return {"block size b", "Hellinger distance, directional energy"};
    case StudyPlot::hellinger_by_block:
      return {"block size b", "Hellinger distance, reconstruction", true, false};
    case StudyPlot::recall_by_block:
      return {"block size b", "recall of the top 10 %", true, false};
    case StudyPlot::error_by_time:
      return {"seconds", "mean feature error"};
    case StudyPlot::hellinger_by_time:
      break;
  }
  return {"seconds", "Hellinger distance, reconstruction", true, false};
}

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

void add_medians(StudySeries& series, const Study& study, StudyPlot plot, const StudyGroup& group,
                 const std::string& method) {
  if (plot == StudyPlot::time_by_size) return;
  for (const std::uint32_t block : study_blocks(study)) {
    const auto y = values_over(study, group, method, block, value_of(plot));
    if (!y) continue;
    const auto x = by_time(plot) ? values_over(study, group, method, block, value_seconds())
                                 : StudyValues({static_cast<double>(block)});
    if (!x) continue;
    series.median_x.push_back(x->median());
    series.median_y.push_back(std::max(kLeast, plot == StudyPlot::recall_by_block ? y->mean() : y->median()));
  }
}

struct Extent {
  double low = INFINITY, high = -INFINITY;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void widen(bool logarithmic) {
    if (!(low <= high)) low = 0.1, high = 1;
    if (logarithmic) {
      low /= 1.6;
      high *= 1.6;
    } else {
      const double margin = std::max(0.02, 0.06 * (high - low));
      low -= margin;
      high += margin;
    }
  }
};

void plot_series(const StudySeries& series) {
  std::vector<double> x, y;
  for (const StudyPoint& point : series.points) {
    x.push_back(point.x);
    y.push_back(point.y);
  }
  const bool lines = series.median_x.size() > 1;
  ImPlotSpec points;
  points.Marker = ImPlotMarker_Circle;
  points.MarkerSize = px(lines ? 2.2F : 3.5F);
  points.MarkerFillColor = vec4(series_color(series.color, lines ? 0.45F : 1.0F));
  points.MarkerLineColor = points.MarkerFillColor;
  points.LineColor = vec4(series_color(series.color));
  if (!x.empty())
    ImPlot::PlotScatter(series.label.c_str(), x.data(), y.data(), static_cast<int>(x.size()), points);
  if (!lines) return;
  ImPlot::PlotLine(series.label.c_str(), series.median_x.data(), series.median_y.data(),
                   static_cast<int>(series.median_x.size()), line_with_points(series.color, 2, 4));
}

bool is_hellinger(StudyPlot plot) {
  return plot == StudyPlot::hellinger_by_block || plot == StudyPlot::hellinger_by_time;
}

/// √(1 − √π/2) = 0.337: where a plane is noise with a smoothly varying variance, no estimate from samples has
/// a smaller Hellinger distance, whatever their number; only exact coefficients beside the samples reach
/// less.
double smoothing_bound() { return std::sqrt(1 - std::sqrt(std::numbers::pi) / 2); }

void draw_bound() {
  const double bound = smoothing_bound();
  ImPlotSpec spec;
  spec.LineColor = vec4(palette().warning);
  spec.LineWeight = px(1.2F);
  spec.Flags = ImPlotInfLinesFlags_Horizontal;
  ImPlot::PlotInfLines("0.337, bound for samples of noise", &bound, 1, spec);
}

/// The nearest cell within a few pixels of the cursor.
const StudyPoint* hovered(const std::vector<StudySeries>& all) {
  if (!ImPlot::IsPlotHovered()) return nullptr;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const StudyPoint* nearest = nullptr;
  float least = px(9);
  for (const StudySeries& series : all) {
    for (const StudyPoint& point : series.points) {
      const ImVec2 at = ImPlot::PlotToPixels(point.x, point.y);
      const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
      if (distance >= least) continue;
      least = distance;
      nearest = &point;
    }
  }
  return nearest;
}

std::string error_texts(const FeatureErrors& errors) {
  std::string line;
  for (std::size_t k = 0; k < kFeatureCount; ++k) {
    const FeatureDefinition& feature = kFeatureTable[k];
    if (!feature.in_mean_error) continue;
    const double error = errors[FeatureKey(k)];
    line += (line.empty() ? "" : "  ·  ") + std::string(feature.label) + " " +
            (feature.measure == ErrorMeasure::relative ? percent_text(error) : number_text(error, 3));
  }
  return line;
}

void describe(const StudyPoint& point) {
  const StudyCell& cell = *point.cell;
  ImGui::BeginTooltip();
  text(cell.label + (cell.block ? ", b = " + std::to_string(*cell.block) : std::string()),
       series_color(method_color(cell.method)));
  small_text(cell.matrix);
  small_text(seconds_text(cell.seconds) + "  ·  " + bytes_text(cell.bytes_peak));
  if (cell.errors) small_text(error_texts(*cell.errors));
  if (cell.reconstruction)
    small_text("reconstruction " + number_text(cell.reconstruction->hellinger, 3) + "  ·  recall " +
               percent_text(cell.reconstruction->recall_top10));
  small_text("Click to open this matrix with this setting.");
  ImGui::EndTooltip();
}

void mark_blocks(const Study& study) {
  static std::vector<std::string> names;
  std::vector<double> places;
  std::vector<const char*> words;
  names.clear();
  for (const std::uint32_t block : study_blocks(study)) {
    places.push_back(block);
    names.push_back(std::to_string(block));
  }
  words.reserve(names.size());
  for (const std::string& name : names) words.push_back(name.c_str());
  if (!places.empty())
    ImPlot::SetupAxisTicks(ImAxis_X1, places.data(), static_cast<int>(places.size()), words.data());
}

}  // namespace

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
  return std::string(kNames[static_cast<std::size_t>(plot)]) + ".png";
}

std::vector<StudySeries> study_series(const Study& study, StudyPlot plot, const StudyGroup& group,
                                      std::uint32_t size_block) {
  std::vector<StudySeries> all;
  for (const std::string& method : study_methods(study)) {
    StudySeries series;
    series.label = study_label(study, method);
    series.color = method_color(method);
    for (const StudyCell& cell : study.cells) {
      if (cell.method != method || std::ranges::find(group.matrices, cell.matrix) == group.matrices.end())
        continue;
      const auto y = value_of(plot)(cell);
      const auto x = place_of(study, plot, cell, size_block);
      if (x && y) series.points.push_back({*x, std::max(*y, kLeast), &cell});
    }
    if (series.points.empty()) continue;
    add_medians(series, study, plot, group, method);
    all.push_back(std::move(series));
  }
  return all;
}

const StudyCell* draw_study_plot(const Study& study, StudyPlot plot, const StudyGroup& group,
                                 std::uint32_t size_block, ImVec2 size) {
  const std::vector<StudySeries> all = study_series(study, plot, group, size_block);
  const Axes axes = axes_of(plot);
  const std::string title = std::string(title_of(plot)) + ", " + group.title + "###study plot";
  if (!ImPlot::BeginPlot(title.c_str(), size, kPlotFlags)) return nullptr;
  ImPlot::SetupAxes(axes.x, axes.y, kFixedAxis, kFixedAxis);
  if (axes.x_log) ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  if (axes.y_log) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  Extent x, y;
  for (const StudySeries& series : all) {
    for (const StudyPoint& point : series.points) {
      x.add(point.x);
      y.add(point.y);
    }
  }
  if (is_hellinger(plot) && !all.empty()) y.add(smoothing_bound());
  x.widen(axes.x_log);
  y.widen(axes.y_log);
  ImPlot::SetupAxesLimits(x.low, x.high, y.low, y.high, ImPlotCond_Always);
  if (plot != StudyPlot::time_by_size && !by_time(plot)) mark_blocks(study);
  ImPlot::SetupLegend(ImPlotLocation_East, ImPlotLegendFlags_Outside);
  if (is_hellinger(plot)) draw_bound();
  for (const StudySeries& series : all) plot_series(series);
  const StudyCell* clicked = nullptr;
  if (const StudyPoint* point = hovered(all)) {
    describe(*point);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) clicked = point->cell;
  }
  ImPlot::EndPlot();
  return clicked;
}

}  // namespace spyctrum::panels
