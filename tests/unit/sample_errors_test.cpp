// SPDX-License-Identifier: Apache-2.0
// Whether the standard errors of features that are decoded from samples hold.
#include <gtest/gtest.h>

#include <cmath>

#include "core/features/decode_stratified.hpp"
#include "core/features/decoders.hpp"
#include "core/features/feature_errors.hpp"
#include "core/fft/lattice.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/random.hpp"
#include "core/methods/method.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "tests/support/coverage.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/text_request.hpp"

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

/// Every pattern has other sides, since patterns of the same sides have the same sampled rows. With variances
/// below the unbiased ones 92.4 % were within two bars.
TEST_F(SampleErrors, HoldWhereNoRowStandsOut) {
  test::Coverage all;
  for (int k = 0; k < 24; ++k) {
    const PatternPtr pattern =
        test::generated("gen:random:rows=" + std::to_string(1000 + 37 * k) +
                        ",cols=" + std::to_string(1500 - 29 * k) + ",nnz=6000,seed=" + std::to_string(k));
    const EstimatedFeatures found = decoded(*pattern, 16);
    ASSERT_TRUE(found.errors.has_value());
    all.add(found, *found.errors, test::SummedPlane(pattern, context_).exact());
  }
  EXPECT_GT(all.within(1), 0.68);
  EXPECT_LT(all.within(1), 0.8);
  EXPECT_GT(all.within(2), 0.94);
}

TEST_F(SampleErrors, AreThoseOfRoundingWhereEveryRowIsComputed) {
  const EstimatedFeatures found = decoded(*test::generated("gen:random:n=90,nnz=400"), 4);
  ASSERT_TRUE(found.errors.has_value());
  EXPECT_LE(found.errors->entropy, 1e-6);
  for (const double error : found.errors->radial) EXPECT_LE(error, 1e-6);
  EXPECT_EQ(found.errors->imbalance, 0) << "none is estimated";
}

/// Standard deviations from `count` of 4,096 pairs of rows, with random sums.
Moments deviations_of_rows(std::size_t count) {
  const CounterRandom random(7, 1);
  std::vector<SampledRowMoments> rows(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < Moments::kCount; ++j)
      rows[k].below.sums[j] = 1 + random.unit(k * Moments::kCount + j);
    rows[k].below.sums[Moments::kCount] = 100;
  }
  const double rate = 4096.0 / static_cast<double>(count);
  return stratified_deviations(stratified_variances(rows, {.rate = rate, .bulk = rate}));
}

TEST_F(SampleErrors, ShrinkWithTheNumberOfSamples) {
  const Moments fine = deviations_of_rows(1024);
  const Moments coarse = deviations_of_rows(64);
  for (const std::size_t k : {std::size_t{3}, Moments::kSectorsAt, Moments::kPowerLog, Moments::kLog})
    EXPECT_LT(fine.sums[k], coarse.sums[k] / 2) << k;
}

TEST_F(SampleErrors, AllowForAStrongRowInARingWhereNoneWasMet) {
  std::vector<SampledRowMoments> rows(64);
  for (SampledRowMoments& row : rows) row.below.sums[Moments::kCount] = 100;
  rows[20].below.sums[3] = 1;
  const double rate = 4;
  const Moments deviations = stratified_deviations(stratified_variances(rows, {.rate = rate, .bulk = rate}));
  // The row adds rate²·4/6 to the sum of its ring, of which one row in `rate` is known. A ninth of the
  // coefficients are in ring 9: two more such rows leave it a ninth of their variance each.
  const double of_row = (1 - 1 / rate) * rate * rate * 4 / 6;
  EXPECT_GT(deviations.sums[9] * deviations.sums[9], 2 * of_row * 0.11);
  EXPECT_LT(deviations.sums[9], deviations.sums[3] / 2);
}

