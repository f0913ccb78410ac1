// SPDX-License-Identifier: Apache-2.0
// The environment of a running job: its threads, memory allowance, random seed and stage clock, and one call,
// checkpoint(), that both reports progress and is the point of cancellation.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/memory_ledger.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/thread_pool.hpp"

namespace spyctrum {

/// How far a job is. `total` is 0 while unknown.
struct Progress {
  std::string stage;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

/// Wall-clock seconds by stage, in the order in which stages first began.
using StageSeconds = std::vector<std::pair<std::string, double>>;

class JobContext {
 public:
  struct Options {
    std::uint64_t memory_bytes = 0;  ///< see memory_allowance_bytes()
    std::uint64_t device_bytes = 0;  ///< allowance on a CUDA device; 0: its free memory
    std::uint64_t seed = 1;
    std::stop_token stop;
    /// Called at most every 30 ms, and at every checkpoint with done = total, from the thread that reached
    /// the checkpoint, never by two threads at once. May be empty.
    std::function<void(const Progress&)> on_progress;
  };

  explicit JobContext(ThreadPool& pool) : JobContext(pool, Options{}) {}
  JobContext(ThreadPool& pool, Options options);

  /// Reports progress; throws Failure{cancelled} if a stop was requested. Must be called between tiles, at
  /// most 20 ms of work apart, so that a stop takes effect within 50 ms. Thread-safe.
  void checkpoint(std::uint64_t done, std::uint64_t total);
  /// Throws Failure{cancelled} if a stop was requested; reports no progress. Thread-safe.
  void check_stop() const;
  [[nodiscard]] bool stop_requested() const { return options_.stop.stop_requested(); }

  /// Begins a named stage ("build", "fft", "reduce"); its time runs until the next stage begins.
  void begin_stage(std::string_view name);
  /// Adds `seconds`, measured by the caller, to the stage `name`: for stages that overlap on several threads.
  void add_stage_seconds(std::string_view name, double seconds);
  /// Ends the running stage and returns the seconds of all stages.
  StageSeconds finish_stages();

  [[nodiscard]] ThreadPool& pool() { return pool_; }
  [[nodiscard]] MemoryLedger& memory() { return memory_; }
  [[nodiscard]] std::uint64_t device_bytes() const { return options_.device_bytes; }
  /// Raises device_peak(), the most bytes held on a device, to `bytes` if it is lower. Thread-safe.
  void add_device_peak(std::uint64_t bytes) {
    std::uint64_t known = device_peak_.load();
    while (known < bytes && !device_peak_.compare_exchange_weak(known, bytes)) {
    }
  }
  [[nodiscard]] std::uint64_t device_peak() const { return device_peak_.load(); }
  [[nodiscard]] std::uint64_t seed() const { return options_.seed; }
  [[nodiscard]] std::stop_token stop_token() const { return options_.stop; }

 private:
  friend class ProgressParts;
  using Clock = std::chrono::steady_clock;
  /// The current part of ProgressParts: where it begins and ends and how far it is, as shares of the whole.
  struct Part {
    double from = 0, until = 0, reached = 0;
  };
  ThreadPool& pool_;
  Options options_;
  MemoryLedger memory_;
  std::atomic<std::uint64_t> device_peak_{0};
  std::mutex report_mutex_;  // held while a report is made and delivered
  std::mutex mutex_;         // guards the members below
  std::optional<Part> part_;
  std::string stage_;
  Stopwatch stage_watch_;
  StageSeconds seconds_;
  std::atomic<Clock::rep> next_report_{0};
};

/// One progress of work in several parts, each of which calls checkpoint() as if it were alone: while this
/// object exists, progress is reported in thousandths of the whole, and never falls.
class ProgressParts {
 public:
  explicit ProgressParts(JobContext& context) : context_(context) { set(JobContext::Part{}); }
  ~ProgressParts() { set(std::nullopt); }
  ProgressParts(const ProgressParts&) = delete;
  ProgressParts& operator=(const ProgressParts&) = delete;
  /// Begins the next part, which ends at the share `until` of the whole, 0 … 1. Throws Failure{cancelled} if
  /// a stop was requested.
  void next(double until);

 private:
  void set(std::optional<JobContext::Part> part);
  JobContext& context_;
};

/// A zeroed vector of `count` elements and the Booking of its bytes. Zeroing gigabytes takes seconds, so the
/// vector grows in pieces between which a stop can interrupt.
template <class T>
struct BookedVector {
  BookedVector() = default;
  BookedVector(JobContext& context, std::size_t count, std::string_view purpose)
      : booking(context.memory(), count * sizeof(T), purpose) {
    constexpr std::size_t kPiece = (std::size_t{16} << 20U) / sizeof(T);
    data.reserve(count);
    advise_large_pages(data.data(), count * sizeof(T));
    while (data.size() < count) {
      context.check_stop();
      data.resize(std::min(count, data.size() + kPiece));
    }
  }
  Booking booking;
  std::vector<T> data;
};

}  // namespace spyctrum
