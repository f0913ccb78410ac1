// SPDX-License-Identifier: Apache-2.0
// Matrices for benchmarks: real ones where the folder of shared data is present, else random patterns with
// the same sides and number of entries, named as such.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "core/io/reader.hpp"
#include "core/methods/method.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum::bench {

/// SPYCTRUM_THREADS threads; one for each processor where it is not set.
inline ThreadPool& pool() {
  const char* threads = std::getenv("SPYCTRUM_THREADS");  // NOLINT(concurrency-mt-unsafe): one thread
  static ThreadPool instance(threads == nullptr ? 0 : static_cast<unsigned>(std::atoi(threads)));
  return instance;
}

inline PatternPtr random_stand_in(std::uint64_t side, std::size_t entries) {
  std::mt19937_64 random(side);
  std::vector<Index> rows(entries);
  std::vector<Index> cols(entries);
  for (std::size_t t = 0; t < entries; ++t) {
    rows[t] = static_cast<Index>(random() % side);
    cols[t] = static_cast<Index>(random() % side);
  }
  auto made = SparsePattern::from_coordinates(side, side, std::move(rows), std::move(cols));
  return made ? std::make_shared<const SparsePattern>(std::move(*made)) : nullptr;
}

struct BenchMatrix {
  std::string name;
  PatternPtr pattern;
};

/// corafull (19,793², 126,842 entries), amazon_computers (13,752², 491,722), …; loaded once.
inline const BenchMatrix& bench_matrix(const std::string& name, std::uint64_t side, std::size_t entries) {
  static std::map<std::string, BenchMatrix> loaded;
  BenchMatrix& matrix = loaded[name];
  if (matrix.pattern) return matrix;
  const auto path =
      std::filesystem::path(SPYCTRUM_SOURCE_DIR) / ".." / "shared" / "data" / (name + ".mtx.gz");
  JobContext context(pool());
  const auto read =
      std::filesystem::exists(path) ? load_matrix(path.string(), {}, context) : Result<Matrix>{};
  if (read && read->pattern) {
    matrix = {name, read->pattern};
  } else {
    matrix = {"random stand-in for " + name, random_stand_in(side, entries)};
  }
  return matrix;
}

inline const BenchMatrix& corafull() { return bench_matrix("corafull", 19793, 126842); }
inline const BenchMatrix& amazon_computers() { return bench_matrix("amazon_computers", 13752, 491722); }
inline const BenchMatrix& facebook_page_page() { return bench_matrix("facebook_page_page", 22470, 341646); }

/// Runs one job per iteration; the label names the matrix, the counters give forecast and peak memory.
inline void run_rounds(benchmark::State& state, const char* method, const BenchMatrix& matrix,
                       const ParameterValues& parameters, const RequestedOutputs& outputs,
                       const std::optional<FrequencyGrid>& window = std::nullopt) {
  Request request;
  request.pattern = matrix.pattern;
  request.parameters = parameters;
  request.outputs = outputs;
  request.window = window;
  SpectrumPtr spectrum;
  for (auto round : state) {
    static_cast<void>(round);
    JobContext context(pool());
    auto result = run_method(*find_method(method), request, context);
    if (!result) {
      state.SkipWithError(result.error().message().c_str());
      return;
    }
    spectrum = *result;
  }
  state.SetLabel(matrix.name);
  state.counters["MB_forecast"] = static_cast<double>(spectrum->provenance.bytes_forecast) / 1e6;
  state.counters["MB_peak"] = static_cast<double>(spectrum->provenance.bytes_peak) / 1e6;
}

/// Runs the benchmarks that `register_all` registers, with Google Benchmark's options; returns the exit code.
inline int run_registered(void (*register_all)(), int count, char** arguments) {
  register_all();
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace spyctrum::bench
