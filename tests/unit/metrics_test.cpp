// SPDX-License-Identifier: Apache-2.0
// Hellinger distances and recall against direct evaluation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>

#include "core/features/feature_errors.hpp"
#include "core/reconstruction/joint_histogram.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "tests/unit/naive_plane.hpp"

namespace spyctrum {
namespace {

using test::NaivePlane;
using test::random_plane;

TEST(Hellinger, IsZeroForProportionalVectorsAndOneForDisjointOnes) {
  const std::vector<double> p = {1, 2, 3};
  const std::vector<double> q = {10, 20, 30};
  EXPECT_NEAR(hellinger(p, q), 0, 1e-12);
  EXPECT_NEAR(hellinger(std::vector<double>{1, 0}, std::vector<double>{0, 5}), 1, 1e-12);
}

TEST(Hellinger, AgreesWithItsFormulaAndIsSymmetric) {
  const std::vector<double> p = {0.1, 0.2, 0.7};
  const std::vector<double> q = {0.3, 0.3, 0.4};
  const double affinity = std::sqrt(0.03) + std::sqrt(0.06) + std::sqrt(0.28);
  EXPECT_NEAR(hellinger(p, q), std::sqrt(1 - affinity), 1e-12);
  EXPECT_DOUBLE_EQ(hellinger(p, q), hellinger(q, p));
}

TEST(Hellinger, IsAccurateForNearlyEqualVectors) {
  const std::vector<double> p = {0.5, 0.5};
  const std::vector<double> q = {0.5 + 1e-9, 0.5 - 1e-9};
  EXPECT_NEAR(hellinger(p, q) / (1e-9 / std::sqrt(2.0)), 1, 1e-4);
}

TEST(Hellinger, IsNaNForAVectorOfZeros) {
  EXPECT_TRUE(std::isnan(hellinger(std::vector<double>{0, 0}, std::vector<double>{1, 0})));
  EXPECT_TRUE(std::isnan(hellinger({}, {})));
}

TEST(FeatureErrors, AreRelativeErrorsAndHellingerDistances) {
  Features reference;
  reference.entropy = 0.8;
  reference.radial[0] = 1;
  reference.sectors[3] = 1;
  reference.low_frequency_ratio = 0.1;
  reference.flatness = 0.5;
  reference.imbalance = 0.25;
  Features estimate = reference;
  const FeatureErrors none = feature_errors(reference, reference);
  EXPECT_EQ(none["entropy"], 0);
  EXPECT_EQ(none["radial"], 0);
  estimate.entropy = 0.76;
  estimate.radial[0] = 0;
  estimate.radial[5] = 1;
  estimate.low_frequency_ratio = 0.11;
  estimate.flatness = 0.4;
  estimate.imbalance = 0.5;
  const FeatureErrors errors = feature_errors(estimate, reference);
  EXPECT_NEAR(errors["entropy"], 0.05, 1e-12);
  EXPECT_NEAR(errors["radial"], 1, 1e-12);
  EXPECT_NEAR(errors["sectors"], 0, 1e-12);
  EXPECT_NEAR(errors["low_frequency_ratio"], 0.1, 1e-12);
  EXPECT_NEAR(errors["flatness"], 0.2, 1e-12);
  EXPECT_NEAR(errors["imbalance"], 0.25, 1e-12);
}

Reconstruction sampled(const NaivePlane& plane, std::int64_t step, double floor = 0) {
  auto spectrum = std::make_shared<Spectrum>();
  spectrum->rounding_floor = floor;
  spectrum->m = static_cast<std::uint64_t>(plane.m);
  spectrum->n = static_cast<std::uint64_t>(plane.n);
  spectrum->nonzeros = std::llround(plane.at(0, 0).real());
  const auto axis = [step](std::int64_t size) {
    return step == 1 ? FrequencyAxis::full(static_cast<std::uint64_t>(size))
                     : FrequencyAxis::progression(static_cast<std::uint64_t>(size), 1, step,
                                                  static_cast<std::uint64_t>((size - 1) / step));
  };
  spectrum->grid = {axis(plane.m), axis(plane.n)};
  for (std::uint64_t p = 0; p < spectrum->grid.rows.count(); ++p)
    for (std::uint64_t q = 0; q < spectrum->grid.cols.count(); ++q)
      spectrum->values.emplace_back(plane.at(spectrum->grid.rows.at(p), spectrum->grid.cols.at(q)));
  return Reconstruction::make(spectrum, Fill::bilinear).value();
}

Reconstruction flat(const NaivePlane& plane, float value) {
  auto spectrum = std::make_shared<Spectrum>();
  spectrum->m = static_cast<std::uint64_t>(plane.m);
  spectrum->n = static_cast<std::uint64_t>(plane.n);
  spectrum->nonzeros = std::llround(plane.at(0, 0).real());
  spectrum->grid = {FrequencyAxis::list(spectrum->m, {1}), FrequencyAxis::list(spectrum->n, {1})};
  spectrum->values = {{value, 0}};
  return Reconstruction::make(spectrum, Fill::bilinear).value();
}

/// Hellinger distance and recall over the whole plane, by their definitions.
ReconstructionErrors naive_errors(const NaivePlane& plane, const Reconstruction& reconstruction) {
  std::vector<std::pair<double, double>> pairs;
  double cross = 0;
  double reference = 0;
  double estimate = 0;
  for (std::int64_t u = 0; u < plane.m; ++u) {
    for (std::int64_t v = 0; v < plane.n; ++v) {
      float value = 0;
      reconstruction.row(u, v, 1, std::span(&value, 1));
      const double a = std::abs(plane.at(u, v));
      const auto b = static_cast<double>(value);
      cross += a * b;
      reference += a * a;
      estimate += b * b;
      if (u != 0 || v != 0) pairs.emplace_back(a, b);
    }
  }
  ReconstructionErrors errors;
  errors.hellinger = std::sqrt(std::max(0.0, 1 - cross / std::sqrt(reference * estimate)));
  const std::size_t top = (pairs.size() + 9) / 10;
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<int> votes(pairs.size());
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return pairs[a].first > pairs[b].first; });
  for (std::size_t k = 0; k < top; ++k) ++votes[order[k]];
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return pairs[a].second > pairs[b].second; });
  for (std::size_t k = 0; k < top; ++k) ++votes[order[k]];
  errors.recall_top10 =
      static_cast<double>(std::count(votes.begin(), votes.end(), 2)) / static_cast<double>(top);
  return errors;
}

