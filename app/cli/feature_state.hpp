// SPDX-License-Identifier: Apache-2.0
// The file of `features --state`: the sums of a stream of rows (FeatureProgress), after a line that names the
// method and the settings. A state of another matrix, method, setting or version is refused and left as it
// is. While the job runs the state is written every few seconds, at once after a request to stop, and at the
// end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "app/cli/common_options.hpp"
#include "core/features/feature_progress.hpp"

namespace spyctrum::cli {

/// Its functions throw Failure.
class FeatureState {
 public:
  /// Reads the file at `path`, or prepares an empty state if there is none. `settings`: the method and those
  /// of its parameters on which sums depend. Throws Failure: wrong_use if the path is a folder, a device or a
  /// pipe; output if the file could not be replaced; bad_input if it is not a state, is damaged, or belongs
  /// to other settings or another version; out_of_memory if it is larger than `most_bytes`.
  FeatureState(std::string path, const Json& settings, std::uint64_t most_bytes);
  /// Throws Failure{bad_input} if the file contains the state of another pattern.
  void check(const SparsePattern& pattern) const;

  [[nodiscard]] const std::shared_ptr<FeatureProgress>& progress() const { return progress_; }

  /// Writes the state from time to time on its own thread, until keep_last() or a stop request.
  void keep_every(std::chrono::milliseconds interval, const std::stop_token& stop);
  /// Ends keep_every() and writes the state. Throws Failure{output}.
  void keep_last();

 private:
  void read(std::uint64_t most_bytes);
  /// Writes the state if tiles were added since the last write. Errors: output.
  Result<void> keep();

  std::string path_;
  std::string header_;
  std::shared_ptr<FeatureProgress> progress_ = std::make_shared<FeatureProgress>();
  std::uint64_t tiles_kept_ = 0;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread keeper_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace spyctrum::cli
