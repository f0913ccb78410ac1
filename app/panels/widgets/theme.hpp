// SPDX-License-Identifier: Apache-2.0
// Colours and sizes of the interface. Its colours are muted so that the pictures stand out. The palette
// belongs to the ImGui context, as ImGui's own style does; apply_theme() sets both.
#pragma once

#include <imgui.h>

#include <cstdint>

#include "app/controller/state.hpp"

namespace spyctrum {

/// Sets the styles of ImGui and ImPlot and the palette. Call it when the theme or the scale changes.
void apply_theme(Theme theme, float scale);

namespace panels {

struct Palette {
  ImU32 base = 0;     ///< between panels
  ImU32 panel = 0;    ///< panels and cards
  ImU32 well = 0;     ///< behind plots and empty pictures
  ImU32 frame = 0;    ///< inputs and buttons
  ImU32 border = 0;   ///< one-pixel edges
  ImU32 text = 0;     ///< main text
  ImU32 dim = 0;      ///< captions
  ImU32 faint = 0;    ///< ticks, disabled items
  ImU32 accent = 0;   ///< sliders, links, focus
  ImU32 good = 0;     ///< exact
  ImU32 warning = 0;  ///< regions, handles, cautions
  ImU32 bad = 0;      ///< errors
  bool dark = true;
};
[[nodiscard]] const Palette& palette();

/// Points (at scale 1) to ImGui's units.
[[nodiscard]] float px(float points);

[[nodiscard]] ImU32 with_alpha(ImU32 color, float alpha);
[[nodiscard]] ImU32 mix(ImU32 from, ImU32 to, float amount);
/// A colour for white paper (0xRRGGBB) in ImGui's order; on the dark theme it is brighter.
[[nodiscard]] ImU32 series_color(std::uint32_t hex, float alpha = 1);
[[nodiscard]] inline ImVec4 vec4(ImU32 color) { return ImGui::ColorConvertU32ToFloat4(color); }

}  // namespace panels
}  // namespace spyctrum
