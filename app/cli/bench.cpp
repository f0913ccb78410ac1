// SPDX-License-Identifier: Apache-2.0
// bench: runs the benchmark programs of tests/bench, which are built with the tests into the folder of
// spyctrum-cli. An installation has none of them; the command then reports that.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "app/cli/commands.hpp"
#include "app/process/process.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/text.hpp"

namespace spyctrum::cli {

namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "bench_";

struct Benchmark {
  std::string name;  ///< "features"
  fs::path program;
};

std::vector<Benchmark> benchmarks() {
  std::vector<Benchmark> list;
  std::error_code problem;
  const fs::path folder = fs::read_symlink("/proc/self/exe", problem).parent_path();
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix) && ::access(entry.path().c_str(), X_OK) == 0)
      list.push_back({name.substr(kPrefix.size()), entry.path()});
  }
  std::ranges::sort(list, {}, &Benchmark::name);
  return list;
}

struct Outcome {
  int code = 0;  ///< exit code; 128 + the signal that ended it
  std::string output;
};

/// Runs the program and, without --json, prints its output line by line; a request to stop ends it.
Outcome run_one(const Benchmark& benchmark, Session& session) {
  std::array<int, 2> pipe_ends{};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
    throw Failure(ErrorCode::internal, "No pipe to " + benchmark.name + ".");
  std::FILE* stream = ::fdopen(pipe_ends[0], "r");
  StartedProgram child({benchmark.program.string()}, -1, pipe_ends[1], session.stop());
  ::close(pipe_ends[1]);
  Outcome outcome;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), stream) != nullptr) {
    outcome.output += buffer.data();
    if (session.options().json) continue;
    std::fputs(buffer.data(), stdout);
    std::fflush(stdout);
  }
  std::fclose(stream);
  outcome.code = child.wait();
  return outcome;
}

}  // namespace

void run_bench(Session& session, const BenchOptions& options) {
  const std::vector<Benchmark> known = benchmarks();
  if (known.empty())
    throw Failure(ErrorCode::wrong_use, "There is no benchmark program in the folder of spyctrum-cli.",
                  "They are not installed: build them with the tests (tests/run.sh) and run spyctrum-cli "
                  "from the build folder.");
  const std::string names = joined(known, &Benchmark::name);
  if (options.what.empty()) {
    Json list = Json::array();
    for (const Benchmark& one : known) list.push_back(one.name);
    session.print({{"benchmarks", list}, {"version", SPYCTRUM_VERSION}});
    return session.line("Run one or more by --what: ", names, ", or all.");
  }
  std::vector<Benchmark> chosen;
  for (const std::string& name : options.what) {
    const auto found = std::ranges::find(known, name, &Benchmark::name);
    if (name == "all")
      chosen = known;
    else if (found != known.end())
      chosen.push_back(*found);
    else
      throw Failure(ErrorCode::wrong_use, "There is no benchmark " + name + ".", "There are: " + names + ".");
  }
  Json results = Json::array();
  std::vector<std::string> failed;
  for (const Benchmark& one : chosen) {
    session.note("== " + one.name);
    const Stopwatch watch;
    const Outcome outcome = run_one(one, session);
    if (session.stop().stop_requested()) throw Failure(ErrorCode::cancelled, "Interrupted.");
    results.push_back({{"what", one.name},
                       {"exit", outcome.code},
                       {"seconds", watch.seconds()},
                       {"table", outcome.output}});
    if (outcome.code != 0) failed.push_back(one.name);
  }
  if (!failed.empty()) throw Failure(ErrorCode::internal, "Ended with an error: " + joined(failed) + ".");
  session.print({{"results", results}, {"version", SPYCTRUM_VERSION}});
}

}  // namespace spyctrum::cli
