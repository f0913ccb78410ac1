// SPDX-License-Identifier: Apache-2.0
// The whole program with a fake device played by the CPU: its pictures reach the screen by interop, the
// status bar shows that, and where the device fails the same screen is drawn through pixel buffers.
#include "core/device/loader.hpp"
#include "render/gl_check.hpp"
#include "tests/gui/gui_fixture.hpp"
#include "tests/support/fake_pictures.hpp"
#include "tests/support/lost_context.hpp"

namespace spyctrum::testing {
namespace {

constexpr const char* kMatrix = "gen:stochastic-blocks:n=120,blocks=6,p_in=0.15,p_out=0.005";

class WithDevice : public GuiTest {
 protected:
  void SetUp() override {
    fake_.write = [](unsigned texture, std::uint32_t height, std::uint32_t width,
                     const std::vector<float>& cells) {
      glTextureSubImage2D(texture, 0, 0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height), GL_RG,
                          GL_FLOAT, cells.data());
    };
    GuiTest::SetUp();
  }
  [[nodiscard]] Controller::Options controller_options() override {
    Controller::Options options;
    options.pictures = &fake_;
    return options;
  }
  /// The usual columns, with reconstructions that a device draws: fill "best" is drawn by the CPU.
  void open_bilinear(const std::string& source) {
    ScaleSettings scale = state().scale;
    scale.fill = Fill::bilinear;
    act(action::SetScale{scale});
    open(source);
  }
  test::FakePictures fake_;
};

TEST_F(WithDevice, PicturesComeByInteropAndLookTheSameAsByPixelBuffers) {
  open_bilinear(kMatrix);
  EXPECT_GT(fake_.drawn, 2);
  EXPECT_GT(fake_.copies, 2);
  EXPECT_EQ(state().status.upload_path, "interop") << state().status.upload_reason;
  const Pixels by_interop = pixels_of("picture spectrum 2");
  ASSERT_GT(contrast(by_interop), 5);
  fake_.copies_before_failure = 0;  // the next copy fails
  act(action::SetBlock{8});
  settle();
  EXPECT_EQ(state().status.upload_reason, "the copy failed");
  act(action::SetBlock{16});
  settle();
  EXPECT_NE(state().status.upload_path, "interop");
  EXPECT_LT(share_changed(by_interop, pixels_of("picture spectrum 2"), 0), 1e-9) << "the same pixels";
}

TEST_F(WithDevice, WhenTheDeviceIsFullTheCpuDrawsAndTheLogReportsIt) {
  fake_.draw_failure = "no memory left";
  open(kMatrix);
  EXPECT_EQ(state().status.upload_path, "pixel buffer");
  EXPECT_GT(contrast(pixels_of("picture spectrum 1")), 3);
  const bool said = std::any_of(state().log.begin(), state().log.end(), [](const LogEntry& entry) {
    return entry.text.find("no memory left") != std::string::npos &&
           entry.text.find("by the CPU") != std::string::npos;
  });
  EXPECT_TRUE(said);
  fake_.draw_failure.clear();
  act(action::SetView{Plane::spectrum, {-10.5, -10.5, 9.5, 9.5}, true});
  settle();
  EXPECT_GT(fake_.drawn, 0) << "a full device is used again, a lost one is not";
}

TEST_F(WithDevice, ResidentDataAreListedAndFreedWhenTheirMatrixIsClosed) {
  open(kMatrix);
  const auto held = [&] {
    const auto& device = state().status.device_memory;
    return device ? device->patterns + device->orders + device->values : 0;
  };
  EXPECT_TRUE(draw_until([&] { return held() > 0; }));
  EXPECT_GT(state().status.device_memory->patterns, 0U);
  EXPECT_GT(state().status.device_memory->orders, 0U);
  EXPECT_GT(state().status.device_memory->jobs_peak, 0U);
  EXPECT_GT(state().status.device_memory->free, 0U);
  act(action::CloseMatrix{0});
  settle();
  EXPECT_EQ(held(), 0U) << "released at once, not at the next use";
  EXPECT_GT(fake_.spare_released, 0) << "spare memory is released too";
  EXPECT_EQ(state().status.device_memory->jobs, 0U);
}

TEST_F(WithDevice, ALostDeviceIsReportedOnceAndReplacedByTheCpu) {
  open(kMatrix);
  const int drawn = fake_.drawn;
  fake_.draw_failure = "drawing a picture: an illegal memory access was encountered";
  fake_.draw_error = cuda::DeviceError::lost;
  act(action::SetView{Plane::spectrum, {-10.5, -10.5, 9.5, 9.5}, true});
  act(action::SetView{Plane::pattern, {0, 0, 30, 30}, true});
  settle();
  fake_.draw_failure.clear();
  act(action::SetBlock{8});
  settle();
  EXPECT_EQ(fake_.drawn, drawn) << "it is not used again";
  EXPECT_EQ(state().status.upload_path, "pixel buffer");
  EXPECT_GT(contrast(pixels_of("picture spectrum 1")), 3);
  const std::string lost = "CUDA is lost until the program is started again: " +
                           std::string("drawing a picture: an illegal memory access was encountered");
  EXPECT_EQ(state().status.cuda_reason, lost);
  EXPECT_EQ(state().status.backend.find("CPU"), 0U) << state().status.backend;
  const auto said = std::count_if(state().log.begin(), state().log.end(), [&](const LogEntry& entry) {
    return entry.level != Level::info && entry.text.find("lost") != std::string::npos;
  });
  EXPECT_EQ(said, 1);
  for (const Column& column : state().columns) EXPECT_FALSE(column.error) << column.label;
  cuda::note_loss("");
}

TEST_F(WithDevice, ALostContextIsReplacedAndShowsTheSamePicturesByEitherPath) {
  open_bilinear(kMatrix);
  ASSERT_EQ(state().status.upload_path, "interop");
  const auto pictures = [&] {
    while (!state().toasts.empty()) act(action::DismissToast{state().toasts.front().id});
    std::vector<Pixels> seen;
    for (const char* name : {"picture pattern 1", "picture pattern 2", "picture spectrum 1",
                             "picture spectrum 2", "picture reconstruction 2"})
      seen.push_back(pixels_of(name));
    return seen;
  };
  const std::vector<Pixels> before = pictures();
  for (const Pixels& one : before) ASSERT_GT(contrast(one), 3);
  const SpectrumPtr exact = state().columns.at(0).spectrum;
  const SpectrumPtr sampled = state().columns.at(1).spectrum;
  const int drawn = fake_.drawn;
  const int links = fake_.links_alive;

  test::lose_context();
  draw();
  EXPECT_EQ(state().status.graphics_resets, 1U);
  settle();
  EXPECT_EQ(state().status.upload_path, "interop") << state().status.upload_reason;
  EXPECT_TRUE(pictures() == before) << "by interop again";
  EXPECT_LE(fake_.links_alive, links) << "those of the lost context are gone";

  fake_.refusal = "OpenGL is drawn by another device";
  test::lose_context();
  settle();
  EXPECT_EQ(state().status.graphics_resets, 2U);
  EXPECT_EQ(state().status.upload_path, "pixel buffer");
  EXPECT_EQ(state().status.upload_reason, fake_.refusal);
  EXPECT_TRUE(pictures() == before) << "through pixel buffers";
  EXPECT_EQ(fake_.links_alive, 0);

  EXPECT_EQ(state().columns.at(0).spectrum, exact);
  EXPECT_EQ(state().columns.at(1).spectrum, sampled);
  EXPECT_EQ(fake_.drawn, drawn) << "nothing was computed again";
  const auto said = std::count_if(state().log.begin(), state().log.end(), [](const LogEntry& entry) {
    return entry.text.find("graphics driver was reset") != std::string::npos;
  });
  EXPECT_EQ(said, 2);
  EXPECT_EQ(state().status.renderer, context().renderer());
}

TEST_F(WithDevice, LosingTheContextDuringAComputationStopsNoJob) {
  act(action::OpenFile{kMatrix});
  for (int k = 0; k < 3; ++k) {
    draw(2);
    test::lose_context();
  }
  settle();
  const Pixels lost_thrice = pixels_of("picture spectrum 1");
  EXPECT_EQ(state().status.graphics_resets, 3U);
  ASSERT_TRUE(state().columns.at(0).spectrum);
  test::lose_context();
  settle();
  EXPECT_GT(contrast(lost_thrice), 3);
  EXPECT_TRUE(pixels_of("picture spectrum 1") == lost_thrice);
}

TEST_F(WithDevice, AThousandMovesStopsAndRestartsEndWithTheLastViewAndBlock) {
  open(kMatrix);
  const PlaneRect last{-20.5, -20.5, 19.5, 19.5};
  unsigned random = 5;
  for (int cycle = 0; cycle < 1000; ++cycle) {
    random = random * 1664525U + 1013904223U;
    const double at = static_cast<double>(random >> 20U) / 100;
    switch (random >> 8U & 3U) {
      case 0:
        act(action::SetBlock{2 + (random >> 16U) % 30});
        break;
      case 1:
        act(action::SetView{Plane::spectrum, {-30.5 + at, -30.5, 9.5 + at, 19.5}, false});
        break;
      case 2:
        act(action::CancelNewest{});
        break;
      default:
        act(action::SetView{Plane::pattern, {at, at, at + 40, at + 60}, false});
    }
    if (cycle % 50 == 0) draw();
  }
  act(action::SetBlock{4});
  act(action::SetView{Plane::spectrum, last, false});
  settle();
  for (const Column& column : state().columns) {
    ASSERT_TRUE(column.picture(Row::spectrum).shown) << column.label;
    EXPECT_EQ(column.picture(Row::spectrum).shown->rect, picture_rect(state(), Plane::spectrum))
        << column.label;
    EXPECT_FALSE(column.picture(Row::spectrum).busy);
  }
  EXPECT_EQ(state().columns.at(1).spectrum->block, 4U);
  EXPECT_FALSE(fake_.copied_from_the_dead);
  EXPECT_LE(fake_.alive(), 16U) << "two columns of four rows, shown and before";
}

}  // namespace
}  // namespace spyctrum::testing
