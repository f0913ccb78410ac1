// SPDX-License-Identifier: Apache-2.0
// Threshold against direct sums over the entries of largest |a|, chosen by sorting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>

#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/kept_entries.hpp"
#include "core/methods/method.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum {
namespace {

using namespace test;

constexpr RequestedOutputs kValuesOnly{true, false, false, 64};

struct Entry {
  Index row, col;
  float weight;
};

/// All entries in the order of row_indices().
std::vector<Entry> entries_of(const SparsePattern& pattern) {
  std::vector<Entry> all;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
    for (const Index row : pattern.column(k))
      all.push_back(
          {row, pattern.column_ids()[k], pattern.has_weights() ? pattern.weights()[all.size()] : 1.0F});
  return all;
}

/// Distinct magnitudes with signs, far apart.
PatternPtr signed_matrix(Index rows, Index cols, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Index> row, col;
  for (std::size_t t = 0; t < count; ++t) {
    row.push_back(static_cast<Index>(random() % rows));
    col.push_back(static_cast<Index>(random() % cols));
  }
  const SparsePattern pattern = SparsePattern::from_coordinates(rows, cols, row, col).value();
  std::vector<float> weights;
  std::lognormal_distribution<float> magnitude(0, 2);
  for (std::int64_t t = 0; t < pattern.nonzeros(); ++t)
    weights.push_back((random() % 2 == 0 ? 1.0F : -1.0F) * magnitude(random));
  return std::make_shared<const SparsePattern>(pattern.with_weights(weights));
}

TEST(EntriesWithin, AreThoseWhoseSizeIsInTheRange) {
  ThreadPool& threads = pool();
  JobContext context(threads);
  for (const double scale : {1.0, 1e-30, 1e25}) {
    const PatternPtr plain = signed_matrix(60, 50, 700, 5);
    std::vector<float> weights;
    for (const float weight : plain->weights())
      weights.push_back(static_cast<float>(std::ldexp(double{weight}, plain->weight_exponent()) * scale));
    const auto matrix = std::make_shared<const SparsePattern>(plain->without_weights().with_weights(weights));
    const MagnitudeRange range{std::abs(double{weights[3]}), std::abs(double{weights[8]})};
    const MagnitudeRange ascending{std::min(range.least, range.most), std::max(range.least, range.most)};
    const PatternPtr kept = entries_within(matrix, ascending, context);
    std::size_t expected = 0;
    const std::vector<Entry> all = entries_of(*matrix);
    for (std::size_t t = 0; t < weights.size(); ++t) {
      const double size = std::abs(double{weights[t]});
      const bool is_within = size >= ascending.least && size <= ascending.most;
      expected += is_within ? 1 : 0;
      const auto at = kept->entry_at(all[t].row, all[t].col);
      ASSERT_EQ(at.has_value(), is_within) << size;
      if (at) {
        EXPECT_EQ(std::ldexp(kept->weights()[*at], kept->weight_exponent()), weights[t]);
      }
    }
    EXPECT_EQ(static_cast<std::size_t>(kept->nonzeros()), expected);
    EXPECT_GE(expected, 2U) << "both limits are included";
    EXPECT_EQ(entries_within(matrix, {}, context), matrix);
    EXPECT_EQ(entries_within(matrix, {ascending.least / 1e9, ascending.most * 1e9}, context), matrix);
    EXPECT_THROW((void)entries_within(matrix, {ascending.most * 1e9}, context), Failure);
    // The histogram counts each entry once, in its bin.
    const MagnitudeHistogram histogram = magnitude_histogram(*matrix, 40);
    ASSERT_EQ(histogram.counts.size(), 40U);
    EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{0}),
              weights.size());
    const double edge = histogram.low + (histogram.high - histogram.low) * 25.5 / 40;
    std::uint64_t below = 0;
    for (const float weight : weights) below += std::log10(std::abs(double{weight})) < edge ? 1 : 0;
    const std::uint64_t counted =
        std::accumulate(histogram.counts.begin(), histogram.counts.begin() + 25, std::uint64_t{0});
    EXPECT_GE(below, counted);
    EXPECT_LE(below, counted + histogram.counts[25]);
  }
  const PatternPtr ones = signed_matrix(20, 20, 50, 1);
  EXPECT_TRUE(magnitude_histogram(ones->without_weights(), 8).counts.empty());
  EXPECT_EQ(entries_within(std::make_shared<const SparsePattern>(ones->without_weights()), {0.5, 2}, context)
                ->nonzeros(),
            ones->nonzeros())
      << "an entry of a pattern is 1";
}

