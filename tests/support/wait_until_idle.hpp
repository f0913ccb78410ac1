// SPDX-License-Identifier: Apache-2.0
// Waiting for the jobs of a controller, whose results the thread of the test takes in.
#pragma once

#include <chrono>
#include <thread>

#include "app/controller/controller.hpp"

namespace spyctrum::test {

/// Calls poll() until the controller is idle, at most for `seconds`. Returns whether it is idle.
inline bool wait_until_idle(Controller& controller, double seconds) {
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    controller.poll();
    if (controller.idle()) return true;
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - began;
    if (waited.count() >= seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace spyctrum::test
