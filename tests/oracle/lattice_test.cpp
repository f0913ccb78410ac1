// SPDX-License-Identifier: Apache-2.0
// The lattice engine against the direct double-precision sum. Tolerance: root mean square error over the
// window ≤ tolerance·√K + 3e−7·(√K + root mean square of the exact values), the last term for the rounding of
// single-precision sums and results.
#include "core/fft/lattice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <random>

#include "core/fft/axis_leaks.hpp"
#include "core/fft/axis_values.hpp"
#include "core/fft/result_cache.hpp"
#include "tests/oracle/random_patterns.hpp"
#include "tests/support/large_axes.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum {
namespace {

using Values = std::vector<std::complex<float>>;

FrequencyGrid progressions(const SparsePattern& pattern, std::int64_t u, std::int64_t b, std::uint64_t rows,
                           std::int64_t v, std::int64_t c, std::uint64_t cols) {
  return {FrequencyAxis::progression(pattern.rows(), u, b, rows),
          FrequencyAxis::progression(pattern.cols(), v, c, cols)};
}

constexpr double kRounding = 3e-7;

/// Root mean square error, less the part that the size of the values explains, relative to √K.
double error_of(const SparsePattern& pattern, const FrequencyGrid& grid, double tolerance,
                unsigned threads = 2) {
  ThreadPool pool(threads);
  JobContext context(pool);
  const Values values = lattice_transform(pattern, grid, {tolerance}, context);
  const auto expected = direct_transform(pattern, grid, context);
  EXPECT_EQ(values.size(), expected.size());
  double error = 0;
  double power = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    error += std::norm(std::complex<double>(values[k]) - expected[k]);
    power += std::norm(expected[k]);
  }
  const auto count = static_cast<double>(expected.size());
  const double root = std::sqrt(std::max(1.0, static_cast<double>(pattern.nonzeros())));
  return (std::sqrt(error / count) - kRounding * std::sqrt(power / count)) / root;
}

double allowed(double tolerance) { return tolerance + kRounding; }

TEST(DirectTransform, IsTheDefinition) {
  const auto pattern = testing::random_pattern(9, 14, 30, 1);
  ThreadPool pool(1);
  JobContext context(pool);
  const FrequencyGrid grid{FrequencyAxis::list(9, {0, -4, 100, 7}), FrequencyAxis::progression(14, -7, 3, 8)};
  const auto values = direct_transform(pattern, grid, context);
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t q = 0; q < 8; ++q) {
      std::complex<double> sum = 0;
      for (Index i = 0; i < 9; ++i)
        for (Index j = 0; j < 14; ++j)
          if (pattern.contains(i, j))
            sum += std::polar(1.0, -2 * M_PI *
                                       (static_cast<double>(grid.rows.at(p)) * i / 9.0 +
                                        static_cast<double>(grid.cols.at(q)) * j / 14.0));
      EXPECT_LE(std::abs(values[p * 8 + q] - sum), 1e-11);
    }
}

TEST(Lattice, MatchesTheDirectSumOnSpecialPatterns) {
  for (const auto& [name, pattern] : testing::special_patterns()) {
    const auto m = static_cast<std::int64_t>(pattern.rows());
    const auto n = static_cast<std::int64_t>(pattern.cols());
    for (const double tolerance : {1e-3, 1e-6, 1e-8}) {
      EXPECT_LE(
          error_of(pattern, progressions(pattern, 0, 1, pattern.rows(), 0, 1, pattern.cols()), tolerance),
          allowed(tolerance))
          << name << ", all";
      EXPECT_LE(error_of(pattern, progressions(pattern, -m / 2, 1, 33, n - 3, 1, 65), tolerance),
                allowed(tolerance))
          << name << ", windows that wrap around";
      EXPECT_LE(error_of(pattern, progressions(pattern, 3, -2, 40, -5, 7, 50), tolerance), allowed(tolerance))
          << name << ", steps";
      EXPECT_LE(error_of(pattern, progressions(pattern, m + 1, m + 2, 20, -4 * n, -3 * n - 1, 30), tolerance),
                allowed(tolerance))
          << name << ", steps beyond the size";
      EXPECT_LE(error_of(pattern, progressions(pattern, 5, 1, 1, 2, 1, 1), tolerance), allowed(tolerance))
          << name << ", one coefficient";
      EXPECT_LE(error_of(pattern, progressions(pattern, 5, 1, 1, 2, 1, 90), tolerance), allowed(tolerance))
          << name << ", one row";
      EXPECT_LE(error_of(pattern, progressions(pattern, 5, 3 * m, 30, 0, n, 31), tolerance),
                allowed(tolerance))
          << name << ", one frequency many times";
    }
  }
}

