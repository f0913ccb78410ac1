// SPDX-License-Identifier: Apache-2.0
// How long does a frame take when nothing changes? The whole program at 1920 × 1080 in software rendering,
// with three methods, all rows of pictures and all panels open; and whether the
// program, at rest, requests another frame.
//
//   bench_frames [MATRIX]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "app/controller/controller.hpp"
#include "app/desktop/app_frame.hpp"
#include "render/context.hpp"

namespace {

using namespace spyctrum;
using Clock = std::chrono::steady_clock;

constexpr int kFrames = 300;

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
    milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - began).count());
  }
  std::ranges::sort(milliseconds);
  const auto at = [&](double share) { return milliseconds[static_cast<std::size_t>(share * (kFrames - 1))]; };
  std::printf("%s, %s: median %.2f ms, 90 %% %.2f ms, longest %.2f ms; at rest it %s\n", source.c_str(),
              context->renderer().c_str(), at(0.5), at(0.9), at(1),
              frame.next_frame_in() < 0 ? "asks for no frame" : "asks for another frame");
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
