// SPDX-License-Identifier: Apache-2.0
// Upload of cells into textures: every number arrives in its place, in slices, and the old picture stays
// until the new one is complete.
#include <algorithm>
#include <cstring>
#include <random>

#include "tests/golden/gl_fixture.hpp"
#include "tests/support/read_floats.hpp"

namespace spyctrum::testing {
namespace {

using render::ImageTexture;
using render::TexelFormat;
using render::Texture2D;
using render::Uploader;
using test::read_floats;

class TextureTest : public GlTest {};

/// Bytes of `rows` rows of an image with ten columns of two floats.
constexpr std::size_t kFourRows = 320;

/// Same bits, NaN included.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::shared_ptr<CellImage> random_image(std::uint32_t height, std::uint32_t width, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> exponent(-30, 30);
  return image_of(height, width, {0, 0, double(height), double(width)},
                  [&](auto, auto) { return std::exp2(exponent(random)); });
}

TEST_F(TextureTest, EveryFloatArrivesBitByBit) {
  auto image = random_image(13, 17, 1);
  image->cells[0] = kNan;
  image->cells[5] = std::numeric_limits<float>::infinity();
  image->cells[7] = 0;
  image->cells[9] = 1e-44F;
  const auto texture = shown(image);
  EXPECT_TRUE(same_bits(read_floats(texture->texture()), image->cells));
  EXPECT_EQ(texture->path(), render::UploadPath::pixel_buffer);
  // Control: the comparison detects one changed number.
  std::vector<float> changed = image->cells;
  changed[100] = std::nextafter(changed[100], 1e30F);
  EXPECT_FALSE(same_bits(read_floats(texture->texture()), changed));
}

TEST_F(TextureTest, UploadInSlicesOfAnyNumberOfRowsIsTheSame) {
  const auto image = random_image(37, 10, 2);
  for (const std::size_t rows : {1U, 2U, 5U, 36U, 37U, 100U}) {
    auto uploader = Uploader::create(rows * 10 * 8);
    ASSERT_TRUE(uploader.has_value()) << uploader.error().message();
    ImageTexture texture(**uploader);
    ASSERT_TRUE(texture.upload(image).has_value());
    const auto done = (*uploader)->finish();
    ASSERT_TRUE(done.has_value()) << done.error().message();
    EXPECT_TRUE(same_bits(read_floats(texture.texture()), image->cells)) << rows << " rows a slice";
  }
}

TEST_F(TextureTest, OldPictureStaysUntilTheNewOneIsWhole) {
  auto uploader = Uploader::create(kFourRows);
  ASSERT_TRUE(uploader.has_value());
  ImageTexture texture(**uploader);
  const auto old_image = random_image(40, 10, 3);
  const auto new_image = random_image(40, 10, 4);
  ASSERT_TRUE(texture.upload(old_image).has_value());
  EXPECT_TRUE(texture.empty());
  ASSERT_TRUE((*uploader)->finish().has_value());
  EXPECT_EQ(texture.shown(), old_image);

  ASSERT_TRUE(texture.upload(new_image).has_value());
  int frames_with_the_old = 0;
  for (int frame = 0; frame < 10'000 && texture.pending(); ++frame) {
    EXPECT_EQ(texture.shown(), old_image);
    EXPECT_TRUE(same_bits(read_floats(texture.texture()), old_image->cells));
    ++frames_with_the_old;
    const auto more = (*uploader)->pump(1);  // one slice of four rows per frame
    ASSERT_TRUE(more.has_value()) << more.error().message();
    EXPECT_EQ(*more, texture.pending());
  }
  EXPECT_GE(frames_with_the_old, 10);
  EXPECT_EQ(texture.shown(), new_image);
  EXPECT_TRUE(same_bits(read_floats(texture.texture()), new_image->cells));
}

TEST_F(TextureTest, LatestRequestWinsOverOneThatIsHalfDone) {
  auto uploader = Uploader::create(kFourRows);
  ASSERT_TRUE(uploader.has_value());
  ImageTexture texture(**uploader);
  const auto first = random_image(40, 10, 5);
  const auto second = random_image(21, 10, 6);
  ASSERT_TRUE(texture.upload(first).has_value());
  ASSERT_TRUE((*uploader)->pump(1).has_value());
  ASSERT_TRUE(texture.upload(second).has_value());
  ASSERT_TRUE((*uploader)->finish().has_value());
  EXPECT_EQ(texture.shown(), second);
  EXPECT_TRUE(same_bits(read_floats(texture.texture()), second->cells));
}

TEST_F(TextureTest, OnlyAnImageOfAnotherSizeAllocatesATexture) {
  ImageTexture texture(*uploader_);
  std::vector<GLuint> names;
  for (unsigned k = 0; k < 4; ++k) {
    ASSERT_TRUE(texture.upload(random_image(9, 8, k)).has_value());
    ASSERT_TRUE(uploader_->finish().has_value());
    names.push_back(texture.texture().id());
  }
  // The two textures alternate.
  EXPECT_EQ(names[0], names[2]);
  EXPECT_EQ(names[1], names[3]);
  EXPECT_NE(names[0], names[1]);

  Texture2D plain(TexelFormat::rg32f);
  EXPECT_TRUE(plain.resize(3, 5));
  const std::vector<float> cells(30, 2.5F);
  plain.write_rows(0, 3, cells.data());
  EXPECT_FALSE(plain.resize(3, 5));
  EXPECT_TRUE(same_bits(read_floats(plain), cells));
  EXPECT_TRUE(plain.resize(5, 3));
  EXPECT_EQ(plain.height(), 5U);
}

TEST_F(TextureTest, TextureDestroyedWhilePendingLeavesTheQueue) {
  {
    ImageTexture texture(*uploader_);
    ASSERT_TRUE(texture.upload(random_image(9, 8, 1)).has_value());
    EXPECT_FALSE(uploader_->idle());
  }
  EXPECT_TRUE(uploader_->idle());
  EXPECT_TRUE(uploader_->finish().has_value());
}

TEST_F(TextureTest, ClearDropsWhatIsShownAndWhatIsPending) {
  const auto texture = shown(random_image(4, 4, 1));
  ASSERT_TRUE(texture->upload(random_image(4, 4, 2)).has_value());
  texture->clear();
  EXPECT_TRUE(texture->empty());
  EXPECT_FALSE(texture->pending());
  EXPECT_TRUE(uploader_->idle());
}

TEST_F(TextureTest, InvalidImagesAreRefusedAndTheOldPictureStays) {
  const auto image = random_image(4, 4, 1);
  const auto texture = shown(image);
  EXPECT_FALSE(texture->upload(nullptr).has_value());
  auto wrong = std::make_shared<CellImage>(*image);
  wrong->cells.pop_back();
  const auto refused = texture->upload(wrong);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::wrong_use);
  auto huge = std::make_shared<CellImage>();
  huge->height = 1;
  huge->width = 4'000'000'000U;
  EXPECT_FALSE(texture->upload(huge).has_value());
  EXPECT_FALSE(texture->upload(std::make_shared<CellImage>()).has_value());
  EXPECT_EQ(texture->shown(), image);
}

