// SPDX-License-Identifier: Apache-2.0
// rounding_floor(): above the error of every coefficient of every exact method, not far above the largest
// error, and above what is computed where the coefficient is zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/engine/plane_progress.hpp"
#include "core/features/feature_table.hpp"
#include "core/fft/lattice.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

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

/// How far the floor may be above the largest error, as a factor of |F|: a random sparse pattern has neither
/// a row whose mean square is that of row 0 nor errors of terms that recur, by which the floor is computed.
constexpr double kMostAbove = 50;

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
    EXPECT_LT(floor, 2 * kMostAbove * kMostAbove * most) << text << ": twice, by the rounding up";
  }
}

/// A circulant of 512×512 with 32 diagonals, of whose coefficients fifteen are not zero beside DC.
constexpr const char* kFewCoefficients = "gen:circulant:n=512,degree=32,stride=16";

TEST(RoundingFloor, LeavesEveryRouteTheSameZerosEntropyAndFlatness) {
  const PatternPtr pattern = generated(kFewCoefficients);
  std::vector<std::pair<std::string, Features>> of_plane;
  std::vector<std::pair<std::string, Features>> of_grid;  // that of the paper, b = 4
  for (const Method* method : runnable_methods()) {
    const MethodInfo& info = method->info();
    if (info.exactness == Exactness::estimate || info.id == "fps-sft") continue;
    const ParameterValues block = info.uses_block ? ParameterValues{{"block", "4"}} : ParameterValues{};
    const auto result = run_job(*method, request_of(pattern, block), pool());
    ASSERT_TRUE(result) << info.id << ": " << result.error().message();
    const Features& features = *(*result)->features;
    EXPECT_EQ(features.flatness, 0) << info.id;
    EXPECT_FALSE(zero_note(features).empty()) << info.id;
    // Elastic's decoder estimates the whole plane, and finds its lines.
    (info.uses_block && info.id != "elastic" ? of_grid : of_plane).emplace_back(info.id, features);
  }
  ASSERT_GE(of_plane.size(), 5U);
  ASSERT_GE(of_grid.size(), 2U);
  for (const auto& all : {of_plane, of_grid})
    for (const auto& [id, features] : all) {
      EXPECT_NEAR(features.entropy, all.front().second.entropy, 1e-6) << id;
      EXPECT_NEAR(features.zero_share, all.front().second.zero_share, 1e-9) << id;
    }
  EXPECT_NEAR(of_plane.front().second.zero_share, 1 - 15 / (512.0 * 512 - 1), 1e-9);
}

TEST(RoundingFloor, LeavesEveryRouteTheSameRecallOfWhatIsAboveIt) {
  const PatternPtr pattern = generated(kFewCoefficients);
  const Request request = request_of(pattern, {{"block", "4"}}, {.values = true, .features = false});
  const auto samples = run_job(*find_method("elastic-paper"), request, pool());
  ASSERT_TRUE(samples);
  for (const Fill fill : {Fill::bilinear, Fill::nearest}) {
    const Reconstruction plane = Reconstruction::make(*samples, fill).value();
    std::optional<double> recall;
    for (const char* reference : {"exact", "bs-fft", "bs-fft-paper", "dense"}) {
      ReconstructionErrorConsumer consumer(plane);
      RowConsumer* const consumers[] = {&consumer};
      JobContext context(pool());
      ASSERT_TRUE(stream_method(*find_method(reference), request_of(pattern), consumers, context));
      const ReconstructionErrors errors = consumer.errors();
      EXPECT_EQ(errors.above_rounding, 15U) << reference;
      EXPECT_EQ(recall_note(errors), "of the 15 coefficients above rounding");
      EXPECT_EQ(errors.recall_top10, recall.value_or(errors.recall_top10)) << reference;
      recall = errors.recall_top10;
    }
  }
}

TEST(RoundingFloor, LeavesNoRankToWhatIsBelowIt) {
  const PatternPtr pattern = generated(kFewCoefficients);
  Request request = request_of(pattern, {}, {.values = false, .features = true, .pyramid = true});
  request.progress = std::make_shared<PlaneProgress>();
  const auto result = run_job(*find_method("exact"), request, pool());
  ASSERT_TRUE(result);
  ASSERT_EQ((*result)->strongest.size(), 8U) << "of 15, seven pairs and one that is its own mirror";
  for (const StrongCoefficient& one : (*result)->strongest)
    EXPECT_GT(std::norm(one.value), rounding_floor(*pattern));
}

TEST(RoundingFloor, IsZeroForAnEmptyPatternAndGrowsWithTheTolerance) {
  EXPECT_EQ(rounding_floor(*make_pattern(13, 11, {})), 0);
  const PatternPtr pattern = random_pattern(64, 48, 300, 1);
  EXPECT_GT(rounding_floor(*pattern, 1e-4), 1e3 * rounding_floor(*pattern));
}

}  // namespace
}  // namespace spyctrum::test
