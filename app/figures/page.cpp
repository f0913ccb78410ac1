// SPDX-License-Identifier: Apache-2.0
// Drawing by cairo, and the page as SVG, PDF or PNG.
#include "app/figures/page.hpp"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <numbers>
#include <ostream>

#include "core/io/export.hpp"

namespace spyctrum {

namespace {

struct Free {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
  void operator()(FcCharSet* characters) const { FcCharSetDestroy(characters); }
  void operator()(cairo_font_face_t* face) const { cairo_font_face_destroy(face); }
};
using Surface = std::unique_ptr<cairo_surface_t, Free>;

cairo_status_t append(void* out, const unsigned char* bytes, unsigned count) {
  auto& stream = *static_cast<std::ostream*>(out);
  stream.write(reinterpret_cast<const char*>(bytes), count);
  return stream ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/// A failed write is reported by write_atomically(), which has the file's name and the reason.
void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_WRITE_ERROR)
    throw Failure(ErrorCode::output,
                  std::string("The figure could not be drawn: ") + cairo_status_to_string(status) + ".");
}

void draw_on(cairo_surface_t* surface, double scale, const std::function<void(Page&)>& draw) {
  const std::unique_ptr<cairo_t, Free> cairo(cairo_create(surface));
  cairo_scale(cairo.get(), scale, scale);
  Page page(cairo.get());
  draw(page);
  check(cairo_status(cairo.get()));
}

/// Characters that the usual fonts may lack: superscripts; Chinese, Japanese, Korean, and what follows.
bool is_unusual(FcChar32 one) { return (one >= 0x2070 && one < 0x20A0) || one >= 0x2E80; }

/// A part of a text, and the characters in it if they are unusual.
struct Run {
  std::string text;
  std::unique_ptr<FcCharSet, Free> unusual;
};

/// `text` in parts of characters of one kind. What is no UTF-8 is left out.
std::vector<Run> runs_of(const std::string& text) {
  std::vector<Run> runs;
  FcChar32 character = 0;
  for (std::size_t at = 0; at < text.size();) {
    const int bytes = FcUtf8ToUcs4(reinterpret_cast<const FcChar8*>(text.data()) + at, &character,
                                   static_cast<int>(text.size() - at));
    if (bytes <= 0) {
      ++at;
      continue;
    }
    const bool unusual = is_unusual(character);
    if (runs.empty() || (runs.back().unusual != nullptr) != unusual) {
      runs.emplace_back();
      if (unusual) runs.back().unusual.reset(FcCharSetCreate());
    }
    if (unusual) FcCharSetAddChar(runs.back().unusual.get(), character);
    runs.back().text += text.substr(at, static_cast<std::size_t>(bytes));
    at += static_cast<std::size_t>(bytes);
  }
  return runs;
}

/// Unusual characters are drawn by the sans-serif font that has most of them.
void set_font(cairo_t* cairo, const Run& run) {
  if (!run.unusual)
    return cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  const std::unique_ptr<FcPattern, Free> wish(FcPatternBuild(
      nullptr, FC_FAMILY, FcTypeString, "sans-serif", FC_CHARSET, FcTypeCharSet, run.unusual.get(), nullptr));
  const std::unique_ptr<cairo_font_face_t, Free> face(cairo_ft_font_face_create_for_pattern(wish.get()));
  cairo_set_font_face(cairo, face.get());
}

Surface draw_pixels(double width, double height, const std::function<void(Page&)>& draw, double pixels) {
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * pixels),
                                             static_cast<int>(height * pixels)));
  draw_on(surface.get(), pixels, draw);
  return surface;
}

}  // namespace

Page::Page(cairo_t* cairo) : cairo_(cairo) {
  color(0xFFFFFF);
  cairo_paint(cairo_);
  color(0x000000);
  cairo_set_line_width(cairo_, 0.5);
}

void Page::color(std::uint32_t rgb, double opacity) {
  const auto part = [rgb](unsigned shift) { return static_cast<double>((rgb >> shift) & 0xFFU) / 255; };
  cairo_set_source_rgba(cairo_, part(16), part(8), part(0), opacity);
}

void Page::line(double x0, double y0, double x1, double y1) {
  cairo_move_to(cairo_, x0, y0);
  cairo_line_to(cairo_, x1, y1);
  cairo_stroke(cairo_);
}

