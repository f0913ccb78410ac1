// SPDX-License-Identifier: Apache-2.0
// Shared by all commands: common options, threads and memory allowance, progress on standard error, and
// Ctrl+C.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/cluster/communicator.hpp"
#include "core/io/quote.hpp"
#include "core/io/reader.hpp"

namespace spyctrum::cli {

/// JSON whose objects keep the order in which fields were added.
using Json = nlohmann::ordered_json;

/// Options that several commands have, as typed.
struct CommonOptions {
  std::string file;  ///< the matrix
  std::string backend = "auto";
  unsigned threads = 0;  ///< 0: all processors
  std::uint64_t seed = 1;
  /// Bytes, with an optional suffix k, M, G, T (powers of ten) or Ki, Mi, …; empty: automatic.
  std::string memory;
  bool json = false;
  bool quiet = false;
  bool drop_zeros = false;
  std::string weights = "pattern";  ///< what an entry counts as: to_string(Weights)
  /// "name=value" each: what formats leave open (core/io/import_options.hpp).
  std::vector<std::string> import{};
};

/// One run of a command, on the thread of main(). Its functions throw Failure.
class Session {
 public:
  /// Throws Failure: wrong_use for a wrong option backend, memory, weights or import, backend_unavailable.
  /// Of several ranks, only rank 0 prints and writes.
  Session(const CommonOptions& options, std::stop_token stop, Communicator& ranks);

  [[nodiscard]] const CommonOptions& options() const { return options_; }
  [[nodiscard]] Backend backend() const;  ///< throws Failure{backend_unavailable}
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  [[nodiscard]] ThreadPool& pool() { return pool_; }
  [[nodiscard]] Communicator& ranks() { return ranks_; }
  /// Whether results are this process's business.
  [[nodiscard]] bool is_first() const { return ranks_.rank() == 0; }
  [[nodiscard]] std::stop_token stop() const { return stop_; }
  /// The options --import, checked.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& import() const { return import_; }

  /// A context for one job; `title` names it on the progress line.
  [[nodiscard]] std::unique_ptr<JobContext> context(const std::string& title);
  /// For commands that transform patterns only: throws Failure{wrong_use} where --weights is given.
  [[nodiscard]] Matrix load(const std::string& file, ValueUse values = ValueUse::none);
  [[nodiscard]] Matrix load() { return load(options_.file); }
  /// Throws Failure{wrong_use} where --weights is given.
  void require_pattern() const;
  /// The matrix with the weights of --weights.
  [[nodiscard]] Matrix load_with_weights();

  // Results. A command is either interrupted, and then leaves none, or gives all of them: its first result, a
  // file or a line, is refused after a request to stop, and once it was given a stop changes nothing.

  /// To be called when an output file has appeared under its name.
  void file_written() { results_begun_ = true; }
  /// Prints the one JSON object of --json; nothing without --json. Throws Failure{cancelled} or {output}.
  void print(const Json& object);
  /// Prints a line of the `parts` on standard output, with escaped() control characters, which names of files
  /// may hold; nothing with --json. Throws as print().
  template <class... Parts>
  void line(const Parts&... parts) {
    if (options_.json || !is_first()) return;
    std::ostringstream text;
    (text << ... << parts);
    put(escaped(text.str()));
  }
  /// Called once at the end. Throws Failure{output} where standard output did not take everything.
  void finish();

  /// Prints a remark on standard error; nothing with --quiet.
  void note(const std::string& text) const;
  /// Removes the progress line.
  void clear_progress() const;

 private:
  /// Throws Failure: cancelled where a stop was requested before the first result; output.
  void put(const std::string& text);
  Matrix load_as(const std::string& file, ValueUse values, Weights weights);

  CommonOptions options_;
  std::stop_token stop_;
  Communicator& ranks_;
  ThreadPool pool_;
  std::uint64_t memory_bytes_ = 0;
  Weights weights_ = Weights::pattern;
  bool results_begun_ = false;
  std::vector<std::pair<std::string, std::string>> import_;  // options().import, checked
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
