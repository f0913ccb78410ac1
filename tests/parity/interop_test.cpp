// SPDX-License-Identifier: Apache-2.0
// Pictures by a CUDA device against those of the CPU, and both ways into an OpenGL texture against each
// other, bit for bit. Needs an NVIDIA GPU that also draws OpenGL (EGL); without one the tests report that
// nothing was compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>

#include "core/device/backends.hpp"
#include "core/device/loader.hpp"
#include "render/context.hpp"
#include "render/image_texture.hpp"
#include "render/image_view.hpp"
#include "tests/support/lost_context.hpp"
#include "tests/support/picture_parity.hpp"
#include "tests/support/read_floats.hpp"
#include "tests/support/read_panel.hpp"

namespace spyctrum::test {
namespace {

constexpr Backend kDevice{BackendKind::cuda, 0, false};

ThreadPool& pool() {
  static ThreadPool pool(0);
  return pool;
}

cuda::Pictures* device_pictures() {
  cuda::Module* module = cuda::loaded_module().module;
  return module != nullptr ? &module->pictures() : nullptr;
}

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_pictures() != nullptr) return;
    std::printf("NOT COMPARED, no CUDA device: %s\n", cuda_unavailable_reason().c_str());
    GTEST_SKIP() << cuda_unavailable_reason();
  }
};

TEST_F(DeviceTest, PicturesOfAwkwardPatternsEqualThoseOfTheCpu) {
  DevicePictures device(*device_pictures(), kDevice);
  for (const NamedPattern& named : awkward_patterns())
    compare_pictures(device, named, {23, 31}, 400, 3e-5, pool());
}

TEST_F(DeviceTest, PicturesOfLargerPatternsEqualThoseOfTheCpu) {
  DevicePictures device(*device_pictures(), kDevice);
  compare_pictures(device, {"1000x1000", random_pattern(1000, 1000, 20000, 11)}, {200, 310}, 1U << 16U, 3e-5,
                   pool());
  compare_pictures(device, {"1009x700 crowded", random_pattern(1009, 700, 300000, 12)}, {130, 90}, 1U << 14U,
                   3e-5, pool());
}

class InteropTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    auto opened = render::open_offscreen({640, 480, 1, render::OffscreenDevice::hardware});
    if (!opened) {
      std::printf("NOT COMPARED, no OpenGL: %s\n", opened.error().message().c_str());
      GTEST_SKIP() << opened.error().message();
    }
    context_ = std::move(*opened);
    pictures_.emplace(*device_pictures(), kDevice);
    by_device_ = std::move(*render::Uploader::create(render::Uploader::kSliceBytes, device_pictures()));
    by_host_ = std::move(*render::Uploader::create());
  }
  void TearDown() override {
    by_device_.reset();
    by_host_.reset();
    context_.reset();
  }
  std::shared_ptr<const CellImage> picture(const PatternPtr& pattern, std::uint32_t height,
                                           std::uint32_t width) {
    JobContext context(pool());
    return std::make_shared<const CellImage>(pictures_->exact_image(
        pattern, nullptr, {full_spectrum_rect(pattern->rows(), pattern->cols()), height, width}, 1U << 20U,
        context));
  }
  /// Texels of a level after `uploader` has uploaded the image.
  static std::vector<float> texels(render::Uploader& uploader, render::ImageTexture& texture,
                                   const std::shared_ptr<const CellImage>& image, int level = 0) {
    EXPECT_TRUE(texture.upload(image));
    EXPECT_TRUE(uploader.finish());
    return read_floats(texture.texture_with_pyramid(), level);
  }
  static bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
  }

  std::unique_ptr<render::Context> context_;
  std::unique_ptr<render::Uploader> by_device_, by_host_;
  std::optional<DevicePictures> pictures_;
};

