// SPDX-License-Identifier: Apache-2.0
// One cell of a study: a method at a block size on a matrix, run, timed and compared.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "app/study/reference_rows.hpp"
#include "app/study/study.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

/// A stop that comes from outside or after some seconds.
class Deadline {
 public:
  Deadline(double seconds, const std::stop_token& outer);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
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

struct CellTask {
  const StudyPlan* plan = nullptr;
  const StudyMatrix* matrix = nullptr;
  PatternPtr pattern;
  const Method* method = nullptr;
  std::optional<std::uint32_t> block{};
  Backend backend;
  const StudyReference* reference = nullptr;  ///< nullptr or with a problem: no errors
  const ReferenceRows* rows = nullptr;        ///< nullptr: no reconstruction errors
};

/// Forecast of the cell; 0 where the method cannot tell.
[[nodiscard]] Forecast forecast_of(const CellTask& task, unsigned threads);
/// Everything that a record says about a cell but the outcome.
[[nodiscard]] StudyCell blank_cell(const CellTask& task, unsigned threads);
/// Runs it. Errors: cancelled only (stopped from outside); every other outcome is the cell's.
[[nodiscard]] Result<StudyCell> run_cell(const CellTask& task, ThreadPool& pool, const std::stop_token& stop);

}  // namespace spyctrum
