// SPDX-License-Identifier: Apache-2.0
// Shared by all commands: common options, threads and memory allowance, progress on standard error, and
// signals.
#pragma once

#include <cstdint>
#include <future>
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

/// Options that several commands share, as typed.
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
  std::string weights = "pattern";  ///< weight of an entry: to_string(Weights)
  /// "name=value" each: choices that formats leave open (core/io/import_options.hpp).
  std::vector<std::string> import{};
};

/// One run of a command, on the thread of main(). Its functions throw Failure.
class Session {
 public:
  /// Throws Failure: wrong_use for an invalid option backend, memory, weights or import; backend_unavailable.
  /// With several ranks, only rank 0 prints and writes.
  Session(const CommonOptions& options, std::stop_token stop, Communicator& ranks);

  [[nodiscard]] const CommonOptions& options() const { return options_; }
  /// Waits for the contexts of its devices, which begin with the session if the option names them. Throws
  /// Failure{backend_unavailable}.
  [[nodiscard]] Backend backend() const;
  /// Where the option names devices: loads, while the matrix is read, the code with which they sum rows. For
  /// is_shared see spyctrum::wake_streams(). To be called at most once; backend() then waits for it.
  void wake_streams(bool is_shared);
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  [[nodiscard]] ThreadPool& pool() { return pool_; }
  [[nodiscard]] Communicator& ranks() { return ranks_; }
  /// Whether this process prints and writes results.
  [[nodiscard]] bool is_first() const { return ranks_.rank() == 0; }
  [[nodiscard]] std::stop_token stop() const { return stop_; }
  /// The options --import, after the check.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& import() const { return import_; }

  /// A context for one job; `title` names it on the progress line.
  [[nodiscard]] std::unique_ptr<JobContext> context(const std::string& title);
  /// For commands of patterns: throws Failure{wrong_use} if --weights is given.
  [[nodiscard]] Matrix load(const std::string& file, ValueUse values = ValueUse::none);
  [[nodiscard]] Matrix load() { return load(options_.file); }
  /// Throws Failure{wrong_use} if --weights is given; `reason`, a sentence, says why.
  void require_pattern(const std::string& reason) const;
  /// The matrix with the weights of --weights.
  [[nodiscard]] Matrix load_with_weights(const std::string& file);
  [[nodiscard]] Matrix load_with_weights() { return load_with_weights(options_.file); }

  // Results. A command is either interrupted and leaves no result, or gives all of them: after a stop request
  // its first result, a file or a line, is refused; after the first result a stop request has no effect.

  /// To be called when an output file exists under its final name.
  void file_written() { results_begun_ = true; }
  /// Prints the single JSON object of --json; does nothing without --json. Throws Failure{cancelled} or
  /// {output}.
  void print(const Json& object);
  /// Prints a line of the `parts` on standard output, with control characters (which file names may contain)
  /// replaced by escaped(); does nothing with --json. Throws as print().
  template <class... Parts>
  void line(const Parts&... parts) {
    if (options_.json || !is_first()) return;
    std::ostringstream text;
    (text << ... << parts);
    put(escaped(text.str()));
  }
  /// To be called once at the end. Throws Failure{output} if standard output did not accept everything.
  void finish();

  /// Prints a remark on standard error; does nothing with --quiet.
  void note(const std::string& text) const;

 private:
  /// Throws Failure: cancelled if a stop was requested before the first result; output.
  void put(const std::string& text);
  /// Removes the progress line, so that what is printed next begins at the left edge of the terminal.
  void clear_progress() const;
  Matrix load_as(const std::string& file, ValueUse values, Weights weights);
  /// Throws Failure{backend_unavailable}.
  [[nodiscard]] Backend named_backend() const;

  CommonOptions options_;
  std::stop_token stop_;
  Communicator& ranks_;
  ThreadPool pool_;
  std::future<void> contexts_;
  std::uint64_t memory_bytes_ = 0;
  Weights weights_ = Weights::pattern;
  bool results_begun_ = false;
  std::vector<std::pair<std::string, std::string>> import_;  // options().import, checked
};

/// Flushes standard output. Errors: output, if it did not accept everything, now or before.
[[nodiscard]] Result<void> flush_output();

/// Prints the error on standard error and, with --json and unless the command was interrupted, also as an
/// object on standard output. Returns the exit code.
int report_error(const Error& error, bool json);

/// Ends the process: with the exit code of a command that has given all its results, otherwise with that of
/// an interruption, after removing temporary files. Called from the thread that receives signals.
[[noreturn]] void end_at_once();

}  // namespace spyctrum::cli
