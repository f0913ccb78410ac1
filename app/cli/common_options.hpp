// SPDX-License-Identifier: Apache-2.0
// What every command shares: the options that all take, the threads and the memory allowance they
// stand for, progress on standard error, and Ctrl+C.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/io/reader.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::cli {

/// Objects keep the order in which their fields were written.
using Json = nlohmann::ordered_json;

/// Options of every command, as typed.
struct CommonOptions {
  std::string backend = "auto";
  unsigned threads = 0;  ///< 0: all processors
  std::uint64_t seed = 1;
  std::string
      memory;  ///< bytes, with an optional suffix k, M, G, T (powers of ten) or Ki, Mi, …; empty: automatic
  bool json = false;
  bool quiet = false;
  bool drop_zeros = false;
};

/// "2G", "1500000000", "512Mi" → bytes. Errors: wrong_use.
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text);

/// One run of the program: lives in main(), outlives every job.
class Session {
 public:
  Session(const CommonOptions& options, std::stop_token stop);

  /// Options that are checked when used: backend and memory. Errors: wrong_use, backend_unavailable.
  [[nodiscard]] Result<void> prepare();

  [[nodiscard]] const CommonOptions& options() const { return options_; }
  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  [[nodiscard]] ThreadPool& pool() { return pool_; }
  [[nodiscard]] std::stop_token stop() const { return stop_; }

  /// A context for one job; `title` names it on the progress line.
  [[nodiscard]] std::unique_ptr<JobContext> context(std::string title);
  [[nodiscard]] Result<Matrix> load(const std::string& file);

  /// The one JSON object of --json, or nothing when --json was not given.
  void print(const Json& object) const;
  /// A line for people on standard output; silent with --json.
  void line(const std::string& text) const;
  /// A remark on standard error; silent with --quiet.
  void note(const std::string& text) const;
  /// Removes the progress line.
  void clear_progress() const;

 private:
  CommonOptions options_;
  std::stop_token stop_;
  ThreadPool pool_;
  Backend backend_;
  std::uint64_t memory_bytes_ = 0;
};

/// Prints the error for people on standard error and, with --json, as an object on standard output.
/// Returns the exit code.
int report_error(const Error& error, bool json);

/// True while nothing has been written and a stop may end the process at once: reading standard input
/// blocks where no checkpoint can be reached.
void set_exit_at_once(bool allowed);
[[nodiscard]] bool exit_at_once();

}  // namespace spyctrum::cli
