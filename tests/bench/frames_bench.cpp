// SPDX-License-Identifier: Apache-2.0
// How long does a frame take when nothing changes? The whole program at 1920 × 1080 in software rendering,
// with three methods, all rows of pictures and all panels open; and whether the program, at rest, requests
// another frame.
//
//   bench_frames [MATRIX]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "app/controller/controller.hpp"
#include "app/desktop/app_frame.hpp"
#include "render/context.hpp"
#include "render/gl_check.hpp"

namespace {

using namespace spyctrum;
using Clock = std::chrono::steady_clock;

constexpr int kFrames = 300;

double milliseconds_since(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

/// "median …, 90 % …, longest …" of times in milliseconds.
std::string quantiles(std::vector<double> milliseconds) {
  std::ranges::sort(milliseconds);
  const auto at = [&](double share) {
    return milliseconds[static_cast<std::size_t>(share * static_cast<double>(milliseconds.size() - 1))];
  };
  std::array<char, 120> text{};
  std::snprintf(text.data(), text.size(), "median %.2f ms, 90 %% %.2f ms, longest %.2f ms", at(0.5), at(0.9),
                at(1));
  return text.data();
}

/// A drawing of 128 × 128: another point with every frame, until all pixels of the frame are drawn. A frame
/// is late if the spectrum that it shows is that of an earlier point.
void measure_sandbox(AppFrame& frame, Controller& controller) {
  controller.dispatch(action::NewDrawing{128});
  (void)frame.run_until_idle();
  std::vector<double> frames;
  int late = 0;
  const std::clock_t processor = std::clock();
  for (int k = 0; k < kFrames; ++k) {
    Stroke stroke;
    stroke.from = stroke.to = {k % 128, (3 * k + k / 128 + 1) % 128};
    const auto shown = controller.state().columns.front().picture(Row::spectrum).shown;
    const std::string before = controller.state().matrix()->source;
    const auto began = Clock::now();
    controller.dispatch(action::Draw{stroke, k + 1 < kFrames});
    const bool is_drawn = controller.state().matrix()->source != before;  // the place was empty
    late += is_drawn && controller.state().columns.front().picture(Row::spectrum).shown == shown ? 1 : 0;
    frame.frame();
    glFinish();
    frames.push_back(milliseconds_since(began));
  }
  const double processor_ms = 1000.0 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  std::printf(
      "sandbox, a point with every frame: %s, processor time %.2f ms a frame; spectra of an earlier point: "
      "%d "
      "of %d\n",
      quantiles(frames).c_str(), processor_ms / kFrames, late, kFrames);
}

int measure(const std::string& source) {
  const auto context = or_throw(render::open_offscreen({1920, 1080, 1, render::OffscreenDevice::software}));
  Controller controller(Controller::Options{});
  AppFrame frame(*context, controller, {{}, 1});
  frame.frame();
  controller.dispatch(action::OpenFile{source});
  CompareSettings compare = controller.state().compare;
  compare.rows = {true, true, true, true};
  controller.dispatch(action::SetCompare{compare});
  (void)frame.run_until_idle();
  controller.dispatch(action::StartSweep{});
  (void)frame.run_until_idle();
  std::vector<double> milliseconds;
  for (int k = 0; k < kFrames; ++k) {
    const auto began = Clock::now();
    frame.frame();
    glFinish();
    milliseconds.push_back(milliseconds_since(began));
  }
  std::printf("%s, %s: %s; at rest it %s\n", source.c_str(), context->renderer().c_str(),
              quantiles(milliseconds).c_str(),
              frame.next_frame_in() < 0 ? "requests no frame" : "requests another frame");
  measure_sandbox(frame, controller);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Result<int> code = run_guarded([&] {
    return measure(argc > 1 ? argv[1] : "gen:stochastic-blocks:n=4000,blocks=8,p_in=0.02,p_out=0.001");
  });
  if (!code) std::fprintf(stderr, "%s\n", code.error().message().c_str());
  return code ? *code : 1;
}
