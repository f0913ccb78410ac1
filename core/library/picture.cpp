// SPDX-License-Identifier: Apache-2.0
// Converts the cells of a view to colours as spyctrum-cli does: log10 of the value, between two percentiles,
// through a colour map.
#include <algorithm>
#include <cmath>

#include "core/base/counts_text.hpp"
#include "core/base/text.hpp"
#include "core/library/impl.hpp"
#include "core/pictures/colormap.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum::v0 {

namespace {

constexpr std::uint32_t kLargestSide = 32768;
// Two channels of a cell, the logarithm of one of them for the range, the value, four colour bytes.
constexpr std::uint64_t kBytesPerPixel = 8 + 4 + 4 + 4;
constexpr std::uint64_t kCoefficientBudget = std::uint64_t{1} << 20U;

const ColorMap& map_named(const std::string& name) {
  if (name.empty()) return color_maps().front();
  if (const ColorMap* map = find_color_map(name)) return *map;
  throw Failure(spyctrum::ErrorCode::wrong_use, "There is no colour map '" + name + "'.",
                "Choose " + joined(color_maps(), &ColorMap::name) + ".");
}

PlaneRect view_of(const PictureOptions& options, const PlaneRect& whole) {
  const bool sized = options.height >= 1 && options.height <= kLargestSide && options.width >= 1 &&
                     options.width <= kLargestSide;
  if (!sized)
    throw Failure(spyctrum::ErrorCode::wrong_use,
                  "A picture of " + sides_text(options.width, options.height) + " pixels is not possible.",
                  "Each side has 1 to " + grouped(kLargestSide) + " pixels.");
  if (!options.view) return whole;
  const Rect& view = *options.view;
  constexpr double kFarthest = 0x1p40;
  const bool finite = std::ranges::all_of(std::array{view.top, view.left, view.bottom, view.right},
                                          [](double x) { return std::abs(x) < kFarthest; });
  if (!finite || !(view.top < view.bottom) || !(view.left < view.right))
    throw Failure(spyctrum::ErrorCode::wrong_use, "The view is empty.", "top < bottom and left < right.");
  return {view.top, view.left, view.bottom, view.right};
}

Picture colored(const CellImage& image, const ColorMap& map) {
  const DisplayRange range = automatic_range(image, 1.0, 99.3, false, false);
  Picture picture{.height = image.height,
                  .width = image.width,
                  .view = {image.rect.top, image.rect.left, image.rect.bottom, image.rect.right},
                  .exactness = to_public(image.exactness),
                  .sampled = image.sampled,
                  .values = std::vector<float>(image.cells.size() / 2),
                  .low = range.low,
                  .high = range.high,
                  .rgba = std::vector<std::uint8_t>(2 * image.cells.size())};
  for (std::size_t k = 0; k < picture.values.size(); ++k) {
    const float value = image.cells[2 * k];
    picture.values[k] = value;
    if (std::isnan(value)) continue;
    const float place = value > 0 ? (std::log10(value) - range.low) / (range.high - range.low) : 0.0F;
    const auto& color =
        map.rgb[static_cast<std::size_t>(std::lround(std::clamp(place, 0.0F, 1.0F) * 255.0F))];
    std::ranges::copy(color, picture.rgba.begin() + static_cast<std::ptrdiff_t>(4 * k));
    picture.rgba[4 * k + 3] = 255;
  }
  return picture;
}

/// `draw`: (area, context) → CellImage.
template <class Draw>
Result<Picture> drawn(const Engine::Impl& engine, const PlaneRect& whole, const PictureOptions& options,
                      const Job& job, const Draw& draw) {
  return guarded<Picture>([&] {
    const ColorMap& map = map_named(options.color_map);
    const PictureArea area{view_of(options, whole), options.height, options.width};
    JobContext context = engine.context(job);
    const Booking booking(context.memory(), std::uint64_t{options.height} * options.width * kBytesPerPixel,
                          "picture");
    return colored(draw(area, context), map);
  });
}

}  // namespace

Result<Picture> Engine::pattern_picture(const Matrix& matrix, const PictureOptions& options,
                                        const Job& job) const {
  const SparsePattern& pattern = *matrix.impl().matrix.pattern;
  return drawn(
      *impl_, full_pattern_rect(pattern.rows(), pattern.cols()), options, job,
      [&](const PictureArea& area, JobContext& context) { return pattern_image(pattern, area, context); });
}

Result<Picture> Engine::spectrum_picture(const Matrix& matrix, const PictureOptions& options,
                                         const Job& job) const {
  const SparsePattern& pattern = *matrix.impl().matrix.pattern;
  return drawn(*impl_, full_spectrum_rect(pattern.rows(), pattern.cols()), options, job,
               [&](const PictureArea& area, JobContext& context) {
                 return exact_image(pattern, nullptr, area, kCoefficientBudget, context);
               });
}

Result<Picture> Engine::result_picture(const Spectrum& spectrum, const PictureOptions& options,
                                       const Job& job) const {
  const spyctrum::Spectrum& result = *spectrum.impl().spectrum;
  return drawn(*impl_, full_spectrum_rect(result.m, result.n), options, job,
               [&](const PictureArea& area, JobContext& context) {
                 if (result.values.empty())
                   throw Failure(spyctrum::ErrorCode::wrong_use, "The result has no values to draw.",
                                 "Run the method with Request::values.");
                 return sample_image(result, ReducedPlacement::stretched, area, context);
               });
}

}  // namespace spyctrum::v0
