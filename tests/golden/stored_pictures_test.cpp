// SPDX-License-Identifier: Apache-2.0
// Whole panels against stored pictures, which were inspected by eye. Every test has a control: the same scene
// with one setting changed must fail.
#include "tests/golden/stored_picture.hpp"

#include <cmath>
#include <filesystem>

#include "tests/golden/gl_fixture.hpp"

namespace spyctrum::testing {
namespace {

using render::Combination;
using render::ImageTexture;
using render::Picture;
using render::Quantity;
using render::ViewRequest;

constexpr std::uint32_t kHeight = 150;
constexpr std::uint32_t kWidth = 200;

/// Uniform numbers on (0, 1), the same on every machine and standard library.
double noise(std::uint64_t row, std::uint64_t column, std::uint64_t seed) {
  std::uint64_t x =
      row * 0x9E3779B97F4A7C15ULL + column * 0xC2B2AE3D27D4EB4FULL + seed * 0x165667B19E3779F9ULL;
  x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 29)) * 0x94D049BB133111EBULL;
  return (static_cast<double>((x ^ (x >> 32)) >> 11) + 0.5) / 9007199254740992.0;
}

/// A cross at DC, a band along the diagonal, Rayleigh noise, and NaN outside an ellipse.
std::shared_ptr<CellImage> spectrum(std::uint64_t seed) {
  return image_of(kHeight, kWidth, {-75.5, -100.5, 74.5, 99.5}, [seed](auto row, auto column) {
    const double u = row - 75.0;
    const double v = column - 100.0;
    if (u * u / (73 * 73) + v * v / (98 * 98) > 1) return kNan;
    const double cross = 1e6 / (1 + u * u) + 1e6 / (1 + v * v);
    const double band = std::abs(u - v) < 1.5 ? 3e4 : 0;
    return static_cast<float>(-std::log(noise(row, column, seed)) * (1000 + 0.02 * cross + band));
  });
}

std::shared_ptr<CellImage> pattern() {
  return image_of(kHeight, kWidth, {0, 0, kHeight, kWidth}, [](auto row, auto column) {
    const bool diagonal = row == column || row + 40 == column;
    const bool block = row > 90 && row < 120 && column > 130 && column < 170 && noise(row, column, 1) < 0.6;
    const bool lone = noise(row, column, 2) < 0.004;
    return diagonal || block || lone ? static_cast<float>(1 + std::floor(5 * noise(row, column, 3))) : 0.0F;
  });
}

/// Dark blue over violet to yellow; blue over white to red for errors.
std::vector<ColorMap> scene_maps() {
  std::vector<ColorMap> maps = counting_maps();
  for (std::size_t k = 0; k < 256; ++k) {
    const auto byte = [](double value) { return static_cast<std::uint8_t>(std::lround(value)); };
    const double t = static_cast<double>(k) / 255;
    maps[0].rgb[k] = {byte(255 * std::sqrt(t)), byte(255 * t * t), byte(120 * (1 - t))};
    const double away = 255 * (1 - std::abs(2 * t - 1));
    maps[1].rgb[k] = {byte(t > 0.5 ? 255 : away), byte(away), byte(t < 0.5 ? 255 : away)};
  }
  return maps;
}

class StoredPicturesTest : public PictureTest {
 protected:
  StoredPicturesTest() { maps_ = scene_maps(); }

  static ViewRequest spectrum_request(ImageTexture& texture) {
    ViewRequest request;
    request.view = texture.shown()->rect;
    request.first = {&texture, {2.5F, 5.5F}};
    request.style.grid_offset = 0.5;
    return request;
  }
  static ViewRequest pattern_request(ImageTexture& texture) {
    ViewRequest request;
    request.view = texture.shown()->rect;
    request.first = {&texture, {-0.3F, 0.8F}};
    request.style.quantity = Quantity::count;
    request.style.marks_empty = true;
    return request;
  }
  void expect_like_stored(const ViewRequest& request, const ViewRequest& control, const std::string& name) {
    EXPECT_TRUE(like_stored(draw(request, kHeight, kWidth), name));
    const Picture other = draw(control, kHeight, kWidth);
    const Picture stored =
        read_png(std::string(SPYCTRUM_SOURCE_DIR) + "/tests/golden/pictures/" + name + ".png");
    const Similarity found = structural_similarity(stored.rgb, other.rgb, kHeight, kWidth);
    const Likeness least;
    EXPECT_TRUE(found.mean < least.mean || found.worst_block < least.worst_block)
        << name << ": the control passes, similarity " << found.mean;
  }
};

