// SPDX-License-Identifier: Apache-2.0
// Perceptually uniform colour maps, for pictures written without OpenGL and for the textures of the shaders.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace spyctrum {

/// How a value becomes a place on a colour map, 0 … 1 over the range that is shown. scale.frag has the same
/// numbers.
enum class Curve {
  log,      ///< log10 of the value
  linear,   ///< magnitude (powers) or count
  symlog,   ///< log10(1 + x/threshold): linear near zero
  decibel,  ///< as log, in steps of decibels
};

/// The line of a wipe, which divides a picture: the first image on its left, the second on its right.
enum class WipeLine {
  vertical,
  diagonal,      ///< from the upper left down to the right
  antidiagonal,  ///< from the lower left up to the right
};
/// How far the line moves to the right from the upper to the lower edge, in widths of the picture.
[[nodiscard]] constexpr float rightward_of(WipeLine line) {
  switch (line) {
    case WipeLine::vertical:
      break;
    case WipeLine::diagonal:
      return 1;
    case WipeLine::antidiagonal:
      return -1;
  }
  return 0;
}

/// A colour in Oklab (Björn Ottosson 2020, "A perceptual color space for image processing"), which is nearly
/// perceptually uniform.
struct Oklab {
  double l = 0;  ///< 0 black … 1 white
  double a = 0;  ///< green … red
  double b = 0;  ///< blue … yellow
};

[[nodiscard]] Oklab oklab_of(const std::array<std::uint8_t, 3>& srgb);
/// The nearest 8-bit sRGB colour; colours outside the gamut lose chroma, not lightness.
[[nodiscard]] std::array<std::uint8_t, 3> srgb_of(const Oklab& color);

struct ColorMap {
  std::string_view name;  ///< "cividis", "viridis", "magma", "gray", "turbo", "blue-white-red",
                          ///< "blue-black-red", "phase"
  enum class Kind { sequential, diverging, cyclic } kind = Kind::sequential;
  std::array<std::array<std::uint8_t, 3>, 256> rgb{};  ///< sRGB
};

/// All maps; the first sequential one is the default.
[[nodiscard]] std::span<const ColorMap> color_maps();
/// The map with this current or former name; null if there is none.
[[nodiscard]] const ColorMap* find_color_map(std::string_view name);
/// The same; the default if there is none.
[[nodiscard]] const ColorMap& color_map_or_default(std::string_view name);

/// Where the smallest entries of a pattern lie on a colour map, on diverging maps as a distance from the
/// middle: the dark end, and the middle of a dark diverging map, would look like a place without entries.
[[nodiscard]] constexpr float least_entry_place(ColorMap::Kind kind) {
  return kind == ColorMap::Kind::diverging ? 0.12F : 0.35F;
}
/// The colours of entries: `map`, one of color_maps(), from least_entry_place() on, as a whole map.
[[nodiscard]] const ColorMap& entry_colors(const ColorMap& map);

}  // namespace spyctrum
