// SPDX-License-Identifier: Apache-2.0
// Lines and markers.
#include "app/panels/plots/plot_style.hpp"

#include "app/panels/widgets/theme.hpp"

namespace spyctrum::panels {

ImPlotSpec line_with_points(std::uint32_t color, Mark mark, float weight, float marker) {
  ImPlotSpec spec;
  spec.LineColor = vec4(series_color(color));
  spec.LineWeight = px(weight);
  spec.Marker = marker_of(mark);
  spec.MarkerSize = px(marker);
  spec.MarkerFillColor = spec.LineColor;
  return spec;
}

/// Both list the same marks in the same order.
ImPlotMarker marker_of(Mark mark) { return ImPlotMarker_Circle + static_cast<ImPlotMarker>(mark); }

}  // namespace spyctrum::panels
