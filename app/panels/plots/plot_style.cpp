// SPDX-License-Identifier: Apache-2.0
// A method's colour follows from its place in the registry of methods.
#include "app/panels/plots/plot_style.hpp"

#include <algorithm>
#include <array>

#include "app/panels/widgets/theme.hpp"
#include "core/methods/method.hpp"

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
  /// Readable on both themes; neighbouring colours differ also for colour-blind readers.
  static constexpr std::array<std::uint32_t, 12> kColors{0x7FB2FF, 0xF2A65A, 0x8FD694, 0xE57AA0,
                                                         0xC693F0, 0x63C5C9, 0xB9B35A, 0xFF8A7A,
                                                         0x9AA0AA, 0x5D8BF4, 0xD9C76A, 0x6FBF73};
  const auto found =
      std::ranges::find_if(methods(), [&](const auto& one) { return one->info().id == method; });
  return kColors[static_cast<std::size_t>(found - methods().begin()) % kColors.size()];
}

}  // namespace spyctrum::panels
