// SPDX-License-Identifier: Apache-2.0
// The frame of the desktop program: Dear ImGui over a render::Context (window or offscreen), the event loop
// that draws on demand, and the screen as a PNG. The same class runs the window, the offscreen picture and
// the interface tests.
// Fonts are loaded here; the panels draw everything else (app/panels/panels.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "app/controller/action.hpp"
#include "app/controller/state.hpp"
#include "core/base/error.hpp"

namespace spyctrum {

class Controller;
namespace render {
class Context;
}

class AppFrame {
 public:
  struct Options {
    std::string ini_path;  ///< dock layout; empty: neither read nor written
    double scale = 0;      ///< 0: Settings::ui_scale, or the content scale of the context when that is 0
  };

  /// Creates ImGui, ImPlot, their backends, fonts and panels for `context`, which must be current. Owns
  /// neither argument. Throws Failure if ImGui's renderer cannot start.
  AppFrame(render::Context& context, Controller& controller, Options options);
  ~AppFrame();
  AppFrame(const AppFrame&) = delete;
  AppFrame& operator=(const AppFrame&) = delete;

  /// Draws one frame: results of jobs enter the state, panels draw it, their actions go to the controller,
  /// the buffers are swapped.
  void frame();
  /// Event loop of the window: draws after an event, a job's result or a panel's request. Returns when the
  /// window is closed or Quit was dispatched.
  void run();
  using Clock = std::chrono::steady_clock;
  /// Draws frames until no job is left and the screen shows the results, which is what it returns, but begins
  /// none that would end after `until`.
  bool run_until_idle(Clock::time_point until = Clock::time_point::max());
  /// Seconds until the next frame is due without any event; negative: none, the screen is at rest.
  [[nodiscard]] double next_frame_in() const;
  /// Frames whose pixels were drawn so far: those that differed from the one before.
  [[nodiscard]] std::uint64_t frames_drawn() const;
  /// Pictures drawn by the GPU so far, over all cells of the grid.
  [[nodiscard]] std::uint64_t picture_draws() const;
  /// Writes the last frame as PNG. Errors: output, internal.
  [[nodiscard]] Result<void> capture(const std::string& path);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
