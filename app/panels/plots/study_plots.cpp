// SPDX-License-Identifier: Apache-2.0
// The figures of a study. Faint points are single cells, lines are medians over the matrices of the group.
#include "app/panels/plots/study_plots.hpp"

#include <algorithm>
#include <cmath>

#include "app/panels/plots/plot_style.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "app/study/axis.hpp"
#include "core/base/text.hpp"
#include "core/reconstruction/smooth_fill.hpp"

namespace spyctrum::panels {
namespace {

struct AxisRange {
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
  const bool lines = series.spreads.size() > 1;
  plot_method(x, y, series.style, 0, lines ? 2.2F : 3.5F, lines ? 0.45F : 1.0F);
  if (!lines) return;
  x.clear();
  y.clear();
  for (const StudySpread& spread : series.spreads) {
    x.push_back(spread.x);
    y.push_back(spread.centre());
  }
  plot_method(x, y, series.style, 2, 4);
}

void draw_bound() {
  ImPlotSpec spec;
  spec.LineColor = vec4(palette().warning);
  spec.LineWeight = px(1.2F);
  spec.Flags = ImPlotInfLinesFlags_Horizontal;
  ImPlot::PlotInfLines("###bound", &kSmoothingBound, 1, spec);
  ImPlot::Annotation(ImPlot::GetPlotLimits().X.Max, kSmoothingBound, spec.LineColor, {-px(4), -px(4)}, true,
                     "%s", bound_label().c_str());
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
       series_color(method_style(cell.method).color));
  small_text(cell.matrix);
  small_text(seconds_text(cell.seconds) + "  ·  " + bytes_text(cell.bytes_peak));
  if (cell.errors) small_text(error_texts(*cell.errors));
  if (cell.reconstruction)
    small_text("reconstruction " + number_text(cell.reconstruction->hellinger, 3) + "  ·  recall " +
               percent_text(cell.reconstruction->recall_top10));
  small_text("Click to open this matrix with this setting.");
  ImGui::EndTooltip();
}

/// The ticks of the figures in files, of which every axis has at least two; ImPlot marks powers of ten alone.
void mark_decades(ImAxis axis, const AxisRange& range) {
  PlotAxis ticks(true);
  ticks.add(range.low);
  ticks.add(range.high);
  ticks.place(0, 1, PlotAxis::Margin::none);
  std::vector<double> places;
  std::vector<std::string> names;
  for (const auto& [value, unused] : ticks.ticks()) {
    places.push_back(value);
    names.push_back(value >= 1000 && value < 1e6
                        ? grouped(static_cast<std::uint64_t>(std::llround(value)))
                        : with_short_exponent(with_true_minus(spyctrum::number_text(value, 6))));
  }
  setup_ticks(axis, places, names);
}

void mark_blocks(const Study& study) {
  std::vector<std::string> names;
  std::vector<double> places;
  for (const std::uint32_t block : study_blocks(study)) {
    places.push_back(block);
    names.push_back(std::to_string(block));
  }
  if (!places.empty()) setup_ticks(ImAxis_X1, places, names);
}

}  // namespace

const StudyCell* draw_study_plot(const Study& study, StudyPlot plot, const StudyGroup& group,
                                 std::uint32_t size_block, ImVec2 size) {
  const std::vector<StudySeries> all = study_series(study, plot, group, size_block);
  const StudyAxes axes = axes_of(plot);
  float names = 0;
  for (const StudySeries& series : all) names = std::max(names, legend_width(series.label));
  size.x -= names;
  ImVec2 at = ImGui::GetCursorScreenPos();
  at = {at.x + size.x + px(6), at.y + px(28)};
  for (const StudySeries& series : all) {
    draw_legend_entry(at, {series.label, series.style});
    at.y += ImGui::GetTextLineHeightWithSpacing();
  }
  const std::string title = std::string(title_of(plot)) + ", " + group.title + "###study plot";
  if (!ImPlot::BeginPlot(title.c_str(), size, kPlotFlags)) return nullptr;
  ImPlot::SetupAxes(axes.x, axes.y, kFixedAxis, kFixedAxis);
  if (axes.x_log) ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  if (axes.y_log) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  AxisRange x, y;
  for (const StudySeries& series : all) {
    for (const StudyPoint& point : series.points) {
      x.add(point.x);
      y.add(point.y);
    }
  }
  if (has_bound(plot) && !all.empty()) y.add(kSmoothingBound);
  x.widen(axes.x_log);
  y.widen(axes.y_log);
  ImPlot::SetupAxesLimits(x.low, x.high, y.low, y.high, ImPlotCond_Always);
  if (axes.by_block)
    mark_blocks(study);
  else if (axes.x_log)
    mark_decades(ImAxis_X1, x);
  if (axes.y_log) mark_decades(ImAxis_Y1, y);
  ImPlot::SetupFinish();
  if (has_bound(plot)) draw_bound();
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
