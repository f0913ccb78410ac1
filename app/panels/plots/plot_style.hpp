// SPDX-License-Identifier: Apache-2.0
// Shared by all plots: flags, and lines with markers.
#pragma once

#include <implot.h>

#include <cstdint>

#include "app/study/method_style.hpp"

namespace spyctrum::panels {

inline constexpr ImPlotFlags kPlotFlags =
    ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText;
/// An axis with a fixed range: no panning, no zooming.
inline constexpr ImPlotAxisFlags kFixedAxis = ImPlotAxisFlags_Lock | ImPlotAxisFlags_NoMenus;

[[nodiscard]] ImPlotMarker marker_of(Mark mark);
/// A line of `weight` points with marks of radius `marker` on it; `color` is that of method_style().
[[nodiscard]] ImPlotSpec line_with_points(std::uint32_t color, Mark mark, float weight, float marker);

}  // namespace spyctrum::panels
