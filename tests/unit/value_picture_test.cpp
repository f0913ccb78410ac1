// SPDX-License-Identifier: Apache-2.0
// Pictures of values against sums over all entries.
#include "core/pictures/value_picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "core/base/thread_pool.hpp"

namespace spyctrum {
namespace {

SparsePattern signed_matrix(Index rows, Index cols, std::size_t count, float size) {
  std::mt19937 random(5);
  std::vector<Index> row, col;
  for (std::size_t t = 0; t < count; ++t) {
    row.push_back(static_cast<Index>(random() % rows));
    col.push_back(static_cast<Index>(random() % cols));
  }
  const SparsePattern pattern = SparsePattern::from_coordinates(rows, cols, row, col).value();
  std::vector<float> weights;
  std::normal_distribution<float> normal;
  for (std::int64_t t = 0; t < pattern.nonzeros(); ++t) weights.push_back(size * normal(random));
  return pattern.with_weights(weights);
}

class ValuePicture : public ::testing::Test {
 protected:
  ValueImages draw(const SparsePattern& pattern, ValueQuantity quantity, PlaneRect rect, std::uint32_t height,
                   std::uint32_t width, std::uint32_t block = 1) {
    JobContext context(pool_);
    return value_images(pattern, quantity, {rect, height, width}, context, block);
  }
  ThreadPool pool_{2};
};

TEST_F(ValuePicture, ShowsSumMeanAndMaximumOfTheEntriesOfEachCellInTheirUnits) {
  for (const float size : {1.0F, 3e12F, 2e-20F}) {
    const SparsePattern pattern = signed_matrix(60, 40, 700, size);
    const double unit = std::ldexp(1.0, pattern.weight_exponent());
    const PlaneRect whole{0, 0, 60, 40};
    const ValueImages sums = draw(pattern, ValueQuantity::sum, whole, 12, 10);
    const ValueImages means = draw(pattern, ValueQuantity::mean_magnitude, whole, 12, 10);
    const ValueImages largest = draw(pattern, ValueQuantity::maximum, whole, 12, 10);
    ASSERT_TRUE(sums.below);
    EXPECT_FALSE(means.below);
    EXPECT_FALSE(largest.below);
    for (std::uint32_t r = 0; r < 12; ++r)
      for (std::uint32_t c = 0; c < 10; ++c) {
        double sum = 0, magnitudes = 0, most = 0, count = 0;
        std::size_t t = 0;
        for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
          for (const Index row : pattern.column(k)) {
            const double a = unit * static_cast<double>(pattern.weights()[t++]);
            if (row / 5 != r || pattern.column_ids()[k] / 4 != c) continue;
            sum += a;
            magnitudes += std::abs(a);
            most = std::max(most, std::abs(a));
            ++count;
          }
        const std::size_t cell = std::size_t{2} * (r * 10 + c);
        const double tolerance = 1e-6 * std::max(magnitudes, 1e-30);
        EXPECT_NEAR(sums.above->cells[cell] - sums.below->cells[cell], sum, tolerance);
        EXPECT_TRUE(sums.above->cells[cell] == 0 || sums.below->cells[cell] == 0) << "one sign";
        EXPECT_NEAR(means.above->cells[cell], count > 0 ? magnitudes / count : 0, tolerance);
        EXPECT_NEAR(largest.above->cells[cell], most, tolerance);
      }
  }
}

TEST_F(ValuePicture, ACellSmallerThanAnEntryShowsItsValueAndOutsideIsNotANumber) {
  const SparsePattern pattern =
      SparsePattern::from_coordinates(3, 3, {0, 1}, {0, 2}).value().with_weights({2.5F, -7.0F});
  const ValueImages images = draw(pattern, ValueQuantity::sum, {-1, 0, 3, 3}, 16, 12);
  const auto at = [&](const CellImage& image, std::uint32_t r, std::uint32_t c) {
    return image.cells[std::size_t{2} * (r * 12 + c)];
  };
  EXPECT_TRUE(std::isnan(at(*images.above, 1, 5)));
  for (const std::uint32_t r : {4U, 7U}) EXPECT_EQ(at(*images.above, r, 2), 2.5F);
  EXPECT_EQ(at(*images.below, 9, 11), 7.0F);
  EXPECT_EQ(at(*images.above, 9, 11), 0.0F);
  EXPECT_EQ(at(*images.above, 14, 2), 0.0F);
}

TEST_F(ValuePicture, InBlocksACellShowsTheSumOfItsBlockOrTheMeanOfItsBlocks) {
  const SparsePattern pattern = signed_matrix(61, 47, 900, 2);
  std::map<std::pair<Index, Index>, double> sums;  // by block of 6 × 6; the last ones are smaller
  std::size_t t = 0;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
    for (const Index row : pattern.column(k))
      sums[{row / 6, pattern.column_ids()[k] / 6}] +=
          std::ldexp(double{pattern.weights()[t++]}, pattern.weight_exponent());
  // Three cells a position, and cells of exactly two blocks.
  const ValueImages fine = draw(pattern, ValueQuantity::sum, {0, 0, 61, 47}, 183, 141, 6);
  for (std::uint32_t r = 0; r < 183; ++r)
    for (std::uint32_t c = 0; c < 141; ++c) {
      const std::size_t cell = std::size_t{2} * (r * 141 + c);
      ASSERT_NEAR(fine.above->cells[cell] - fine.below->cells[cell], (sums[{r / 18, c / 18}]), 1e-5)
          << r << " " << c;
    }
  const ValueImages coarse = draw(pattern, ValueQuantity::sum, {0, 0, 48, 36}, 4, 3, 6);
  for (std::uint32_t r = 0; r < 4; ++r)
    for (std::uint32_t c = 0; c < 3; ++c) {
      const double four = sums[{2 * r, 2 * c}] + sums[{2 * r + 1, 2 * c}] + sums[{2 * r, 2 * c + 1}] +
                          sums[{2 * r + 1, 2 * c + 1}];
      const std::size_t cell = std::size_t{2} * (r * 3 + c);
      EXPECT_NEAR(coarse.above->cells[cell] - coarse.below->cells[cell], four / 4, 1e-5);
    }
}

TEST_F(ValuePicture, OfAMatrixWithoutNegativeWeightsHasOneSign) {
  const SparsePattern pattern = SparsePattern::from_coordinates(2, 2, {0, 1}, {0, 1}).value();
  const PlaneRect whole{0, 0, 2, 2};
  EXPECT_FALSE(draw(pattern.with_weights({1, 2}), ValueQuantity::sum, whole, 2, 2).below);
  EXPECT_TRUE(draw(pattern.with_weights({1, -2}), ValueQuantity::sum, whole, 2, 2).below);
  EXPECT_TRUE(draw(pattern.with_weights({-1, -2}), ValueQuantity::sum, whole, 2, 2).below);
}

TEST_F(ValuePicture, NeedsLogarithmsWhereMostSumsAreSmallBesideTheLargest) {
  JobContext context(pool_);
  std::vector<Index> places(500);
  std::iota(places.begin(), places.end(), Index{0});
  const SparsePattern diagonal = SparsePattern::from_coordinates(500, 500, places, places).value();
  EXPECT_FALSE(needs_log_scale(diagonal, context)) << "a pattern";
  std::vector<float> even(500, -3);
  EXPECT_FALSE(needs_log_scale(diagonal.with_weights(even), context));
  std::vector<float> decades(500);
  for (std::size_t t = 0; t < 500; ++t)
    decades[t] = (t % 2 == 0 ? 1.0F : -1.0F) * std::pow(10.0F, static_cast<float>(t) / 100);
  EXPECT_TRUE(needs_log_scale(diagonal.with_weights(decades), context));
  std::vector<float> alone(500, 1);
  alone[7] = 1e20F;
  EXPECT_FALSE(needs_log_scale(diagonal.with_weights(alone), context)) << "one outlier is beyond the range";
}

TEST_F(ValuePicture, ValuesThatCancelAreZeroAndNotRounding) {
  const SparsePattern pattern = SparsePattern::from_coordinates(2, 2, {0, 1, 0, 1}, {0, 0, 1, 1})
                                    .value()
                                    .with_weights({0.1F, 0.2F, -0.2F, -0.1F});
  const ValueImages images = draw(pattern, ValueQuantity::sum, {0, 0, 2, 2}, 1, 1);
  EXPECT_EQ(images.above->cells[0], 0.0F);
  EXPECT_EQ(images.below->cells[0], 0.0F);
}

}  // namespace
}  // namespace spyctrum
