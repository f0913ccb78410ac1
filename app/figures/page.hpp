// SPDX-License-Identifier: Apache-2.0
// A page for print, drawn by cairo (cairographics.org) and written as SVG, PDF or PNG.
#pragma once

#include <cairo.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

/// A rectangle in points, 1/72 inch; y grows downwards.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

enum class Anchor { left, centre, right };

/// What figures draw with: a white page, black lines of half a point, sans-serif text.
class Page {
 public:
  explicit Page(cairo_t* cairo);
  [[nodiscard]] cairo_t* cairo() const { return cairo_; }
  void color(std::uint32_t rgb, double opacity = 1);  ///< 0xRRGGBB
  void line(double x0, double y0, double x1, double y1);
  /// `text` with its baseline at y. `turned`: reading upwards.
  void text(const std::string& text, double x, double y, double size, Anchor anchor, bool turned = false);
  /// Draws height×width pixels 0xRRGGBB that cover `rect` of a plane, as far as they lie in `shown`, which
  /// fills the box; each pixel is a rectangle.
  void image(const Box& box, const PlaneRect& shown, const PlaneRect& rect, std::uint32_t height,
             std::uint32_t width, std::span<const std::uint32_t> rgb);
  [[nodiscard]] double text_width(const std::string& text, double size);

 private:
  cairo_t* cairo_;
};

/// Pixels 0xRRGGBB, row by row from the top.
struct Raster {
  std::uint32_t height = 0, width = 0;
  std::vector<std::uint32_t> rgb;
};
/// What `draw` draws on a page of width × height points, with `pixels` per point. Throws Failure{output}.
[[nodiscard]] Raster draw_raster(double width, double height, const std::function<void(Page&)>& draw,
                                 double pixels);

/// Writes what `draw` draws on a page of width × height points, in the format of the ending of `path`: .svg,
/// .pdf, or .png with `pixels` per point. Errors: wrong_use for another ending; output; those that `draw`
/// throws as Failure.
[[nodiscard]] Result<void> write_page(const std::string& path, double width, double height,
                                      const std::function<void(Page&)>& draw, double pixels = 3);

}  // namespace spyctrum