/// Mean of channel 0 and maximum of channel 1 over the part of the plane that a texel covers.
std::vector<double> reduced_cells(const CellImage& image, int level) {
  const auto side = [level](std::uint32_t size) { return std::max(size >> level, 1U); };
  const std::uint32_t height = side(image.height);
  const std::uint32_t width = side(image.width);
  std::vector<double> cells;
  const auto overlap = [](double low, double high, std::uint32_t k) {
    return std::max(0.0, std::min(high, k + 1.0) - std::max<double>(low, k));
  };
  for (std::uint32_t row = 0; row < height; ++row)
    for (std::uint32_t column = 0; column < width; ++column) {
      const double per_y = double(image.height) / height;
      const double per_x = double(image.width) / width;
      double sum = 0;
      double weights = 0;
      double most = -1;
      for (std::uint32_t y = 0; y < image.height; ++y)
        for (std::uint32_t x = 0; x < image.width; ++x) {
          const double weight =
              overlap(row * per_y, (row + 1) * per_y, y) * overlap(column * per_x, (column + 1) * per_x, x);
          const std::size_t i = 2 * (std::size_t{y} * image.width + x);
          if (weight < 1e-6 || std::isnan(image.cells[i])) continue;
          sum += weight * image.cells[i];
          weights += weight;
          most = std::max<double>(most, image.cells[i + 1]);
        }
      cells.push_back(weights > 0 ? sum / weights : kNan);
      cells.push_back(weights > 0 ? most : kNan);
    }
  return cells;
}

TEST_F(TextureTest, FirstLevelOfThePyramidIsMeanAndMaximumAndLeavesNanOut) {
  for (const auto& [height, width] : {std::pair{8U, 8U}, {7U, 12U}, {9U, 5U}, {1U, 6U}, {2U, 1U}}) {
    auto image = random_image(height, width, height * width);
    for (std::size_t i = 0; i < image->cells.size(); i += 14) image->cells[i] = image->cells[i + 1] = kNan;
    const auto texture = shown(image);
    const Texture2D& with_pyramid = texture->texture_with_pyramid();
    const std::vector<float> got = read_floats(with_pyramid, 1);
    const std::vector<double> want = reduced_cells(*image, 1);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(want[i])) {
        EXPECT_TRUE(std::isnan(got[i]));
      } else {
        EXPECT_NEAR(got[i], want[i], 1e-5 * want[i]) << height << "x" << width << " at " << i;
      }
    }
  }
}

TEST_F(TextureTest, OneEntryReachesTheTopOfThePyramidFromAnywhere) {
  for (const std::size_t place : {0U, 5U, 76U, 150U, 131U, 90U}) {
    auto image = image_of(11, 14, {0, 0, 11, 14}, [](auto, auto) { return 0.0F; });
    const auto empty_texture = shown(image);
    const Texture2D& none = empty_texture->texture_with_pyramid();
    EXPECT_EQ(read_floats(none, none.levels() - 1)[0], 0);
    image = std::make_shared<CellImage>(*image);
    image->cells[2 * place] = 1;
    image->cells[2 * place + 1] = 1;
    const auto texture = shown(image);
    const Texture2D& pyramid = texture->texture_with_pyramid();
    const std::vector<float> top = read_floats(pyramid, pyramid.levels() - 1);
    ASSERT_EQ(top.size(), 2U);
    EXPECT_GT(top[0], 0) << place;
    EXPECT_EQ(top[1], 1) << place;
  }
}

}  // namespace
}  // namespace spyctrum::testing
