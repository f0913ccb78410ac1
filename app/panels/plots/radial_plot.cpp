// SPDX-License-Identifier: Apache-2.0
// Bar plot of the shares of power in 16 rings of equal width in r = √((u/m)² + (v/n)²); in each ring one bar
// per method, side by side; below it the relative error of each method's shares.
#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/panels/plots/plot_style.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr double kGroupWidth = 0.78;

std::vector<const Column*> with_features(const AppState& state) {
  std::vector<const Column*> columns;
  for (const Column& column : state.columns)
    if (column.features() != nullptr) columns.push_back(&column);
  return columns;
}

/// The upper end of the vertical axis: above all bars with their marks, and above all error bars, which end
/// at 1, as shares do.
double top_of_axis(const std::vector<const Column*>& columns) {
  double most = 0;
  for (const Column* column : columns) {
    const Features* deviations = column->feature_deviations();
    for (std::size_t ring = 0; ring < kRadialBins; ++ring) {
      const double share = column->features()->radial[ring];
      most = std::max(most, share * 1.15);
      if (deviations != nullptr)
        most = std::max(most, std::min(share + deviations->radial[ring], 1.0) * 1.04);
    }
  }
  return most > 0 ? most : 1;
}

void hovered_ring(const std::vector<const Column*>& columns) {
  if (!ImPlot::IsPlotHovered()) return;
  const auto ring = static_cast<std::ptrdiff_t>(std::lround(ImPlot::GetPlotMousePos().x));
  if (ring < 0 || ring >= static_cast<std::ptrdiff_t>(kRadialBins)) return;
  ImGui::BeginTooltip();
  small_text("ring " + std::to_string(ring) + " · r " +
             number_text(static_cast<double>(ring) / 16 * 0.70710678, 3) + " … " +
             number_text(static_cast<double>(ring + 1) / 16 * 0.70710678, 3));
  for (const Column* column : columns) {
    const Features* deviations = column->feature_deviations();
    const auto at = static_cast<std::size_t>(ring);
    value_line(*column, number_text(column->features()->radial[at], 4),
               deviations != nullptr ? std::optional(deviations->radial[at]) : std::nullopt);
  }
  ImGui::EndTooltip();
}

/// Error bars of one standard error.
void draw_deviations(const Column& column, const std::array<double, kRadialBins>& places) {
  ImPlotSpec spec;
  spec.LineColor = vec4(palette().text);
  spec.LineWeight = px(1);
  spec.Size = px(3);
  const std::string label = "deviations##" + std::to_string(column.id);
  ImPlot::PlotErrorBars(label.c_str(), places.data(), column.features()->radial.data(),
                        column.feature_deviations()->radial.data(), static_cast<int>(kRadialBins), spec);
}

/// The method's mark on the top of each bar, so that bars differ not by colour alone.
void draw_marks(const Column& column, const std::array<double, kRadialBins>& places, double bar) {
  const float width = ImPlot::PlotToPixels(bar, 0).x - ImPlot::PlotToPixels(0, 0).x;
  const float radius = std::clamp(width * 0.6F, px(1.8F), px(3.5F));
  const ImU32 color = series_color(column.style.color, opacity(column));
  ImPlot::PushPlotClipRect();
  for (std::size_t ring = 0; ring < kRadialBins; ++ring) {
    const ImVec2 top = ImPlot::PlotToPixels(places[ring], column.features()->radial[ring]);
    draw_mark(*ImPlot::GetPlotDrawList(), top, radius, column.style.mark, color);
  }
  ImPlot::PopPlotClipRect();
}

/// Share of the ring's power against the exact share, less 1; empty where the exact one is 0 to rounding: an
/// error of 1e-6·√K in each value is a share of 1e-12.
std::optional<double> relative_error(const Features& features, const Features& exact, std::size_t ring) {
  constexpr double kRounding = 1e-12;
  if (!(exact.radial[ring] > kRounding)) return std::nullopt;
  return std::abs(features.radial[ring] / exact.radial[ring] - 1);
}

/// Errors below this are drawn at it: an error of 0 has no place on a logarithmic axis.
constexpr double kLeastDrawnError = 1e-5;

/// Labels at powers of ten between `low` and `high`, as many as have room in `height`.
void setup_errors(double low, double high, float height) {
  const auto first = static_cast<int>(std::ceil(std::log10(low))),
             last = static_cast<int>(std::floor(std::log10(high)));
  const int most = std::max(2, static_cast<int>(height / px(24)));
  const int step = std::max(1, (last - first + most) / most);
  std::vector<double> places;
  std::vector<std::string> labels;
  for (int power = first; power <= last; power += step) {
    places.push_back(std::pow(10, power));
    const bool is_least = places.back() < kLeastDrawnError * 1.01;
    labels.push_back((is_least ? "≤ " : "") + percent_text(places.back(), 1));
  }
  setup_ticks(ImAxis_Y1, places, labels);
}

