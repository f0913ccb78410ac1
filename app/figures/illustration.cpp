// SPDX-License-Identifier: Apache-2.0
// Tiles in rows of four; all spectra have the range of the exact one.
#include "app/figures/illustration.hpp"

#include <algorithm>
#include <cmath>

#include "app/study/axis.hpp"
#include "app/study/study_run.hpp"
#include "app/study/study_values.hpp"
#include "core/io/reader.hpp"
#include "core/methods/method.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum {

namespace {

constexpr std::uint32_t kPixels = 320;  // of the longer side of a tile
constexpr std::uint64_t kBudget = std::uint64_t{1} << 26U;
constexpr std::size_t kAcross = 4;  // tiles in a row
constexpr double kGap = 10, kHead = 26, kBar = 40;
constexpr std::uint32_t kInk = 0x222222;

SpectrumPtr samples_of(const PatternPtr& pattern, const std::string& method, std::uint32_t block,
                       JobContext& context) {
  ResolvedRequest request = default_request(*find_method(method), pattern, block);
  request.outputs = {.values = true, .features = false, .pyramid = false};
  return or_throw(run_method(*find_method(method), std::move(request), context));
}

/// Paints the part of the image that lies in `shown`, which fills the box. `color_of`: 0xRRGGBB of a cell.
template <class ColorOf>
void paint(Page& page, const Box& box, const PlaneRect& shown, const CellImage& image,
           const ColorOf& color_of) {
  std::vector<std::uint32_t> rgb(image.cells.size() / 2);
  for (std::size_t k = 0; k < rgb.size(); ++k) rgb[k] = color_of(image.cells[2 * k]);
  page.image(box, shown, image.rect, image.height, image.width, rgb);
  page.color(kInk);
  cairo_rectangle(page.cairo(), box.x, box.y, box.width, box.height);
  cairo_stroke(page.cairo());
}

std::uint32_t color_at(double place) {
  const auto& rgb = color_maps().front().rgb[static_cast<std::size_t>(std::clamp(place, 0.0, 1.0) * 255)];
  return static_cast<std::uint32_t>(rgb[0] << 16U | rgb[1] << 8U | rgb[2]);
}

/// Grey that darkens with the square root of a cell's entries / those of the fullest cell; a single entry is
/// visible.
void paint_matrix(Page& page, const Box& box, const CellImage& image) {
  float most = 1;
  for (std::size_t k = 0; k < image.cells.size(); k += 2) most = std::fmax(most, image.cells[k]);
  paint(page, box, image.rect, image, [&](float count) {
    constexpr float kLeast = 0.15F;
    const float ink = count > 0 ? std::lerp(kLeast, 1.0F, std::sqrt(count / most)) : 0;
    const auto grey = static_cast<std::uint32_t>(255 * (1 - ink));
    return grey << 16U | grey << 8U | grey;
  });
}

void draw_color_bar(Page& page, double x, double y, double height, const DisplayRange& range) {
  constexpr int kSteps = 128;
  for (int k = 0; k < kSteps; ++k) {
    page.color(color_at((k + 0.5) / kSteps));
    cairo_rectangle(page.cairo(), x, y + height * (kSteps - 1 - k) / kSteps, 8, height / kSteps + 0.3);
    cairo_fill(page.cairo());
  }
  PlotAxis axis(true);
  axis.add(std::pow(10, range.low));
  axis.add(std::pow(10, range.high));
  axis.place(y + height, y);
  page.color(kInk);
  for (const auto& [value, text] : axis.ticks()) page.text(text, x + 11, axis.at(value) + 2, 6, Anchor::left);
  page.text("|F|²", x + 4, y - 4, 7, Anchor::centre);
}

}  // namespace

std::vector<Tile> illustration_tiles(const Study& study, const StudyMatrix& matrix, std::uint32_t block,
                                     JobContext& context) {
  const PatternPtr pattern = or_throw(load_matrix(matrix.source, load_options(study.plan), context)).pattern;
  const auto m = static_cast<double>(pattern->rows()), n = static_cast<double>(pattern->cols());
  const auto side = [](double own, double other) {
    return static_cast<std::uint32_t>(std::max(1.0, kPixels * std::min(1.0, own / other)));
  };
  const std::uint32_t height = side(m, n), width = side(n, m);
  const PictureArea cells{full_pattern_rect(pattern->rows(), pattern->cols()), height, width};
  const PictureArea plane{full_spectrum_rect(pattern->rows(), pattern->cols()), height, width};
  std::vector<Tile> tiles;
  tiles.push_back({"matrix", pattern_image(*pattern, cells, context), false});
  tiles.push_back({"exact spectrum", exact_image(*pattern, nullptr, plane, kBudget, context), true,
                   pattern->weight_exponent()});
  for (const std::string& id : study_methods(study)) {
    const Method& method = *find_method(id);
    const StudyCell* cell = study.cell(matrix.name, id, block);
    if (!method.info().uses_block || cell == nullptr || cell->status != CellStatus::done) continue;
    const SpectrumPtr samples = samples_of(pattern, id, block, context);
    const std::string& title = method.info().label;
    const MethodInput input = method.input(method.defaults());
    bool has_matrix = true;
    if (input == MethodInput::densities)
      tiles.push_back({title + ", matrix", density_image(*pattern, block, cells, context), false});
    else if (input == MethodInput::decimated)
      tiles.push_back({title + ", matrix", decimated_image(*pattern, block, cells, context), false});
    else
      has_matrix = false;
    constexpr std::uint32_t kSamplesPerCell = 64;  // of which a mean has an error of an eighth
    const PictureArea area = sample_area(*samples, ReducedPlacement::stretched, plane, kSamplesPerCell);
    tiles.push_back({has_matrix ? title + ", spectrum" : title,
                     sample_image(*samples, ReducedPlacement::stretched, area, context)});
  }
  return tiles;
}

double illustration_height(std::size_t tiles, double width) {
  const double side = (width - kBar - kGap * kAcross) / kAcross;
  return 20 + std::ceil(static_cast<double>(tiles) / kAcross) * (side + kHead);
}

void draw_illustration(Page& page, double width, const std::string& title, const std::vector<Tile>& tiles) {
  const double side = (width - kBar - kGap * kAcross) / kAcross;
  page.color(kInk);
  page.text(title, kGap, 14, 10, Anchor::left);
  const auto exact = std::ranges::find(tiles, true, &Tile::is_spectrum);
  const DisplayRange range = automatic_range(exact->image, 1.0, 99.3, true, false);
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    const Tile& tile = tiles[k];
    const double x = kGap + static_cast<double>(k % kAcross) * (side + kGap);
    const double y = 20 + std::floor(static_cast<double>(k) / kAcross) * (side + kHead) + 14;
    const double longer = std::max(exact->image.width, exact->image.height);
    const Box box{x, y, side * exact->image.width / longer, side * exact->image.height / longer};
    page.color(kInk);
    page.text(tile.title, x, y - 4, 7, Anchor::left);
    if (tile.is_spectrum)
      paint(page, box, exact->image.rect, tile.image, [&](float power) {
        return color_at(power > 0 ? (std::log10(power) - range.low) / (range.high - range.low) : 0.0);
      });
    else
      paint_matrix(page, box, tile.image);
  }
  DisplayRange labels = range;  // in the units of the values
  const auto unit = static_cast<float>(2 * exact->exponent * std::log10(2.0));
  labels.low += unit;
  labels.high += unit;
  draw_color_bar(page, width - kBar + 6, 44, side - 10, labels);
}

}  // namespace spyctrum
