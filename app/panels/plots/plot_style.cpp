// SPDX-License-Identifier: Apache-2.0
// Lines, dashes and marks on ImGui's draw lists.
#include "app/panels/plots/plot_style.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

namespace {

constexpr float kStroke = 22, kGap = 10;  // points: a legend entry's stroke, the space after its name

}  // namespace

void draw_mark(ImDrawList& list, ImVec2 at, float radius, Mark mark, ImU32 color) {
  if (mark == Mark::circle) return list.AddCircleFilled(at, radius, color);
  for (const int eighth : strokes_of(mark)) {
    const float angle = static_cast<float>(eighth) * std::numbers::pi_v<float> / 4;
    const ImVec2 reach{radius * std::cos(angle), radius * std::sin(angle)};
    list.AddLine({at.x - reach.x, at.y - reach.y}, {at.x + reach.x, at.y + reach.y}, color, px(1.2F));
  }
  for (const auto& [x, y] : corners_of(mark))
    list.PathLineTo({at.x + radius * static_cast<float>(x), at.y + radius * static_cast<float>(y)});
  list.PathFillConvex(color);
}

void draw_dashed(ImDrawList& list, std::span<const ImVec2> points, const MethodStyle& style, float weight,
                 ImU32 color) {
  const auto stroke = static_cast<float>(style.dash[0]) * weight,
             period = stroke + static_cast<float>(style.dash[1]) * weight;
  if (!(stroke > 0)) {
    list.AddPolyline(points.data(), static_cast<int>(points.size()), color, weight);
    return;
  }
  float along = 0;  // length since the line's beginning: dashes continue across corners
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const ImVec2 from = points[k], to = points[k + 1];
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    const auto at = [&](float place) {
      return ImVec2{from.x + (to.x - from.x) * place / length, from.y + (to.y - from.y) * place / length};
    };
    const float first = -std::fmod(along, period);  // where the dash begins in which the corner lies
    const int dashes = static_cast<int>(std::ceil((length - first) / period));
    for (int dash = 0; dash < dashes; ++dash) {
      const float start = first + static_cast<float>(dash) * period;
      if (start + stroke > 0)
        list.AddLine(at(std::max(start, 0.0F)), at(std::min(start + stroke, length)), color, weight);
    }
    along += length;
  }
}

void plot_method(const std::vector<double>& x, const std::vector<double>& y, const MethodStyle& style,
                 float weight, float mark, float alpha) {
  std::vector<ImVec2> points;
  points.reserve(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) points.push_back(ImPlot::PlotToPixels(x[k], y[k]));
  const ImU32 color = series_color(style.color, alpha);
  ImPlot::PushPlotClipRect();
  ImDrawList& list = *ImPlot::GetPlotDrawList();
  if (weight > 0) draw_dashed(list, points, style, px(weight), color);
  for (const ImVec2 point : points) draw_mark(list, point, px(mark), style.mark, color);
  ImPlot::PopPlotClipRect();
}

void setup_ticks(ImAxis axis, const std::vector<double>& places, const std::vector<std::string>& names) {
  std::vector<const char*> texts(names.size());
  std::ranges::transform(names, texts.begin(), [](const std::string& name) { return name.c_str(); });
  ImPlot::SetupAxisTicks(axis, places.data(), static_cast<int>(places.size()), texts.data());
}

void value_line(const Column& column, const std::string& value, std::optional<double> error) {
  text(column.label, series_color(column.style.color));
  ImGui::SameLine(px(140));
  ImGui::TextUnformatted((value + (error ? " ± " + number_text(*error, 2) : "")).c_str());
}

float legend_width(const std::string& name) {
  return ImGui::CalcTextSize(name.c_str()).x + px(kStroke + kGap);
}

void draw_legend_entry(ImVec2 at, const LegendEntry& entry) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto& [name, style] = entry;
  const ImU32 color = series_color(style.color);
  const float middle = at.y + ImGui::GetFontSize() / 2;
  const std::array<ImVec2, 2> ends{ImVec2{at.x, middle}, ImVec2{at.x + px(kStroke - 5), middle}};
  draw_dashed(list, ends, style, px(1.5F), color);
  draw_mark(list, {(ends[0].x + ends[1].x) / 2, middle}, px(3.5F), style.mark, color);
  list.AddText({at.x + px(kStroke), at.y}, palette().dim, name.c_str());
}

void draw_legend(std::span<const LegendEntry> entries) {
  if (entries.empty()) return;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeightWithSpacing();
  ImVec2 at = from;
  for (const LegendEntry& entry : entries) {
    const float width = legend_width(entry.first);
    if (at.x > from.x && at.x + width > from.x + room) at = {from.x, at.y + line};
    draw_legend_entry(at, entry);
    at.x += width;
  }
  ImGui::Dummy({room, at.y + ImGui::GetTextLineHeight() - from.y});
}

}  // namespace spyctrum::panels
