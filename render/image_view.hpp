// SPDX-License-Identifier: Apache-2.0
// Draws an image of cells in a panel. The texture covers one rectangle of the plane, the panel shows another:
// panning and zooming move the existing picture at once while a new one is computed. Scale, range, colour
// map, comparison and enlarged lone entries are uniforms of the shaders (shaders/README.md); changing them
// recomputes no cells.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "core/base/error.hpp"
#include "core/pictures/colormap.hpp"
#include "core/pictures/view.hpp"
#include "render/image_texture.hpp"
#include "render/render_target.hpp"

namespace spyctrum::render {

/// What the cells hold; the linear curve and the errors depend on it.
enum class Quantity {
  power,  ///< |F|²: drawn and compared as the magnitude |F|
  count,  ///< number of entries (or a fraction): drawn as it is
};

/// How two images become one picture. Errors are of the second against the first, in |F| for powers.
enum class Combination : int {
  first = 0,                ///< the second image is not used
  wipe = 1,                 ///< the first on one side of a line, the second on the other
  decibel_ratio = 2,        ///< 20 log10(|B|/|A|), ±error_limit dB
  signed_difference = 3,    ///< |B| − |A|, ±error_limit
  absolute_difference = 4,  ///< ||B| − |A||, on the scale and range of the first
  relative_difference = 5,  ///< (|B| − |A|)/|A|, ±error_limit
  signed_values = 6,        ///< A − B on the diverging map, |A − B| on the scale and range of the first
};

using Color = std::array<float, 4>;  ///< red, green, blue, alpha; 0 … 1
/// A colour that every driver draws as exactly these bytes.
[[nodiscard]] constexpr Color color_of(int red, int green, int blue, float alpha = 1) {
  return {static_cast<float>(red) / 255, static_cast<float>(green) / 255, static_cast<float>(blue) / 255,
          alpha};
}

struct Style {
  Curve curve = Curve::log;
  Quantity quantity = Quantity::power;
  int channel = 0;            ///< of CellImage: 0 mean power or count, 1 maximum or
                              ///< fraction
  std::string color_map;      ///< sequential; "": the default one
  std::string diverging_map;  ///< for signed errors; "": the first diverging
  bool interpolate = false;   ///< enlarged cells run into each other (powers in
                              ///< the logarithm) instead of having edges
  float log_threshold = 0;    ///< symlog: log10 of the value below which it is linear
  float log_reference = 0;    ///< decibel: log10 of the value at 0 dB, from which steps are counted
  float decibel_step = 0;     ///< decibel: one colour per step; 0: continuous
  float error_limit = 10;     ///< signed errors: value at the map's ends
  /// A cell with value 0 takes `empty` instead of the map's low end, and lone entries are kept visible
  /// (patterns).
  bool marks_empty = false;
  float dot_pixels = 2;       ///< an entry without neighbours is at least this wide
  float least_place = 0.35F;  ///< where the low end of the range lies on the map of entries, 0 … 1
  Color empty = color_of(14, 15, 17);
  Color outside = color_of(22, 23, 26);  ///< not covered, or NaN
  bool grid = true;                      ///< edges of single coefficients from 12 pixels on
  double grid_offset = 0;                ///< where edges lie: 0 for patterns, ½ for spectra
  Color grid_color = color_of(255, 255, 255, 0.25F);
  friend bool operator==(const Style&, const Style&) = default;
};

struct Layer {
  ImageTexture* image = nullptr;  ///< null or empty: nothing is drawn for it
  DisplayRange range;
};

struct ViewRequest {
  PlaneRect view;  ///< what the panel shows, top left to bottom right
  Layer first, second;
  Combination combination = Combination::first;
  float wipe = 0.5F;  ///< where the line crosses the panel at half its height, 0 … 1 of the width
  WipeLine wipe_line = WipeLine::vertical;
  Style style;
};

/// Whether a panel of height×width pixels shows one image that contains the view, with cells that are larger
/// than pixels and have one colour each. Such an image can be drawn faster: with a pixel for each cell, then
/// enlarged by nearest neighbours.
[[nodiscard]] bool is_even_in_cells(const ViewRequest& request, std::uint32_t height, std::uint32_t width);

/// Shaders and colour maps, shared by all panels. A program is linked from the files of shaders/
/// that a picture needs, at its first use: software renderers run both sides of every branch.
class ImageRenderer {
 public:
  /// Default: core's colour maps. Errors: internal when a shader does not compile, with file and line.
  [[nodiscard]] static Result<std::unique_ptr<ImageRenderer>> create(
      std::span<const ColorMap> maps = color_maps());

  /// Draws into `target` and overwrites its content. Throws Failure.
  void draw(RenderTarget& target, const ViewRequest& request);
  /// Links one more of the programs that requests may need, since linking takes as long as many frames with
  /// some drivers and should not delay a first picture. Returns false when all are ready. Throws Failure.
  bool prepare_next();

 private:
  explicit ImageRenderer(std::span<const ColorMap> maps);
  /// The shader files that make up the program of a picture.
  struct Variant {
    std::string picture, sampling, dots;
    friend bool operator<(const Variant& a, const Variant& b) {
      return std::tie(a.picture, a.sampling, a.dots) < std::tie(b.picture, b.sampling, b.dots);
    }
  };
  const GlObject& program(const Variant& variant);
  struct Look;  ///< the uniforms
  [[nodiscard]] Look look_of(const ViewRequest& request, const RenderTarget& target) const;
  [[nodiscard]] static Variant variant_of(const ViewRequest& request, const Look& look);

  std::map<Variant, GlObject> programs_;
  GlObject vertices_, uniforms_;
  ColorMapTexture maps_;
  std::string_view default_map_, default_diverging_;
  Texture2D nothing_{TexelFormat::rg32f};  ///< bound in place of an absent image
};

/// One panel's picture. Drawing the same request again costs nothing.
class ImageView {
 public:
  /// Draws when anything visible has changed and returns the texture to show (OpenGL name; row 0 is the top:
  /// ImGui::Image with its default corners). Errors: wrong_use for an empty view or impossible size,
  /// out_of_memory.
  [[nodiscard]] Result<GLuint> draw(ImageRenderer& renderer, const ViewRequest& request, std::uint32_t height,
                                    std::uint32_t width);
  /// The picture of the last draw(); null before it.
  [[nodiscard]] const RenderTarget* target() const { return target_ ? &*target_ : nullptr; }
  /// How many pictures the GPU has drawn.
  [[nodiscard]] std::uint64_t draws() const { return draws_; }

 private:
  struct Drawn {
    PlaneRect view;
    std::array<std::uint64_t, 2> generations{};
    std::array<float, 4> ranges{};
    Combination combination = Combination::first;
    float wipe = 0;
    WipeLine wipe_line = WipeLine::vertical;
    Style style;
    friend bool operator==(const Drawn&, const Drawn&) = default;
  };
  std::optional<RenderTarget> target_;
  std::optional<Drawn> drawn_;
  std::uint64_t draws_ = 0;
};

}  // namespace spyctrum::render
