// SPDX-License-Identifier: Apache-2.0
// Colours of lines and markers.
#include "app/panels/plots/plot_style.hpp"

#include "app/panels/widgets/theme.hpp"
#include "app/study/study_plots.hpp"

namespace spyctrum::panels {

ImPlotSpec line_with_points(std::uint32_t color, float weight, float marker) {
  ImPlotSpec spec;
  spec.LineColor = vec4(series_color(color));
  spec.LineWeight = px(weight);
  spec.Marker = ImPlotMarker_Circle;
  spec.MarkerSize = px(marker);
  spec.MarkerFillColor = spec.LineColor;
  return spec;
}

std::uint32_t method_color(const std::string& method) {
  // Colours for print are brightened for the dark theme, which series_color() darkens again for the light
  // one.
  constexpr std::uint32_t kBrighter = 35;  // percent of the way to white
  const std::uint32_t color = method_style(method).color;
  std::uint32_t bright = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const std::uint32_t part = (color >> shift) & 0xFFU;
    bright |= (part + (255 - part) * kBrighter / 100) << shift;
  }
  return bright;
}

}  // namespace spyctrum::panels
