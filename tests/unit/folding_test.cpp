// SPDX-License-Identifier: Apache-2.0
// What folds onto a reduced coefficient, compared with the planes that Density Map and Fixed Point compute.
#include "core/frequency/folding.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes_and_blocks() {
  return {{24, 1}, {24, 2}, {24, 3}, {24, 8}, {24, 24}, {25, 4}, {31, 6}, {7, 9}};
}

TEST(Folding, TheWeightsOfAllPlacesAddUpToOneAndEachFoldsBack) {
  for (const auto& [size, block] : sizes_and_blocks()) {
    for (const bool averages : {true, false}) {
      const FoldedAxis axis{size, block, averages};
      const auto m0 = static_cast<std::int64_t>(axis.reduced());
      for (std::int64_t k = -(m0 / 2); k < (m0 + 1) / 2; ++k) {
        const std::vector<double> places = axis.places(k);
        ASSERT_EQ(places.size(), block);
        double sum = 0;
        for (const double u : places) {
          sum += axis.weight(u);
          EXPECT_EQ(axis.folded(u), k) << size << " " << block << " " << u;
          EXPECT_LE(std::abs(u), static_cast<double>(size) / 2 + 1e-9);
        }
        EXPECT_NEAR(sum, 1, 1e-9) << size << " " << block << " " << k;
      }
    }
  }
}

/// A mean over `block` positions, or the first of them alone, as a factor of the wave at u.
std::complex<double> response(const FoldedAxis& axis, double u) {
  if (!axis.averages) return 1 / static_cast<double>(axis.block);
  std::complex<double> sum = 0;
  for (std::uint64_t r = 0; r < axis.block; ++r)
    sum +=
        std::polar(1.0, 2 * std::numbers::pi * u * static_cast<double>(r) / static_cast<double>(axis.size));
  return sum / static_cast<double>(axis.block);
}

/// Σ over the places of F·response, for blocks that divide both sides; its square against the method's.
TEST(Folding, AReducedCoefficientIsTheSumOfItsPlacesWithTheirResponses) {
  constexpr std::uint64_t kRows = 24, kCols = 36, kBlock = 4;
  const PatternPtr pattern = random_pattern(kRows, kCols, 200, 11);
  ThreadPool pool(1);
  for (const bool averages : {true, false}) {
    const Method& method = *find_method(averages ? "density-map" : "fixed-point");
    const auto spectrum = run_job(method, request_of(pattern, {{"block", "4"}}, {.values = true}), pool);
    ASSERT_TRUE(spectrum) << spectrum.error().message();
    ASSERT_EQ((*spectrum)->placement, Placement::reduced_plane);
    const FoldedAxis rows{kRows, kBlock, averages}, cols{kCols, kBlock, averages};
    // Fixed Point is scaled to the mean power of the whole pattern: the factor follows from one coefficient.
    double factor = 0;
    for (std::uint64_t p = 0; p < (*spectrum)->grid.rows.count(); ++p) {
      for (std::uint64_t q = 0; q < (*spectrum)->grid.cols.count(); ++q) {
        const std::int64_t k = (*spectrum)->grid.rows.signed_at(p), l = (*spectrum)->grid.cols.signed_at(q);
        std::complex<double> sum = 0;
        for (const FoldedPlace& one : folded_places(rows, cols, k, l, kBlock * kBlock)) {
          const auto at = response(rows, one.u) * response(cols, one.v);
          const double weight = averages ? std::norm(at) : std::norm(at) * kBlock * kBlock;
          EXPECT_NEAR(weight, one.weight, 1e-9);
          sum += at * direct_coefficient(*pattern, std::llround(one.u), std::llround(one.v));
        }
        const std::complex<double> value = (*spectrum)->values[p * (*spectrum)->grid.cols.count() + q];
        if (factor == 0) factor = averages ? 1 : std::abs(value) / std::abs(sum);
        EXPECT_NEAR(std::abs(value), factor * std::abs(sum), 1e-3) << k << " " << l;
      }
    }
  }
}

TEST(Folding, TheHeaviestPlacesComeFirst) {
  const FoldedAxis axis{64, 8, true};
  const std::vector<FoldedPlace> places = folded_places(axis, axis, 1, -2, 10);
  ASSERT_EQ(places.size(), 10U);
  EXPECT_EQ(places.front().u, 1);
  EXPECT_EQ(places.front().v, -2);
  for (std::size_t k = 1; k < places.size(); ++k) EXPECT_LE(places[k].weight, places[k - 1].weight);
}

}  // namespace
}  // namespace spyctrum::test
