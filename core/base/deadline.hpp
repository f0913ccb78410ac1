// SPDX-License-Identifier: Apache-2.0
// A stop that comes from outside or after some seconds, whichever is first: for work that has an allowance
// of time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace spyctrum {

class Deadline {
 public:
  Deadline(double seconds, const std::stop_token& outer);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  /// Stops what is given it, at the latest after the seconds. Outlives the Deadline.
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// The seconds ran out.
  [[nodiscard]] bool passed() const { return passed_; }

 private:
  struct Pass {
    std::stop_source source;
    void operator()() const { source.request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Pass> outer_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::atomic<bool> passed_{false};
  std::jthread timer_;
};

}  // namespace spyctrum
