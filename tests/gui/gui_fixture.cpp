// SPDX-License-Identifier: Apache-2.0
// The whole program without a window, driven by Dear ImGui Test Engine.
#include "tests/gui/gui_fixture.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdlib>

#include "render/readback.hpp"
#include "tests/support/wait_until_idle.hpp"

namespace spyctrum::testing {

double contrast(const Pixels& pixels) {
  double sum = 0, squares = 0;
  const std::size_t count = pixels.rgb.size() / 3;
  for (std::size_t i = 0; i < count; ++i) {
    const double luma =
        0.299 * pixels.rgb[3 * i] + 0.587 * pixels.rgb[3 * i + 1] + 0.114 * pixels.rgb[3 * i + 2];
    sum += luma;
    squares += luma * luma;
  }
  if (count == 0) return 0;
  const double mean = sum / static_cast<double>(count);
  return std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean * mean));
}

double share_changed(const Pixels& a, const Pixels& b, int tolerance) {
  if (a.height != b.height || a.width != b.width || a.rgb.empty()) return 1;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < a.rgb.size(); i += 3) {
    int most = 0;
    for (std::size_t c = 0; c < 3; ++c)
      most = std::max(most, std::abs(int{a.rgb[i + c]} - int{b.rgb[i + c]}));
    if (most > tolerance) ++changed;
  }
  return 3 * static_cast<double>(changed) / static_cast<double>(a.rgb.size());
}

std::size_t white_pixels(const Pixels& pixels) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < pixels.rgb.size(); i += 3)
    if (std::min({pixels.rgb[i], pixels.rgb[i + 1], pixels.rgb[i + 2]}) > 165) ++count;
  return count;
}

void GuiTest::SetUp() {
  // Without a display the system's own file dialog cannot open during the tests.
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  const ScreenSize size = screen_size();
  auto opened =
      render::open_offscreen({size.width, size.height, size.scale, render::OffscreenDevice::software});
  ASSERT_TRUE(opened) << opened.error().message();
  context_ = std::move(*opened);
  controller_ = std::make_unique<Controller>(controller_options());
  frame_ = std::make_unique<AppFrame>(*context_, *controller_, AppFrame::Options{{}, size.scale});
  engine_ = ImGuiTestEngine_CreateContext();
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine_);
  io.ConfigSavedSettings = false;
  io.ConfigMouseDrawCursor = false;
  io.ConfigCaptureEnabled = false;
  io.ConfigRestoreFocusAfterTests = false;  // it would close dialogs between steps
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigWatchdogWarning = io.ConfigWatchdogKillTest = FLT_MAX;  // a slow machine passes
  io.ConfigLogToTTY = true;
  io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Error;
  io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
  ImGuiTestEngine_Start(engine_, ImGui::GetCurrentContext());
  draw();
  drawn_at_first_ = frame_->frames_drawn();
  draw(2);
}

void GuiTest::TearDown() {
  // SPYCTRUM_GUI_DUMP=FOLDER stores the last screen of each test that failed.
  const char* folder = std::getenv("SPYCTRUM_GUI_DUMP");
  if (folder != nullptr && HasFailure() && frame_) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    if (const auto saved = frame_->capture(std::string(folder) + "/" + info->name() + ".png"); !saved)
      ADD_FAILURE() << saved.error().message();
  }
  if (engine_ != nullptr) ImGuiTestEngine_Stop(engine_);
  frame_.reset();
  controller_.reset();
  if (engine_ != nullptr) ImGuiTestEngine_DestroyContext(engine_);
  context_.reset();
}

void GuiTest::draw(int frames) {
  for (int i = 0; i < frames; ++i) {
    frame_->frame();
    ImGuiTestEngine_PostSwap(engine_);
  }
}

bool GuiTest::draw_until(const std::function<bool()>& reached, int frames) {
  for (int i = 0; i < frames && !reached(); ++i) draw();
  return reached();
}

void GuiTest::drive(const std::function<void(ImGuiTestContext*)>& work) {
  ImGuiTest* test =
      ImGuiTestEngine_RegisterTest(engine_, "gui", ("step " + std::to_string(++driven_)).c_str());
  test->TestFunc = [work](ImGuiTestContext* context) { work(context); };
  ImGuiTestEngine_QueueTest(engine_, test, ImGuiTestRunFlags_RunFromCommandLine);
  while (!ImGuiTestEngine_IsTestQueueEmpty(engine_)) draw();
  EXPECT_EQ(test->Output.Status, ImGuiTestStatus_Success)
      << "step " << driven_ << " did not find the item to drive";
  ImGuiTestEngine_UnregisterTest(engine_, test);
  draw(2);
}

void GuiTest::settle() {
  // A frame requested at once means that a picture is still being uploaded. Some gestures request every
  // frame, so the number of frames is bounded.
  constexpr int kMostFrames = 3000;
  for (int quiet = 0, frames = 0; quiet < 6; ++frames) {
    draw();
    const bool idle = test::wait_until_idle(*controller_, 0.05);
    if (!idle)
      quiet = 0;
    else if (frame_->next_frame_in() != 0 || frames > kMostFrames)
      ++quiet;
  }
}

void GuiTest::open(const std::string& source) {
  act(action::OpenFile{source});
  settle();
  ASSERT_NE(state().matrix(), nullptr) << "could not open " << source;
}

void GuiTest::press(ImGuiKeyChord keys) {
  drive([keys](ImGuiTestContext* context) { context->KeyPress(keys); });
}

Pixels GuiTest::screen() {
  auto picture = render::read_frame(*context_);
  if (!picture) {
    ADD_FAILURE() << picture.error().message();
    return {};
  }
  return {picture->height, picture->width, std::move(picture->rgb)};
}

ImRect GuiTest::rect_of(const std::string& label) {
  ImRect rect;
  drive([&](ImGuiTestContext* context) { rect = context->ItemInfo(("**/" + label).c_str()).RectFull; });
  return rect;
}

bool GuiTest::exists(const std::string& label) {
  bool found = false;
  drive([&](ImGuiTestContext* context) { found = context->ItemExists(("**/" + label).c_str()); });
  return found;
}

void GuiTest::keep(const std::string& name) {
  const char* folder = std::getenv("SPYCTRUM_GUI_DUMP");
  if (folder == nullptr) return;
  const auto saved = frame_->capture(std::string(folder) + "/" + name + ".png");
  EXPECT_TRUE(saved) << saved.error().message();
}

Pixels GuiTest::pixels_of(const std::string& label) { return pixels_in(rect_of(label)); }

Pixels GuiTest::pixels_in(const ImRect& rect) {
  const Pixels all = screen();
  const auto clamp = [](float at, std::uint32_t most) {
    return static_cast<std::uint32_t>(std::clamp(at, 0.0F, static_cast<float>(most)));
  };
  const std::uint32_t left = clamp(rect.Min.x, all.width), right = clamp(rect.Max.x, all.width);
  const std::uint32_t top = clamp(rect.Min.y, all.height), bottom = clamp(rect.Max.y, all.height);
  Pixels part{bottom - top, right - left, {}};
  for (std::uint32_t row = top; row < bottom; ++row) {
    const auto from =
        all.rgb.begin() + static_cast<std::ptrdiff_t>(3 * (std::size_t{row} * all.width + left));
    part.rgb.insert(part.rgb.end(), from, from + std::ptrdiff_t{3} * part.width);
  }
  return part;
}

}  // namespace spyctrum::testing
