// SPDX-License-Identifier: Apache-2.0
// Fills the uniforms of shaders/image.frag and draws. Differences of plane coordinates are taken here, in
// double precision: indices reach 2^32, which single precision in the shader cannot resolve.
#include "render/image_view.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "render/shader_program.hpp"

namespace spyctrum::render {

/// The uniform block Look of image.frag (std140).
struct ImageRenderer::Look {
  std::array<std::array<float, 4>, 2> placements;
  std::array<float, 4> ranges, grid;
  Color empty, outside, grid_color;
  std::array<float, 4> wipe, scale_values, dots;
  std::array<std::int32_t, 4> modes, flags;
};

namespace {

/// Texel at the corner of pixel (0, 0), and texels per pixel, on x and y.
std::array<float, 4> placement(const PlaneRect& covered, const Texture2D& texture, const PlaneRect& view,
                               const RenderTarget& target) {
  const double per_x = texture.width() / covered.width();
  const double per_y = texture.height() / covered.height();
  return {static_cast<float>((view.left - covered.left) * per_x),
          static_cast<float>((view.top - covered.top) * per_y),
          static_cast<float>(view.width() / target.width() * per_x),
          static_cast<float>(view.height() / target.height() * per_y)};
}

std::array<float, 4> grid_placement(const ViewRequest& request, const RenderTarget& target) {
  const double offset = request.style.grid_offset;
  const auto since_edge = [offset](double at) {
    return static_cast<float>(at - offset - std::floor(at - offset));
  };
  return {since_edge(request.view.left), since_edge(request.view.top),
          static_cast<float>(request.view.width() / target.width()),
          static_cast<float>(request.view.height() / target.height())};
}

bool is_shown(const Layer& layer) { return layer.image != nullptr && !layer.image->empty(); }

/// The placement of an absent image: every pixel lies outside.
constexpr std::array<float, 4> kNowhere = {-10, -10, 0, 0};

/// Up to this many texels per pixel count as one texel: the excess is a rounding error.
constexpr float kSameSize = 1.00001F;
constexpr float kWipeLinePixels = 2;
constexpr double kGridFrom = 12;  // image.frag draws the edges of coefficients of at least so many pixels

/// Unit normal of the wipe's line, distance of the line from pixel (0, 0) along it, and its width.
std::array<float, 4> wipe_of(const ViewRequest& request, const RenderTarget& target) {
  const auto width = static_cast<float>(target.width()), height = static_cast<float>(target.height());
  const float down = -rightward_of(request.wipe_line) * width;
  const float length = std::hypot(height, down);
  const float x = height / length, y = down / length;
  return {x, y, request.wipe * width * x + height / 2 * y, kWipeLinePixels};
}

std::string_view first_name(std::span<const ColorMap> maps, ColorMap::Kind kind) {
  for (const ColorMap& map : maps)
    if (map.kind == kind) return map.name;
  return maps.empty() ? std::string_view{} : maps.front().name;
}

}  // namespace

Result<std::unique_ptr<ImageRenderer>> ImageRenderer::create(std::span<const ColorMap> maps) {
  return run_guarded([&] { return std::unique_ptr<ImageRenderer>(new ImageRenderer(maps)); });
}

ImageRenderer::ImageRenderer(std::span<const ColorMap> maps)
    : vertices_(make_vertex_array()),
      uniforms_(make_buffer()),
      maps_(maps),
      default_map_(first_name(maps, ColorMap::Kind::sequential)),
      default_diverging_(first_name(maps, ColorMap::Kind::diverging)) {
  glNamedBufferStorage(uniforms_.id(), sizeof(Look), nullptr, GL_DYNAMIC_STORAGE_BIT);
  nothing_.resize(1, 1);
  check_gl("preparing the image view");
  // Every panel needs this program first, and a shader that does not compile is found at the start.
  (void)program({"picture_single.frag", "sample_nearest.frag", "dots_none.frag"});
}

const GlObject& ImageRenderer::program(const Variant& variant) {
  const auto found = programs_.find(variant);
  if (found != programs_.end()) return found->second;
  GlObject linked = link_program({embedded_shader("image.vert"), embedded_shader("image.frag"),
                                  embedded_shader("scale.frag"), embedded_shader(variant.picture),
                                  embedded_shader(variant.sampling), embedded_shader(variant.dots)});
  return programs_.emplace(variant, std::move(linked)).first->second;
}

bool ImageRenderer::prepare_next() {
  for (const char* sampling : {"sample_nearest.frag", "sample_reduced.frag", "sample_smooth.frag"}) {
    for (const auto& [picture, dots] : {std::pair{"picture_single.frag", "dots_none.frag"},
                                        std::pair{"picture_single.frag", "dots_lone.frag"},
                                        std::pair{"picture_error.frag", "dots_none.frag"},
                                        std::pair{"picture_wipe.frag", "dots_none.frag"}}) {
      const Variant variant{picture, sampling, dots};
      if (programs_.contains(variant)) continue;
      (void)program(variant);
      return true;
    }
  }
  return false;
}

ImageRenderer::Look ImageRenderer::look_of(const ViewRequest& request, const RenderTarget& target) const {
  static_assert(sizeof(Look) == 192 && offsetof(Look, modes) == 160, "must match image.frag");
  const Style& style = request.style;
  Look look{};
  const auto place = [&](const Layer& layer) {
    return is_shown(layer)
               ? placement(layer.image->shown()->rect, layer.image->texture(), request.view, target)
               : kNowhere;
  };
  look.placements = {place(request.first), place(request.second)};
  look.ranges = {request.first.range.low, request.first.range.high, request.second.range.low,
                 request.second.range.high};
  look.grid = grid_placement(request, target);
  look.empty = style.empty;
  look.outside = style.outside;
  look.grid_color = style.grid ? style.grid_color : Color{};
  look.wipe = wipe_of(request, target);
  look.scale_values = {style.log_threshold, style.log_reference, style.decibel_step, style.error_limit};
  look.dots = {style.dot_pixels, style.least_place, 0, 0};
  look.modes = {static_cast<int>(request.combination), static_cast<int>(style.curve), style.channel,
                maps_.row(style.color_map.empty() ? default_map_ : std::string_view(style.color_map))};
  look.flags = {
      style.quantity == Quantity::power ? 1 : 0, 0, style.marks_empty ? 1 : 0,
      maps_.row(style.diverging_map.empty() ? default_diverging_ : std::string_view(style.diverging_map))};
  return look;
}

ImageRenderer::Variant ImageRenderer::variant_of(const ViewRequest& request, const Look& look) {
  const bool two = request.combination != Combination::first;
  const auto any_axis = [&](auto test) {
    return test(look.placements[0][2]) || test(look.placements[0][3]) ||
           (two && (test(look.placements[1][2]) || test(look.placements[1][3])));
  };
  const bool reduced = any_axis([](float texels) { return texels > kSameSize; });
  const bool enlarged = any_axis([](float texels) { return texels > 0 && texels * kSameSize < 1; });
  const float dot = request.style.dot_pixels;
  const bool small = any_axis([dot](float texels) { return texels * dot > kSameSize; });
  const bool is_signed = request.combination == Combination::signed_values;
  const bool error = two && !is_signed && request.combination != Combination::wipe;
  return {is_signed ? "picture_signed.frag"
          : error   ? "picture_error.frag"
                    : (two ? "picture_wipe.frag" : "picture_single.frag"),
          reduced ? "sample_reduced.frag"
                  : (enlarged && request.style.interpolate ? "sample_smooth.frag" : "sample_nearest.frag"),
          request.style.marks_empty && dot > 1 && small && !error ? "dots_lone.frag" : "dots_none.frag"};
}

void ImageRenderer::draw(RenderTarget& target, const ViewRequest& request) {
  require_gl_thread("ImageRenderer::draw");
  const Look look = look_of(request, target);
  const auto texture_of = [&](const Layer& layer, const std::array<float, 4>& place) {
    if (!is_shown(layer)) return nothing_.id();
    const bool reduced = place[2] > kSameSize || place[3] > kSameSize;
    return reduced ? layer.image->texture_with_pyramid().id() : layer.image->texture().id();
  };
  const GLuint first = texture_of(request.first, look.placements[0]);
  const GLuint second = texture_of(request.second, look.placements[1]);
  const GLuint used = program(variant_of(request, look)).id();

  const ScopedDrawing drawing(target.framebuffer(), target.height(), target.width());
  glNamedBufferSubData(uniforms_.id(), 0, sizeof look, &look);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, uniforms_.id());
  glBindTextureUnit(0, first);
  glBindTextureUnit(1, second);
  glBindTextureUnit(2, maps_.id());
  glUseProgram(used);
  glBindVertexArray(vertices_.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindVertexArray(0);
  glUseProgram(0);
  check_gl("drawing a panel");
}

bool is_even_in_cells(const ViewRequest& request, std::uint32_t height, std::uint32_t width) {
  const ImageTexture* image = request.first.image;
  if (request.combination != Combination::first || image == nullptr || image->empty() ||
      request.style.interpolate)
    return false;
  const PlaneRect &rect = image->shown()->rect, &view = request.view;
  const bool contains = rect.left <= view.left && rect.right >= view.right && rect.top <= view.top &&
                        rect.bottom >= view.bottom;
  // Pixels in a unit of the plane and in a cell: edges and dots have sizes in pixels.
  const double across = width / view.width(), down = height / view.height();
  const double cell_width = across * rect.width() / image->texture().width();
  const double cell_height = down * rect.height() / image->texture().height();
  const double least = std::max(1.5, static_cast<double>(request.style.dot_pixels));
  return contains && std::min(cell_width, cell_height) > least &&
         !(request.style.grid && std::min(across, down) > kGridFrom);
}

Result<GLuint> ImageView::draw(ImageRenderer& renderer, const ViewRequest& request, std::uint32_t height,
                               std::uint32_t width) {
  return run_guarded([&] {
    const PlaneRect& view = request.view;
    if (!(view.width() > 0 && view.height() > 0) || !std::isfinite(view.width()) ||
        !std::isfinite(view.height()))
      throw Failure(ErrorCode::wrong_use, "a panel's view is empty");
    if (!target_) target_.emplace();
    if (target_->resize(height, width)) drawn_.reset();
    const auto generation = [](const Layer& layer) {
      return layer.image != nullptr ? layer.image->generation() : 0;
    };
    const Drawn now{.view = view,
                    .generations = {generation(request.first), generation(request.second)},
                    .ranges = {request.first.range.low, request.first.range.high, request.second.range.low,
                               request.second.range.high},
                    .combination = request.combination,
                    .wipe = request.wipe,
                    .wipe_line = request.wipe_line,
                    .style = request.style};
    if (drawn_ != now) {
      renderer.draw(*target_, request);
      count_write(target_->texture());
      drawn_ = now;
      ++draws_;
    }
    return target_->texture();
  });
}

}  // namespace spyctrum::render
