// SPDX-License-Identifier: Apache-2.0
// Fonts are embedded in the program (third_party/fonts.hpp), so that a screen looks the same on every
// machine. Only characters that they lack depend on the fonts that are installed.
#include "app/panels/widgets/fonts.hpp"

#include <imgui.h>

#include <string_view>

#include "app/panels/widgets/system_fonts.hpp"
#include "third_party/fonts.hpp"

namespace spyctrum {

namespace {

Fonts current_fonts;

ImFont* add(std::string_view name, float points, bool merge, float lower = 0) {
  const std::string_view bytes = embedded_font(name);
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.MergeMode = merge;
  config.GlyphOffset.y = lower;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  if (bytes.empty()) return merge ? nullptr : atlas.AddFontDefault();
  // ImGui only reads this memory and does not own it.
  return atlas.AddFontFromMemoryTTF(const_cast<char*>(bytes.data()), static_cast<int>(bytes.size()), points,
                                    &config);
}

void add_system_fonts(float points) {
  ImFontConfig config;
  config.MergeMode = true;
  config.SizePixels = points;
  config.FontLoader = &system_font_loader();
  ImGui::GetIO().Fonts->AddFont(&config);
}

ImFont* add_with_icons(std::string_view name, float points) {
  ImFont* font = add(name, points, false);
  // Icons sit a little high beside text of the same size.
  add("Font_Awesome_6_Free-Solid-900.otf", points - 2, true, 1);
  add_system_fonts(points);
  return font;
}

}  // namespace

const Fonts& fonts() { return current_fonts; }

void load_fonts() {
  Fonts& fonts = current_fonts;
  fonts.text = add_with_icons("Roboto-Regular.ttf", 14);
  fonts.bold = add_with_icons("Roboto-Bold.ttf", 16);
  fonts.mono = add("Cousine-Regular.ttf", 13, false);
  add("Roboto-Regular.ttf", 13, true);  // for the minus sign and other characters that Cousine's subset lacks
  add_system_fonts(13);
  ImGui::GetIO().FontDefault = fonts.text;
}

void forget_fonts() { current_fonts = {}; }

}  // namespace spyctrum