TEST_F(SampleErrors, AreMadeSmallByMoreRowsWhereRowsDiffer) {
  // In a rectangle the maxima of a diagonal's spectrum lie between coefficients: of 64 rows four cross each
  // ring.
  for (const char* text :
       {"gen:diagonal:rows=2000,cols=2911,offset=100", "gen:band:rows=2003,cols=2801,bandwidth=9"}) {
    const PatternPtr pattern = test::generated(text);
    const test::SummedPlane plane(pattern, context_);
    const EstimatedFeatures found = decoded(*pattern, 16);
    const FeatureErrors errors = feature_errors(found, plane.exact());
    EXPECT_LT(errors["entropy"], 5e-4) << text;
    EXPECT_LT(errors["radial"], 0.01) << text;
    EXPECT_LT(errors["sectors"], 0.01) << text;
    EXPECT_LE(found.samples, pattern->rows() * pattern->cols()) << text;
  }
}

TEST_F(SampleErrors, HoldWhereMirroredSectorsDifferOnTheNyquistLines) {
  const PatternPtr pattern = test::generated("gen:checkerboard:n=800,cell=7");
  const test::SummedPlane plane(pattern, context_);
  const Features& exact = plane.exact();
  ASSERT_GT(std::abs(exact.sectors[1] - exact.sectors[3]), 1e-3) << "they differ";
  const EstimatedFeatures found = decoded(*pattern, 16);
  for (std::size_t k = 0; k < kSectors; ++k)
    EXPECT_NEAR(found.sectors[k], exact.sectors[k], 5 * found.errors->sectors[k]) << k;
}

TEST_F(SampleErrors, OfBiasedDecodersIncludeTheBias) {
  test::Coverage all;
  for (const char* text :
       {"gen:random:n=700,nnz=3000", "gen:band:n=600,bandwidth=3", "gen:laplacian-2d:nx=25,ny=27"}) {
    Request request;
    request.pattern = test::generated(text);
    const test::SummedPlane plane(request.pattern, context_);
    request.parameters["block"] = "16";
    for (const auto& method : methods()) {
      if (!method->info().uses_block || !method->supports({}).ok) continue;
      const auto run = run_method(*method, request, context_);
      ASSERT_TRUE(run) << method->info().id;
      ASSERT_TRUE((*run)->feature_errors.has_value()) << method->info().id;
      all.add(*(*run)->features, *(*run)->feature_errors, plane.exact());
    }
  }
  EXPECT_GE(all.runs(), 15);
  EXPECT_GT(all.within(1), 0.6);
  EXPECT_GT(all.within(2), 0.95);
  EXPECT_LT(all.farthest().distance, 5);
}

TEST_F(SampleErrors, OfBiasedDecodersAreQuantilesOfTheDistance) {
  Features found;
  EstimatedFeatures reference;
  reference.errors = Features{};
  reference.errors->entropy = reference.errors->flatness = 0.01;
  found.flatness = 0.5;
  const Features errors = errors_of_biased(found, reference);
  EXPECT_NEAR(errors.entropy, 0.01, 1e-7) << "no distance: the standard error of the reference";
  EXPECT_NEAR(errors.flatness, 0.504759, 1e-5) << "P(N(0, 1) < 0.4759) = 68.3 %";
}

TEST_F(SampleErrors, AreLeftOutOnRequest) {
  Request request;
  request.pattern = test::generated("gen:random:n=300,nnz=1000");
  const Method& method = *find_method("density-map");
  EXPECT_TRUE(run_method(method, request, context_).value()->feature_errors.has_value());
  request.outputs.errors = false;
  EXPECT_FALSE(run_method(method, request, context_).value()->feature_errors.has_value());
}

TEST_F(SampleErrors, AreNotGivenForTheWholePlane) {
  const PatternPtr pattern = test::generated("gen:random:n=60,nnz=200");
  const FrequencyGrid grid{FrequencyAxis::full(60), FrequencyAxis::full(60)};
  const auto values = lattice_transform(*pattern, grid, LatticeOptions{}, context_);
  EXPECT_FALSE(decode_stratified(*pattern, grid, values, 0, context_).errors.has_value());
}

}  // namespace
}  // namespace spyctrum
