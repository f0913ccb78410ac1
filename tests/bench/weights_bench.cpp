// SPDX-License-Identifier: Apache-2.0
// How much longer does a spectrum of weights take than that of the pattern? Both in turn, in one run: `ratio`
// is the median over the rounds of weighted over pattern. The weights of a symmetric matrix are symmetric, so
// that both take the same path.
#include <algorithm>
#include <vector>

#include "tests/bench/bench_matrices.hpp"
#include "tests/support/signed_weights.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum::bench {
namespace {

struct Case {
  const char* method = "";
  ParameterValues parameters{};
  RequestedOutputs outputs{};
  std::uint64_t window = 0;  ///< side; 0: none
};

double seconds_of(const Case& what, const PatternPtr& pattern) {
  Request request;
  request.pattern = pattern;
  request.parameters = what.parameters;
  request.outputs = what.outputs;
  if (what.window != 0)
    request.window = FrequencyGrid{FrequencyAxis::progression(pattern->rows(), -100, 1, what.window),
                                   FrequencyAxis::progression(pattern->cols(), 3000, 1, what.window)};
  JobContext context(pool());
  const auto result = run_method(*find_method(what.method), std::move(request), context);
  return result ? (*result)->provenance.seconds : 0;
}

void compare(benchmark::State& state, const BenchMatrix& (*matrix)(), const Case& what) {
  const PatternPtr pattern = matrix().pattern;
  const PatternPtr weights = test::with_signed_weights(pattern);
  (void)seconds_of(what, pattern);
  (void)seconds_of(what, weights);
  std::vector<double> ratios;
  double plain = 0;
  for (auto _ : state) {
    const double first = seconds_of(what, pattern);
    ratios.push_back(seconds_of(what, weights) / first);
    plain += first;
  }
  std::ranges::sort(ratios);
  state.counters["pattern_ms"] = 1e3 * plain / static_cast<double>(ratios.size());
  state.counters["ratio"] = ratios[ratios.size() / 2];
}

void add(const std::string& name, const BenchMatrix& (*matrix)(), const Case& what, int rounds) {
  benchmark::RegisterBenchmark(name.c_str(), compare, matrix, what)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->Iterations(rounds);
}

void register_all() {
  const RequestedOutputs features{false, true, false, 1024, false};
  const RequestedOutputs values{true, false, false, 1024, false};
  add("window 1024", amazon_computers, {.method = "exact", .outputs = values, .window = 1024}, 21);
  add("lattice b=4", amazon_computers,
      {.method = "elastic", .parameters = {{"block", "4"}, {"engine", "lattice"}}, .outputs = values}, 15);
  add("lattice b=16", amazon_computers,
      {.method = "elastic", .parameters = {{"block", "16"}, {"engine", "lattice"}}, .outputs = values}, 21);
  add("elastic features b=16", amazon_computers,
      {.method = "elastic", .parameters = {{"block", "16"}}, .outputs = features}, 9);
  add("density map b=16", amazon_computers,
      {.method = "density-map", .parameters = {{"block", "16"}}, .outputs = values}, 21);
  add("rows", corafull, {.method = "bs-fft", .outputs = features}, 5);
  add("rows, many entries", amazon_computers, {.method = "bs-fft", .outputs = features}, 5);
}

}  // namespace
}  // namespace spyctrum::bench

int main(int count, char** arguments) {
  return spyctrum::bench::run_registered(spyctrum::bench::register_all, count, arguments);
}
