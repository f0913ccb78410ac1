// SPDX-License-Identifier: Apache-2.0
// Shared by all plots: flags, and methods as method_style() has them: lines with dashes and marks, as in
// app/figures. ImPlot has no dashes, and no marks in its legends.
#pragma once

#include <implot.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/state/columns.hpp"
#include "app/study/method_style.hpp"

namespace spyctrum::panels {

inline constexpr ImPlotFlags kPlotFlags =
    ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText | ImPlotFlags_NoLegend;
/// An axis with a fixed range: no panning, no zooming.
inline constexpr ImPlotAxisFlags kFixedAxis = ImPlotAxisFlags_Lock | ImPlotAxisFlags_NoMenus;

/// Draws a mark with centre `at`; `radius` in ImGui's units.
void draw_mark(ImDrawList& list, ImVec2 at, float radius, Mark mark, ImU32 color);
/// A line through `points` with the dash of the method.
void draw_dashed(ImDrawList& list, std::span<const ImVec2> points, const MethodStyle& style, float weight,
                 ImU32 color);
/// Plots the points (x, y) in the current plot, with marks of radius `mark`, joined by a line of width
/// `weight` (points; 0: no line).
void plot_method(const std::vector<double>& x, const std::vector<double>& y, const MethodStyle& style,
                 float weight, float mark, float alpha = 1);

/// Ticks at `places` of an axis of the current plot, with these names.
void setup_ticks(ImAxis axis, const std::vector<double>& places, const std::vector<std::string>& names);
/// A line of a tooltip: the column's label in its colour, and a value with its standard error, if one is
/// known.
void value_line(const Column& column, const std::string& value, std::optional<double> error = {});

using LegendEntry = std::pair<std::string, MethodStyle>;
/// Draws a legend: stroke, mark and name of each entry, from left to right in as many lines as needed.
void draw_legend(std::span<const LegendEntry> entries);
/// Width of a legend entry with this name in the current font.
[[nodiscard]] float legend_width(const std::string& name);
/// Draws a legend entry with its upper left corner at `at`.
void draw_legend_entry(ImVec2 at, const LegendEntry& entry);

}  // namespace spyctrum::panels