ReconstructionErrors streamed(const NaivePlane& plane, const Reconstruction& reconstruction) {
  ReconstructionErrorConsumer consumer(reconstruction);
  test::deliver(plane, consumer);
  return consumer.errors();
}

TEST(ReconstructionErrorConsumer, AgreesWithTheDefinitionsOnWholePlanes) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{48, 48}, {51, 40}, {40, 51}}) {
    const NaivePlane plane = random_plane(m, n, 21, 0.1);
    for (const std::int64_t step : {2, 3, 5}) {
      const Reconstruction reconstruction = sampled(plane, step);
      const ReconstructionErrors expected = naive_errors(plane, reconstruction);
      const ReconstructionErrors got = streamed(plane, reconstruction);
      EXPECT_NEAR(got.hellinger, expected.hellinger, 1e-5);
      EXPECT_NEAR(got.recall_top10, expected.recall_top10, 0.02);
      EXPECT_EQ(got.coefficients, static_cast<std::uint64_t>(m * n));
      EXPECT_FALSE(got.sampled);
    }
  }
}

TEST(ReconstructionErrorConsumer, FindsNoErrorInTheExactPlane) {
  const ReconstructionErrors errors =
      streamed(random_plane(40, 33, 2, 0.1), sampled(random_plane(40, 33, 2, 0.1), 1));
  EXPECT_NEAR(errors.hellinger, 0, 1e-3);
  EXPECT_NEAR(errors.recall_top10, 1, 1e-9);
}

TEST(ReconstructionErrorConsumer, FindsARecallOfOneInTenForAFlatEstimate) {
  const NaivePlane plane = random_plane(60, 50, 2, 0.1);
  for (const float level : {1e-3F, 1.0F, 1e6F})
    EXPECT_NEAR(streamed(plane, flat(plane, level)).recall_top10, 0.1, 0.002);
}

