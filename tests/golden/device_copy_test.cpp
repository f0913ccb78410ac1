// SPDX-License-Identifier: Apache-2.0
// Copies of pictures from a device into textures. A fake plays the device and writes into real textures;
// copies are refused, fail, are replaced by newer ones, or lose their picture. On the fake device every cell
// is 1000 larger than on the host, so that the value of a texel shows by which path it was uploaded.
#include <memory>
#include <random>

#include "tests/golden/gl_fixture.hpp"
#include "tests/support/fake_pictures.hpp"
#include "tests/support/read_floats.hpp"

namespace spyctrum::testing {
namespace {

using render::ImageTexture;
using render::UploadPath;
using test::FakePicture;
using test::FakePictures;
using test::read_floats;

constexpr float kOnDevice = 1000;

class DeviceCopyTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (HasFatalFailure()) return;
    fake_.write = [](unsigned texture, std::uint32_t height, std::uint32_t width,
                     const std::vector<float>& cells) {
      glTextureSubImage2D(texture, 0, 0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height), GL_RG,
                          GL_FLOAT, cells.data());
    };
    uploader_->use(&fake_);
  }

  std::shared_ptr<const CellImage> device_image(std::uint32_t height, std::uint32_t width, float value,
                                                FakePictures* owner = nullptr) {
    auto image = image_of(height, width, {0, 0, double(height), double(width)},
                          [&](auto row, auto column) { return value + float(row) + float(column) / 64; });
    std::vector<float> cells = image->cells;
    for (float& cell : cells) cell += kOnDevice;
    image->device =
        std::make_shared<FakePicture>(height, width, std::move(cells), owner != nullptr ? *owner : fake_);
    return image;
  }
  bool pump() {
    const auto more = uploader_->pump();
    EXPECT_TRUE(more.has_value());
    return more && *more;
  }
  void finish() {
    for (int frame = 0; frame < 1000 && pump();) ++frame;
    EXPECT_TRUE(uploader_->idle());
  }
  void show(ImageTexture& texture, std::shared_ptr<const CellImage> image) {
    ASSERT_TRUE(texture.upload(std::move(image)));
    finish();
  }
  static float first_texel(const ImageTexture& texture) { return read_floats(texture.texture()).front(); }
  /// Whether all texels are those of the image, on the device or on the host.
  static bool shows(const ImageTexture& texture, const CellImage& image, bool from_device) {
    const std::vector<float> texels = read_floats(texture.texture());
    const auto expected = [&](std::size_t k) { return image.cells[k] + (from_device ? kOnDevice : 0); };
    for (std::size_t k = 0; k < texels.size(); ++k)
      if (texels[k] != expected(k)) return false;
    return texels.size() == image.cells.size();
  }

  FakePictures fake_;
};

TEST_F(DeviceCopyTest, CellsComeFromTheDeviceAndTheOldPictureStaysUntilThen) {
  fake_.frames_to_copy = 3;
  ImageTexture texture(*uploader_);
  const auto first = device_image(9, 7, 1);
  const auto second = device_image(9, 7, 2);
  show(texture, first);
  EXPECT_TRUE(shows(texture, *first, true));
  EXPECT_FALSE(shows(texture, *first, false)) << "the two paths can be told apart";
  EXPECT_EQ(texture.path(), UploadPath::interop);
  ASSERT_TRUE(texture.upload(second));
  for (int frame = 0; frame < 3; ++frame) {
    EXPECT_TRUE(pump()) << "another frame is needed while the device copies";
    EXPECT_TRUE(shows(texture, *first, true)) << frame;
  }
  finish();
  EXPECT_TRUE(shows(texture, *second, true));
  show(texture, first);
  EXPECT_EQ(fake_.links, 2) << "one for each of the two textures, kept";
}

TEST_F(DeviceCopyTest, ARefusedRegistrationMeansPixelBuffersWithTheReason) {
  FakePictures other;
  other.write = fake_.write;
  fake_.refusal = "OpenGL is drawn by another device";
  ImageTexture texture(*uploader_);
  const auto image = device_image(9, 7, 1);
  show(texture, image);
  EXPECT_TRUE(shows(texture, *image, false));
  EXPECT_EQ(texture.path(), UploadPath::pixel_buffer);
  EXPECT_EQ(uploader_->device_copies().refusal(), fake_.refusal);
  fake_.refusal.clear();
  show(texture, device_image(9, 7, 2));
  EXPECT_EQ(texture.path(), UploadPath::pixel_buffer) << "the device is not tried again";
  uploader_->use(&other);  // another device is tried again
  show(texture, device_image(9, 7, 3, &other));
  EXPECT_EQ(texture.path(), UploadPath::interop);
  EXPECT_EQ(uploader_->device_copies().refusal(), "");
}