TEST(Lattice, MatchesTheDirectSumOnRandomGrids) {
  std::mt19937_64 random(7);
  const std::uint64_t sizes[] = {
      1, 2, 3, 7, 16, 30, 97, 128, 255, 1000, 1009, 5040, 4'294'967'291, 4'294'967'295};
  const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
  const auto axis = [&](std::uint64_t size) {
    auto step = static_cast<std::int64_t>(random() % 9) - 4;
    if (random() % 4 == 0)
      step = static_cast<std::int64_t>(random() % (3 * size)) - static_cast<std::int64_t>(size);
    const auto origin =
        static_cast<std::int64_t>(random() % (2 * size + 3)) - static_cast<std::int64_t>(size);
    const std::uint64_t count = random() % 4 == 0 ? std::min<std::uint64_t>(size, 300) : 1 + random() % 90;
    return FrequencyAxis::progression(size, origin, step == 0 ? 1 : step, count);
  };
  for (int trial = 0; trial < 150; ++trial) {
    const std::uint64_t m = sizes[random() % std::size(sizes)];
    const std::uint64_t n = sizes[random() % std::size(sizes)];
    const auto pattern = testing::random_pattern(m, n, 1 + random() % std::min<std::uint64_t>(400, m * n),
                                                 static_cast<unsigned>(trial));
    const FrequencyGrid grid{axis(m), axis(n)};
    const double tolerance = tolerances[random() % std::size(tolerances)];
    EXPECT_LE(error_of(pattern, grid, tolerance), allowed(tolerance))
        << m << "x" << n << ", K " << pattern.nonzeros() << ", rows " << grid.rows.origin() << " by "
        << grid.rows.step() << " times " << grid.rows.count() << ", columns " << grid.cols.origin() << " by "
        << grid.cols.step() << " times " << grid.cols.count() << ", tolerance " << tolerance;
  }
}

TEST(Lattice, KeepsItsToleranceOnALargeWindow) {
  // 60,000 points fill every stripe of the fine grid; the double-precision lattice, which the tests above
  // check, replaces the direct sum.
  const auto pattern = testing::random_pattern(20'011, 15'013, 60'000, 5);
  const FrequencyGrid grid = progressions(pattern, -200, 3, 400, 100, 1, 500);
  JobContext context(test::pool());
  const Values fine = lattice_transform(pattern, grid, {3e-8}, context);
  const double root = std::sqrt(static_cast<double>(pattern.nonzeros()));
  for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
    const Values values = lattice_transform(pattern, grid, {tolerance}, context);
    double sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      sum += std::norm(std::complex<double>(values[k]) - std::complex<double>(fine[k]));
    EXPECT_LE(std::sqrt(sum / static_cast<double>(values.size())) / root, allowed(tolerance)) << tolerance;
  }
  const FrequencyGrid corner = progressions(pattern, -200, 3, 3, 100, 1, 500);
  const auto expected = direct_transform(pattern, corner, context);
  double sum = 0;
  for (std::size_t k = 0; k < expected.size(); ++k)
    sum += std::norm(std::complex<double>(fine[k]) - expected[k]);
  EXPECT_LE(std::sqrt(sum / static_cast<double>(expected.size())) / root, allowed(3e-8));
}