TEST_F(StoredPicturesTest, SpectrumOverviewIsAsStored) {
  const auto texture = shown(spectrum(1));
  const ViewRequest request = spectrum_request(*texture);
  ViewRequest control = request;
  control.style.curve = Curve::linear;
  expect_like_stored(request, control, "spectrum_overview");
}

TEST_F(StoredPicturesTest, SpectrumReducedWhileZoomingOutIsAsStored) {
  const auto texture = shown(spectrum(1));
  ViewRequest request = spectrum_request(*texture);
  request.view = {-200, -250, 200, 250};
  ViewRequest control = request;
  control.style.channel = 1;
  expect_like_stored(request, control, "spectrum_reduced");
}

TEST_F(StoredPicturesTest, SpectrumEnlargedToSingleCoefficientsIsAsStored) {
  const auto texture = shown(spectrum(1));
  ViewRequest request = spectrum_request(*texture);
  request.view = {-3.8, -5.2, 3.7, 4.8};
  ViewRequest control = request;
  control.style.interpolate = true;
  expect_like_stored(request, control, "spectrum_enlarged");
}

TEST_F(StoredPicturesTest, PatternWithLoneEntriesIsAsStored) {
  const auto texture = shown(pattern());
  const ViewRequest request = pattern_request(*texture);
  ViewRequest control = request;
  control.style.dot_pixels = 1;
  expect_like_stored(request, control, "pattern_overview");
}

TEST_F(StoredPicturesTest, PatternReducedWhileZoomingOutIsAsStored) {
  const auto texture = shown(pattern());
  ViewRequest request = pattern_request(*texture);
  request.view = {-150, -200, 450, 600};
  ViewRequest control = request;
  control.style.least_place = 0;
  expect_like_stored(request, control, "pattern_reduced");
}

TEST_F(StoredPicturesTest, WipeBetweenTwoIsAsStored) {
  const auto first = shown(spectrum(1));
  const auto second = shown(pattern());
  ViewRequest request = spectrum_request(*first);
  request.second = {second.get(), {-0.3F, 0.8F}};
  request.combination = Combination::wipe;
  request.wipe = 0.6F;
  ViewRequest control = request;
  control.wipe = 0.5F;
  expect_like_stored(request, control, "wipe");
}

TEST_F(StoredPicturesTest, SignedErrorInDecibelsIsAsStored) {
  const auto first = shown(spectrum(1));
  auto louder = std::make_shared<CellImage>(*spectrum(1));
  for (std::uint32_t row = 0; row < kHeight; ++row)
    for (std::uint32_t column = 0; column < kWidth; ++column)
      louder->cells[2 * (std::size_t{row} * kWidth + column)] *=
          static_cast<float>(std::pow(10.0, 0.8 * std::sin(row / 15.0) * std::sin(column / 20.0)));
  const auto second = shown(louder);
  ViewRequest request = spectrum_request(*first);
  request.second = {second.get(), request.first.range};
  request.combination = Combination::decibel_ratio;
  ViewRequest control = request;
  control.first = request.second;
  control.second = request.first;
  expect_like_stored(request, control, "error_decibels");
}

TEST(StoredPicture, MissingFailsAndLeavesTheDrawnOneAsEvidence) {
  unsetenv("SPYCTRUM_STORE_PICTURES");
  const Picture picture{4, 4, std::vector<std::uint8_t>(48, 200)};
  const auto result = like_stored(picture, "no_such_picture");
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("is missing"), std::string::npos) << result.message();
  const Picture left = read_png("no_such_picture.drawn.png");
  EXPECT_EQ(left.rgb, picture.rgb);
  std::filesystem::remove("no_such_picture.drawn.png");
}

}  // namespace
}  // namespace spyctrum::testing
