// SPDX-License-Identifier: Apache-2.0
// A matrix of side 10^9 with 10^6 entries: windows are exact; what does not fit is refused, and the message
// names a setting that fits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <regex>

#include "core/engine/plane_progress.hpp"
#include "core/features/moments.hpp"
#include "core/fft/lattice.hpp"
#include "core/io/reader.hpp"
#include "core/methods/method.hpp"
#include "core/pictures/view.hpp"
#include "tests/support/method_runs.hpp"
#include "tests/support/test_pool.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum {
namespace {

constexpr std::uint64_t kSide = 1'000'000'000;

class HugePlane : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    JobContext context(test::pool());
    auto matrix = load_matrix("gen:random:n=1e9,nnz=1e6", {}, context);
    ASSERT_TRUE(matrix);
    pattern = matrix->pattern;
  }
  static void TearDownTestSuite() { pattern.reset(); }
  static FrequencyGrid window(std::int64_t u, std::int64_t v, std::int64_t step, std::uint64_t count) {
    return {FrequencyAxis::progression(kSide, u, step, count),
            FrequencyAxis::progression(kSide, v, step, count)};
  }
  static PatternPtr pattern;
  ThreadPool pool_{2};
  JobContext context_{pool_};
};
PatternPtr HugePlane::pattern;

TEST_F(HugePlane, WindowsAnywhereAreExact) {
  for (const auto& [u, v, step] : {std::tuple{-24L, 0L, 1L},
                                   {499'999'900L, -499'999'999L, 1L},
                                   {123'456'789L, -400'000'000L, 77'777L}}) {
    Request request;
    request.pattern = pattern;
    request.window = window(u, v, step, 48);
    request.outputs = {true, false, false, 64};
    const auto found = run_method(*find_method("exact"), request, context_);
    ASSERT_TRUE(found) << found.error().message();
    for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{29}}) {
      const FrequencyGrid one{FrequencyAxis::list(kSide, {request.window->rows.at(at)}),
                              FrequencyAxis::list(kSide, {request.window->cols.at(47 - at)})};
      const std::complex<double> exact = direct_transform(*pattern, one, context_)[0];
      const std::complex<double> value((*found)->values[at * 48 + 47 - at]);
      EXPECT_LT(std::abs(value - exact), 1e-5 * std::sqrt(1e6) + 1e-6 * std::abs(exact)) << u << ' ' << at;
    }
  }
}

TEST_F(HugePlane, FeaturesComeFromALatticeThatFits) {
  Request request;
  request.pattern = pattern;
  request.parameters["block"] = "1000000";
  const auto found = run_method(*find_method("elastic"), request, context_);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_LE((*found)->provenance.bytes_peak, (*found)->provenance.bytes_forecast);
  const Features& features = *(*found)->features;
  // A plane of noise, |F|² exponential: 1 − (1 − γ)/ln(mn) with Euler's constant γ, 1 − γ = 0.4228.
  EXPECT_NEAR(features.entropy, 1 - 0.4228 / std::log(1e18), 0.001);
  EXPECT_NEAR(features.flatness, 0.5615, 0.01);
  EXPECT_LT(features.samples, 100'000'000U);
}

TEST_F(HugePlane, APlaneThatDoesNotFitIsRefusedWithASettingThatFits) {
  for (const char* id : {"elastic", "density-map", "exact"}) {
    Request request;
    request.pattern = pattern;
    if (find_method(id)->info().uses_block) request.parameters["block"] = "16";
    const auto refused = run_method(*find_method(id), request, context_);
    ASSERT_FALSE(refused) << id;
    EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory) << id;
    EXPECT_TRUE(std::regex_search(refused.error().advice, std::regex("block"))) << refused.error().advice;
  }
}

TEST_F(HugePlane, ForecastsOfTheLargestPlaneDoNotOverflow) {
  const auto matrix = load_matrix("gen:random:n=4294967295,nnz=2", {}, context_);
  ASSERT_TRUE(matrix) << matrix.error().message();
  for (const auto& method : methods()) {
    Request request;
    request.pattern = matrix->pattern;
    if (method->info().uses_block) request.parameters["block"] = "1";
    const auto refused = run_method(*method, request, context_);
    ASSERT_FALSE(refused) << method->info().id;
    EXPECT_TRUE(refused.error().code == ErrorCode::out_of_memory ||
                refused.error().code == ErrorCode::backend_unavailable)
        << method->info().id << ": " << refused.error().message();
  }
}

TEST_F(HugePlane, TheSumsOfTilesOfATallPlaneAreForecast) {
  // 2^26 tiles of 32 rows, each with its sums and its counts of classes.
  Request request;
  request.pattern = test::make_pattern(4294967295, 1, {{0, 0}, {4294967294, 0}});
  request.outputs = {false, true, false, 64};
  request.progress = std::make_shared<PlaneProgress>();
  const Method& exact = *find_method("exact");
  const auto resolved = resolve_request(exact, request);
  ASSERT_TRUE(resolved) << resolved.error().message();
  EXPECT_GE(exact.forecast(*resolved).bytes, (std::uint64_t{2} << 26U) * sizeof(Moments));
}

TEST_F(HugePlane, PatternPicturesCountEveryEntryFromTheWholeDownToSingleOnes) {
  const CellImage whole = pattern_image(*pattern, {full_pattern_rect(kSide, kSide), 64, 64}, context_);
  double count = 0;
  for (std::size_t k = 0; k < whole.cells.size(); k += 2) count += static_cast<double>(whole.cells[k]);
  EXPECT_EQ(count, 1e6);
  const auto i = static_cast<double>(pattern->row_indices()[1000]);
  const auto starts = pattern->column_starts();
  const auto column =
      static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), 1000) - starts.begin() - 1);
  const auto j = static_cast<double>(pattern->column_ids()[column]);
  const CellImage near = pattern_image(*pattern, {{i - 1, j - 1, i + 2, j + 2}, 3, 3}, context_);
  EXPECT_EQ(near.cells[8], 1.0F);
  EXPECT_TRUE(pattern->contains(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
}

}  // namespace
}  // namespace spyctrum
