// SPDX-License-Identifier: Apache-2.0
// Shared by all plots: flags, lines with markers, and one colour for each method.
#pragma once

#include <implot.h>

#include <cstdint>
#include <string>

namespace spyctrum::panels {

inline constexpr ImPlotFlags kPlotFlags =
    ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText;
/// An axis with a fixed range: no panning, no zooming.
inline constexpr ImPlotAxisFlags kFixedAxis = ImPlotAxisFlags_Lock | ImPlotAxisFlags_NoMenus;

/// A line of `weight` points with filled circles of radius `marker` on it.
[[nodiscard]] ImPlotSpec line_with_points(std::uint32_t color, float weight, float marker);

/// The colour of method_style() for series_color(), in every figure of a study, and in a sweep where the
/// method has no column.
[[nodiscard]] std::uint32_t method_color(const std::string& method);

}  // namespace spyctrum::panels