TEST_F(InteropTest, BothPathsGiveTheSameTexelsAtEveryLevelAndSize) {
  const PatternPtr pattern = random_pattern(1000, 900, 20000, 3);
  render::ImageTexture device_texture(*by_device_);
  render::ImageTexture host_texture(*by_host_);
  for (const PictureSize size : {PictureSize{480, 640}, PictureSize{480, 640}, PictureSize{1, 1},
                                 PictureSize{77, 333}, PictureSize{1080, 1920}, PictureSize{3, 2000}}) {
    SCOPED_TRACE(std::to_string(size.height) + " x " + std::to_string(size.width));
    const auto image = picture(pattern, size.height, size.width);
    ASSERT_TRUE(image->device);
    EXPECT_TRUE(same_bits(texels(*by_device_, device_texture, image), image->cells));
    EXPECT_EQ(device_texture.path(), render::UploadPath::interop) << by_device_->device_copies().refusal();
    EXPECT_TRUE(same_bits(texels(*by_host_, host_texture, image), image->cells));
    EXPECT_EQ(host_texture.path(), render::UploadPath::pixel_buffer);
    for (int level = 1; level < device_texture.texture().levels(); ++level)
      EXPECT_TRUE(same_bits(read_floats(device_texture.texture_with_pyramid(), level),
                            read_floats(host_texture.texture_with_pyramid(), level)))
          << level;
  }
}

TEST_F(InteropTest, BothPathsDrawTheSamePixels) {
  const PatternPtr pattern = random_pattern(1000, 900, 20000, 3);
  auto renderer = std::move(*render::ImageRenderer::create());
  const auto image = picture(pattern, 480, 640);
  std::vector<std::vector<std::uint8_t>> drawn;
  for (render::Uploader* uploader : {by_device_.get(), by_host_.get()}) {
    render::ImageTexture texture(*uploader);
    ASSERT_TRUE(texture.upload(image));
    ASSERT_TRUE(uploader->finish());
    render::ImageView view;
    render::ViewRequest request;
    request.view = image->rect;
    request.first = {&texture, {3, 6}};
    ASSERT_TRUE(view.draw(*renderer, request, 480, 640));
    drawn.push_back(read_panel(*view.target()).rgb);
  }
  EXPECT_TRUE(drawn[0] == drawn[1]);
  EXPECT_NE(*std::max_element(drawn[0].begin(), drawn[0].end()),
            *std::min_element(drawn[0].begin(), drawn[0].end()))
      << "a picture of one colour would compare nothing";
}

/// A real context is closed and another one opened; only the driver's report of the reset is simulated.
TEST_F(InteropTest, ALostContextIsReplacedAndBothPathsDrawTheSamePixelsAsBefore) {
  const auto image = picture(random_pattern(1000, 900, 20000, 3), 480, 640);
  const auto drawn = [&](render::Uploader& uploader, render::UploadPath path) {
    auto renderer = std::move(*render::ImageRenderer::create());
    render::ImageTexture texture(uploader);
    EXPECT_TRUE(same_bits(texels(uploader, texture, image), image->cells));
    EXPECT_EQ(texture.path(), path) << uploader.device_copies().refusal();
    render::ImageView view;
    render::ViewRequest request;
    request.view = image->rect;
    request.first = {&texture, {3, 6}};
    EXPECT_TRUE(view.draw(*renderer, request, 480, 640));
    return read_panel(*view.target()).rgb;
  };
  const std::vector<std::uint8_t> before = drawn(*by_device_, render::UploadPath::interop);
  ASSERT_NE(*std::max_element(before.begin(), before.end()), *std::min_element(before.begin(), before.end()));
  for (int time = 0; time < 3; ++time) {
    SCOPED_TRACE(time);
    auto linked = std::make_unique<render::ImageTexture>(*by_device_);
    EXPECT_TRUE(same_bits(texels(*by_device_, *linked, image), image->cells));
    // One registration is idle, another in the middle of a copy.
    auto copied = std::make_unique<render::ImageTexture>(*by_device_);
    ASSERT_TRUE(copied->upload(image));
    ASSERT_TRUE(by_device_->pump());
    lose_context();
    ASSERT_NE(context_->loss(), "");
    linked.reset();
    copied.reset();
    by_device_.reset();
    by_host_.reset();
    EXPECT_EQ(deleted_names, 0);
    const auto renewed = context_->renew();
    ASSERT_TRUE(renewed) << renewed.error().message();
    by_device_ = std::move(*render::Uploader::create(render::Uploader::kSliceBytes, device_pictures()));
    by_host_ = std::move(*render::Uploader::create());
    EXPECT_TRUE(drawn(*by_host_, render::UploadPath::pixel_buffer) == before);
    EXPECT_TRUE(drawn(*by_device_, render::UploadPath::interop) == before);
  }
}

