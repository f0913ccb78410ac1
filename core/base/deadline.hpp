// SPDX-License-Identifier: Apache-2.0
// Limits the time of some work: its stop token is triggered by an outer stop token or by a time limit,
// whichever comes first.
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
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  /// The token whose stop is requested at the latest after `seconds`, from the beginning if these are 0 or
  /// less. It stays valid after the Deadline.
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// Whether the time limit has ended.
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
  std::atomic<bool> passed_;
  std::jthread timer_;  // last: it uses the members above
};

}  // namespace spyctrum