double Page::text_width(const std::string& text, double size) {
  double width = 0;
  cairo_set_font_size(cairo_, size);
  for (const Run& run : runs_of(text)) {
    cairo_text_extents_t extents;
    set_font(cairo_, run);
    cairo_text_extents(cairo_, run.text.c_str(), &extents);
    width += extents.x_advance;
  }
  return width;
}

void Page::text(const std::string& text, double x, double y, double size, Anchor anchor, bool turned) {
  const double width = text_width(text, size);
  cairo_save(cairo_);
  cairo_translate(cairo_, x, y);
  if (turned) cairo_rotate(cairo_, -std::numbers::pi / 2);
  cairo_move_to(cairo_, anchor == Anchor::left ? 0 : anchor == Anchor::right ? -width : -width / 2, 0);
  for (const Run& run : runs_of(text)) {
    set_font(cairo_, run);
    cairo_show_text(cairo_, run.text.c_str());
  }
  cairo_restore(cairo_);
}

void Page::image(const Box& box, const PlaneRect& shown, const PlaneRect& rect, std::uint32_t height,
                 std::uint32_t width, std::span<const std::uint32_t> rgb) {
  // Viewers of SVG and PDF may interpolate between pixels, so each pixel becomes a square of several.
  constexpr std::uint32_t kLeastSide = 512;
  const std::uint32_t times = (kLeastSide - 1) / std::min(kLeastSide, std::max(height, width)) + 1;
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(times * width),
                                                   static_cast<int>(times * height)));
  check(cairo_surface_status(surface.get()));
  unsigned char* const bytes = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  std::vector<std::uint32_t> line(std::size_t{times} * width);
  for (std::uint32_t r = 0; r < times * height; ++r) {
    for (std::uint32_t c = 0; c < times * width; ++c)
      line[c] = rgb[std::size_t{r / times} * width + c / times];
    std::memcpy(bytes + static_cast<std::ptrdiff_t>(r) * stride, line.data(),
                line.size() * sizeof(std::uint32_t));
  }
  cairo_surface_mark_dirty(surface.get());
  cairo_save(cairo_);
  cairo_rectangle(cairo_, box.x, box.y, box.width, box.height);
  cairo_clip(cairo_);
  const double across = box.width / shown.width();
  const double down = box.height / shown.height();
  cairo_translate(cairo_, box.x + across * (rect.left - shown.left), box.y + down * (rect.top - shown.top));
  cairo_scale(cairo_, across * rect.width() / (times * width), down * rect.height() / (times * height));
  cairo_set_source_surface(cairo_, surface.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo_), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo_);
  cairo_restore(cairo_);
}

Raster draw_raster(double width, double height, const std::function<void(Page&)>& draw, double pixels) {
  const Surface surface = draw_pixels(width, height, draw, pixels);
  cairo_surface_flush(surface.get());
  Raster raster{static_cast<std::uint32_t>(cairo_image_surface_get_height(surface.get())),
                static_cast<std::uint32_t>(cairo_image_surface_get_width(surface.get())),
                {}};
  raster.rgb.resize(std::size_t{raster.height} * raster.width);
  const unsigned char* const bytes = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (std::uint32_t r = 0; r < raster.height; ++r)
    std::memcpy(&raster.rgb[std::size_t{r} * raster.width], bytes + static_cast<std::ptrdiff_t>(r) * stride,
                raster.width * sizeof(std::uint32_t));
  return raster;
}

Result<void> write_page(const std::string& path, double width, double height,
                        const std::function<void(Page&)>& draw, double pixels) {
  const auto write = [&](std::ostream& out) {
    if (path.ends_with(".png")) {
      const Surface surface = draw_pixels(width, height, draw, pixels);
      check(cairo_surface_write_to_png_stream(surface.get(), append, &out));
      return;
    }
    const auto create =
        path.ends_with(".svg") ? cairo_svg_surface_create_for_stream : cairo_pdf_surface_create_for_stream;
    const Surface surface(create(append, &out, width, height));
    draw_on(surface.get(), 1, draw);
    cairo_surface_finish(surface.get());
    check(cairo_surface_status(surface.get()));
  };
  if (!path.ends_with(".png") && !path.ends_with(".svg") && !path.ends_with(".pdf"))
    return fail(ErrorCode::wrong_use, path + " does not end with .svg, .pdf or .png.");
  return write_atomically(path, write);
}

}  // namespace spyctrum
