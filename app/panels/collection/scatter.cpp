// SPDX-License-Identifier: Apache-2.0
// Two columns against each other: a point for each row, faint where the conditions leave it out. Left drag
// pans, the wheel zooms, a double click fits, a click on a point opens its matrix.
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/panels/collection/collection_parts.hpp"
#include "app/panels/plots/plot_style.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

namespace {

void choose_axis(const char* id, const CollectionTable& table, std::string& chosen, float width) {
  const std::size_t now = table.column(chosen);
  ImGui::SetNextItemWidth(width);
  if (!ImGui::BeginCombo(id, now < table.columns.size() ? table.columns[now].label.c_str() : "")) return;
  for (const CollectionColumn& column : table.columns)
    if (ImGui::Selectable((column.label + "###axis " + column.id).c_str(), column.id == chosen))
      chosen = column.id;
  ImGui::EndCombo();
}

/// The values of `rows`.
std::vector<double> picked(const CollectionColumn& column, const std::vector<std::uint32_t>& rows) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const std::uint32_t row : rows) values.push_back(column.values[row]);
  return values;
}

void plot_points(const char* id, const std::vector<double>& x, const std::vector<double>& y, ImU32 color,
                 float radius) {
  ImPlotSpec spec;
  spec.Marker = ImPlotMarker_Square;  // of the fewest corners
  spec.MarkerSize = px(radius);
  spec.MarkerFillColor = vec4(color);
  spec.MarkerLineColor = vec4(0);
  spec.LineWeight = 0;
  ImPlot::PlotScatter(id, x.data(), y.data(), static_cast<int>(x.size()), spec);
}

/// The row of the nearest point that is shown, within a few pixels of the cursor.
std::optional<std::size_t> point_under_cursor(const CollectionView& view, const CollectionColumn& x,
                                              const CollectionColumn& y) {
  if (!ImPlot::IsPlotHovered()) return std::nullopt;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::optional<std::size_t> nearest;
  float least = px(9);
  for (const std::uint32_t row : view.shown) {
    const ImVec2 at = ImPlot::PlotToPixels(x.values[row], y.values[row]);
    const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
    if (distance >= least) continue;
    least = distance;
    nearest = row;
  }
  return nearest;
}

void ring(const CollectionColumn& x, const CollectionColumn& y, std::optional<std::size_t> row, ImU32 color) {
  if (!row || *row >= x.values.size()) return;
  ImPlot::PushPlotClipRect();
  ImPlot::GetPlotDrawList()->AddCircle(ImPlot::PlotToPixels(x.values[*row], y.values[*row]), px(6), color, 0,
                                       px(2));
  ImPlot::PopPlotClipRect();
}

void scale_axis(ImAxis axis, const CollectionColumn& column) {
  const bool is_positive = std::ranges::all_of(column.values, [](double value) { return value > 0; });
  if (column.logarithmic && is_positive) ImPlot::SetupAxisScale(axis, ImPlotScale_Log10);
}

}  // namespace

void draw_collection_scatter(const Ui& ui, ImVec2 size) {
  const CollectionView& view = ui.state.collection;
  const CollectionTable& table = *view.table;
  CollectionMemory& memory = ui.memory.collection;
  ImGui::BeginGroup();
  const float width = (size.x - ImGui::GetStyle().ItemSpacing.x) / 2;
  choose_axis("##scatter y", table, memory.scatter_y, width);
  tooltip("What the vertical axis shows");
  ImGui::SameLine();
  choose_axis("##scatter x", table, memory.scatter_x, width);
  tooltip("What the horizontal axis shows");
  const std::size_t across = table.column(memory.scatter_x), up = table.column(memory.scatter_y);
  size.y -= ImGui::GetFrameHeightWithSpacing();
  // A plot of its own for each pair of axes, which fits them when it appears.
  const std::string id = "###scatter " + memory.scatter_x + " " + memory.scatter_y + " " + table.path;
  memory.hovered_point.reset();
  ImPlot::PushStyleVar(ImPlotStyleVar_FitPadding, {0.04F, 0.04F});
  if (across < table.columns.size() && up < table.columns.size() &&
      ImPlot::BeginPlot(id.c_str(), size, kPlotFlags)) {
    const CollectionColumn &x = table.columns[across], &y = table.columns[up];
    ImPlot::SetupAxes(x.label.c_str(), y.label.c_str(), ImPlotAxisFlags_NoMenus, ImPlotAxisFlags_NoMenus);
    scale_axis(ImAxis_X1, x);
    scale_axis(ImAxis_Y1, y);
    ImPlot::SetupFinish();
    // Few points are large enough to be seen and clicked.
    const float radius = std::clamp(60 / std::sqrt(static_cast<float>(x.values.size() + 1)), 1.9F, 4.0F);
    plot_points("all", x.values, y.values, with_alpha(palette().faint, 0.35F), 0.85F * radius);
    plot_points("shown", picked(x, view.shown), picked(y, view.shown), with_alpha(palette().accent, 0.8F),
                radius);
    memory.hovered_point = point_under_cursor(view, x, y);
    ring(x, y, view.neighbours.own, palette().warning);
    ring(x, y, memory.hovered_card, palette().text);
    ring(x, y, memory.hovered_point, palette().text);
    if (memory.hovered_point) {
      row_tooltip(ui, *memory.hovered_point);
      const ImGuiIO& io = ImGui::GetIO();
      // A drag pans.
      const bool is_click = ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
                            io.MouseDragMaxDistanceSqr[0] < io.MouseDragThreshold * io.MouseDragThreshold;
      if (is_click) open_row(ui, *memory.hovered_point);
    }
    ImPlot::EndPlot();
  }
  ImPlot::PopStyleVar();
  ImGui::EndGroup();
}

}  // namespace spyctrum::panels