TEST_F(InteropTest, AThousandReplacedResizedAndClearedPicturesEndInTheLast) {
  const PatternPtr pattern = random_pattern(300, 300, 3000, 3);
  std::vector<std::shared_ptr<const CellImage>> images;
  for (const PictureSize size :
       {PictureSize{100, 120}, PictureSize{100, 120}, PictureSize{90, 200}, PictureSize{256, 256}})
    images.push_back(picture(random_pattern(300, 300, 3000, static_cast<unsigned>(images.size())),
                             size.height, size.width));
  std::mt19937 random(7);
  const std::uint64_t before = device_pictures()->free_bytes(0);
  render::ImageTexture texture(*by_device_);
  std::shared_ptr<const CellImage> expected;
  for (int cycle = 0; cycle < 1000; ++cycle) {
    if (random() % 16 == 0) {
      texture.clear();
      expected.reset();
    } else {
      // The test frees its reference at once, so that only the texture keeps the picture while the device
      // copies.
      expected = random() % 2 == 0
                     ? images[random() % images.size()]
                     : picture(pattern, 60 + static_cast<std::uint32_t>(random() % 2) * 40, 120);
      ASSERT_TRUE(texture.upload(expected));
    }
    for (unsigned frames = random() % 3; frames > 0; --frames) ASSERT_TRUE(by_device_->pump());
  }
  expected = images[3];
  EXPECT_TRUE(same_bits(texels(*by_device_, texture, expected), expected->cells));
  EXPECT_EQ(texture.path(), render::UploadPath::interop) << by_device_->device_copies().refusal();
  EXPECT_GE(device_pictures()->free_bytes(0) + (std::uint64_t{64} << 20U), before);
}

/// A device that copies nothing and fails at the chosen step.
class FailingPictures : public cuda::Pictures {
 public:
  enum class At { link, start, end };
  explicit FailingPictures(At at) : at_(at) {}
  [[nodiscard]] std::uint64_t free_bytes(int) override { return 0; }
  [[nodiscard]] cuda::DeviceData* upload_pattern(int, const cuda::PatternView&, const std::uint32_t*,
                                                 std::uint64_t, cuda::Host&) override {
    return nullptr;
  }
  [[nodiscard]] cuda::DeviceData* sort_order(int, const cuda::DeviceData&, const cuda::LatticeAxisSpec&,
                                             const cuda::LatticeAxisSpec&, cuda::LatticeOrder,
                                             cuda::Host&) override {
    return nullptr;
  }
  [[nodiscard]] cuda::DeviceData* upload_values(int, const float*, std::uint64_t, cuda::Host&) override {
    return nullptr;
  }
  [[nodiscard]] cuda::DeviceData* upload_pyramid(int, const float*, const float*, std::uint64_t,
                                                 cuda::Host&) override {
    return nullptr;
  }
  [[nodiscard]] cuda::DevicePicture* draw(int, const cuda::PictureTask&, float*, cuda::Host&) override {
    return nullptr;
  }
  void patch(cuda::DevicePicture&, const std::uint32_t*, const float*, std::uint64_t, cuda::Host&) override {}
  [[nodiscard]] cuda::TextureLink* link(int, unsigned, std::uint32_t, std::uint32_t, char* why,
                                        std::size_t size) override {
    if (at_ == At::link) {
      (void)std::snprintf(why, size, "%s", kReason);
      return nullptr;
    }
    return new Link(at_);
  }
  static constexpr const char* kReason = "the context was lost";

