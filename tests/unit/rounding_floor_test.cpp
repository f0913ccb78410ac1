// SPDX-License-Identifier: Apache-2.0
// rounding_floor(): above the error of every coefficient of every exact method, not far above the largest
// error, and above what is computed where the coefficient is zero.
#include <gtest/gtest.h>

#include <cmath>

#include "core/fft/lattice.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

ThreadPool& pool() {
  static ThreadPool instance(2);
  return instance;
}

/// Sparse, dense, with hubs, and with many exact zeros.
const std::vector<const char*>& texts() {
  static const std::vector<const char*> list{"gen:random:rows=503,cols=467,nnz=4000,seed=1",
                                             "gen:rmat:n=1024,seed=12",
                                             "gen:arrow:n=600,head=3",
                                             "gen:band:n=512",
                                             "gen:checkerboard:n=400",
                                             "gen:circulant:n=512,degree=32,stride=16",
                                             "gen:block-diagonal:n=480,block=48",
                                             "gen:block-diagonal:n=300,block=300"};
  return list;
}

/// How far the floor may be above the largest error, as a factor of |F|: a random sparse pattern has no row
/// whose mean square is that of row 0, by which the floor is computed.
constexpr double kMostAbove = 30;

/// F of the whole plane in double precision, [u][v] by DFT index.
std::vector<std::complex<double>> plane_of(const SparsePattern& pattern) {
  JobContext context(pool());
  const FrequencyGrid all{FrequencyAxis::progression(pattern.rows(), 0, 1, pattern.rows()),
                          FrequencyAxis::progression(pattern.cols(), 0, 1, pattern.cols())};
  return direct_transform(pattern, all, context);
}

/// A value computed in single precision has an error of a few units of its own last place beside the floor.
constexpr double kOwnError = 4 * 0x1p-24;

/// The largest excess of |computed − true| over kOwnError·|true|, squared, over what a method returned.
double largest_error(const Spectrum& spectrum, const std::vector<std::complex<double>>& plane) {
  double largest = 0;
  const auto compare = [&](std::uint64_t u, std::uint64_t v, std::complex<float> value) {
    const std::complex<double> exact = plane[u * spectrum.n + v];
    const double excess = std::abs(std::complex<double>(value) - exact) - kOwnError * std::abs(exact);
    largest = std::max(largest, excess);
  };
  const auto m = static_cast<std::int64_t>(spectrum.m);
  const auto n = static_cast<std::int64_t>(spectrum.n);
  const std::uint64_t cols = spectrum.grid.cols.count();
  for (std::size_t k = 0; k < spectrum.values.size(); ++k) {
    if (spectrum.placement == Placement::scattered)
      compare(static_cast<std::uint64_t>(dft_index(spectrum.points.u[k], m)),
              static_cast<std::uint64_t>(dft_index(spectrum.points.v[k], n)), spectrum.values[k]);
    else
      compare(spectrum.grid.rows.index_at(k / cols), spectrum.grid.cols.index_at(k % cols),
              spectrum.values[k]);
  }
  return largest * largest;
}

TEST(RoundingFloor, IsAboveTheErrorOfEveryExactMethodAndNotFarAbove) {
  for (const char* text : texts()) {
    const PatternPtr pattern = generated(text);
    const double floor = rounding_floor(*pattern);
    const auto plane = plane_of(*pattern);
    double most = 0;
    for (const Method* method : runnable_methods()) {
      if (method->info().exactness == Exactness::estimate) continue;
      Request request = request_of(pattern, {}, {.values = true, .features = false});
      const auto result = run_job(*method, request, pool());
      ASSERT_TRUE(result) << text << " " << method->info().id << ": " << result.error().message();
      const double error = largest_error(**result, plane);
      EXPECT_LE(error, floor) << text << " " << method->info().id;
      most = std::max(most, error);
    }
    EXPECT_LT(floor, kMostAbove * kMostAbove * most) << text;
  }
}

TEST(RoundingFloor, IsZeroForAnEmptyPatternAndGrowsWithTheTolerance) {
  EXPECT_EQ(rounding_floor(*make_pattern(13, 11, {})), 0);
  const PatternPtr pattern = random_pattern(64, 48, 300, 1);
  EXPECT_GT(rounding_floor(*pattern, 1e-4), 1e3 * rounding_floor(*pattern));
}

}  // namespace
}  // namespace spyctrum::test
