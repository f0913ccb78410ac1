// SPDX-License-Identifier: Apache-2.0
// Patterns, direct sums and runs of methods for tests.
#include "tests/support/method_runs.hpp"

#include <cmath>
#include <iostream>
#include <memory>
#include <numbers>
#include <random>
#include <stdexcept>

namespace spyctrum::test {

std::vector<const Method*> runnable_methods() {
  static const std::vector<const Method*> list = [] {
    std::vector<const Method*> able;
    for (const auto& method : methods()) {
      const Support support = method->supports({});
      if (support.ok) able.push_back(method.get());
      if (!support.ok) std::cerr << "NOT TESTED: " << method->info().id << ", " << support.reason << "\n";
    }
    return able;
  }();
  return list;
}

PatternPtr make_pattern(std::uint64_t rows, std::uint64_t cols,
                        const std::vector<std::pair<Index, Index>>& entries) {
  std::vector<Index> i;
  std::vector<Index> j;
  for (const auto& [row, col] : entries) {
    i.push_back(row);
    j.push_back(col);
  }
  auto made = SparsePattern::from_coordinates(rows, cols, std::move(i), std::move(j));
  if (!made) throw std::runtime_error(made.error().message());
  return std::make_shared<const SparsePattern>(std::move(*made));
}

PatternPtr random_pattern(std::uint64_t rows, std::uint64_t cols, std::size_t entries, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::pair<Index, Index>> places;
  for (std::size_t t = 0; t < entries; ++t)
    places.emplace_back(static_cast<Index>(random() % rows), static_cast<Index>(random() % cols));
  return make_pattern(rows, cols, places);
}

PatternPtr full_pattern(Index rows, Index cols) {
  std::vector<std::pair<Index, Index>> places;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) places.emplace_back(i, j);
  return make_pattern(rows, cols, places);
}

std::vector<NamedPattern> awkward_patterns() {
  std::vector<NamedPattern> list;
  const auto add = [&](std::string name, PatternPtr pattern) {
    list.push_back({std::move(name), std::move(pattern)});
  };
  add("1x1 empty", make_pattern(1, 1, {}));
  add("1x1 full", full_pattern(1, 1));
  add("1x9", make_pattern(1, 9, {{0, 0}, {0, 4}, {0, 8}}));
  add("9x1", make_pattern(9, 1, {{1, 0}, {4, 0}, {7, 0}}));
  add("1x2 one element", make_pattern(1, 2, {{0, 1}}));
  add("2x1 one element", make_pattern(2, 1, {{1, 0}}));
  add("2x2", make_pattern(2, 2, {{0, 0}, {0, 1}, {1, 1}}));
  add("2x2 full", full_pattern(2, 2));
  add("3x3 one element", make_pattern(3, 3, {{2, 1}}));
  add("13x11 empty", make_pattern(13, 11, {}));
  add("13x11 one element", make_pattern(13, 11, {{12, 10}}));
  add("13x11 full", full_pattern(13, 11));
  add("16x16 random", random_pattern(16, 16, 60, 1));
  add("17x31 random (primes)", random_pattern(17, 31, 90, 2));
  add("30x12 random", random_pattern(30, 12, 80, 3));
  add("5x47 random", random_pattern(5, 47, 40, 4));
  add("64x3 random", random_pattern(64, 3, 50, 5));
  add("40x40 one full row and column", [] {
    std::vector<std::pair<Index, Index>> arrow;
    for (Index k = 0; k < 40; ++k) {
      arrow.emplace_back(7, k);
      arrow.emplace_back(k, 33);
    }
    return make_pattern(40, 40, arrow);
  }());
  return list;
}

std::complex<double> direct_coefficient(const SparsePattern& pattern, std::int64_t u, std::int64_t v) {
  const auto m = static_cast<std::int64_t>(pattern.rows());
  const auto n = static_cast<std::int64_t>(pattern.cols());
  const std::int64_t row_frequency = ((u % m) + m) % m;
  const std::int64_t col_frequency = ((v % n) + n) % n;
  std::complex<double> sum = 0;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    const double col_turn =
        static_cast<double>(col_frequency * pattern.column_ids()[k] % n) / static_cast<double>(n);
    for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t) {
      const std::int64_t i = pattern.row_indices()[static_cast<std::size_t>(t)];
      const double row_turn = static_cast<double>(row_frequency * i % m) / static_cast<double>(m);
      sum += std::polar(1.0, -2 * std::numbers::pi * (row_turn + col_turn));
    }
  }
  return sum;
}

double coefficient_tolerance(const SparsePattern& pattern) {
  const double points = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  return 1e-6 * (4.0 + std::log2(points)) * std::sqrt(pattern.weight_squares());
}

SpectrumPtr succeed(const Method& method, Request request) {
  auto result = run_job(method, std::move(request), pool());
  if (!result) ADD_FAILURE() << method.info().id << ": " << result.error().message();
  return result ? *result : nullptr;
}

Request request_of(PatternPtr pattern, ParameterValues parameters, RequestedOutputs outputs) {
  Request request;
  request.pattern = std::move(pattern);
  request.parameters = std::move(parameters);
  request.outputs = outputs;
  return request;
}

}  // namespace spyctrum::test
