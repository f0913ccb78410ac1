// SPDX-License-Identifier: Apache-2.0
// A thread that sleeps until the time limit ends or the Deadline is destroyed.
#include "core/base/deadline.hpp"

#include <chrono>

namespace spyctrum {

Deadline::Deadline(double seconds, const std::stop_token& outer)
    : outer_(outer, Pass{source_}), passed_(seconds <= 0) {
  if (passed_) {  // at once: on a busy machine a thread might begin after short work has ended
    source_.request_stop();
    return;
  }
  timer_ = std::jthread([this, seconds](const std::stop_token& over) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, over, std::chrono::duration<double>(seconds), [] { return false; });
    if (over.stop_requested()) return;
    passed_ = true;
    source_.request_stop();
  });
}

}  // namespace spyctrum
