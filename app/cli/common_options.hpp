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

  // Results. A command is either interrupted, and then leaves none, or gives all of them: its first result, a
  // file or a line, is refused after a request to stop, and once it was given a stop changes nothing.

  /// Whatever of the command's results is written first, call this before it. Throws Failure{cancelled}.
  void begin_results();
  /// To be called when an output file has appeared under its name.
  void file_written() { results_begun_ = true; }
  /// Prints the one JSON object of --json; nothing without --json. Throws Failure{cancelled} or {output}.
  void print(const Json& object);
  /// Prints a line on standard output; nothing with --json. Throws as print().
  void line(const std::string& text);
  /// To be returned at the end of a command. Errors: output, where standard output did not take everything.
  [[nodiscard]] Result<void> finish();

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
  bool results_begun_ = false;
};

/// Flushes standard output. Errors: output, where it did not take everything, now or before.
[[nodiscard]] Result<void> flush_output();

/// Prints the error on standard error and, with --json and unless the command was interrupted, also as an
/// object on standard output. Returns the exit code.
int report_error(const Error& error, bool json);

/// Ends the process: with the exit code of a command that has given all of its results, else with that of an
/// interruption, after removing temporary files. Called from the thread that receives signals.
[[noreturn]] void end_at_once();

}  // namespace spyctrum::cli
