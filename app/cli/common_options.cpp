// SPDX-License-Identifier: Apache-2.0
// Threads, memory allowance, progress line and error report of a command-line run.
#include "app/cli/common_options.hpp"
#include "app/cli/progress_line.hpp"
#include "core/base/stopwatch.hpp"
#include "core/device/backends.hpp"
#include "core/engine/refining_stream.hpp"
#include "core/io/export.hpp"
#include "core/io/import_options.hpp"
#include "core/io/json_text.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace spyctrum::cli {

namespace {

/// Whether the command has written all its results.
std::atomic<bool> is_finished{false};

constexpr std::array<std::pair<std::string_view, double>, 9> kSuffixes{{{"", 1},
                                                                        {"k", 1e3},
                                                                        {"M", 1e6},
                                                                        {"G", 1e9},
                                                                        {"T", 1e12},
                                                                        {"Ki", 1024.0},
                                                                        {"Mi", 1048576.0},
                                                                        {"Gi", 1073741824.0},
                                                                        {"Ti", 1099511627776.0}}};

/// "2G", "1500000000", "512Mi" as a number of bytes. Throws Failure{wrong_use}.
std::uint64_t parse_bytes(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view rest(parsed.ptr, static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
  if (rest.ends_with('B')) rest.remove_suffix(1);
  if (rest == "K") rest = "k";
  for (const auto& [suffix, factor] : kSuffixes) {
    const double bytes = value * factor;
    if (parsed.ec == std::errc{} && rest == suffix && bytes >= 1 && bytes < 0x1p63)
      return static_cast<std::uint64_t>(bytes);
  }
  throw Failure(ErrorCode::wrong_use, "'" + std::string(text) + "' is not an amount of memory.",
                "Write bytes, or a number with k, M, G, T, Ki, Mi, Gi or Ti: --memory 2G.");
}

}  // namespace

Session::Session(const CommonOptions& options, std::stop_token stop, Communicator& ranks)
    : options_(options), stop_(std::move(stop)), ranks_(ranks), pool_(options.threads) {
  if (!is_first()) options_.quiet = true;
  // Every command refuses a wrong name. "auto" is resolved by the commands that need a backend. The contexts
  // of named devices are created while the matrix is read.
  if (options_.backend != "auto")
    contexts_ = std::async([named = named_backend()] { create_contexts(named); });
  if (options_.threads > pool_.threads())
    note("--threads " + std::to_string(options_.threads) + ": " + std::to_string(pool_.threads()) +
         " are used, all that the program or the system allows.");
  for (const std::string& text : options_.import) import_.push_back(or_throw(parse_import_option(text)));
  weights_ = or_throw(parse_weights(options_.weights));
  memory_bytes_ = options_.memory.empty() ? default_memory_allowance_bytes() / ranks.ranks_on_host()
                                          : parse_bytes(options_.memory);
}

Backend Session::backend() const {
  if (contexts_.valid()) contexts_.wait();
  return named_backend();
}

Backend Session::named_backend() const {
  return or_throw(parse_backend(options_.backend, ranks_.rank_on_host()));
}

void Session::wake_streams(bool is_shared) {
  if (!contexts_.valid()) return;
  contexts_ = std::async([created = std::move(contexts_), named = named_backend(), is_shared] {
    created.wait();
    spyctrum::wake_streams(named, is_shared);
  });
}

std::unique_ptr<JobContext> Session::context(const std::string& title) {
  JobContext::Options options;
  options.memory_bytes = memory_bytes_;
  options.seed = options_.seed;
  options.stop = stop_;
  if (!options_.quiet)
    options.on_progress = [line = ProgressLine(escaped(title), isatty(STDERR_FILENO) == 1),
                           watch = Stopwatch()](const Progress& progress) mutable {
      std::fputs(line.text(progress, watch.seconds()).c_str(), stderr);
      std::fflush(stderr);
    };
  return std::make_unique<JobContext>(pool_, std::move(options));
}

Matrix Session::load(const std::string& file, ValueUse values) {
  require_pattern("This command uses the pattern only.");
  return load_as(file, values, Weights::pattern);
}

Matrix Session::load_with_weights(const std::string& file) { return load_as(file, ValueUse::none, weights_); }

void Session::require_pattern(const std::string& reason) const {
  if (weights_ != Weights::pattern)
    throw Failure(ErrorCode::wrong_use, "--weights " + options_.weights + " is refused. " + reason,
                  "Leave --weights out.");
}

Matrix Session::load_as(const std::string& file, ValueUse values, Weights weights) {
  LoadOptions load_options;
  load_options.values = values;
  load_options.weights = weights;
  load_options.import = import_;
  load_options.drop_zeros = options_.drop_zeros;
  const auto job = context("load " + file);
  Matrix matrix = or_throw(load_matrix(file, load_options, *job));
  matrix.pattern->determine_properties(*job);
  for (const std::string& text : matrix.report.notes) note(text);
  return matrix;
}

void Session::put(const std::string& text) {
  if (!results_begun_ && stop_.stop_requested()) throw Failure(ErrorCode::cancelled, "Interrupted.");
  results_begun_ = true;
  clear_progress();
  std::cout << text << '\n';
  or_throw(flush_output());
}

void Session::print(const Json& object) {
  if (options_.json && is_first()) put(json_text(object, 2));
}

void Session::finish() {
  or_throw(flush_output());
  is_finished = true;
}

void Session::note(const std::string& text) const {
  if (options_.quiet) return;
  clear_progress();
  std::cerr << escaped(text) << '\n' << std::flush;
}

void Session::clear_progress() const {
  if (!options_.quiet && isatty(STDERR_FILENO) == 1) std::fputs("\r\033[K", stderr);
}

Result<void> flush_output() {
  if (std::cout && std::ferror(stdout) == 0) errno = 0;  // otherwise errno is that of the failed write
  std::cout.flush();
  if (std::cout && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  const int reason = errno;
  return fail(ErrorCode::output,
              std::string("The results cannot be written to standard output") +
                  (reason != 0 ? std::string(": ") + std::strerror(reason) : std::string()) + ".",
              {}, reason);
}

int report_error(const Error& error, bool json) {
  if (isatty(STDERR_FILENO) == 1) std::fputs("\r\033[K", stderr);
  // In a single write, so that the messages of several ranks do not mix.
  std::cerr << "spyctrum-cli: " + escaped(error.message()) + '\n';
  const int code = exit_code(error.code);
  if (json && error.code != ErrorCode::cancelled) {
    const Json object{{"error",
                       {{"exit_code", code},
                        {"kind", name_of(error.code)},
                        {"what", error.what},
                        {"advice", error.advice}}}};
    std::cout << json_text(object, 2) << '\n';
  }
  return code;
}

void end_at_once() {
  if (is_finished) _exit(0);
  abandon_writes();
  _exit(exit_code(ErrorCode::cancelled));
}

}  // namespace spyctrum::cli