 private:
  class Link : public cuda::TextureLink {
   public:
    explicit Link(At at) : at_(at) {}
    [[nodiscard]] bool start(const cuda::DevicePicture&) override { return at_ != At::start; }
    [[nodiscard]] State state() override { return asked_++ == 0 ? State::copying : State::failed; }
    [[nodiscard]] const char* why() const override { return kReason; }

   private:
    At at_;
    int asked_ = 0;
  };
  At at_;
};

struct FakePicture : cuda::DevicePicture {
  [[nodiscard]] int device() const override { return 0; }
  [[nodiscard]] std::uint32_t height() const override { return 20; }
  [[nodiscard]] std::uint32_t width() const override { return 30; }
};

TEST(InteropThatFails, AtAnyStepGivesTheSamePixelsThroughAPixelBufferAndKeepsTheReason) {
  auto context = render::open_offscreen({64, 64, 1, render::OffscreenDevice::software});
  if (!context) GTEST_SKIP() << context.error().message();
  for (const auto at : {FailingPictures::At::link, FailingPictures::At::start, FailingPictures::At::end}) {
    SCOPED_TRACE(static_cast<int>(at));
    FailingPictures failing(at);
    auto uploader = std::move(*render::Uploader::create(render::Uploader::kSliceBytes, &failing));
    auto image = std::make_shared<CellImage>();
    image->rect = full_pattern_rect(20, 30);
    image->height = 20;
    image->width = 30;
    for (int k = 0; k < 2 * 20 * 30; ++k) image->cells.push_back(static_cast<float>(k));
    image->device = std::make_shared<FakePicture>();
    {
      render::ImageTexture texture(*uploader);
      for (int picture = 0; picture < 2; ++picture) {  // the second does not try the device again
        ASSERT_TRUE(texture.upload(std::make_shared<CellImage>(*image)));
        ASSERT_TRUE(uploader->finish());
        EXPECT_EQ(texture.path(), render::UploadPath::pixel_buffer);
        EXPECT_NE(uploader->device_copies().refusal().find(FailingPictures::kReason), std::string::npos);
        EXPECT_EQ(read_floats(texture.texture()), image->cells);
      }
    }
    uploader.reset();
  }
}

TEST(InteropWithoutItsDevice, ATextureOfAnotherRendererIsRefusedAndUploadedInstead) {
  if (device_pictures() == nullptr) GTEST_SKIP() << cuda_unavailable_reason();
  auto context = render::open_offscreen({64, 64, 1, render::OffscreenDevice::software});
  // NVIDIA's driver, too, offers a platform without surfaces.
  if (!context || (*context)->renderer().find("NVIDIA") != std::string::npos) {
    std::printf("(nothing to refuse): there is none here\n");
    GTEST_SKIP() << "no other renderer here";
  }
  DevicePictures pictures(*device_pictures(), kDevice);
  auto uploader = std::move(*render::Uploader::create(render::Uploader::kSliceBytes, device_pictures()));
  JobContext job(pool());
  const auto image = std::make_shared<const CellImage>(
      pictures.pattern_image(random_pattern(30, 30, 90, 1), {full_pattern_rect(30, 30), 20, 20}, job));
  {
    render::ImageTexture texture(*uploader);
    ASSERT_TRUE(texture.upload(image));
    ASSERT_TRUE(uploader->finish());
    EXPECT_EQ(texture.path(), render::UploadPath::pixel_buffer);
    EXPECT_NE(uploader->device_copies().refusal(), "");
    EXPECT_EQ(read_floats(texture.texture()), image->cells);
  }
  uploader.reset();
}

}  // namespace
}  // namespace spyctrum::test
