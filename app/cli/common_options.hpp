// SPDX-License-Identifier: Apache-2.0
// Shared by all commands: common options, threads and memory allowance, progress on standard error, and
// Ctrl+C.
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

/// JSON whose objects keep the order in which fields were added.
using Json = nlohmann::ordered_json;

/// Options that every command has, as typed.
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

/// One run of the program: created by main(), outlives every job.
class Session {
 public:
  Session(const CommonOptions& options, std::stop_token stop);

  /// Checks the options backend and memory. Errors: wrong_use, backend_unavailable.
  [[nodiscard]] Result<void> prepare();

  [[nodiscard]] const CommonOptions& options() const { return options_; }
  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  [[nodiscard]] ThreadPool& pool() { return pool_; }
  [[nodiscard]] std::stop_token stop() const { return stop_; }

  /// A context for one job; `title` names it on the progress line.
  [[nodiscard]] std::unique_ptr<JobContext> context(std::string title);
  [[nodiscard]] Result<Matrix> load(const std::string& file);

  /// Prints the one JSON object of --json; nothing without --json.
  void print(const Json& object) const;
  /// Prints a line on standard output; nothing with --json.
  void line(const std::string& text) const;
  /// Prints a remark on standard error; nothing with --quiet.
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

/// Prints the error on standard error and, with --json, also as an object on standard output. Returns the
/// exit code.
int report_error(const Error& error, bool json);

/// True while a signal may end the process at once, because nothing has been written yet: reading from
/// standard input blocks without reaching a checkpoint.
void set_exit_at_once(bool allowed);
[[nodiscard]] bool exit_at_once();

}  // namespace spyctrum::cli
