// SPDX-License-Identifier: Apache-2.0
// RowClasses, the table by which a device sums features, against classify() for every coefficient; and sums
// that the host computes from the table against FeatureRows.
#include "core/features/row_classes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/features/feature_bins.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "tests/support/test_pool.hpp"
#include "tests/unit/naive_plane.hpp"

namespace spyctrum {
namespace {

std::uint16_t code_of(std::int64_t u, std::int64_t v, std::uint64_t m, std::uint64_t n) {
  if (u == 0 && v == 0) return cuda::kDcClass;
  const FrequencyClass where = classify(u, v, m, n);
  return static_cast<std::uint16_t>(where.radial | where.sector << cuda::kSectorShift |
                                    (where.low ? cuda::kLowClass : 0));
}

/// The class of a stored column, from the runs of its row.
std::uint16_t class_at(const cuda::RowClassesView& table, std::uint64_t row, std::uint64_t column) {
  const std::uint32_t* begins = table.begins + row * cuda::kMostRuns;
  std::size_t run = 0;
  while (run + 1 < cuda::kMostRuns && begins[run + 1] != cuda::kNoRun && begins[run + 1] <= column) ++run;
  return table.classes[row * cuda::kMostRuns + run];
}

void expect_definition(const FrequencyGrid& grid, const RowClassRule& rule) {
  const auto table = RowClasses::make(grid, rule, test::pool());
  ASSERT_TRUE(table);
  const cuda::RowClassesView view = table->view();
  const std::uint64_t m = grid.rows.size();
  const std::uint64_t n = grid.cols.size();
  ASSERT_EQ(view.rows, grid.rows.count());
  ASSERT_EQ(view.width, grid.cols.count());
  double counted = 0;
  for (std::uint64_t p = 0; p < view.rows; ++p) {
    const std::int64_t u = grid.rows.signed_at(p);
    ASSERT_EQ(view.begins[p * cuda::kMostRuns], 0U);
    if (rule.skips_row && rule.skips_row(u)) {
      EXPECT_EQ(view.weights[p], 0);
      continue;
    }
    const bool own_mirror = dft_index(2 * u, static_cast<std::int64_t>(m)) == 0;
    ASSERT_EQ(view.weights[p], rule.hermitian_half && !own_mirror ? 2 : 1);
    for (std::uint64_t q = 0; q < view.width; ++q) {
      const std::int64_t v = grid.cols.signed_at(q);
      ASSERT_EQ(class_at(view, p, q), code_of(u, v, m, n)) << m << "x" << n << " at " << u << ", " << v;
      if (u != 0 || v != 0) counted += view.weights[p];
    }
  }
  EXPECT_EQ(table->count(), counted);
}

TEST(RowClasses, OfHalfPlanesAgreeWithClassifyForEverySmallSize) {
  for (std::uint64_t m = 1; m <= 14; ++m) {
    for (std::uint64_t n = 1; n <= 14; ++n)
      expect_definition(
          {FrequencyAxis::progression(m, 0, 1, m / 2 + 1), FrequencyAxis::progression(n, 0, 1, n)},
          {.hermitian_half = true});
  }
}

TEST(RowClasses, OfHalfPlanesAgreeWithClassifyForLargerSizes) {
  for (const auto& [m, n] :
       {std::pair<std::uint64_t, std::uint64_t>{97, 101}, {64, 250}, {250, 64}, {160, 161}})
    expect_definition(
        {FrequencyAxis::progression(m, 0, 1, m / 2 + 1), FrequencyAxis::progression(n, 0, 1, n)},
        {.hermitian_half = true});
}

TEST(RowClasses, OfSamplesAgreeWithClassify) {
  for (const std::uint64_t block : {1U, 2U, 3U, 5U, 16U, 400U}) {
    expect_definition(off_axis_grid(203, 180, block), {});
    expect_definition(paper_grid(203, 180, block), {});
    expect_definition({FrequencyAxis::full(block), FrequencyAxis::full(block + 7)}, {});
  }
}

TEST(RowClasses, MayWrapAroundAnywhereInARow) {
  for (const std::int64_t origin : {0, 3, 50, -7, 99})
    expect_definition({FrequencyAxis::full(31), FrequencyAxis::progression(101, origin, 1, 101)}, {});
}

TEST(RowClasses, SkipTheRowsOfTheRule) {
  RowClassRule rule;
  rule.skips_row = [](std::int64_t u) { return std::abs(u) <= 3; };
  expect_definition({FrequencyAxis::full(40), FrequencyAxis::full(33)}, rule);
}

/// The sums that a device computes from the table, here one coefficient at a time.
cuda::FeatureSums sums_by(const cuda::RowClassesView& table, const test::NaivePlane& plane) {
  cuda::FeatureSums sums;
  for (std::uint64_t u = 0; u < table.rows; ++u) {
    for (std::uint64_t v = 0; v < table.width; ++v) {
      const double power = plane.power(static_cast<std::int64_t>(u), static_cast<std::int64_t>(v));
      const std::uint16_t code = class_at(table, u, v);
      if (code == cuda::kDcClass) sums.dc_power = power;
      if (code >= cuda::kSkippedClass) continue;
      const double weight = table.weights[u] / ((code & cuda::kHalfWeight) != 0 ? 2.0 : 1.0);
      const std::size_t sector = code >> cuda::kSectorShift & 7U;
      sums.radial[code & 15U] += weight * power;
      ((code & cuda::kTransposedSector) != 0 ? sums.transposed_sectors : sums.sectors)[sector] +=
          weight * power;
      if ((code & cuda::kLowClass) != 0) sums.low += weight * power;
      sums.log_power += weight * std::log(power);
    }
  }
  return sums;
}

TEST(RowClasses, OfTheSymmetricHalfGiveTheSumsOfTheWholePlane) {
  for (std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 31, 32, 48, 97, 130}) {
    const auto side = static_cast<std::uint64_t>(n);
    const test::NaivePlane plane = test::symmetric_plane(n, 7);
    const FrequencyGrid half{FrequencyAxis::progression(side, 0, 1, side / 2 + 1),
                             FrequencyAxis::progression(side, 0, 1, side)};
    const auto whole = RowClasses::make(half, {.hermitian_half = true}, test::pool());
    const auto symmetric_half =
        RowClasses::make(half, {.hermitian_half = true, .symmetric_half = true}, test::pool());
    ASSERT_TRUE(whole && symmetric_half) << n;
    EXPECT_EQ(symmetric_half->count(), whole->count()) << n;
    const FeatureTotals expected = whole->totals(sums_by(whole->view(), plane));
    const FeatureTotals actual = symmetric_half->totals(sums_by(symmetric_half->view(), plane));
    const double tolerance = 1e-12 * (expected.non_dc_power() + expected.dc_power);
    for (std::size_t k = 0; k < kRadialBins; ++k)
      EXPECT_NEAR(actual.radial[k], expected.radial[k], tolerance) << n << ", ring " << k;
    for (std::size_t k = 0; k < kSectors; ++k)
      EXPECT_NEAR(actual.sectors[k], expected.sectors[k], tolerance) << n << ", sector " << k;
    EXPECT_NEAR(actual.low, expected.low, tolerance) << n;
    EXPECT_NEAR(actual.log_power, expected.log_power, 1e-8 * (1 + std::abs(expected.log_power))) << n;
    EXPECT_EQ(actual.dc_power, expected.dc_power);
  }
}

TEST(RowClasses, OfTheSymmetricHalfFitIntoTheTableForLargePlanes) {
  for (const std::uint64_t n : {5000U, 20011U, 65536U}) {
    const FrequencyGrid half{FrequencyAxis::progression(n, 0, 1, n / 2 + 1),
                             FrequencyAxis::progression(n, 0, 1, n)};
    const auto symmetric_half =
        RowClasses::make(half, {.hermitian_half = true, .symmetric_half = true}, test::pool());
    ASSERT_TRUE(symmetric_half) << n;
    EXPECT_EQ(symmetric_half->count(), static_cast<double>(n) * static_cast<double>(n) - 1);
  }
}

TEST(RowClasses, AreNotMadeForUnsortedColumns) {
  EXPECT_FALSE(
      RowClasses::make({FrequencyAxis::full(9), FrequencyAxis::list(9, {3, 1, 2, 0})}, {}, test::pool()));
  EXPECT_FALSE(
      RowClasses::make({FrequencyAxis::full(9), FrequencyAxis::progression(9, 4, -1, 9)}, {}, test::pool()));
  EXPECT_FALSE(
      RowClasses::make({FrequencyAxis::full(9), FrequencyAxis::list(9, {1, 3, 1})}, {}, test::pool()));
}

}  // namespace
}  // namespace spyctrum
