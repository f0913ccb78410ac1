// SPDX-License-Identifier: Apache-2.0
// Pixels drawn by the shaders against the same formulas in double precision. Each test has a control: with a
// changed setting the same comparison must fail.
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/golden/gl_fixture.hpp"

namespace spyctrum::testing {
namespace {

using render::Combination;
using render::ImageTexture;
using render::Picture;
using render::Quantity;
using render::Style;
using render::ViewRequest;

constexpr std::uint32_t kHeight = 24;
constexpr std::uint32_t kWidth = 31;
constexpr PlaneRect kRect{-12.5, -15.5, 11.5, 15.5};

std::shared_ptr<CellImage> powers(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> exponent(-3, 6);
  return image_of(kHeight, kWidth, kRect, [&](auto, auto) { return std::pow(10.0F, exponent(random)); });
}

float cell(const CellImage& image, std::uint32_t row, std::uint32_t column, int channel = 0) {
  return image.cells.at(2 * (std::size_t{row} * image.width + column) + static_cast<std::size_t>(channel));
}

ViewRequest request_for(ImageTexture& texture, const PlaneRect& view, DisplayRange range) {
  ViewRequest request;
  request.view = view;
  request.first = {&texture, range};
  request.style.grid = false;
  return request;
}

/// Place on the colour map, 0 … 1, as documented at Curve.
double place_of(double value, const Style& style, const DisplayRange& range) {
  const bool power = style.quantity == Quantity::power;
  const auto amplitude = [&](double x) { return power ? std::sqrt(x) : x; };
  const auto span = [](double low, double high, double x) {
    return std::clamp((x - low) / (high - low), 0.0, 1.0);
  };
  const double low = amplitude(std::pow(10.0, range.low));
  const double high = amplitude(std::pow(10.0, range.high));
  const double threshold = amplitude(std::pow(10.0, style.log_threshold));
  const auto symlog = [&](double x) { return std::log10(1 + x / threshold); };
  double exponent = std::log10(value);
  switch (style.curve) {
    case Curve::decibel:
      if (style.decibel_step > 0) {
        const double width = style.decibel_step / (power ? 10 : 20);
        exponent = style.log_reference + width * std::floor((exponent - style.log_reference) / width);
      }
      [[fallthrough]];
    case Curve::log:
      return value > 0 ? span(range.low, range.high, exponent) : 0;
    case Curve::linear:
      return span(low, high, amplitude(value));
    default:
      return span(symlog(low), symlog(high), symlog(amplitude(value)));
  }
}

/// Entry of the map within half a step (rounding) of the place.
bool shows_place(const Rgb& got, double place) { return std::abs(got.r - 255 * place) <= 0.52; }

/// Number of pixels of a one-to-one picture that differ from the formula.
int wrong_pixels(const Picture& picture, const CellImage& image, const Style& style,
                 const DisplayRange& range) {
  int wrong = 0;
  for (std::uint32_t row = 0; row < picture.height; ++row)
    for (std::uint32_t column = 0; column < picture.width; ++column) {
      const double place = place_of(cell(image, row, column, style.channel), style, range);
      const Rgb got = at(picture, row, column);
      if (!shows_place(got, place) || got.g != 255 - got.r || got.b != 7) ++wrong;
    }
  return wrong;
}

class ImageViewTest : public PictureTest {};

TEST_F(ImageViewTest, EveryScaleFollowsItsFormulaAtEveryPixel) {
  const auto image = powers(1);
  const auto texture = shown(image);
  const DisplayRange range{-1, 4};
  for (const Curve curve : {Curve::log, Curve::linear, Curve::symlog, Curve::decibel})
    for (const Quantity quantity : {Quantity::power, Quantity::count})
      for (const int channel : {0, 1}) {
        ViewRequest request = request_for(*texture, kRect, range);
        Style& style = request.style;
        style.curve = curve;
        style.quantity = quantity;
        style.channel = channel;
        style.log_threshold = 1.5F;
        const Picture picture = draw(request, kHeight, kWidth);
        const std::string what =
            std::to_string(int(curve)) + std::to_string(int(quantity)) + std::to_string(channel);
        EXPECT_EQ(wrong_pixels(picture, *image, style, range), 0) << what;
        // Controls: another range, the other channel.
        EXPECT_GT(wrong_pixels(picture, *image, style, {-1, 4.4F}), 100) << what;
        Style other = style;
        other.channel = 1 - channel;
        EXPECT_GT(wrong_pixels(picture, *image, other, range), 100) << what;
      }
}

TEST_F(ImageViewTest, SymlogThresholdAndDecibelStepsFollowTheirFormulas) {
  const auto image = powers(2);
  const auto texture = shown(image);
  const DisplayRange range{-1, 4};
  ViewRequest request = request_for(*texture, kRect, range);
  request.style.curve = Curve::symlog;
  request.style.log_threshold = 2;
  const Picture picture = draw(request, kHeight, kWidth);
  Style other = request.style;
  other.log_threshold = 1;
  EXPECT_EQ(wrong_pixels(picture, *image, request.style, range), 0);
  EXPECT_GT(wrong_pixels(picture, *image, other, range), 100);

  request.style.curve = Curve::decibel;
  request.style.decibel_step = 3;
  request.style.log_reference = 4.05F;
  const Picture steps = draw(request, kHeight, kWidth);
  EXPECT_EQ(wrong_pixels(steps, *image, request.style, range), 0);
  std::vector<int> entries;
  for (std::uint32_t row = 0; row < kHeight; ++row)
    for (std::uint32_t column = 0; column < kWidth; ++column) entries.push_back(at(steps, row, column).r);
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  EXPECT_LE(entries.size(), 19U);  // 50 dB in steps of 3, and both ends
  EXPECT_GE(entries.size(), 16U);
}

TEST_F(ImageViewTest, ZeroNanAndInfinityHaveTheirColours) {
  auto image = powers(3);
  image->cells[0] = 0;
  image->cells[2] = kNan;
  image->cells[4] = std::numeric_limits<float>::infinity();
  const auto texture = shown(image);
  ViewRequest request = request_for(*texture, kRect, {-1, 4});
  for (const Curve curve : {Curve::log, Curve::linear, Curve::symlog, Curve::decibel}) {
    request.style.curve = curve;
    const Picture picture = draw(request, kHeight, kWidth);
    EXPECT_EQ(at(picture, 0, 0), (Rgb{0, 255, 7}));
    EXPECT_EQ(at(picture, 0, 1), rgb_of(request.style.outside));
    EXPECT_EQ(at(picture, 0, 2), (Rgb{255, 0, 7}));
  }
  request.style.marks_empty = true;
  EXPECT_EQ(at(draw(request, kHeight, kWidth), 0, 0), rgb_of(request.style.empty));
}

TEST_F(ImageViewTest, EntriesTakeTheMapFromTheLeastPlaceOnEachShareItsOwnColour) {
  const auto image =
      image_of(1, 4, {0, 0, 1, 4}, [](auto, auto column) { return std::pow(10.0F, column - 5.0F); });
  const auto texture = shown(image);
  ViewRequest request = request_for(*texture, {0, 0, 1, 4}, {-4, -2});
  request.style.quantity = Quantity::count;
  request.style.marks_empty = true;
  const Picture picture = draw(request, 1, 4);
  const float least = request.style.least_place;
  for (std::uint32_t column = 0; column < 4; ++column) {
    const float place = std::clamp((static_cast<float>(column) - 1) / 2, 0.0F, 1.0F);
    EXPECT_NEAR(at(picture, 0, column).r, 255 * std::lerp(least, 1.0F, place), 1) << column;
  }
}

TEST_F(ImageViewTest, RangeOfNoWidthIsAThreshold) {
  const auto image = image_of(1, 3, {0, 0, 1, 3}, [](auto, auto column) { return std::pow(10.0F, column); });
  const auto texture = shown(image);
  const Picture picture = draw(request_for(*texture, {0, 0, 1, 3}, {1, 1}), 1, 3);
  EXPECT_EQ(at(picture, 0, 0).r, 0);
  EXPECT_EQ(at(picture, 0, 2).r, 255);
}

TEST_F(ImageViewTest, MapIsChosenByNameWithoutUpload) {
  const auto image = powers(4);
  const auto texture = shown(image);
  ViewRequest request = request_for(*texture, kRect, {-1, 4});
  const Picture first = draw(request, kHeight, kWidth);
  request.style.color_map = "signed";
  const Picture second = draw(request, kHeight, kWidth);
  for (std::uint32_t column = 0; column < kWidth; ++column) {
    EXPECT_EQ(at(second, 3, column), (Rgb{at(first, 3, column).r, 9, 255 - at(first, 3, column).r}));
  }
}

// ---- rectangles of image and view

/// Number of pixels that differ from the cell under their centre; cell (row, column) of the 8 × 8 cells has
/// entry `entry(row, column)` of the map.
int misplaced_pixels(const Picture& picture, const PlaneRect& view, const PlaneRect& rect, const Rgb& outside,
                     const std::function<int(int, int)>& entry, int rows, int columns) {
  int wrong = 0;
  for (std::uint32_t y = 0; y < picture.height; ++y)
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      const double u = view.top + (y + 0.5) * view.height() / picture.height;
      const double v = view.left + (x + 0.5) * view.width() / picture.width;
      const int row = static_cast<int>(std::floor((u - rect.top) / rect.height() * rows));
      const int column = static_cast<int>(std::floor((v - rect.left) / rect.width() * columns));
      const bool covered = row >= 0 && column >= 0 && row < rows && column < columns;
      const Rgb got = at(picture, y, x);
      if (covered ? got.r != entry(row, column) : got != outside) ++wrong;
    }
  return wrong;
}

TEST_F(ImageViewTest, PannedAndZoomedViewShowsEveryCellInItsPlace) {
  const auto entry = [](int row, int column) { return 20 * row + 3 * column + 5; };
  const PlaneRect rect{-40, 100, 40, 260};
  const auto image = image_of(8, 16, rect, [&](auto row, auto column) {
    return std::pow(10.0F, static_cast<float>(entry(int(row), int(column))) / 255.0F);
  });
  const auto texture = shown(image);
  const PlaneRect views[] = {rect,
                             {-20, 100, 20, 180},      // top left enlarged
                             {-50, 90, 30, 250},       // panned: a part is not covered
                             {-3.7, 171.3, 4.1, 181},  // one cell and its neighbours
                             {41, 100, 121, 260}};     // nothing covered
  for (const PlaneRect& view : views) {
    const ViewRequest request = request_for(*texture, view, {0, 1});
    const Picture picture = draw(request, 80, 96);
    const Rgb outside = rgb_of(request.style.outside);
    EXPECT_EQ(misplaced_pixels(picture, view, rect, outside, entry, 8, 16), 0)
        << view.top << " " << view.left;
    // Control: a view moved by one cell does not pass.
    const PlaneRect moved{view.top + 10, view.left, view.bottom + 10, view.right};
    EXPECT_GT(misplaced_pixels(picture, moved, rect, outside, entry, 8, 16), view.top > 40 ? -1 : 500);
  }
}

TEST_F(ImageViewTest, PositionsAreExactOnPlanesOfSide2ToThe32) {
  const double far = 4294967000.0;
  const PlaneRect rect{far, far, far + 8, far + 16};
  const auto entry = [](int row, int column) { return 20 * row + 3 * column + 5; };
  const auto image = image_of(8, 16, rect, [&](auto row, auto column) {
    return std::pow(10.0F, static_cast<float>(entry(int(row), int(column))) / 255.0F);
  });
  const auto texture = shown(image);
  const PlaneRect view{far + 1.25, far + 2.5, far + 6.25, far + 12.5};
  const ViewRequest request = request_for(*texture, view, {0, 1});
  EXPECT_EQ(misplaced_pixels(draw(request, 40, 80), view, rect, rgb_of(request.style.outside), entry, 8, 16),
            0);
}

TEST_F(ImageViewTest, ReducedViewShowsTheMeanPowerOrTheMaximumOfTheCellsUnderAPixel) {
  const auto image = powers(5);
  const auto texture = shown(image);
  // 3 × 3 cells per pixel; the last row and column of pixels extend beyond the image.
  const PlaneRect view{kRect.top, kRect.left, kRect.top + 24, kRect.left + 30};
  for (const int channel : {0, 1}) {
    ViewRequest request = request_for(*texture, view, {-2, 8});
    request.style.channel = channel;
    const Picture picture = draw(request, 8, 10);
    for (std::uint32_t row = 0; row < 8; ++row)
      for (std::uint32_t column = 0; column < 10; ++column) {
        double mean = 0;
        double most = 0;
        for (std::uint32_t k = 0; k < 9; ++k) {
          mean += cell(*image, 3 * row + k / 3, 3 * column + k % 3, 0) / 9.0;
          most = std::max<double>(most, cell(*image, 3 * row + k / 3, 3 * column + k % 3, 1));
        }
        const double place = place_of(channel == 0 ? mean : most, request.style, {-2, 8});
        EXPECT_TRUE(shows_place(at(picture, row, column), place)) << row << " " << column;
      }
    // Control: the first cell of each pixel, which plain sampling would show, does not pass.
    int picked = 0;
    for (std::uint32_t row = 0; row < 8; ++row)
      for (std::uint32_t column = 0; column < 10; ++column)
        picked += shows_place(at(picture, row, column),
                              place_of(cell(*image, 3 * row, 3 * column, channel), request.style, {-2, 8}))
                      ? 1
                      : 0;
    EXPECT_LT(picked, 30);
  }
}

TEST_F(ImageViewTest, ReducedViewLeavesNanOutAndIsBlankWhereAllCellsAreNan) {
  // Pixels of 2 x 2 cells: all NaN, one NaN, none.
  const auto image = image_of(2, 6, {0, 0, 2, 6}, [](auto row, auto column) {
    return column < 2 || (column == 2 && row == 0) ? kNan : 10.0F;
  });
  const auto texture = shown(image);
  for (const int channel : {0, 1}) {
    ViewRequest request = request_for(*texture, image->rect, {0, 2});
    request.style.channel = channel;
    const Picture picture = draw(request, 1, 3);
    const int expected = at(picture, 0, 2).r;
    EXPECT_NEAR(expected, channel == 0 ? 127.5 : 255 * 0.5 * std::log10(30), 1);
    EXPECT_EQ(at(picture, 0, 1).r, expected);
    EXPECT_EQ(at(picture, 0, 0), rgb_of(request.style.outside));
  }
}

TEST_F(ImageViewTest, ViewReducedThroughThePyramidKeepsMeanAndMaximum) {
  std::mt19937 random(20);
  std::uniform_real_distribution<float> exponent(0, 5);
  const auto image =
      image_of(256, 256, {0, 0, 256, 256}, [&](auto, auto) { return std::pow(10.0F, exponent(random)); });
  const auto texture = shown(image);
  for (const int channel : {0, 1}) {
    ViewRequest request = request_for(*texture, image->rect, {3.5F, 5.5F});
    request.style.channel = channel;
    const Picture picture = draw(request, 8, 8);  // 32 × 32 cells per pixel
    for (std::uint32_t row = 0; row < 8; ++row)
      for (std::uint32_t column = 0; column < 8; ++column) {
        double mean = 0;
        double most = 0;
        for (std::uint32_t k = 0; k < 1024; ++k) {
          mean += cell(*image, 32 * row + k / 32, 32 * column + k % 32, 0) / 1024.0;
          most = std::max<double>(most, cell(*image, 32 * row + k / 32, 32 * column + k % 32, 1));
        }
        const double place = place_of(channel == 0 ? mean : most, request.style, {3.5F, 5.5F});
        EXPECT_TRUE(shows_place(at(picture, row, column), place)) << row << " " << column;
        // Control: mean and maximum are different pictures.
        EXPECT_FALSE(shows_place(at(picture, row, column),
                                 place_of(channel == 0 ? most : mean, request.style, {3.5F, 5.5F})));
      }
  }
}

TEST_F(ImageViewTest, ReducedViewOfAFlatImageIsFlatAtAnyZoom) {
  const auto image = image_of(100, 100, {0, 0, 100, 100}, [](auto, auto) { return 10.0F; });
  const auto texture = shown(image);
  for (const double zoom : {1.3, 2.0, 3.7, 11.0, 40.0}) {
    const Picture picture = draw(request_for(*texture, {0, 0, 10 * zoom, 10 * zoom}, {0, 2}), 10, 10);
    for (std::uint32_t k = 0; k < 10 && (k + 1) * zoom <= 100; ++k)
      EXPECT_NEAR(at(picture, k, k).r, 127.5, 1) << zoom;
  }
}

TEST_F(ImageViewTest, InterpolationIsGeometricForPowersAndPlainForCounts) {
  const auto image =
      image_of(1, 2, {0, 0, 1, 2}, [](auto, auto column) { return column == 0 ? 1.0F : 100.0F; });
  const auto texture = shown(image);
  ViewRequest request = request_for(*texture, {0, 0, 1, 2}, {0, 2});
  request.style.interpolate = true;
  constexpr std::uint32_t kPixels = 40;
  const auto wrong = [&](bool geometric) {
    const Picture picture = draw(request, 1, kPixels);
    int count = 0;
    for (std::uint32_t x = 0; x < kPixels; ++x) {
      const double t = std::clamp((x + 0.5) / kPixels * 2 - 0.5, 0.0, 1.0);
      const double value = geometric ? std::pow(100, t) : 1 + 99 * t;
      count += shows_place(at(picture, 0, x), std::log10(value) / 2) ? 0 : 1;
    }
    return count;
  };
  EXPECT_EQ(wrong(true), 0);
  EXPECT_GT(wrong(false), 10);
  request.style.quantity = Quantity::count;
  EXPECT_EQ(wrong(false), 0);
  EXPECT_GT(wrong(true), 10);
}

TEST_F(ImageViewTest, InterpolationKeepsTheEdgeOfThePlane) {
  const auto image =
      image_of(1, 3, {0, 0, 1, 3}, [](auto, auto column) { return column == 1 ? kNan : 10.0F; });
  const auto texture = shown(image);
  ViewRequest request = request_for(*texture, {0, 0, 1, 3}, {0, 2});
  request.style.interpolate = true;
  const Picture picture = draw(request, 1, 30);
  for (std::uint32_t x = 0; x < 30; ++x) {
    if (x >= 10 && x < 20) {
      EXPECT_EQ(at(picture, 0, x), rgb_of(request.style.outside)) << x;
    } else {
      EXPECT_NEAR(at(picture, 0, x).r, 127.5, 1) << x;
    }
  }
}

// ---- single entries

int pixels_not(const Picture& picture, const Rgb& color) {
  int count = 0;
  for (std::uint32_t y = 0; y < picture.height; ++y)
    for (std::uint32_t x = 0; x < picture.width; ++x) count += at(picture, y, x) != color ? 1 : 0;
  return count;
}

ViewRequest pattern_request(ImageTexture& texture, const PlaneRect& view) {
  ViewRequest request = request_for(texture, view, {0, 1});
  request.style.quantity = Quantity::count;
  request.style.marks_empty = true;
  request.style.outside = request.style.empty;
  return request;
}

TEST_F(ImageViewTest, LoneEntryIsADotOfTheRequestedWidthWhereverItLies) {
  for (const auto& [row, column] : {std::pair{10U, 12U}, {11U, 21U}, {1U, 1U}, {28U, 27U}}) {
    const auto image = image_of(30, 30, {0, 0, 30, 30}, [r = row, c = column](auto y, auto x) {
      return y == r && x == c ? 1.0F : 0.0F;
    });
    const auto texture = shown(image);
    ViewRequest request = pattern_request(*texture, image->rect);
    for (const int dot : {1, 2, 3}) {
      request.style.dot_pixels = static_cast<float>(dot);
      EXPECT_EQ(pixels_not(draw(request, 30, 30), rgb_of(request.style.empty)), dot * dot)
          << row << " " << dot;
    }
  }
}

TEST_F(ImageViewTest, EntryWithANeighbourIsNotWidened) {
  const auto image = image_of(30, 30, {0, 0, 30, 30}, [](auto y, auto x) { return y == x ? 1.0F : 0.0F; });
  const auto texture = shown(image);
  const ViewRequest request = pattern_request(*texture, image->rect);
  EXPECT_EQ(pixels_not(draw(request, 30, 30), rgb_of(request.style.empty)), 30);
}

TEST_F(ImageViewTest, LoneEntrySurvivesAnyZoomAndIsBrightEnough) {
  const auto image =
      image_of(256, 256, {0, 0, 256, 256}, [](auto y, auto x) { return y == 77 && x == 201 ? 1.0F : 0.0F; });
  const auto nothing = image_of(256, 256, {0, 0, 256, 256}, [](auto, auto) { return 0.0F; });
  const auto texture = shown(image);
  const auto empty_texture = shown(nothing);
  for (const double zoom : {1.0, 1.4, 2.0, 3.1, 5.0, 8.5, 16.0, 33.0, 100.0}) {
    const PlaneRect view{0, 0, 256 * zoom, 256 * zoom};
    const ViewRequest request = pattern_request(*texture, view);
    const Picture picture = draw(request, 256, 256);
    const int dots = pixels_not(picture, rgb_of(request.style.empty));
    EXPECT_GE(dots, 1) << zoom;
    EXPECT_LE(dots, 9) << zoom;
    int brightest = 0;
    for (std::uint32_t y = 0; y < 256; ++y)
      for (std::uint32_t x = 0; x < 256; ++x)
        if (at(picture, y, x) != rgb_of(request.style.empty))
          brightest = std::max(brightest, at(picture, y, x).r);
    EXPECT_GE(brightest, static_cast<int>(request.style.least_place * 255)) << zoom;
    // Control: without the entry there is no dot.
    EXPECT_EQ(pixels_not(draw(pattern_request(*empty_texture, view), 256, 256), rgb_of(request.style.empty)),
              0);
  }
}

TEST_F(ImageViewTest, EnlargedEntryFillsExactlyItsCell) {
  const auto image =
      image_of(8, 8, {0, 0, 8, 8}, [](auto y, auto x) { return y == 3 && x == 5 ? 1.0F : 0.0F; });
  const auto texture = shown(image);
  const ViewRequest request = pattern_request(*texture, image->rect);
  EXPECT_EQ(pixels_not(draw(request, 40, 40), rgb_of(request.style.empty)), 25);
}

// ---- grid

TEST_F(ImageViewTest, EdgesOfSingleCellsAppearBeyond12PixelsOnePixelWide) {
  const auto image = image_of(4, 4, {-2.5, -1.5, 1.5, 2.5}, [](auto, auto) { return 1.0F; });
  const auto texture = shown(image);
  ViewRequest request = request_for(*texture, image->rect, {0, 1});
  request.style.grid = true;
  request.style.grid_offset = 0.5;
  const Picture small = draw(request, 48, 48);
  EXPECT_EQ(pixels_not(small, at(small, 5, 5)), 0);
  const Picture large = draw(request, 120, 120);
  for (std::uint32_t x = 0; x < 120; ++x) EXPECT_EQ(at(large, 15, x) != at(large, 15, 15), x % 30 == 0) << x;
  for (std::uint32_t y = 0; y < 120; ++y) EXPECT_EQ(at(large, y, 15) != at(large, 15, 15), y % 30 == 0) << y;
  // Control: edges elsewhere.
  request.style.grid_offset = 0;
  const Picture moved = draw(request, 120, 120);
  EXPECT_EQ(at(moved, 10, 10), at(moved, 10, 30));
  EXPECT_NE(at(moved, 10, 10), at(moved, 10, 15));
}

// ---- two images

TEST_F(ImageViewTest, WipeShowsTheFirstLeftAndTheSecondRightEachOnItsRange) {
  const auto a = powers(6);
  const auto b = powers(7);
  const auto first = shown(a);
  const auto second = shown(b);
  ViewRequest request = request_for(*first, kRect, {-1, 4});
  request.second = {second.get(), {-2, 5}};
  request.combination = Combination::wipe;
  request.wipe = 12.0F / kWidth;
  const Picture picture = draw(request, kHeight, kWidth);
  int wrong = 0;
  int would_pass_swapped = 0;
  for (std::uint32_t row = 0; row < kHeight; ++row)
    for (std::uint32_t column = 0; column < kWidth; ++column) {
      if (column == 11 || column == 12) continue;  // the line
      const bool left = column < 11;
      const Rgb got = at(picture, row, column);
      const double in_a = place_of(cell(*a, row, column), request.style, {-1, 4});
      const double in_b = place_of(cell(*b, row, column), request.style, {-2, 5});
      wrong += shows_place(got, left ? in_a : in_b) ? 0 : 1;
      would_pass_swapped += shows_place(got, left ? in_b : in_a) ? 1 : 0;
    }
  EXPECT_EQ(wrong, 0);
  EXPECT_LT(would_pass_swapped, 60);
  EXPECT_GT(at(picture, 5, 12).b, 150);
}

TEST_F(ImageViewTest, ErrorsFollowTheirFormulas) {
  auto a = powers(8);
  auto b = std::make_shared<CellImage>(*a);
  std::mt19937 random(9);
  std::normal_distribution<float> change(0, 0.4F);
  for (float& value : b->cells) value *= std::pow(10.0F, change(random));
  a->cells[0] = b->cells[0] = 0;  // both zero
  a->cells[2] = 0;                // only the first
  b->cells[4] = 0;                // only the second
  b->cells[6] = kNan;
  const auto first = shown(a);
  const auto second = shown(b);
  for (const Quantity quantity : {Quantity::power, Quantity::count})
    for (const Combination combination :
         {Combination::decibel_ratio, Combination::signed_difference, Combination::absolute_difference,
          Combination::relative_difference}) {
      ViewRequest request = request_for(*first, kRect, {-1, 4});
      request.second = {second.get(), {-1, 4}};
      request.combination = combination;
      request.style.quantity = quantity;
      request.style.error_limit = combination == Combination::signed_difference ? 300.0F : 5.0F;
      const bool power = quantity == Quantity::power;
      const double limit = request.style.error_limit;
      const auto expected = [&](double p, double q) {
        const double x = power ? std::sqrt(p) : p;
        const double y = power ? std::sqrt(q) : q;
        const auto place = [&](double value) { return 0.5 + 0.5 * std::clamp(value / limit, -1.0, 1.0); };
        switch (combination) {
          case Combination::decibel_ratio:
            return x == y ? 0.5 : place(20 * std::log10(y / x));
          case Combination::signed_difference:
            return place(y - x);
          case Combination::relative_difference:
            return x == y ? 0.5 : place((y - x) / x);
          default:
            return place_of(power ? (y - x) * (y - x) : std::abs(y - x), request.style, {-1, 4});
        }
      };
      const Picture picture = draw(request, kHeight, kWidth);
      const bool is_signed = combination == Combination::decibel_ratio ||
                             combination == Combination::signed_difference ||
                             combination == Combination::relative_difference;
      int wrong = 0;
      int swapped = 0;
      for (std::uint32_t row = 0; row < kHeight; ++row)
        for (std::uint32_t column = 0; column < kWidth; ++column) {
          if (row == 0 && column == 3) continue;
          const Rgb got = at(picture, row, column);
          const double p = cell(*a, row, column);
          const double q = cell(*b, row, column);
          wrong += shows_place(got, expected(p, q)) && got.b == (is_signed ? 255 - got.r : 7) ? 0 : 1;
          swapped += shows_place(got, expected(q, p)) ? 0 : 1;
        }
      const int what = static_cast<int>(combination);
      EXPECT_EQ(wrong, 0) << what << " " << power;
      EXPECT_EQ(at(picture, 0, 3), rgb_of(request.style.outside));
      // Control: with the images exchanged, the picture differs if the combination is signed.
      if (is_signed) {
        EXPECT_GT(swapped, 200) << what << " " << power;
      }
    }
}

TEST_F(ImageViewTest, ErrorIsBlankWhereOneImageHasNoCells) {
  const auto a = image_of(2, 2, {0, 0, 2, 2}, [](auto, auto) { return 1.0F; });
  const auto b = image_of(2, 1, {0, 0, 2, 1}, [](auto, auto) { return 1.0F; });
  const auto first = shown(a);
  const auto second = shown(b);
  ViewRequest request = request_for(*first, {0, 0, 2, 2}, {0, 1});
  request.second = {second.get(), {0, 1}};
  request.combination = Combination::decibel_ratio;
  const Picture picture = draw(request, 8, 8);
  EXPECT_EQ(at(picture, 3, 3), (Rgb{128, 9, 127}));
  EXPECT_EQ(at(picture, 3, 4), rgb_of(request.style.outside));
}

// ---- repeated requests

TEST_F(ImageViewTest, OnlyAChangedRequestIsDrawnAgain) {
  const auto image = powers(10);
  const auto texture = shown(image);
  ViewRequest request = request_for(*texture, kRect, {-1, 4});
  (void)draw(request, kHeight, kWidth);
  EXPECT_EQ(view_.draws(), 1U);
  const GLuint before = view_.target()->texture();
  (void)draw(request, kHeight, kWidth);
  EXPECT_EQ(view_.draws(), 1U);
  EXPECT_EQ(view_.target()->texture(), before);
  request.first.range.high = 5;
  (void)draw(request, kHeight, kWidth);
  request.view.left += 1;
  (void)draw(request, kHeight, kWidth);
  request.style.interpolate = true;
  (void)draw(request, kHeight, kWidth);
  EXPECT_EQ(view_.draws(), 4U);
  ASSERT_TRUE(texture->upload(powers(11)).has_value());
  (void)draw(request, kHeight, kWidth);
  EXPECT_EQ(view_.draws(), 4U);  // not uploaded yet
  ASSERT_TRUE(uploader_->finish().has_value());
  (void)draw(request, kHeight, kWidth);
  EXPECT_EQ(view_.draws(), 5U);
  (void)draw(request, kHeight + 1, kWidth);
  EXPECT_EQ(view_.draws(), 6U);
}

TEST_F(ImageViewTest, WithoutAnImageThePanelIsEmpty) {
  ViewRequest request;
  request.view = {0, 0, 1, 1};
  const Picture picture = draw(request, 5, 7);
  EXPECT_EQ(pixels_not(picture, rgb_of(request.style.outside)), 0);
  ImageTexture not_yet(*uploader_);
  request.first.image = &not_yet;
  EXPECT_EQ(pixels_not(draw(request, 5, 7), rgb_of(request.style.outside)), 0);
}

TEST_F(ImageViewTest, InvalidRequestsAreErrors) {
  ViewRequest request;
  EXPECT_FALSE(view_.draw(*renderer_, request, 5, 5).has_value());
  request.view = {0, 0, 1, std::numeric_limits<double>::infinity()};
  EXPECT_FALSE(view_.draw(*renderer_, request, 5, 5).has_value());
  request.view = {0, 0, 1, 1};
  EXPECT_FALSE(view_.draw(*renderer_, request, 0, 5).has_value());
  EXPECT_TRUE(view_.draw(*renderer_, request, 5, 5).has_value());
}

TEST_F(ImageViewTest, DrawingLeavesTheCallersFramebufferAndViewport) {
  context_->begin_frame();
  glEnable(GL_BLEND);
  const auto texture = shown(powers(12));
  (void)draw(request_for(*texture, kRect, {-1, 4}), kHeight, kWidth);
  GLint bound = -1;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  EXPECT_EQ(static_cast<unsigned>(bound), context_->framebuffer());
  GLint viewport[4] = {};
  glGetIntegerv(GL_VIEWPORT, viewport);
  EXPECT_EQ(viewport[2], 64);
  EXPECT_EQ(glIsEnabled(GL_BLEND), GL_TRUE);
}

}  // namespace
}  // namespace spyctrum::testing
