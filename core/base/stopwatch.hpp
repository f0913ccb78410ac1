// SPDX-License-Identifier: Apache-2.0
// A clock for durations: of runs, of stages, of benchmarks.
#pragma once

#include <chrono>

namespace spyctrum {

/// Seconds since its construction, by the monotonic clock.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace spyctrum