TEST(Threshold, GivesTheCoefficientsOfTheLargestEntries) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{31, 47}, {64, 64}, {5, 200}}) {
    const PatternPtr pattern = signed_matrix(rows, cols, 700, rows);
    std::vector<Entry> all = entries_of(*pattern);
    std::ranges::sort(all,
                      [](const Entry& a, const Entry& b) { return std::abs(a.weight) > std::abs(b.weight); });
    for (const std::uint64_t block : {2, 3, 7}) {
      SCOPED_TRACE(std::to_string(rows) + "×" + std::to_string(cols) + ", block " + std::to_string(block));
      const std::uint64_t count = block_count(rows, block) * block_count(cols, block);
      if (count >= all.size()) continue;
      auto result = run_job(*find_method("threshold"),
                            request_of(pattern, {{"block", std::to_string(block)}}, kValuesOnly), pool());
      ASSERT_TRUE(result) << result.error().message();
      const Spectrum& spectrum = **result;
      EXPECT_EQ(spectrum.exactness, Exactness::estimate);
      EXPECT_EQ(spectrum.exponent(), pattern->weight_exponent()) << "the unit of the other columns";
      EXPECT_EQ(spectrum.nonzeros, pattern->nonzeros());
      double squares = 0;
      for (std::size_t t = 0; t < count; ++t) squares += std::pow(all[t].weight, 2);
      EXPECT_NEAR(spectrum.weights->squares, squares, 1e-5 * squares);
      const double tolerance = 1e-4 * std::sqrt(squares);
      for (std::uint64_t p = 0; p < spectrum.grid.rows.count(); ++p)
        for (std::uint64_t q = 0; q < spectrum.grid.cols.count(); ++q) {
          const auto u = static_cast<double>(spectrum.grid.rows.at(p));
          const auto v = static_cast<double>(spectrum.grid.cols.at(q));
          std::complex<double> sum;
          for (std::size_t t = 0; t < count; ++t)
            sum += static_cast<double>(all[t].weight) *
                   std::polar(1.0, -2 * M_PI * (u * all[t].row / rows + v * all[t].col / cols));
          ASSERT_LE(std::abs(std::complex<double>(spectrum.values[p * spectrum.grid.cols.count() + q]) - sum),
                    tolerance)
              << u << ' ' << v;
        }
    }
  }
}

TEST(Threshold, IsExactWhereAllEntriesAreKept) {
  const PatternPtr pattern = signed_matrix(40, 30, 60, 3);
  const auto result =
      run_job(*find_method("threshold"), request_of(pattern, {{"block", "1"}}, kValuesOnly), pool());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ((*result)->exactness, Exactness::exact);
}

TEST(LargestEntries, OfAllChoicesOfThatManyDropTheLeastEnergy) {
  const PatternPtr pattern = signed_matrix(50, 70, 900, 8);
  std::vector<float> sizes;
  for (const Entry& entry : entries_of(*pattern)) sizes.push_back(std::abs(entry.weight));
  std::ranges::sort(sizes, std::greater<>());
  for (const std::size_t count : {std::size_t{1}, std::size_t{10}, std::size_t{400}}) {
    const PatternPtr kept = largest_entries(*pattern, count);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->nonzeros(), static_cast<std::int64_t>(count));
    double squares = 0;
    for (std::size_t t = 0; t < count; ++t) squares += std::pow(static_cast<double>(sizes[t]), 2);
    const double scale = std::ldexp(1.0, 2 * (kept->weight_exponent() - pattern->weight_exponent()));
    EXPECT_NEAR(scale * kept->weight_squares(), squares, 1e-6 * squares);
    for (const Entry& entry : entries_of(*kept)) EXPECT_TRUE(pattern->contains(entry.row, entry.col));
  }
  EXPECT_FALSE(largest_entries(*pattern, static_cast<std::uint64_t>(pattern->nonzeros())));
}

TEST(LargestEntries, OfAPatternLieEverywhereInIt) {
  const Index side = 200;
  std::vector<Index> row, col;
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; j += 4) {
      row.push_back(i);
      col.push_back(j);
    }
  const SparsePattern pattern = SparsePattern::from_coordinates(side, side, row, col).value();
  const PatternPtr kept = largest_entries(pattern, 2000);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->nonzeros(), 2000);
  for (const auto* counts : {&kept->row_counts().ids, &kept->column_counts().ids}) {
    const auto half = std::ranges::count_if(*counts, [](Index id) { return id < side / 2; });
    EXPECT_NEAR(static_cast<double>(half), static_cast<double>(counts->size()) / 2, 0.1 * side);
  }
}

}  // namespace
}  // namespace spyctrum
