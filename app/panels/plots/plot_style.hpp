// SPDX-License-Identifier: Apache-2.0
// What plots share: their flags, lines with points, and one colour for each method.
#pragma once

#include <implot.h>

#include <cstdint>
#include <string>

namespace spyctrum::panels {

inline constexpr ImPlotFlags kPlotFlags =
    ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText;
/// An axis that shows what it was given: no panning, no zooming.
inline constexpr ImPlotAxisFlags kFixedAxis = ImPlotAxisFlags_Lock | ImPlotAxisFlags_NoMenus;

/// A line of `weight` points with filled circles of radius `marker` on it.
[[nodiscard]] ImPlotSpec line_with_points(std::uint32_t color, float weight, float marker);

/// 0xRRGGBB of a method, the same in every figure of a study, and of a sweep where it has no column.
[[nodiscard]] std::uint32_t method_color(const std::string& method);

}  // namespace spyctrum::panels
