// SPDX-License-Identifier: Apache-2.0
// What folds onto a reduced coefficient, compared with the planes that Density Map and Fixed Point compute.
#include "core/frequency/folding.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

using namespace std::complex_literals;

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
          sum += axis.weight(u, k);
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

/// The transform by the method of the matrix exp(2πi(ui/m + vj/n)), as two matrices of weights. Fixed Point's
/// factor is taken out, which gives each of the two the mean power of all of its entries.
std::vector<std::complex<double>> reduced_wave(const Method& method, std::uint64_t m, std::uint64_t n,
                                               std::uint64_t block, std::int64_t u, std::int64_t v) {
  const PatternPtr full = full_pattern(static_cast<Index>(m), static_cast<Index>(n));
  ThreadPool pool(1);
  std::vector<std::complex<double>> sum;
  for (const std::complex<double> part : {std::complex<double>(1), std::complex<double>(1i)}) {
    std::vector<float> weights;
    double kept = 0;
    for (std::uint64_t j = 0; j < n; ++j)
      for (std::uint64_t i = 0; i < m; ++i) {
        const double turns = static_cast<double>(u) * static_cast<double>(i) / static_cast<double>(m) +
                             static_cast<double>(v) * static_cast<double>(j) / static_cast<double>(n);
        const double angle = 2 * std::numbers::pi * turns;
        weights.push_back(static_cast<float>(part == 1.0 ? std::cos(angle) : std::sin(angle)));
        if (i % block == 0 && j % block == 0) kept += weights.back() * weights.back();
      }
    const double power = std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
    if (power == 0) continue;  // the sine of a constant
    const auto pattern = std::make_shared<const SparsePattern>(full->with_weights(std::move(weights)));
    const auto spectrum =
        run_job(method, request_of(pattern, {{"block", std::to_string(block)}}, {.values = true}), pool);
    if (!spectrum) throw std::runtime_error(spectrum.error().message());
    const bool averages = method.info().id == "density-map";
    const double factor = std::ldexp(averages ? 1 : std::sqrt(kept / power), pattern->weight_exponent());
    sum.resize((*spectrum)->values.size());
    for (std::size_t k = 0; k < sum.size(); ++k)
      sum[k] += part * factor * std::complex<double>((*spectrum)->values[k]);
  }
  return sum;
}

/// Also where b does not divide the sides: what the methods make of single waves.
TEST(Folding, AWaveIsReceivedByEveryCoefficientWithItsWeight) {
  constexpr std::uint64_t kRows = 25, kCols = 14, kBlock = 4;  // the last blocks have 1 row and 2 columns
  for (const bool averages : {true, false}) {
    const Method& method = *find_method(averages ? "density-map" : "fixed-point");
    const FoldedAxis rows{kRows, kBlock, averages}, cols{kCols, kBlock, averages};
    const auto m0 = static_cast<std::int64_t>(rows.reduced()), n0 = static_cast<std::int64_t>(cols.reduced());
    double scale = 0;  // of |value|² against the weight
    for (const auto& [u, v] :
         {std::pair<std::int64_t, std::int64_t>{0, 0}, {1, 0}, {-6, 3}, {12, -7}, {5, 5}}) {
      const auto values = reduced_wave(method, kRows, kCols, kBlock, u, v);
      ASSERT_EQ(values.size(), static_cast<std::size_t>(m0 * n0));
      if (u == 0 && v == 0)
        scale = std::norm(values[static_cast<std::size_t>((m0 / 2) * n0 + n0 / 2)]) /
                (rows.weight(0, 0) * cols.weight(0, 0));
      for (std::int64_t k = -(m0 / 2); k < (m0 + 1) / 2; ++k)
        for (std::int64_t l = -(n0 / 2); l < (n0 + 1) / 2; ++l) {
          const auto at = static_cast<std::size_t>((k + m0 / 2) * n0 + l + n0 / 2);
          const double weight =
              rows.weight(static_cast<double>(u), k) * cols.weight(static_cast<double>(v), l);
          EXPECT_NEAR(std::norm(values[at]) / scale, weight, 1e-5)
              << method.info().id << " (" << u << ", " << v << ") at (" << k << ", " << l << ")";
        }
    }
  }
}

/// One position of each block: with the places between coefficients the sum is exact for every b.
TEST(Folding, PlacesBetweenCoefficientsHoldAllOfAFixedPoint) {
  constexpr std::uint64_t kRows = 25, kCols = 14, kBlock = 4;
  const PatternPtr pattern = random_pattern(kRows, kCols, 120, 12);
  const FoldedAxis rows{kRows, kBlock, false}, cols{kCols, kBlock, false};
  const auto between = [&](double u, double v) {  // of the same sum, at a frequency between coefficients
    std::complex<double> sum = 0;
    for (std::size_t c = 0; c < pattern->column_ids().size(); ++c)
      for (const Index i : pattern->column(c))
        sum +=
            std::polar(1.0, -2 * std::numbers::pi *
                                (u * i / kRows + v * pattern->column_ids()[c] / static_cast<double>(kCols)));
    return sum;
  };
  ThreadPool pool(1);
  const auto spectrum =
      run_job(*find_method("fixed-point"), request_of(pattern, {{"block", "4"}}, {.values = true}), pool);
  ASSERT_TRUE(spectrum) << spectrum.error().message();
  double factor = 0;
  std::size_t at = 0;
  for (std::int64_t k = -3; k < 4; ++k)
    for (std::int64_t l = -2; l < 2; ++l, ++at) {
      std::complex<double> sum = 0;
      for (const FoldedPlace& one : folded_places(rows, cols, k, l, kBlock * kBlock)) {
        EXPECT_NEAR(one.weight, 1.0 / 16, 1e-9);
        sum += between(one.u, one.v);
      }
      const double value = std::abs(std::complex<double>((*spectrum)->values[at]));
      if (factor == 0) factor = value / std::abs(sum);
      EXPECT_NEAR(value, factor * std::abs(sum), 1e-3) << k << " " << l;
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
