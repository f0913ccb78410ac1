// SPDX-License-Identifier: Apache-2.0
// A few anchor colours each, joined in Oklab. Sequential maps take hue and
// chroma from their anchors and run through lightness evenly; diverging ones
// are as light on one side as on the other; the cyclic one is a circle of hues
// of one lightness.
#include "core/pictures/colormap.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <vector>

#include "core/pictures/oklab.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kEntries = 256;

struct Anchor {
  double at = 0;  // 0 … 1
  Oklab color;
};

Oklab mix(const Oklab& from, const Oklab& to, double t) {
  return {std::lerp(from.l, to.l, t), std::lerp(from.a, to.a, t), std::lerp(from.b, to.b, t)};
}

/// Anchors at equal distances.
std::vector<Anchor> evenly(std::initializer_list<std::array<std::uint8_t, 3>> colors) {
  std::vector<Anchor> anchors;
  for (const auto& color : colors) {
    const double at = static_cast<double>(anchors.size()) / static_cast<double>(colors.size() - 1);
    anchors.push_back({at, oklab_of(color)});
  }
  return anchors;
}

Oklab color_at(const std::vector<Anchor>& anchors, double t) {
  std::size_t k = 1;
  while (k + 1 < anchors.size() && anchors[k].at < t) ++k;
  const Anchor& from = anchors[k - 1];
  const Anchor& to = anchors[k];
  return mix(from.color, to.color, (t - from.at) / (to.at - from.at));
}

double position(std::size_t k) { return static_cast<double>(k) / static_cast<double>(kEntries - 1); }

ColorMap joined(std::string_view name, std::initializer_list<std::array<std::uint8_t, 3>> colors) {
  ColorMap map{name, ColorMap::Kind::sequential, {}};
  const std::vector<Anchor> anchors = evenly(colors);
  for (std::size_t k = 0; k < kEntries; ++k) map.rgb[k] = srgb_of(color_at(anchors, position(k)));
  return map;
}

/// Every anchor is placed where its lightness belongs.
ColorMap sequential(std::string_view name, std::initializer_list<std::array<std::uint8_t, 3>> colors) {
  ColorMap map{name, ColorMap::Kind::sequential, {}};
  std::vector<Anchor> anchors = evenly(colors);
  const double first = anchors.front().color.l;
  const double last = anchors.back().color.l;
  for (Anchor& anchor : anchors) anchor.at = (anchor.color.l - first) / (last - first);
  for (std::size_t k = 0; k < kEntries; ++k) {
    Oklab color = color_at(anchors, position(k));
    color.l = std::lerp(first, last, position(k));
    map.rgb[k] = srgb_of(color);
  }
  return map;
}

/// Five anchors: end, side, neutral, side, end; lightness runs evenly from both ends to the middle.
ColorMap diverging(std::string_view name, std::initializer_list<std::array<std::uint8_t, 3>> colors) {
  ColorMap map{name, ColorMap::Kind::diverging, {}};
  const std::vector<Anchor> anchors = evenly(colors);
  const double ends = (anchors.front().color.l + anchors.back().color.l) / 2;
  const double middle = anchors[anchors.size() / 2].color.l;
  for (std::size_t k = 0; k < kEntries; ++k) {
    Oklab color = color_at(anchors, position(k));
    color.l = std::lerp(middle, ends, std::abs(2 * position(k) - 1));
    map.rgb[k] = srgb_of(color);
  }
  return map;
}

ColorMap cyclic(std::string_view name) {
  constexpr double kLightness = 0.72;
  constexpr double kChroma = 0.115;  // the largest that sRGB holds at this lightness for every hue, nearly
  ColorMap map{name, ColorMap::Kind::cyclic, {}};
  for (std::size_t k = 0; k < kEntries; ++k) {
    const double hue = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(kEntries);
    map.rgb[k] = srgb_of({kLightness, kChroma * std::cos(hue), kChroma * std::sin(hue)});
  }
  return map;
}

std::vector<ColorMap> make_maps() {
  return {
      sequential("cividis-like",
                 {{0, 30, 78}, {58, 72, 108}, {122, 122, 120}, {188, 175, 108}, {255, 234, 66}}),
      sequential("viridis-like", {{66, 4, 84}, {60, 80, 138}, {34, 144, 140}, {98, 202, 96}, {252, 232, 38}}),
      sequential(
          "magma-like",
          {{3, 2, 10}, {58, 16, 112}, {140, 40, 130}, {222, 74, 104}, {254, 160, 110}, {252, 252, 192}}),
      sequential("gray", {{8, 8, 8}, {250, 250, 250}}),
      joined("turbo-like", {{48, 20, 60},
                            {70, 105, 226},
                            {42, 186, 236},
                            {50, 240, 152},
                            {164, 252, 60},
                            {238, 206, 56},
                            {250, 126, 32},
                            {208, 48, 6},
                            {122, 6, 4}}),
      diverging("blue-white-red",
                {{16, 58, 128}, {74, 140, 204}, {246, 246, 246}, {222, 108, 84}, {128, 18, 38}}),
      diverging("blue-black-red",
                {{150, 200, 255}, {36, 104, 214}, {18, 18, 20}, {196, 52, 44}, {255, 178, 150}}),
      cyclic("phase"),
  };
}

}  // namespace

std::span<const ColorMap> color_maps() {
  static const std::vector<ColorMap> maps = make_maps();
  return maps;
}

const ColorMap* find_color_map(std::string_view name) {
  constexpr std::string_view kSuffix = "-like";
  for (const ColorMap& map : color_maps()) {
    if (map.name == name) return &map;
    const bool is_like = map.name.ends_with(kSuffix);
    if (is_like && map.name.substr(0, map.name.size() - kSuffix.size()) == name) return &map;
  }
  return nullptr;
}

}  // namespace spyctrum