TEST(ReconstructionErrorConsumer, RecallsOnlyWhatIsAboveTheRoundingFloor) {
  // Four of 48² coefficients are above the rounding floor. The recall of the same plane is 1, and 0 for an
  // estimate whose samples are noise alone.
  NaivePlane plane{48, 48, std::vector<std::complex<double>>(std::size_t{48} * 48)};
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 1e-6);
  for (std::complex<double>& value : plane.values) value = {noise(random), noise(random)};
  plane.values[0] = 100;
  for (const std::size_t at : {3U * 48 + 6, 45U * 48 + 42, 9U * 48 + 12, 39U * 48 + 36})
    plane.values[at] = 50;
  for (const auto& [step, recall] : {std::pair{1, 1.0}, std::pair{5, 0.0}}) {
    Reconstruction reconstruction = sampled(plane, step, 1e-6);
    const ReconstructionErrors errors = streamed(plane, reconstruction);
    EXPECT_EQ(errors.above_rounding, 4U);
    EXPECT_NEAR(errors.recall_top10, recall, 0.01) << step;
    EXPECT_EQ(recall_note(errors), "of the 4 coefficients above rounding");
  }
  for (const std::size_t at : {3U * 48 + 6, 45U * 48 + 42, 9U * 48 + 12, 39U * 48 + 36}) plane.values[at] = 0;
  const ReconstructionErrors none = streamed(plane, sampled(plane, 5, 1e-6));
  EXPECT_TRUE(std::isnan(none.recall_top10));
  EXPECT_EQ(recall_note(none), "no coefficient is above rounding");
  EXPECT_EQ(recall_note(streamed(random_plane(48, 48, 5, 0.1), sampled(random_plane(48, 48, 5, 0.1), 3))),
            "");
}

TEST(ReconstructionErrorConsumer, DoesNotDependOnTheScaleOfTheEstimate) {
  // F[0, 0] = K in both planes, so that recall is computed on a scaled copy; ranks do not depend on the
  // scale.
  const NaivePlane plane = random_plane(48, 48, 5, 0.1);
  NaivePlane scaled = plane;
  for (std::complex<double>& value : scaled.values) value *= 1e4;
  EXPECT_NEAR(streamed(plane, sampled(scaled, 3)).recall_top10,
              streamed(plane, sampled(plane, 3)).recall_top10, 0.01);
}

TEST(ReconstructionErrorConsumer, EstimatesBothErrorsFromSomeOfTheRows) {
  const NaivePlane plane = random_plane(120, 90, 8, 0.1);
  const Reconstruction reconstruction = sampled(plane, 4);
  const ReconstructionErrors expected = naive_errors(plane, reconstruction);
  ReconstructionErrorConsumer consumer(reconstruction);
  consumer.begin(120, 90, 1);
  for (std::int64_t u = 0; u <= 60; u += 2) test::deliver_row(plane, u, consumer, 0);
  consumer.finish();
  EXPECT_TRUE(consumer.errors().sampled);
  EXPECT_EQ(consumer.errors().coefficients, 60U * 90U);
  EXPECT_NEAR(consumer.errors().hellinger, expected.hellinger, 0.02);
  EXPECT_NEAR(consumer.errors().recall_top10, expected.recall_top10, 0.05);
}

TEST(MagnitudeBins, AscendWithMagnitudeOverTheWholeRange) {
  const MagnitudeBins bins(100.0, -4, 4);
  std::size_t last = 0;
  for (double magnitude = 1e-20; magnitude < 1e20; magnitude *= 1.01) {
    const std::size_t bin = bins.bin(static_cast<float>(magnitude));
    ASSERT_GE(bin, last);
    ASSERT_LT(bin, bins.count());
    last = bin;
  }
  EXPECT_EQ(bins.bin(0.0F), 0U);
  EXPECT_EQ(last, bins.count() - 1);
  EXPECT_LT(bins.bin(100.0F), bins.bin(102.0F));  // 64 bins per octave
}

}  // namespace
}  // namespace spyctrum