TEST(Lattice, KeepsItsToleranceAtEveryDensityOfPoints) {
  JobContext context(test::pool());
  const std::uint64_t side = 5003;
  for (const std::size_t entries : {2000U, 8000U, 32000U, 130000U, 500000U}) {
    std::mt19937_64 random(entries);
    std::vector<Index> row(entries), col(entries);
    for (std::size_t t = 0; t < entries; ++t) {
      row[t] = static_cast<Index>(random() % side);
      col[t] = static_cast<Index>(random() % side);
    }
    const SparsePattern pattern = SparsePattern::from_coordinates(side, side, row, col).value();
    for (const auto& [first, step] : {std::pair{-100, 1}, {4, 16}}) {
      const FrequencyGrid grid = progressions(pattern, first, step, 270, first, step, 310);
      const Values exact = lattice_transform(pattern, grid, {3e-8}, context);
      for (double tolerance = 1e-2; tolerance > 2e-6; tolerance /= 1.7) {
        const Values values = lattice_transform(pattern, grid, {tolerance}, context);
        double sum = 0;
        double outermost = 0;  // of the first row
        double powers = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
          const auto error = static_cast<double>(std::norm(values[k] - exact[k]));
          sum += error;
          if (k < grid.cols.count()) outermost += error;
          powers += static_cast<double>(std::norm(exact[k]));
        }
        const auto count = static_cast<double>(values.size());
        const double root = std::sqrt(static_cast<double>(pattern.nonzeros()));
        const double rounding = kRounding * (root + std::sqrt(powers / count));
        const std::string what = std::to_string(entries) + " entries, step " + std::to_string(step) +
                                 ", tolerance " + std::to_string(1e6 * tolerance) + "e-6";
        EXPECT_LE(std::sqrt(sum / count), tolerance * root + rounding) << what;
        EXPECT_LE(std::sqrt(outermost / static_cast<double>(grid.cols.count())),
                  4 * tolerance * root + rounding)
            << what;
      }
    }
  }
}

