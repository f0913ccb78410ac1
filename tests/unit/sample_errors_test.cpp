// SPDX-License-Identifier: Apache-2.0
// Do the standard errors of features that are decoded from a lattice of samples hold?
#include <gtest/gtest.h>

#include "core/features/decoders.hpp"
#include "core/fft/lattice.hpp"
#include "core/frequency/sampling_grids.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "tests/support/coverage.hpp"
#include "tests/support/generated_pattern.hpp"

namespace spyctrum {
namespace {

class SampleErrors : public testing::Test {
 protected:
  EstimatedFeatures decoded(const SparsePattern& pattern, std::uint64_t block) {
    const FrequencyGrid grid = off_axis_grid(pattern.rows(), pattern.cols(), block);
    const auto values = lattice_transform(pattern, grid, LatticeOptions{}, context_);
    return decode_stratified(pattern, grid, values, rounding_floor(pattern), context_);
  }
  /// Over blocks 8 and 64 of the pattern `text` with seeds 1 … 4.
  test::Coverage coverage(const std::string& text) {
    test::Coverage coverage;
    for (const char* seed : {"1", "2", "3", "4"}) {
      const PatternPtr pattern = test::generated(text + ",seed=" + seed);
      const test::SummedPlane plane(pattern, context_);
      for (const std::uint64_t block : {8U, 64U}) {
        const EstimatedFeatures found = decoded(*pattern, block);
        EXPECT_TRUE(found.errors.has_value()) << text;
        if (found.errors) coverage.add(found, *found.errors, plane.exact());
      }
    }
    return coverage;
  }
  ThreadPool pool_{2};
  JobContext context_{pool_};
};

TEST_F(SampleErrors, HoldOnSeveralKindsOfPatterns) {
  test::Coverage all;
  for (const char* text : {"gen:random:n=1500,nnz=7000", "gen:random:rows=1400,cols=2001,nnz=9000",
                           "gen:power-law:n=1600,nnz=12000", "gen:stochastic-blocks:n=1500,blocks=5"})
    all.add(coverage(text));
  EXPECT_EQ(all.runs(), 32);
  EXPECT_GT(all.within(1), 0.6);
  EXPECT_LT(all.within(1), 0.92);
  EXPECT_GT(all.within(2), 0.92);
  EXPECT_LT(all.farthest().distance, 5);
  EXPECT_LT(all.within(0.2), 0.4) << "error bars five times as wide as needed would hold, too";
}

TEST_F(SampleErrors, AreThoseOfRoundingWhereEveryRowIsComputed) {
  const EstimatedFeatures found = decoded(*test::generated("gen:random:n=90,nnz=400"), 4);
  ASSERT_TRUE(found.errors.has_value());
  EXPECT_LE(found.errors->entropy, 1e-6);
  for (const double error : found.errors->radial) EXPECT_LE(error, 1e-6);
  EXPECT_EQ(found.errors->imbalance, 0) << "none is estimated";
}

TEST_F(SampleErrors, ShrinkWithTheNumberOfSamples) {
  const PatternPtr pattern = test::generated("gen:random:n=3000,nnz=12000");
  const EstimatedFeatures fine = decoded(*pattern, 2);
  const EstimatedFeatures coarse = decoded(*pattern, 64);
  ASSERT_TRUE(fine.errors && coarse.errors);
  EXPECT_LT(fine.errors->entropy, coarse.errors->entropy / 2);
  EXPECT_LT(fine.errors->flatness, coarse.errors->flatness / 2);
}

TEST_F(SampleErrors, AreNotGivenForTheWholePlane) {
  const PatternPtr pattern = test::generated("gen:random:n=60,nnz=200");
  const FrequencyGrid grid{FrequencyAxis::full(60), FrequencyAxis::full(60)};
  const auto values = lattice_transform(*pattern, grid, LatticeOptions{}, context_);
  EXPECT_FALSE(decode_stratified(*pattern, grid, values, 0, context_).errors.has_value());
}

}  // namespace
}  // namespace spyctrum
