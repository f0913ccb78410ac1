// SPDX-License-Identifier: Apache-2.0
// The cost of results: seconds by stage, and error against time over block sizes. A click on a point of the
// sweep sets its method and block size.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/panels/plots/plot_style.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/base/text.hpp"
#include "core/features/feature_errors.hpp"

namespace spyctrum::panels {
namespace {

constexpr double kLeastError = 1e-6;  // rounding: less is drawn here, as a logarithmic axis has no 0

struct Series {
  std::string label;
  MethodStyle style;
  std::vector<double> seconds, errors;
  std::vector<std::uint32_t> blocks;
  std::string method;
};

/// An error measure for the vertical axis: that of one feature, or the mean where `feature` is empty.
struct Measure {
  const char* label;
  std::optional<FeatureKey> feature;
  [[nodiscard]] double of(const FeatureErrors& errors) const {
    return feature ? std::abs(errors[*feature]) : mean_error(errors);
  }
};

const std::vector<Measure>& measures() {
  static const std::vector<Measure> list = [] {
    std::vector<Measure> all{{"mean", std::nullopt}};
    for (std::size_t k = 0; k < kFeatureCount; ++k)
      if (kFeatureTable[k].in_mean_error) all.push_back({kFeatureTable[k].label, FeatureKey(k)});
    return all;
  }();
  return list;
}

std::vector<Series> sweep_series(const AppState& state, std::size_t measure) {
  std::map<std::string, Series> by_method;
  for (const SweepPoint& point : state.sweep) {
    Series& series = by_method[point.method];
    series.label = point.label;
    series.method = point.method;
    series.style = method_style(point.method);
    series.seconds.push_back(std::max(point.seconds, 1e-6));
    series.errors.push_back(std::max(measures().at(measure).of(point.errors), kLeastError));
    series.blocks.push_back(point.block);
  }
  std::vector<Series> all;
  all.reserve(by_method.size());
  for (auto& [method, series] : by_method) all.push_back(std::move(series));
  return all;
}

struct CostRange {
  double least_seconds = 1e-3, most_seconds = 1e-1, least_error = 1e-4, most_error = 1e-1;
};

CostRange range_of(const std::vector<Series>& all, const Column* reference) {
  std::vector<double> seconds, errors;
  for (const Series& series : all) {
    seconds.insert(seconds.end(), series.seconds.begin(), series.seconds.end());
    errors.insert(errors.end(), series.errors.begin(), series.errors.end());
  }
  if (seconds.empty()) return {};
  if (reference != nullptr && reference->cost.seconds > 0) seconds.push_back(reference->cost.seconds);
  const auto [fast, slow] = std::minmax_element(seconds.begin(), seconds.end());
  const auto [low, high] = std::minmax_element(errors.begin(), errors.end());
  return {*fast, *slow, *low, *high};
}

/// The point under the cursor, within a few pixels.
void hovered_point(const Ui& ui, const std::vector<Series>& all) {
  if (!ImPlot::IsPlotHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const Series& series : all) {
    for (std::size_t i = 0; i < series.seconds.size(); ++i) {
      const ImVec2 at = ImPlot::PlotToPixels(series.seconds[i], series.errors[i]);
      if (std::hypot(at.x - mouse.x, at.y - mouse.y) > px(8)) continue;
      ImGui::BeginTooltip();
      text(series.label + ", b = " + std::to_string(series.blocks[i]), series_color(series.style.color));
      small_text("error " + percent_text(series.errors[i]) + " in " + seconds_text(series.seconds[i]));
      small_text("Click to use this method and block size.");
      ImGui::EndTooltip();
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
        ui.emit(action::UseSetting{series.method, series.blocks[i]});
      return;
    }
  }
}

void mark_current(const AppState& state, const std::vector<Series>& all) {
  for (const Series& series : all)
    for (std::size_t i = 0; i < series.blocks.size(); ++i)
      if (series.blocks[i] == state.block)
        ImPlot::GetPlotDrawList()->AddCircle(ImPlot::PlotToPixels(series.seconds[i], series.errors[i]), px(7),
                                             palette().text, 0, px(1.5F));
}

int time_label(double seconds, char* text, int size, void* /*data*/) {
  return std::snprintf(text, static_cast<std::size_t>(size), "%s", seconds_text(seconds).c_str());
}
int error_label(double error, char* text, int size, void* /*data*/) {
  const std::string words = error < kLeastError * 1.01 ? "≤ 0.0001 %" : percent_text(error, 1);
  return std::snprintf(text, static_cast<std::size_t>(size), "%s", words.c_str());
}

void draw_trade_off(const Ui& ui) {
  const auto font = small_font();
  const std::vector<Series> all = sweep_series(ui.state, ui.memory.trade_off_measure);
  const Column* reference = ui.state.reference();
  std::vector<LegendEntry> legend;
  if (reference != nullptr) legend.emplace_back(reference->label, reference->style);
  for (const Series& series : all) legend.emplace_back(series.label, series.style);
  draw_legend(legend);
  const float height = std::max(px(130), ImGui::GetContentRegionAvail().y);
  if (!ImPlot::BeginPlot("###trade-off", {-1, height}, kPlotFlags | ImPlotFlags_NoTitle)) return;
  ImPlot::SetupAxes("time", "error", kFixedAxis, kFixedAxis);
  ImPlot::SetupAxisFormat(ImAxis_X1, time_label);
  ImPlot::SetupAxisFormat(ImAxis_Y1, error_label);
  const CostRange range = range_of(all, reference);
  // A margin by a factor: the axes are logarithmic.
  ImPlot::SetupAxesLimits(range.least_seconds / 1.7, range.most_seconds * 1.7, range.least_error / 3,
                          range.most_error * 3, ImPlotCond_Always);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupFinish();
  for (const Series& series : all) plot_method(series.seconds, series.errors, series.style, 1.5F, 3.5F);
  if (reference != nullptr && reference->spectrum && reference->cost.seconds > 0) {
    // The exact result has no error: a vertical line marks its time.
    const double at = reference->cost.seconds;
    ImPlotSpec spec;
    spec.LineColor = vec4(series_color(reference->style.color));
    spec.LineWeight = px(1.5F);
    ImPlot::PlotInfLines(reference->label.c_str(), &at, 1, spec);
  }
  mark_current(ui.state, all);
  hovered_point(ui, all);
  ImPlot::EndPlot();
}

/// Seconds by stage, as a bar whose parts are stages; lengths are proportional to seconds.
void draw_stages(const Ui& ui) {
  double most = 0;
  for (const Column& column : ui.state.columns)
    if (column.spectrum) most = std::max(most, column.cost.seconds);
  if (!(most > 0)) return;
  const auto font = small_font();
  for (const Column& column : ui.state.columns) {
    if (!column.spectrum) continue;
    name_and_value(fit_text(column.label, px(96)), seconds_text(column.cost.seconds),
                   column.outdated ? palette().faint : palette().dim);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size = {ImGui::GetContentRegionAvail().x, px(7)};
    ImGui::Dummy(size);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, palette().well, px(2));
    double sum = 0;
    for (const auto& [name, seconds] : column.cost.stages) sum += seconds;
    const auto length = static_cast<float>(column.cost.seconds / most) * size.x;
    float x = at.x, shade = opacity(column);
    std::string words;
    for (const auto& [name, seconds] : column.cost.stages) {
      const float part = sum > 0 ? static_cast<float>(seconds / sum) * length : 0;
      list.AddRectFilled({x, at.y}, {std::max(x + part - 1, x), at.y + size.y},
                         series_color(column.style.color, shade));
      x += part;
      shade = std::max(0.3F, shade * 0.72F);
      words += (words.empty() ? "" : "\n") + name + "  " + seconds_text(seconds);
    }
    tooltip(words);
  }
}

}  // namespace

