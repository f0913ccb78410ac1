// SPDX-License-Identifier: Apache-2.0
// Running methods in tests: small patterns of difficult shapes, one call that runs a job, and coefficients by
// a direct sum in double precision that shares no code with the methods.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <iostream>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/methods/method.hpp"
#include "tests/support/signed_weights.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum::test {

/// The registered methods that run on the CPU of this machine. Methods whose library is not installed are
/// named on standard error as not tested.
inline std::vector<const Method*> runnable_methods() {
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

struct NamedPattern {
  std::string name;
  PatternPtr pattern;
};

inline PatternPtr make_pattern(std::uint64_t rows, std::uint64_t cols,
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

/// About `entries` entries at random places (duplicates merge).
inline PatternPtr random_pattern(std::uint64_t rows, std::uint64_t cols, std::size_t entries, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::pair<Index, Index>> places;
  for (std::size_t t = 0; t < entries; ++t)
    places.emplace_back(static_cast<Index>(random() % rows), static_cast<Index>(random() % cols));
  return make_pattern(rows, cols, places);
}

inline PatternPtr full_pattern(Index rows, Index cols) {
  std::vector<std::pair<Index, Index>> places;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) places.emplace_back(i, j);
  return make_pattern(rows, cols, places);
}

/// Tiny, odd, prime, rectangular, empty, one-entry and full patterns.
inline std::vector<NamedPattern> awkward_patterns() {
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

/// F[u, v] = Σ e^{−2πi(ui/m + vj/n)} over the entries, in double precision, indices reduced in integers.
inline std::complex<double> direct_coefficient(const SparsePattern& pattern, std::int64_t u, std::int64_t v) {
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

/// Bound on the difference of a coefficient in single precision from the direct sum. The root mean square of
/// the coefficients is √K; a transform of N = mn points has an error of about ε·log N·√K, the lattice engine
/// of 1e-6·√K (its tolerance), and the largest over all coefficients is a few times that.
inline double coefficient_tolerance(const SparsePattern& pattern) {
  const double points = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  return 1e-6 * (4.0 + std::log2(points)) * std::sqrt(pattern.weight_squares());
}

/// Runs a job, resolved or not, with its own thread pool and memory ledger.
template <class AnyRequest>
Result<SpectrumPtr> run_job(const Method& method, AnyRequest request, ThreadPool& pool,
                            std::uint64_t memory_bytes = std::uint64_t{1} << 32) {
  JobContext::Options options;
  options.memory_bytes = memory_bytes;
  JobContext context(pool, std::move(options));
  auto result = run_method(method, std::move(request), context);
  EXPECT_EQ(context.memory().current(), 0U) << method.info().id << " left bytes booked";
  return result;
}

/// The result of a run; null, and a failure of the test, where there is none.
inline SpectrumPtr succeed(const Method& method, Request request) {
  auto result = run_job(method, std::move(request), pool());
  if (!result) ADD_FAILURE() << method.info().id << ": " << result.error().message();
  return result ? *result : nullptr;
}

inline Request request_of(PatternPtr pattern, ParameterValues parameters = {},
                          RequestedOutputs outputs = {}) {
  Request request;
  request.pattern = std::move(pattern);
  request.parameters = std::move(parameters);
  request.outputs = outputs;
  return request;
}

}  // namespace spyctrum::test
