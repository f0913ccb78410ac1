// SPDX-License-Identifier: Apache-2.0
// Moving pictures as files: opened again with libwebp's own decoder, and what is left where one fails.
#ifdef SPYCTRUM_WEBP_DEMUX
#include <webp/demux.h>
#endif

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/figures/animation.hpp"
#include "app/figures/comparison_page.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum {
namespace {

namespace fs = std::filesystem;

class AnimationFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return scratch_.file(name); }
  /// A picture of one colour under a caption; `rows` changes the height of the figure.
  static ComparisonFigure frame(std::uint32_t rgb, const std::string& caption, std::size_t rows = 1) {
    FigureRow row;
    row.map = &color_maps().front();
    row.range = {0, 3};
    row.shown = row.plane = {-8, -8, 8, 8};
    row.pictures = {FigurePicture{1, 1, {rgb}, row.plane, "spectrum"}};
    ComparisonFigure figure{"a matrix", {"exact"}, std::vector<FigureRow>(rows, row), false};
    figure.caption = caption;
    return figure;
  }
  test::ScratchFolder scratch_;
};

constexpr std::uint32_t kRed = 0xCC2200, kBlue = 0x0033BB;

TEST_F(AnimationFiles, NumberedPicturesAreLeftOnlyWhereAllWereWritten) {
  for (const bool finishes : {true, false}) {
    auto file = open_animation(path("a.png"), 1, 0.5);
    ASSERT_TRUE(file) << file.error().message();
    (*file)->add(frame(kRed, "b = 1"));
    (*file)->add(frame(kBlue, "b = 2"));
    EXPECT_EQ(scratch_.files(), 2U);
    if (finishes) {
      EXPECT_EQ((*file)->finish({}), path("a-001.png") + " … a-002.png");
    }
    file->reset();
    EXPECT_EQ(scratch_.files(), finishes ? 2U : 0U);
    EXPECT_EQ(fs::exists(path("a-002.png")), finishes);
    fs::remove(path("a-001.png"));
    fs::remove(path("a-002.png"));
  }
  EXPECT_EQ(open_animation(path("a.gif"), 1, 0.5).error().code, ErrorCode::wrong_use);
  EXPECT_EQ(open_animation(path("no/a.png"), 1, 0.5).error().code, ErrorCode::output);
}

TEST_F(AnimationFiles, APictureOnAFullDiskIsAnErrorAndTakesTheOthersWithIt) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "NOT TESTED: there is no /dev/full";
  fs::create_symlink("/dev/full", path("a-002.png"));
  auto file = open_animation(path("a.png"), 1, 0.5);
  ASSERT_TRUE(file);
  (*file)->add(frame(kRed, "b = 1"));
  EXPECT_TRUE(fs::exists(path("a-001.png")));
  const Result<void> refused = run_guarded([&] { (*file)->add(frame(kBlue, "b = 2")); });
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("a-002.png"), std::string::npos) << refused.error().message();
  EXPECT_NE(refused.error().message().find("No space left on device"), std::string::npos);
  file->reset();
  EXPECT_FALSE(fs::exists(path("a-001.png")));
}

TEST_F(AnimationFiles, WithoutLibwebpTheProgramSaysSo) {
  const auto file = open_animation(path("a.webp"), 1, 0.5);
#ifdef SPYCTRUM_WEBP
  EXPECT_TRUE(file);
#else
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message().find("libwebp"), std::string::npos);
#endif
}

#ifdef SPYCTRUM_WEBP_DEMUX

TEST_F(AnimationFiles, AnAnimatedWebpHoldsEveryFrameAsTheFigureIsDrawn) {
  auto file = open_animation(path("a.webp"), 1, 0.25);
  ASSERT_TRUE(file) << file.error().message();
  (*file)->add(frame(kRed, "b = 1"));
  (*file)->add(frame(kBlue, "b = 2"));
  EXPECT_EQ(scratch_.files(), 0U) << "nothing is written before the last frame";
  EXPECT_EQ((*file)->finish({}), path("a.webp"));
  std::ifstream in(path("a.webp"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  const std::unique_ptr<WebPAnimDecoder, void (*)(WebPAnimDecoder*)> decoder(
      WebPAnimDecoderNew(&data, nullptr), WebPAnimDecoderDelete);
  ASSERT_TRUE(decoder);
  WebPAnimInfo facts;
  ASSERT_TRUE(WebPAnimDecoderGetInfo(decoder.get(), &facts));
  EXPECT_EQ(facts.frame_count, 2U);
  EXPECT_EQ(facts.loop_count, 0U) << "for ever";
  for (const int k : {1, 2}) {
    std::uint8_t* rgba = nullptr;
    int end = 0;
    ASSERT_TRUE(WebPAnimDecoderGetNext(decoder.get(), &rgba, &end));
    EXPECT_EQ(end, 250 * k);
    const Raster drawn = draw_comparison(frame(k == 1 ? kRed : kBlue, k == 1 ? "b = 1" : "b = 2"), 1);
    ASSERT_EQ(facts.canvas_width, drawn.width);
    ASSERT_EQ(facts.canvas_height, drawn.height);
    std::size_t different = 0;
    for (std::size_t p = 0; p < drawn.rgb.size(); ++p) {
      const std::uint32_t there = static_cast<std::uint32_t>(rgba[4 * p]) << 16U |
                                  static_cast<std::uint32_t>(rgba[4 * p + 1]) << 8U | rgba[4 * p + 2];
      different += there == (drawn.rgb[p] & 0xFFFFFFU) ? 0 : 1;
    }
    EXPECT_EQ(different, 0U) << "lossless, frame " << k;
  }
}

TEST_F(AnimationFiles, FramesOfDifferentSizesAndAFullDiskAreErrors) {
  auto file = open_animation(path("a.webp"), 1, 0.25);
  ASSERT_TRUE(file);
  (*file)->add(frame(kRed, "b = 1"));
  EXPECT_THROW((*file)->add(frame(kRed, "b = 2", 2)), Failure);
  file->reset();
  EXPECT_EQ(scratch_.files(), 0U);
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "NOT TESTED: there is no /dev/full";
  fs::create_symlink("/dev/full", path("full.webp"));
  auto full = open_animation(path("full.webp"), 1, 0.25);
  ASSERT_TRUE(full);
  (*full)->add(frame(kRed, "b = 1"));
  EXPECT_THROW((*full)->finish({}), Failure);
}

#endif

}  // namespace
}  // namespace spyctrum