void draw_cost(const Ui& ui) {
  const PanelWindow window(kCost);
  if (!window.is_visible()) return;
  section("Time by stage");
  draw_stages(ui);
  const AppState& state = ui.state;
  const Column* reference = state.reference();
  const bool waits = reference != nullptr && reference->features() == nullptr;
  section("Error against time",
          !state.sweep_busy ? ""
          : waits           ? "waits for the exact features"
                  : std::to_string(state.sweep_ended) + " of " + counted(state.sweep_runs, "run", "runs"));
  if (!state.sweep_skipped.empty() && !state.sweep_busy) {
    small_text(counted(state.sweep_skipped.size(), "run was", "runs were") +
                   " skipped: longer than all others together.",
               palette().faint);
    const auto text_of = [](const SweepSkip& skip) {
      return skip.label + ", b = " + std::to_string(skip.block);
    };
    tooltip(joined(state.sweep_skipped, text_of, "\n"));
    if (ImGui::Button("Run them too")) ui.emit(action::StartSweep{true});
  }
  if (ui.state.sweep.empty() && !ui.state.sweep_busy) {
    small_text("Runs every method with a block size at several block sizes in the background.",
               palette().faint);
    if (ImGui::Button("Sweep over block sizes")) ui.emit(action::StartSweep{});
    return;
  }
  for (std::size_t k = 0; k < measures().size(); ++k) {
    if (k > 0) ImGui::SameLine();
    if (choice(measures()[k].label, ui.memory.trade_off_measure == k, "Which error the vertical axis shows"))
      ui.memory.trade_off_measure = k;
  }
  draw_trade_off(ui);
}

}  // namespace spyctrum::panels
