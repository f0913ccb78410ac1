// SPDX-License-Identifier: Apache-2.0
// The sequential maps but grey are published tables. The others are computed in Oklab: the lightness of grey
// is linear; diverging maps interpolate five colours, and both sides are equally light; the cyclic map is a
// circle of hues of equal lightness.
#include "core/pictures/colormap.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <vector>

#include "third_party/color_maps.hpp"

namespace spyctrum {

namespace {

double linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::uint8_t encoded(double c) {
  const double clipped = std::clamp(c, 0.0, 1.0);
  const double s = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * std::pow(clipped, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * s));
}

std::array<double, 3> linear_srgb_of(const Oklab& color) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(color.l + 0.3963377774 * color.a + 0.2158037573 * color.b);
  const double m = cube(color.l - 0.1055613458 * color.a - 0.0638541728 * color.b);
  const double s = cube(color.l - 0.0894841775 * color.a - 1.2914855480 * color.b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool in_gamut(const std::array<double, 3>& rgb) {
  return std::all_of(rgb.begin(), rgb.end(), [](double c) { return c >= -1e-6 && c <= 1 + 1e-6; });
}

constexpr std::size_t kEntries = 256;

struct Anchor {
  double at = 0;  // 0 … 1
  Oklab color;
};

Oklab mix(const Oklab& from, const Oklab& to, double t) {
  return {std::lerp(from.l, to.l, t), std::lerp(from.a, to.a, t), std::lerp(from.b, to.b, t)};
}

/// Anchors at equal distances from 0 to 1.
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

ColorMap published(std::string_view name, const double (&table)[3 * kEntries]) {
  ColorMap map{name, ColorMap::Kind::sequential, {}};
  for (std::size_t k = 0; k < kEntries; ++k)
    for (std::size_t channel = 0; channel < 3; ++channel)
      map.rgb[k][channel] = static_cast<std::uint8_t>(std::lround(255 * table[3 * k + channel]));
  return map;
}

ColorMap gray() {
  ColorMap map{"gray", ColorMap::Kind::sequential, {}};
  const double darkest = oklab_of({8, 8, 8}).l;
  const double lightest = oklab_of({250, 250, 250}).l;
  for (std::size_t k = 0; k < kEntries; ++k)
    map.rgb[k] = srgb_of({std::lerp(darkest, lightest, position(k)), 0, 0});
  return map;
}

/// A map of five anchors: end, side, neutral, side, end; lightness is linear from either end to the middle.
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
  constexpr double kChroma = 0.115;  // about the largest that sRGB has at this lightness for every hue
  ColorMap map{name, ColorMap::Kind::cyclic, {}};
  for (std::size_t k = 0; k < kEntries; ++k) {
    const double hue = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(kEntries);
    map.rgb[k] = srgb_of({kLightness, kChroma * std::cos(hue), kChroma * std::sin(hue)});
  }
  return map;
}

std::vector<ColorMap> make_maps() {
  return {
      published("cividis", published_tables::kCividis),
      published("viridis", published_tables::kViridis),
      published("magma", published_tables::kMagma),
      gray(),
      published("turbo", published_tables::kTurbo),
      diverging("blue-white-red",
                {{16, 58, 128}, {74, 140, 204}, {246, 246, 246}, {222, 108, 84}, {128, 18, 38}}),
      diverging("blue-black-red",
                {{150, 200, 255}, {36, 104, 214}, {18, 18, 20}, {196, 52, 44}, {255, 178, 150}}),
      cyclic("phase"),
  };
}

ColorMap from_least_entry(const ColorMap& map) {
  const double least = least_entry_place(map.kind);
  ColorMap part = map;
  for (std::size_t k = 0; k < kEntries; ++k) {
    double place = std::lerp(least, 1.0, position(k));
    if (map.kind == ColorMap::Kind::diverging) {
      const double side = 2 * position(k) - 1;
      place = 0.5 + std::copysign(std::lerp(least, 1.0, std::abs(side)), side) / 2;
    }
    part.rgb[k] = map.rgb[static_cast<std::size_t>(std::lround(place * (kEntries - 1)))];
  }
  return part;
}

}  // namespace

Oklab oklab_of(const std::array<std::uint8_t, 3>& srgb) {
  const double r = linear(srgb[0]);
  const double g = linear(srgb[1]);
  const double b = linear(srgb[2]);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

std::array<std::uint8_t, 3> srgb_of(const Oklab& color) {
  Oklab fitted = color;
  for (int step = 0; step < 60 && !in_gamut(linear_srgb_of(fitted)); ++step) {
    fitted.a *= 0.97;
    fitted.b *= 0.97;
  }
  const std::array<double, 3> rgb = linear_srgb_of(fitted);
  return {encoded(rgb[0]), encoded(rgb[1]), encoded(rgb[2])};
}

std::span<const ColorMap> color_maps() {
  static const std::vector<ColorMap> maps = make_maps();
  return maps;
}

const ColorMap* find_color_map(std::string_view name) {
  // Saved sessions of versions before 0.2 contain the former names of these maps.
  constexpr std::string_view kFormerSuffix = "-like";
  if (name.ends_with(kFormerSuffix)) name.remove_suffix(kFormerSuffix.size());
  for (const ColorMap& map : color_maps())
    if (map.name == name) return &map;
  return nullptr;
}

const ColorMap& entry_colors(const ColorMap& map) {
  static const std::vector<ColorMap> kParts = [] {
    std::vector<ColorMap> parts;
    for (const ColorMap& whole : color_maps()) parts.push_back(from_least_entry(whole));
    return parts;
  }();
  return *std::ranges::find(kParts, map.name, &ColorMap::name);
}

const ColorMap& color_map_or_default(std::string_view name) {
  const ColorMap* map = find_color_map(name);
  return map != nullptr ? *map : color_maps().front();
}

}  // namespace spyctrum