TEST_F(DeviceCopyTest, ACopyThatFailsMidwayIsDoneThroughPixelBuffers) {
  fake_.copies_before_failure = 1;
  fake_.frames_to_copy = 2;
  ImageTexture texture(*uploader_);
  const auto first = device_image(9, 7, 1);
  const auto second = device_image(9, 7, 2);
  show(texture, first);
  show(texture, second);
  EXPECT_TRUE(shows(texture, *second, false));
  EXPECT_EQ(texture.path(), UploadPath::pixel_buffer);
  EXPECT_EQ(uploader_->device_copies().refusal(), "the copy failed");
}

TEST_F(DeviceCopyTest, ANewerPictureOfAnotherSizeWaitsForTheCopyAndReplacesIt) {
  fake_.frames_to_copy = 2;
  ImageTexture texture(*uploader_);
  ASSERT_TRUE(texture.upload(device_image(9, 7, 1)));
  EXPECT_TRUE(pump());
  const auto newer = device_image(20, 30, 2);
  ASSERT_TRUE(texture.upload(newer));
  EXPECT_TRUE(pump());
  EXPECT_TRUE(texture.empty()) << "the older one is not shown any more";
  finish();
  EXPECT_TRUE(shows(texture, *newer, true));
  EXPECT_EQ(fake_.links_alive, 1) << "the link of the old size is gone";
}

TEST_F(DeviceCopyTest, APictureIsKeptWhileItIsCopiedAndFreedWhenItIsReplaced) {
  fake_.frames_to_copy = 2;
  ImageTexture texture(*uploader_);
  ASSERT_TRUE(texture.upload(device_image(9, 7, 1)));
  EXPECT_TRUE(pump());
  EXPECT_EQ(fake_.alive(), 1U) << "the texture alone holds it";
  texture.clear();
  EXPECT_EQ(fake_.alive(), 1U) << "the device still reads it";
  show(texture, device_image(9, 7, 2));
  EXPECT_FALSE(fake_.copied_from_the_dead);
  EXPECT_EQ(fake_.alive(), 1U);
  EXPECT_FLOAT_EQ(first_texel(texture), 1002);
}

TEST_F(DeviceCopyTest, AnImageOfTheHostFollowsOneOfTheDevice) {
  fake_.frames_to_copy = 2;
  ImageTexture texture(*uploader_);
  ASSERT_TRUE(texture.upload(device_image(9, 7, 1)));
  EXPECT_TRUE(pump());
  const auto host = image_of(9, 7, {0, 0, 9, 7}, [](auto, auto) { return 5.0F; });
  show(texture, host);
  EXPECT_TRUE(shows(texture, *host, false));
  EXPECT_EQ(texture.path(), UploadPath::pixel_buffer);
}

TEST_F(DeviceCopyTest, ASlowDeviceDoesNotHoldUpPixelBuffers) {
  fake_.frames_to_copy = 1000000;
  ImageTexture slow(*uploader_);
  ImageTexture quick(*uploader_);
  ASSERT_TRUE(slow.upload(device_image(9, 7, 1)));
  ASSERT_TRUE(quick.upload(image_of(9, 7, {0, 0, 9, 7}, [](auto, auto) { return 5.0F; })));
  for (int frame = 0; frame < 10; ++frame) (void)pump();
  EXPECT_FALSE(quick.empty());
  EXPECT_TRUE(slow.empty());
}

TEST_F(DeviceCopyTest, LinksAreReleasedWithTheirTexturesAndBeforeThem) {
  {
    ImageTexture texture(*uploader_);
    fake_.frames_to_copy = 2;
    ASSERT_TRUE(texture.upload(device_image(9, 7, 1)));
    EXPECT_TRUE(pump());
    EXPECT_EQ(fake_.links_alive, 1);
  }
  EXPECT_EQ(fake_.links_alive, 0);
  EXPECT_EQ(fake_.alive(), 0U);
}

TEST_F(DeviceCopyTest, AThousandRandomRequestsEndInTheLastPicture) {
  std::mt19937 random(11);
  ImageTexture texture(*uploader_);
  std::shared_ptr<const CellImage> expected;
  float value = 0;
  for (int cycle = 0; cycle < 1000; ++cycle) {
    fake_.frames_to_copy = static_cast<int>(random() % 4);
    if (random() % 8 == 0) {
      texture.clear();
      expected.reset();
    } else {
      value += 1;
      const std::uint32_t height = 4 + static_cast<std::uint32_t>(random() % 3);
      expected = random() % 5 == 0
                     ? image_of(height, 6, {0, 0, double(height), 6}, [&](auto, auto) { return value; })
                     : device_image(height, 6, value);
      ASSERT_TRUE(texture.upload(expected));
    }
    for (unsigned frames = random() % 4; frames > 0; --frames) (void)pump();
    ASSERT_LE(fake_.alive(), 3U) << "shown, copied and expected at most";
  }
  value += 1;
  expected = device_image(5, 6, value);
  show(texture, expected);
  EXPECT_TRUE(shows(texture, *expected, true));
  EXPECT_FALSE(fake_.copied_from_the_dead);
  EXPECT_LE(fake_.links_alive, 2);
}

}  // namespace
}  // namespace spyctrum::testing