void setup_rings() { setup_ticks(ImAxis_X1, {0, 3, 6, 9, 12, 15}, {"0", "3", "6", "9", "12", "15"}); }

}  // namespace

void draw_radial_errors(const Ui& ui, float height) {
  const Column* reference = ui.state.reference();
  const Features* exact = reference != nullptr ? reference->features() : nullptr;
  const auto font = small_font();
  if (!ImPlot::BeginPlot("###radial errors", {-1, height}, kPlotFlags | ImPlotFlags_NoTitle)) return;
  ImPlot::SetupAxes(nullptr, nullptr, kFixedAxis | ImPlotAxisFlags_NoGridLines, kFixedAxis);
  struct Line {
    const Column* column;
    std::vector<double> rings, errors;
  };
  std::vector<Line> lines;
  double least = 1, most = 1e-3;
  for (const Column* column : with_features(ui.state)) {
    if (exact == nullptr || column->reference || !column->is_of_matrix()) continue;
    Line& line = lines.emplace_back(Line{column, {}, {}});
    for (std::size_t ring = 0; ring < kRadialBins; ++ring) {
      const auto error = relative_error(*column->features(), *exact, ring);
      if (!error) continue;
      line.rings.push_back(static_cast<double>(ring));
      line.errors.push_back(*error);
      least = std::min(least, std::max(*error, kLeastDrawnError));
      most = std::max(most, *error);
    }
  }
  const double low = std::min(least, most / 10) / 2, high = most * 2;
  ImPlot::SetupAxesLimits(-0.7, 15.7, low, high, ImPlotCond_Always);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  setup_errors(low, high, height);
  setup_rings();
  ImPlot::SetupFinish();
  for (const Line& line : lines) {
    std::vector<double> drawn = line.errors;
    for (double& error : drawn) error = std::max(error, kLeastDrawnError);
    plot_method(line.rings, drawn, line.column->style, 1.5F, 3, opacity(*line.column));
  }
  if (ImPlot::IsPlotHovered() && !lines.empty()) {
    const long ring = std::lround(ImPlot::GetPlotMousePos().x);
    ImGui::BeginTooltip();
    small_text("ring " + std::to_string(ring) + " · relative error of its share of the power");
    for (const Line& line : lines) {
      const auto at = std::ranges::find(line.rings, static_cast<double>(ring));
      if (at == line.rings.end()) continue;
      value_line(*line.column, percent_text(line.errors[static_cast<std::size_t>(at - line.rings.begin())]));
    }
    ImGui::EndTooltip();
  }
  ImPlot::EndPlot();
}

void draw_radial_plot(const Ui& ui, float height) {
  const auto columns = with_features(ui.state);
  const auto font = small_font();
  if (!ImPlot::BeginPlot("###radial", {-1, height}, kPlotFlags | ImPlotFlags_NoTitle)) return;
  ImPlot::SetupAxes(nullptr, nullptr, kFixedAxis | ImPlotAxisFlags_NoGridLines, kFixedAxis);
  ImPlot::SetupAxesLimits(-0.7, 15.7, 0, top_of_axis(columns), ImPlotCond_Always);
  setup_rings();
  ImPlot::SetupFinish();
  const double bar = kGroupWidth / static_cast<double>(std::max<std::size_t>(columns.size(), 1));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = *columns[i];
    std::array<double, kRadialBins> places{};
    for (std::size_t ring = 0; ring < kRadialBins; ++ring)
      places[ring] = static_cast<double>(ring) - kGroupWidth / 2 + bar * (static_cast<double>(i) + 0.5);
    ImPlotSpec spec;
    spec.FillColor = vec4(series_color(column.style.color, opacity(column)));
    spec.LineColor = spec.FillColor;
    spec.LineWeight = 0;
    const std::string label = column.label + "##" + std::to_string(column.id);
    ImPlot::PlotBars(label.c_str(), places.data(), column.features()->radial.data(),
                     static_cast<int>(kRadialBins), bar, spec);
    if (column.feature_deviations() != nullptr) draw_deviations(column, places);
    draw_marks(column, places, bar);
  }
  hovered_ring(columns);
  ImPlot::EndPlot();
}

}  // namespace spyctrum::panels
