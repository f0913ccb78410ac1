// SPDX-License-Identifier: Apache-2.0
// RowTransform against the direct double-precision sum. Tolerance, relative L2 over the requested rows: 3e−7
// for the inner sums (three single-precision rotations at most) plus 2^−24·4·(1 + log₂ L) for the transform
// of length L.
#include "core/fft/row_transform.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "core/fft/lattice.hpp"
#include "core/fft/resampled_row.hpp"
#include "core/fft/spread_shape.hpp"
#include "tests/oracle/random_patterns.hpp"

namespace spyctrum {
namespace {

using Frequencies = std::vector<std::int64_t>;
using Values = std::vector<std::complex<float>>;

double tolerance(std::size_t length) {
  return 3e-7 + 4 * 0x1p-24 * (1 + std::log2(static_cast<double>(length)));
}

/// The requested rows, contiguous, n values each. Checks that the guard values beyond scratch and rows stay.
Values transform(const RowTransform& engine, const Frequencies& u, std::size_t n) {
  const std::complex<float> guard{1234.5F, -1};
  const std::size_t stride = engine.length() + 5;
  Values scratch(engine.scratch_size(u.size()) + 8, guard);
  Values output(u.size() * stride + 8, guard);
  engine.transform(u, output.data(), stride, std::span(scratch).first(scratch.size() - 8));
  for (std::size_t k = scratch.size() - 8; k < scratch.size(); ++k) EXPECT_EQ(scratch[k], guard);
  for (std::size_t k = output.size() - 8; k < output.size(); ++k) EXPECT_EQ(output[k], guard);
  Values rows;
  for (std::size_t r = 0; r < u.size(); ++r) {
    const auto row = output.begin() + static_cast<std::ptrdiff_t>(r * stride);
    rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(n));
    for (std::size_t k = engine.length(); k < stride; ++k) EXPECT_EQ(output[r * stride + k], guard);
  }
  return rows;
}

double relative_error(const Values& values, const std::vector<std::complex<double>>& reference) {
  double error = 0;
  double norm = 0;
  for (std::size_t k = 0; k < reference.size(); ++k) {
    error += std::norm(std::complex<double>(values[k]) - reference[k]);
    norm += std::norm(reference[k]);
  }
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

std::vector<std::complex<double>> reference(const SparsePattern& pattern, const Frequencies& u) {
  ThreadPool pool(1);
  JobContext context(pool);
  return direct_transform(pattern,
                          {FrequencyAxis::list(pattern.rows(), u),
                           FrequencyAxis::progression(pattern.cols(), 0, 1, pattern.cols())},
                          context);
}

void expect_match(const std::string& name, const SparsePattern& pattern, const Frequencies& u) {
  for (const LengthRule rule : {LengthRule::library, LengthRule::paper}) {
    const RowTransform engine(pattern, rule);
    const double error = relative_error(transform(engine, u, pattern.cols()), reference(pattern, u));
    EXPECT_LE(error, tolerance(engine.length())) << name << ", " << u.size() << " rows";
  }
}

TEST(RowTransform, MatchesTheDirectSumOnAllRows) {
  for (const auto& [name, pattern] : testing::special_patterns()) {
    Frequencies u(pattern.rows());
    std::iota(u.begin(), u.end(), 0);
    expect_match(name, pattern, u);
  }
}

/// The thousands of terms of a column cancel almost entirely at most frequencies: a sum whose partial sums
/// grow would lose digits. Largest error of a coefficient, relative to √K: 1e-6·(4 + log₂ mn).
TEST(RowTransform, KeepsItsAccuracyWhereLongColumnsCancel) {
  std::vector<Index> rows;
  std::vector<Index> cols;
  const auto fill = [&](Index column, Index count, Index step) {
    for (Index k = 0; k < count; ++k) {
      rows.push_back(step * k);
      cols.push_back(column);
    }
  };
  fill(7, 3000, 1);
  fill(31, 1500, 2);
  fill(32, 513, 5);
  const SparsePattern pattern =
      SparsePattern::from_coordinates(3000, 40, std::move(rows), std::move(cols)).value();
  Frequencies u(96);
  std::iota(u.begin(), u.end(), 0);
  const RowTransform engine(pattern, LengthRule::library);
  const Values values = transform(engine, u, pattern.cols());
  const auto expected = reference(pattern, u);
  double largest = 0;
  for (std::size_t k = 0; k < expected.size(); ++k)
    largest = std::max(largest, std::abs(std::complex<double>(values[k]) - expected[k]));
  EXPECT_LE(largest / std::sqrt(static_cast<double>(pattern.nonzeros())),
            1e-6 * (4 + std::log2(3000.0 * 40)));
}

/// For the identity all power of row u is at v = −u. Resampling onto L cells leaves an alias at −u ± L (mod
/// n), φ̂(v ± L)/φ̂(v) times as large: an error of predicted size at one frequency, and rounding elsewhere.
TEST(RowTransform, LeavesOneAliasOfAStrongCoefficientOfThePredictedSize) {
  constexpr std::size_t kSide = 6833;
  constexpr std::int64_t kRow = 100;
  const ResampledRowShape shape = resampled_row_shapes(kSide, false).back();
  ASSERT_TRUE(shape.resampled());
  std::vector<Index> diagonal(kSide);
  std::iota(diagonal.begin(), diagonal.end(), 0U);
  const SparsePattern pattern = SparsePattern::from_coordinates(kSide, kSide, diagonal, diagonal).value();
  const RowTransform engine(pattern, LengthRule::library);
  Values row = transform(engine, {kRow}, kSide);
  EXPECT_NEAR(std::abs(row[kSide - kRow]) / kSide, 1, 1e-6);
  row[kSide - kRow] = 0;
  const auto& shapes = spread_shapes();
  const auto used = std::find_if(shapes.begin(), shapes.end(), [](const SpreadShape& one) {
    return one.width == 9 && one.oversampling == 1.5;
  });
  const std::size_t image = (shape.cells - kRow) % kSide;  // 3357: its mirror is outside |v| ≤ n/2
  const std::vector<double> at = spread_transform(*used, shape.cells, shape.cells);
  const double expected = kSide * std::abs(at[shape.cells - image]) / at[image];
  EXPECT_NEAR(std::abs(row[image]) / expected, 1, 0.1) << expected;
  EXPECT_GT(expected, 5e-7 * kSide) << "an image that cannot be told from rounding proves nothing";
  row[image] = 0;
  for (const auto value : row) ASSERT_LE(std::abs(value), 5e-7 * kSide);
}

TEST(RowTransform, TakesAnyListOfFrequencies) {
  const auto pattern = testing::random_pattern(211, 90, 700, 6);
  expect_match("one", pattern, {210});
  expect_match("spaced", pattern, {3, 19, 35, 51, 67, 83, 99, 115, 131, 147, 163});
  expect_match("descending", pattern, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  expect_match("repeated", pattern, {5, 5, 5, 200, 5});
  expect_match(
      "runs of all lengths", pattern,
      {0,   1,   2,   50,  51,  52,  53,  54,  55,  56,  57,  58,  59,  60,  61,  62,  100, 101, 102, 103,
       104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123,
       124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 7});
  expect_match("last rows", pattern, {205, 206, 207, 208, 209, 210});
}

/// Some of the lengths are resampled, the others are not.
TEST(RowTransform, BandsHoldTheCoefficientsUpToTheHalfWidth) {
  for (const std::size_t n : {1U, 2U, 5U, 48U, 49U, 97U, 202U, 509U, 1009U, 1024U}) {
    const auto pattern = testing::random_pattern(61, n, 5 * n, static_cast<unsigned>(n));
    const Frequencies u{3, 4, 5, 6, 7, 8, 9, 10, 11, 30};
    const auto expected = reference(pattern, u);
    const RowTransform engine(pattern, LengthRule::resampled_bands);
    const std::complex<float> guard{1234.5F, -1};
    for (const std::size_t half_width :
         {std::size_t{0}, std::size_t{1}, n / 16, n / 8, n / 3, n / 2, 2 * n}) {
      Values scratch(engine.scratch_size(u.size()) + 8, guard);
      Values rows(u.size() * n + 8, guard);
      engine.transform_band(u, half_width, rows.data(), n, std::span(scratch).first(scratch.size() - 8));
      for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(scratch[scratch.size() - 8 + k], guard);
      for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(rows[rows.size() - 8 + k], guard);
      double error = 0;
      double norm = 0;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const std::size_t v = std::min(k % n, n - k % n);
        norm += std::norm(expected[k]);
        if (v <= half_width) error += std::norm(std::complex<double>(rows[k]) - expected[k]);
      }
      EXPECT_LE(std::sqrt(error / norm), tolerance(n)) << n << ", |v| <= " << half_width;
    }
  }
}

TEST(RowTransform, IsAccurateForAHubColumn) {
  std::vector<Index> row(30'000);
  std::iota(row.begin(), row.end(), 0U);
  std::vector<Index> col(row.size(), 3);
  row.push_back(17);
  col.push_back(0);
  const auto pattern = SparsePattern::from_coordinates(40'009, 8, std::move(row), std::move(col)).value();
  expect_match("hub", pattern, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20'000});
}

TEST(RowTransform, ReducesIndicesExactlyInTheLargestDimension) {
  const std::uint64_t m = 4'294'967'291;  // the largest prime below 2^32
  const auto pattern = testing::random_pattern(m, 30, 200, 7);
  Frequencies u(20);
  std::iota(u.begin(), u.end(), static_cast<std::int64_t>(m) - 20);
  expect_match("largest", pattern, u);
}

TEST(RowTransform, LongRowsInPanelsOfColumnsMatchTheDirectSum) {
  const auto pattern = testing::random_pattern(23, 135'000, 4000, 8);  // above the longest in lane format
  Frequencies u{4, 5, 6, 7, 8, 9, 10, 11, 12, 20};
  for (const LengthRule rule : {LengthRule::library, LengthRule::paper}) {
    const RowTransform engine(pattern, rule);
    const Values rows = transform(engine, u, pattern.cols());
    ThreadPool pool(1);
    JobContext context(pool);
    const FrequencyAxis some = FrequencyAxis::progression(pattern.cols(), 77, 1353, 99);
    const auto expected = direct_transform(pattern, {FrequencyAxis::list(pattern.rows(), u), some}, context);
    Values got;
    for (std::size_t r = 0; r < u.size(); ++r)
      for (std::size_t q = 0; q < some.count(); ++q)
        got.push_back(rows[r * pattern.cols() + static_cast<std::size_t>(some.at(q)) % pattern.cols()]);
    EXPECT_LE(relative_error(got, expected), tolerance(engine.length()));
  }
}

TEST(RowTransform, PaperRulePadsOnlyLengthsWithALargePrimeFactor) {
  EXPECT_EQ(RowTransform(testing::random_pattern(5, 360, 9, 1), LengthRule::paper).length(), 360U);
  EXPECT_EQ(RowTransform(testing::random_pattern(5, 97, 9, 1), LengthRule::paper).length(), 196U);
  EXPECT_EQ(RowTransform(testing::random_pattern(5, 97, 9, 1), LengthRule::library).length(), 97U);
}

TEST(RowTransform, IsSharedByConcurrentThreads) {
  const auto pattern = testing::random_pattern(400, 300, 3000, 9);
  const RowTransform engine(pattern, LengthRule::library);
  Frequencies u(100);
  std::iota(u.begin(), u.end(), 30);
  const Values expected = transform(engine, u, pattern.cols());
  std::vector<Values> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) threads.emplace_back([&] { result = transform(engine, u, pattern.cols()); });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace spyctrum