TEST(Lattice, KeepsItsToleranceWhereManyPointsShareACell) {
  const auto pattern = testing::random_pattern(9001, 8009, 300'000, 12);
  for (const double tolerance : {1e-3, 1e-5, 1e-6}) {
    EXPECT_LE(error_of(pattern, progressions(pattern, 40, 1, 90, 50, 3, 80), tolerance), allowed(tolerance))
        << tolerance;
    EXPECT_LE(error_of(pattern, progressions(pattern, 40, 1, 330, 50, 3, 20), tolerance), allowed(tolerance))
        << tolerance;
  }
}

/// Entries whose number grows with the row: F[u, 0] falls as K/(2πu), far above √K, off the axes |F| is √K.
SparsePattern slope() {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> at(0, 1);
  std::vector<Index> row;
  std::vector<Index> col;
  for (int k = 0; k < 400'000; ++k) {
    row.push_back(static_cast<Index>(3001 * std::sqrt(at(random))));
    col.push_back(static_cast<Index>(2999 * at(random)));
  }
  return SparsePattern::from_coordinates(3001, 2999, std::move(row), std::move(col)).value();
}

TEST(Lattice, IsNotDisturbedByTheLargeValuesOnTheAxes) {
  // Windows on the axes, and at all distances from them up to the fine grid's second alias. Single
  // coefficients: 10·tolerance, since the mean error of the outermost rows and columns is four times that of
  // the grid, and the largest of thousands of errors 2.5 times their mean; and the rounding of the
  // coefficient.
  JobContext context(test::pool());
  for (const SparsePattern& pattern :
       {testing::random_pattern(3001, 2999, 400'000, 8), slope(), slope().transposed()}) {
    const double root = std::sqrt(static_cast<double>(pattern.nonzeros()));
    for (const std::int64_t shift : {-24, -6, 24, 48, 60, 72, 84, 96, 108, 120, 150, 180})
      for (const bool along_rows : {false, true}) {
        const FrequencyGrid grid = along_rows ? progressions(pattern, shift, 1, 48, -24, 1, 50)
                                              : progressions(pattern, -24, 1, 50, shift, 1, 48);
        const Values values = lattice_transform(pattern, grid, {1e-6}, context);
        const auto expected = direct_transform(pattern, grid, context);
        for (std::size_t k = 0; k < expected.size(); ++k)
          ASSERT_LE(std::abs(std::complex<double>(values[k]) - expected[k]),
                    1e-5 * root + 6e-7 * std::abs(expected[k]))
              << pattern.rows() << ", shift " << shift << ", rows " << along_rows << ": row "
              << k / grid.cols.count() << ", column " << k % grid.cols.count();
      }
  }
}

TEST(Lattice, SamplesAreNotDisturbedByTheLargeValuesOnTheAxes) {
  // Samples of several steps, of which at least one output in four has an alias on each axis. Bounds as
  // above.
  JobContext context(test::pool());
  for (const auto& [m, n] : {std::pair{1003U, 1201U}, {1366U, 907U}})
    for (const auto& [name, unweighted] : test::patterns_with_large_axes(m, n))
      for (const PatternPtr& pattern : {unweighted, test::with_positive_weights(unweighted)}) {
        const double root = std::sqrt(pattern->weight_squares());
        for (const std::uint64_t block : {4U, 7U, 16U}) {
          const FrequencyGrid grid = off_axis_grid(m, n, block);
          const auto expected = direct_transform(*pattern, grid, context);
          for (const double tolerance : {1e-3, 1e-6}) {
            const Values values = lattice_transform(*pattern, grid, {tolerance}, context);
            double largest = 0;
            double squares = 0;
            for (std::size_t k = 0; k < expected.size(); ++k) {
              const double error = std::abs(std::complex<double>(values[k]) - expected[k]);
              squares += error * error;
              largest = std::max(largest, error - 6e-7 * std::abs(expected[k]));
            }
            const std::string what = name + (pattern->has_weights() ? " with weights, " : ", ") +
                                     std::to_string(m) + " x " + std::to_string(n) + ", every " +
                                     std::to_string(block) + ", tolerance " +
                                     std::to_string(1e6 * tolerance) + "e-6";
            EXPECT_LE(largest, 10 * tolerance * root) << what;
            EXPECT_LE(std::sqrt(squares / static_cast<double>(expected.size())), allowed(tolerance) * root)
                << what;
          }
        }
      }
}

TEST(AxisLeaks, OfCosetsAreThoseOfTheirLattices) {
  const std::uint64_t m = 1003;
  const std::uint64_t n = 1201;
  const SpreadShape& shape = spread_shapes().front();
  for (const auto& [name, pattern] : test::patterns_with_large_axes(m, n))
    for (const FrequencyGrid& grid : {off_axis_grid(m, n, 4), progressions(*pattern, -60, 1, 150, 9, 1, 130),
                                      progressions(*pattern, -400, 5, 160, -70, 7, 150)})
      for (const auto& [s, t] : {std::pair{2U, 3U}, {4U, 2U}, {8U, 5U}}) {
        const auto sizes = [&](const FrequencyAxis& axis, std::uint64_t cosets) {
          return lattice_axis_sizes(coset_of(axis, cosets, 0), shape);
        };
        const LatticeAxisSizes rows = sizes(grid.rows, s);
        const LatticeAxisSizes cols = sizes(grid.cols, t);
        const AxisLeaks all =
            axis_leaks(*pattern, {grid.rows, rows, s}, {grid.cols, cols, t}, shape, test::pool());
        EXPECT_EQ(all.rows.output, first_zero(grid.rows)) << name;
        EXPECT_EQ(all.cols.output, first_zero(grid.cols)) << name;
        std::size_t found = 0;
        for (std::uint64_t r = 0; r < s; ++r) {
          const FrequencyAxis coset = coset_of(grid.rows, s, r);
          const AxisLeaks one =
              axis_leaks(*pattern, {coset, rows}, {grid.cols, cols, t}, shape, test::pool());
          for (const AxisLeak& leak : one.rows.leaks) {
            const std::uint64_t output = r + s * leak.output;
            if (output >= grid.rows.count()) continue;
            const auto at = std::ranges::find(all.rows.leaks, output, &AxisLeak::output);
            ASSERT_NE(at, all.rows.leaks.end()) << name << ", row " << output;
            EXPECT_DOUBLE_EQ(at->share, leak.share);
            ++found;
          }
        }
        EXPECT_EQ(found, all.rows.leaks.size()) << name;
        if (all.rows.leaks.empty()) continue;
        JobContext context(test::pool());
        const auto exact =
            direct_transform(*pattern, {FrequencyAxis::progression(m, 0, 1, 1), grid.cols}, context);
        const auto k = static_cast<double>(pattern->nonzeros());
        for (std::uint64_t q = 0; q < exact.size(); ++q) {
          // Where the values only leak, they contain the leaks of F[0, 0].
          const auto leak = std::ranges::find(all.cols.leaks, q, &AxisLeak::output);
          const bool contains = leak != all.cols.leaks.end() && !all.rows.output;
          EXPECT_LE(std::abs(all.col_values[q] - exact[q] - (contains ? leak->share * k : 0)), 1e-10 * k)
              << name << ", column " << q;
        }
      }
}

TEST(FirstZero, IsThatOfASearchThroughTheAxis) {
  for (std::uint64_t size = 1; size <= 12; ++size)
    for (std::int64_t origin = -14; origin <= 14; ++origin)
      for (const std::int64_t step : {-13, -6, -2, -1, 1, 3, 4, 8, 12})
        for (const std::uint64_t count : {0, 1, 5, 30}) {
          const auto axis = FrequencyAxis::progression(size, origin, step, count);
          std::optional<std::uint64_t> found;
          for (std::uint64_t k = count; k-- > 0;)
            if (axis.index_at(k) == 0) found = k;
          ASSERT_EQ(first_zero(axis), found) << size << ", " << origin << ", " << step << ", " << count;
        }
  EXPECT_EQ(first_zero(FrequencyAxis::list(9, {4, -9, 0})), 1U);
  EXPECT_EQ(first_zero(FrequencyAxis::list(9, {4, 3})), std::nullopt);
  // In constant time: searched through, this axis would take seconds.
  EXPECT_EQ(first_zero(FrequencyAxis::progression(4294967291, 1, 1, 4294967291)), 4294967290U);
}

TEST(Axes, OfALatticeAreTheTransformsOfTheCounts) {
  for (const auto& [name, pattern] : testing::special_patterns()) {
    ThreadPool pool(1);
    JobContext context(pool);
    for (const auto& [origin, step, count] :
         {std::tuple{-5, 1, 9U}, {0, 3, 4U}, {7, -2, 1000U}, {2, 5, 60U}}) {
      const FrequencyGrid grid = progressions(pattern, origin, step, count, 0, 1, 1);
      const auto expected = direct_transform(pattern, grid, context);
      const auto values = axis_values(pattern, PlaneAxis::rows, grid.rows);
      ASSERT_LE(values.size(), expected.size());
      for (std::size_t p = 0; p < expected.size(); ++p)
        EXPECT_LE(std::abs(values[p % values.size()] - expected[p]),
                  3e-10 * std::max(1.0, static_cast<double>(pattern.nonzeros())))
            << name << ", " << p;
    }
  }
}

TEST(Lattice, FoldsExactlyWhereStepsDivideTheSizes) {
  const auto pattern = testing::random_pattern(360, 480, 2000, 6);
  EXPECT_LE(error_of(pattern, progressions(pattern, 2, 6, 60, 3, 8, 60), 1e-3), kRounding);
  EXPECT_LE(error_of(pattern, progressions(pattern, 2, 6, 60, 3, 7, 33), 1e-5),
            allowed(1e-5));  // one axis only
}

TEST(Lattice, DoesNotDependOnTheNumberOfThreads) {
  const auto pattern = testing::random_pattern(9001, 8009, 50'000, 8);
  const FrequencyGrid grid = progressions(pattern, -150, 1, 300, 7, 5, 310);
  ThreadPool one(1);
  ThreadPool four(4);
  JobContext first(one);
  JobContext second(four);
  EXPECT_EQ(lattice_transform(pattern, grid, {1e-6}, first),
            lattice_transform(pattern, grid, {1e-6}, second));
}

TEST(Lattice, RefusesAxesThatAreLists) {
  const auto pattern = testing::random_pattern(10, 10, 20, 9);
  ThreadPool pool(1);
  JobContext context(pool);
  const FrequencyGrid lists{FrequencyAxis::list(10, {1, 2, 4}), FrequencyAxis::progression(10, 0, 1, 4)};
  try {
    (void)lattice_transform(pattern, lists, {}, context);
    FAIL() << "a list was accepted";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::wrong_use);
  }
}

TEST(Lattice, StopsAtTheNextCheckpoint) {
  const auto pattern = testing::random_pattern(4001, 4003, 40'000, 10);
  const FrequencyGrid grid = progressions(pattern, 0, 3, 600, 0, 3, 600);
  for (const unsigned threads : {1U, 3U}) {
    ThreadPool pool(threads);
    std::stop_source stop;
    std::atomic<unsigned> reports{0};
    JobContext context(
        pool, {.memory_bytes = 0, .seed = 1, .stop = stop.get_token(), .on_progress = [&](const Progress&) {
                 ++reports;
                 stop.request_stop();
               }});
    try {
      (void)lattice_transform(pattern, grid, {1e-6}, context);
      FAIL() << "the stop was ignored";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().code, ErrorCode::cancelled);
    }
    EXPECT_GE(reports, 1U);
    EXPECT_LE(reports, threads);
    EXPECT_EQ(context.memory().current(), 0U);
  }
}

TEST(Lattice, BooksNoMoreThanItForecasts) {
  const auto pattern = testing::random_pattern(5003, 5009, 30'000, 11);
  const FrequencyGrid grid = progressions(pattern, 0, 3, 500, 0, 3, 400);
  for (const double tolerance : {1e-4, 1e-7}) {
    JobContext context(test::pool());
    (void)lattice_transform(pattern, grid, {tolerance}, context);
    EXPECT_EQ(context.memory().peak(), lattice_bytes(pattern, grid, {tolerance}));
    JobContext poor(test::pool(), {.memory_bytes = 100'000, .seed = 1, .stop = {}, .on_progress = {}});
    try {
      (void)lattice_transform(pattern, grid, {tolerance}, poor);
      FAIL() << "the allowance was ignored";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().code, ErrorCode::out_of_memory);
    }
  }
}

TEST(ResultCache, DropsWhatWasUsedLongestAgo) {
  using NumberCache = ResultCache<int, int>;
  NumberCache cache(300);
  int made = 0;
  const auto get = [&](int key, std::size_t bytes) {
    return *cache.get(key, [&] { return NumberCache::Made{std::make_shared<int>(++made), bytes}; });
  };
  EXPECT_EQ(get(1, 100), 1);
  EXPECT_EQ(get(2, 100), 2);
  EXPECT_EQ(get(3, 100), 3);
  EXPECT_EQ(get(1, 100), 1);
  EXPECT_EQ(get(4, 100), 4);  // in place of 2
  EXPECT_EQ(get(3, 100), 3);
  EXPECT_EQ(get(1, 100), 1);
  EXPECT_EQ(get(2, 100), 5);
  EXPECT_EQ(get(6, 400), 6);  // larger than the limit: alone
  EXPECT_EQ(get(6, 400), 6);
  EXPECT_EQ(get(1, 100), 7);
}

TEST(Axes, AreKeptForEqualPatterns) {
  const auto pattern = testing::random_pattern(300, 400, 2000, 21);
  const auto rows = whole_axis(pattern, PlaneAxis::rows);
  EXPECT_EQ(whole_axis(testing::random_pattern(300, 400, 2000, 21), PlaneAxis::rows), rows);
  EXPECT_NE(whole_axis(pattern, PlaneAxis::columns), rows);
  EXPECT_NE(whole_axis(testing::random_pattern(300, 400, 2000, 22), PlaneAxis::rows), rows);
  const auto weighted = pattern.with_weights(std::vector<float>(pattern.row_indices().size(), 0.5F));
  EXPECT_NE(whole_axis(weighted, PlaneAxis::rows), rows);
  const auto symmetric = testing::random_pattern(300, 300, 2000, 23).symmetrised();
  EXPECT_EQ(whole_axis(symmetric, PlaneAxis::rows), whole_axis(symmetric, PlaneAxis::columns));
}

TEST(Axes, AreTheTransformsOfRowAndColumnCounts) {
  for (const auto& [name, pattern] : testing::special_patterns()) {
    ThreadPool pool(1);
    JobContext context(pool);
    const auto rows =
        direct_transform(pattern, progressions(pattern, 0, 1, pattern.rows(), 0, 1, 1), context);
    const auto cols =
        direct_transform(pattern, progressions(pattern, 0, 1, 1, 0, 1, pattern.cols()), context);
    const auto row_values = *whole_axis(pattern, PlaneAxis::rows);
    const auto column_values = *whole_axis(pattern, PlaneAxis::columns);
    ASSERT_EQ(row_values.size(), rows.size());
    ASSERT_EQ(column_values.size(), cols.size());
    const double tolerance = 1e-13 * std::max(1.0, static_cast<double>(pattern.nonzeros()));
    for (std::size_t k = 0; k < rows.size(); ++k)
      EXPECT_LE(std::abs(row_values[k] - rows[k]), tolerance) << name;
    for (std::size_t k = 0; k < cols.size(); ++k)
      EXPECT_LE(std::abs(column_values[k] - cols[k]), tolerance) << name;
  }
}

}  // namespace
}  // namespace spyctrum
