// SPDX-License-Identifier: Apache-2.0
// The whole program without a window: controller, frame and panels on Mesa's software
// renderer, driven by Dear ImGui Test Engine. A test sends synthetic input, waits until the jobs end, then
// asserts the state and compares pixels.
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_te_context.h>
#include <imgui_te_engine.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/controller/controller.hpp"
#include "app/desktop/app_frame.hpp"
#include "render/context.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum::testing {

/// Part of the screen; row 0 is the top.
struct Pixels {
  std::uint32_t height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
  friend bool operator==(const Pixels&, const Pixels&) = default;
};

/// Standard deviation of the luma: near 0 for an empty surface.
[[nodiscard]] double contrast(const Pixels& pixels);
/// Share of pixels that differ by more than `tolerance` in a channel; 1 when the sizes differ.
[[nodiscard]] double share_changed(const Pixels& a, const Pixels& b, int tolerance = 12);
/// Number of nearly white pixels: text over pictures (no colour map reaches white).
[[nodiscard]] std::size_t white_pixels(const Pixels& pixels);

class GuiTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  /// Overridden by tests that start the program with other options.
  [[nodiscard]] virtual Controller::Options controller_options() { return {}; }
  struct ScreenSize {
    std::uint32_t width = kWidth, height = kHeight;  ///< pixels
    float scale = 1;                                 ///< of the interface
  };
  /// Overridden by tests of other screens.
  [[nodiscard]] virtual ScreenSize screen_size() { return {}; }

  [[nodiscard]] const AppState& state() const { return controller_->state(); }
  void act(const Action& action) { controller_->dispatch(action); }
  Controller& controller() { return *controller_; }
  AppFrame& frame() { return *frame_; }
  [[nodiscard]] const render::Context& context() const { return *context_; }

  /// Runs `work` on the interface, frame by frame, until it ends. Fails the test when an item is not found.
  void drive(const std::function<void(ImGuiTestContext*)>& work);
  void draw(int frames = 1);
  /// Draws frames until `reached`, at most `frames` of them. Returns whether it was reached.
  bool draw_until(const std::function<bool()>& reached, int frames = 2000);
  /// Draws frames until no job is left and the screen shows all results.
  void settle();
  /// Opens `source` and waits until all of it is computed and drawn.
  void open(const std::string& source);
  void press(ImGuiKeyChord keys);

  /// The screen as last drawn.
  [[nodiscard]] Pixels screen();
  /// The rectangle of the item with this label, found anywhere: "picture spectrum 1".
  [[nodiscard]] ImRect rect_of(const std::string& label);
  [[nodiscard]] Pixels pixels_of(const std::string& label);
  [[nodiscard]] Pixels pixels_in(const ImRect& rect);
  [[nodiscard]] bool exists(const std::string& label);
  /// SPYCTRUM_GUI_DUMP=FOLDER stores the screen as FOLDER/name.png.
  void keep(const std::string& name);

  /// A small file in the test's own folder.
  std::string write_file(const std::string& name, const std::string& content) {
    return files_.write(name, content);
  }

  /// Frames that were shown after the program had drawn one.
  [[nodiscard]] std::uint64_t drawn_at_first() const { return drawn_at_first_; }

  static constexpr std::uint32_t kWidth = 1440, kHeight = 900;

 private:
  test::ScratchFolder files_;
  std::unique_ptr<render::Context> context_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<AppFrame> frame_;
  ImGuiTestEngine* engine_ = nullptr;
  int driven_ = 0;
  std::uint64_t drawn_at_first_ = 0;
};

}  // namespace spyctrum::testing
