// SPDX-License-Identifier: Apache-2.0
// How long do samples of the spectrum, density maps and windows take? Ours beside the paper's algorithms in
// the same run, features included (windows have none).
#include "tests/bench/bench_matrices.hpp"

namespace spyctrum::bench {
namespace {

constexpr RequestedOutputs kSample{true, true, false, 1024};

void sample(benchmark::State& state, const char* method) {
  run_rounds(state, method, corafull(), {{"block", std::to_string(state.range(0))}}, kSample);
}

void window(benchmark::State& state, const char* method) {
  const BenchMatrix& matrix = amazon_computers();
  const auto height = static_cast<std::uint64_t>(state.range(0));
  const auto width = static_cast<std::uint64_t>(state.range(1));
  const FrequencyGrid grid{FrequencyAxis::progression(matrix.pattern->rows(), -100, 1, height),
                           FrequencyAxis::progression(matrix.pattern->cols(), 3000, 1, width)};
  run_rounds(state, method, matrix, {}, kSample, grid);
}

void add(const std::string& name, void (*function)(benchmark::State&, const char*), const char* method,
         const std::vector<std::int64_t>& arguments, int rounds) {
  benchmark::RegisterBenchmark((name + ": " + method).c_str(), function, method)
      ->Args(arguments)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Iterations(rounds);
}

void register_all() {
  for (const std::int64_t block : {4, 16, 64}) add("sample at block", sample, "elastic", {block}, 5);
  add("sample at block", sample, "elastic-paper", {16}, 2);
  for (const std::int64_t block : {4, 16, 64}) add("sample at block", sample, "density-map", {block}, 5);
  add("window", window, "exact", {512, 512}, 5);
  add("window", window, "exact", {1080, 1920}, 5);
  add("window", window, "bs-fft", {512, 512}, 2);
}

}  // namespace
}  // namespace spyctrum::bench

int main(int count, char** arguments) {
  return spyctrum::bench::run_registered(spyctrum::bench::register_all, count, arguments);
}
