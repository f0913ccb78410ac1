// SPDX-License-Identifier: Apache-2.0
// Advice: settings ranked from given expectations, with a reason for each rank. Expectations are checked if
// they do not depend on measured times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/advisor/pilot.hpp"
#include "core/features/feature_errors.hpp"
#include "core/io/reader.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum {
namespace {

Prospect prospect(std::string method, std::optional<std::uint32_t> block, std::uint64_t bytes, double seconds,
                  double error, bool exact = false) {
  Prospect made;
  made.method = method;
  made.label = std::move(method);
  made.block = block;
  made.bytes = bytes;
  made.seconds = seconds;
  made.error = error;
  made.exact = exact;
  return made;
}

std::vector<Prospect> table() {
  std::vector<Prospect> list{prospect("exact", std::nullopt, 900, 10, 0, true),
                             prospect("fine", 4, 500, 2, 0.001), prospect("coarse", 16, 50, 0.2, 0.01),
                             prospect("cheap", 16, 5, 0.01, 0.2)};
  Prospect refused = prospect("absent", std::nullopt, 0, 0, 0);
  refused.refusal = "The library is not installed.";
  list.push_back(refused);
  return list;
}

std::vector<std::string> order(const std::vector<Advice>& list) {
  std::vector<std::string> names;
  for (const Advice& one : list) names.push_back(one.prospect.method);
  return names;
}

using Names = std::vector<std::string>;

PilotOptions density_map_at(std::uint32_t block) {
  PilotOptions options;
  options.blocks = {block};
  options.methods = {"density-map"};
  return options;
}

TEST(Advisor, WithoutLimitsAnExactMethodIsRankedFirst) {
  const auto list = rank(table(), {});
  EXPECT_EQ(order(list), (Names{"exact", "fine", "coarse", "cheap", "absent"}));
  EXPECT_TRUE(list[0].fits);
  EXPECT_FALSE(list[4].fits);
  EXPECT_EQ(list[4].reason, "The library is not installed.");
}

TEST(Advisor, WithinATimeAllowanceTheMostAccurateSettingIsRankedFirst) {
  const auto list = rank(table(), {.bytes = 0, .seconds = 1});
  EXPECT_EQ(order(list), (Names{"coarse", "cheap", "fine", "exact", "absent"}));
  EXPECT_NE(list[2].reason.find("longer than 1 s"), std::string::npos) << list[2].reason;
}

TEST(Advisor, LongTimesAreInHoursAndMinutes) {
  std::vector<Prospect> list = table();
  for (Prospect& one : list) one.seconds = 12000;
  EXPECT_NE(rank(list, {}).front().reason.find(" in about 3 h 20 min."), std::string::npos)
      << rank(list, {}).front().reason;
}

TEST(Advisor, ASettingBeyondTheMemoryStatesItsBytes) {
  const auto list = rank(table(), {.bytes = 600, .seconds = 0});
  EXPECT_EQ(order(list), (Names{"fine", "coarse", "cheap", "exact", "absent"}));
  EXPECT_NE(list[3].reason.find("900"), std::string::npos) << list[3].reason;
}

TEST(Advisor, UnderALargestErrorTheFastestSettingIsRankedFirst) {
  const auto list = rank(table(), {.bytes = 0, .seconds = 0, .error = 0.05});
  EXPECT_EQ(order(list), (Names{"coarse", "fine", "exact", "cheap", "absent"}));
  EXPECT_TRUE(list[2].fits);
  EXPECT_FALSE(list[3].fits);
}

TEST(Advisor, OnlyExactMethodsAreAdvisedIfEveryCoefficientIsNeeded) {
  const auto list = rank(table(), {.bytes = 0, .seconds = 0, .error = std::nullopt, .exact = true});
  EXPECT_EQ(list[0].prospect.method, "exact");
  EXPECT_EQ(std::ranges::count(list, true, &Advice::fits), 1);
}

TEST(Advisor, TimeIsLinearThroughItsTwoPoints) {
  const TimeModel line = fit_time(10, 3, 20, 5);
  EXPECT_DOUBLE_EQ(line.at(10), 3);
  EXPECT_DOUBLE_EQ(line.at(20), 5);
  EXPECT_DOUBLE_EQ(line.at(100), 21);
  // The predicted seconds are not negative and do not fall as the work grows.
  EXPECT_GE(fit_time(10, 1, 20, 5).at(0), 0);
  EXPECT_GE(fit_time(10, 5, 20, 1).at(1000), 1);
}

TEST(Advisor, ExtrapolatedTimesGrowByAtLeastTheGivenTimeOfAnOperation) {
  const TimeModel line = fit_time(10, 3, 20, 3, 0.1);
  EXPECT_DOUBLE_EQ(line.at(10), 3);
  EXPECT_DOUBLE_EQ(line.at(110), 13);
}

TEST(Advisor, AMeasuredSettingPrecedesOneExpectedToBeSlightlyBetter) {
  std::vector<Prospect> list = table();
  list[2].runs = 1;  // coarse: 0.2 s, error 0.01
  list.push_back(prospect("guess", 8, 50, 0.15, 0.008));
  const Allowance time{.bytes = 0, .seconds = 1};
  EXPECT_EQ(order(rank(list, time)).front(), "guess");
  EXPECT_EQ(order(recommend(list, time)).front(), "coarse");
  EXPECT_EQ(order(recommend(list, time)).size(), list.size());
  // Where the measured setting is far behind the expected one, the expected one leads.
  list.back().error = 0.002;
  EXPECT_EQ(order(recommend(list, time)).front(), "guess");
}

TEST(Advisor, UnderALargestErrorAMeasuredSettingPrecedesAnExpectedOne) {
  std::vector<Prospect> list = table();
  list[1].runs = 1;  // fine: 2 s, error 0.001
  list.push_back(prospect("guess", 8, 50, 0.1, 0.0001));
  const Allowance allowance{.bytes = 0, .seconds = 0, .error = 0.005};
  EXPECT_EQ(order(rank(list, allowance)).front(), "guess");
  EXPECT_EQ(order(recommend(list, allowance)).front(), "fine");
  // An exact pass over the rows counts as a measurement; a measured setting that misses the allowance is not
  // advised.
  list[0].basis = kPass;
  list[1].runs = 0;
  list[2].runs = 1;
  EXPECT_EQ(order(recommend(list, allowance)).front(), "exact");
  list[0].basis.clear();
  EXPECT_EQ(order(recommend(list, allowance)).front(), "guess");
}

TEST(Advisor, UnderALargestErrorWhatWasNeverRunIsNotAdvised) {
  const Allowance allowance{.bytes = 0, .seconds = 0, .error = 0.05};
  ASSERT_EQ(order(recommend(table(), allowance)), (Names{"coarse", "fine", "exact", "cheap", "absent"}));
  auto list = recommend_tried(table(), allowance);
  EXPECT_EQ(order(list), (Names{"exact", "coarse", "fine", "cheap", "absent"}));
  EXPECT_TRUE(list[0].fits);
  EXPECT_FALSE(list[1].fits || list[2].fits);
  EXPECT_NE(list[1].reason.find("not tried"), std::string::npos) << list[1].reason;
  // Without an exact setting nothing is known to satisfy the allowance.
  auto guesses = table();
  guesses.erase(guesses.begin());
  list = recommend_tried(guesses, allowance);
  EXPECT_EQ(order(list), (Names{"coarse", "fine", "cheap", "absent"}));
  EXPECT_FALSE(list[0].fits);
}

TEST(Advisor, TheErrorOfTheReferenceCountsAgainstARequiredError) {
  std::vector<Prospect> list = table();
  list[1].runs = list[2].runs = 1;  // fine: 0.001 in 2 s; coarse: 0.01 in 0.2 s
  const Allowance allowance{.bytes = 0, .seconds = 0, .error = 0.012};
  EXPECT_EQ(order(rank(list, allowance)).front(), "coarse");
  list[1].margin = list[2].margin = 0.003;
  const auto ranked = rank(list, allowance);
  EXPECT_EQ(order(ranked).front(), "fine");
  EXPECT_NE(ranked[0].reason.find("at most 0.004"), std::string::npos) << ranked[0].reason;
}

/// The error of a setting against all rows of the plane.
double true_error(const Prospect& prospect, const PatternPtr& pattern, ThreadPool& pool) {
  const ParameterValues values =
      prospect.block ? ParameterValues{{"block", std::to_string(*prospect.block)}} : ParameterValues{};
  const auto exact = test::run_job(*find_method("bs-fft"), test::request_of(pattern), pool);
  const auto run = test::run_job(*find_method(prospect.method), test::request_of(pattern, values), pool);
  return exact && run ? mean_error(feature_errors(*(*run)->features, *(*exact)->features)) : 1;
}

TEST(Advisor, NoAdvisedSettingErrsMoreThanRequired) {
  // With all rows and with samples as the reference, with time to run settings and without.
  for (const char* source : {"gen:band:n=1300,bandwidth=5", "gen:laplacian-2d:nx=37,ny=34",
                             "gen:block-diagonal:n=1200,block=12", "gen:rmat:n=1280,nnz=9000"}) {
    JobContext context(test::pool());
    const auto matrix = load_matrix(source, {}, context);
    ASSERT_TRUE(matrix) << matrix.error().message();
    for (const bool whole : {true, false}) {
      for (const bool hurried : {true, false}) {
        PilotOptions options;
        options.reference = whole ? 600 : 0;
        options.patience = 600;  // no run is stopped, however busy the machine is
        options.budget = hurried ? 0 : 0.5;
        if (hurried) options.cheap = 0;
        const Expectations known = find_expectations(matrix->pattern, options, context);
        EXPECT_EQ(known.margin == 0, whole);
        for (const double largest_error : {0.1, 0.03, 0.003}) {
          Expectations pilots = known;
          const Advice lead =
              advise(matrix->pattern, options, {.error = largest_error}, pilots, context).front();
          ASSERT_TRUE(lead.fits) << source << " " << largest_error;
          EXPECT_LE(true_error(lead.prospect, matrix->pattern, test::pool()), largest_error)
              << source << ", " << lead.prospect.method << " " << lead.prospect.block.value_or(0)
              << (whole ? "" : ", samples") << (hurried ? ", hurried" : "");
        }
      }
    }
  }
}

TEST(Advisor, TimesAreInterpolatedBetweenTrialsAndExtrapolatedFromTheLastTwo) {
  const std::vector<Trial> trials{{"a", 100, 1, 4}, {"a", 10, 1, 1}, {"a", 1000, 1, 4}};
  EXPECT_DOUBLE_EQ(expected_seconds(trials, 10), 1);
  EXPECT_DOUBLE_EQ(expected_seconds(trials, 100), 4);
  EXPECT_NEAR(expected_seconds(trials, std::sqrt(1000.0)), 2, 1e-12);
  EXPECT_DOUBLE_EQ(expected_seconds(trials, 1), 1);
  // Equal times at the last two sizes: the extrapolation is flat, unless a least time for an operation is
  // given.
  EXPECT_DOUBLE_EQ(expected_seconds(trials, 3000), 4);
  EXPECT_NEAR(expected_seconds(trials, 3000, 0.001), 6.9, 1e-12);
  // After one trial the time is in proportion to the operations; without a trial there is no prediction.
  EXPECT_DOUBLE_EQ(expected_seconds({{"a", 10, 1, 1}}, 40), 4);
  EXPECT_DOUBLE_EQ(expected_seconds({}, 40), 0);
}

TEST(Advisor, ErrorsAreInterpolatedBetweenTrialsAndAStoppedTrialHasNone) {
  const std::vector<Trial> trials{
      {"a", 1, 100, 1, 0.04}, {"a", 1, 10000, 1, 0.01}, {"a", 1, 1000000, 9, std::nullopt}};
  EXPECT_DOUBLE_EQ(expected_error(trials, 10), 0.04);
  EXPECT_NEAR(expected_error(trials, 1000), 0.02, 1e-12);
  EXPECT_DOUBLE_EQ(expected_error(trials, 10000), 0.01);
  EXPECT_LT(expected_error(trials, 1000000), 0.01);
  EXPECT_DOUBLE_EQ(expected_error({{"a", 1, 100, 1, std::nullopt}}, 100), 1);
  // Errors of 0 have no logarithm: no power law is fitted.
  EXPECT_TRUE(std::isfinite(expected_error({{"a", 1, 100, 1, 0.0}, {"a", 1, 1000, 1, 0.1}}, 500)));
}

TEST(Advisor, NoiseFallsWithTheRootAndBiasStays) {
  const ErrorModel noise = fit_error(100, 0.1, 10000, 0.01);
  EXPECT_NEAR(noise.power, 0.5, 1e-12);
  EXPECT_NEAR(noise.at(1000000), 0.001, 1e-9);
  const ErrorModel bias = fit_error(100, 0.3, 10000, 0.3);
  EXPECT_NEAR(bias.at(1e9), 0.3, 1e-12);
  // The exponent is held between 0 (the error does not fall) and that of averaged noise.
  EXPECT_NEAR(fit_error(100, 1, 10000, 1e-9).power, 0.5, 1e-12);
  EXPECT_NEAR(fit_error(100, 0.1, 10000, 0.2).power, 0, 1e-12);
}

TEST(Advisor, EverySettingHasAForecastAndABasis) {
  JobContext context(test::pool());
  PilotOptions options;
  options.blocks = {4, 16};
  const PatternPtr pattern = test::random_pattern(900, 700, 6000, 4);
  const auto list = find_expectations(pattern, options, context).prospects;
  std::set<std::string> seen;
  for (const Prospect& one : list) {
    seen.insert(one.method);
    if (!one.refusal.empty()) continue;
    EXPECT_GT(one.bytes, 0U) << one.method;
    EXPECT_GT(one.seconds, 0) << one.method;
    EXPECT_TRUE(std::isfinite(one.error)) << one.method;
    EXPECT_FALSE(one.basis.empty()) << one.method;
    // The forecast of the advice equals the forecast by which run_method() refuses.
    Request request = test::request_of(pattern);
    request.threads = test::pool().threads();
    if (one.block) request.parameters["block"] = std::to_string(*one.block);
    const Method& method = *find_method(one.method);
    EXPECT_EQ(one.bytes, method.forecast(resolve_request(method, request).value()).bytes) << one.method;
  }
  for (const auto& method : methods()) EXPECT_TRUE(seen.contains(method->info().id)) << method->info().id;
}

TEST(Advisor, ElasticIsExpectedToErrLessThanDensityMap) {
  // A random pattern: Elastic's samples are noise of the true field, Density Map's plane is another one.
  JobContext context(test::pool());
  PilotOptions options;
  options.blocks = {8};
  options.methods = {"elastic", "density-map"};
  const auto list = find_expectations(test::random_pattern(3000, 3000, 30000, 4), options, context).prospects;
  ASSERT_EQ(list.size(), 2U);
  const auto& elastic = list[0].method == "elastic" ? list[0] : list[1];
  const auto& map = list[0].method == "elastic" ? list[1] : list[0];
  EXPECT_LT(elastic.error, map.error);
  EXPECT_LT(elastic.error, 0.02);
}

TEST(Advisor, TheSettingRankedFirstWasMeasured) {
  JobContext context(test::pool());
  PilotOptions options;
  options.blocks = {4, 16};
  options.patience = 20;
  options.budget = 20;
  const PatternPtr pattern = test::random_pattern(300, 260, 2000, 4);
  Expectations known = find_expectations(pattern, options, context);
  const auto list = advise(pattern, options, {}, known, context);
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list.size(), known.prospects.size());
  EXPECT_TRUE(list[0].fits);
  EXPECT_EQ(list[0].prospect.basis, kRunItself);
  EXPECT_EQ(list[0].prospect.error, 0);
}

int runs_of(const Expectations& known) {
  int runs = 0;
  for (const Prospect& one : known.prospects) runs += one.runs;
  return runs;
}

TEST(Advisor, WithoutABudgetNothingIsRunAndSettingsAreRankedByExpectations) {
  JobContext context(test::pool());
  PilotOptions options;
  options.blocks = {2, 3, 4, 6, 8};
  options.methods = {"density-map", "bs-fft"};
  options.budget = 0;
  options.cheap = 0;
  options.on_run = [](const Prospect& /*expected*/, const Prospect& run) { ADD_FAILURE() << run.method; };
  const PatternPtr pattern = test::random_pattern(300, 260, 2000, 4);
  Expectations known = find_expectations(pattern, options, context);
  const int pilots = runs_of(known);
  EXPECT_EQ(pilots, 2) << "density map, coarse and fine";
  const auto list = advise(pattern, options, {}, known, context);
  EXPECT_EQ(runs_of(known), pilots);
  EXPECT_EQ(list[0].prospect.method, "bs-fft");
}

TEST(Advisor, ASettingThatMayRankFirstIsMeasuredWhateverErrorIsExpected) {
  // The errors of this setting and of the first one are replaced by too small ones; both are measured and
  // corrected.
  JobContext context(test::pool());
  PilotOptions options;
  options.blocks = {4, 8};
  options.methods = {"density-map"};
  options.cheap = 0;
  options.budget = 20;
  options.patience = 20;
  const PatternPtr pattern = test::random_pattern(300, 260, 2000, 4);
  Expectations known = find_expectations(pattern, options, context);
  for (Prospect& one : known.prospects) {
    one.runs = 0;
    one.error = *one.block == 8 ? 0.001 : 0.5;
  }
  const auto list = advise(pattern, options, {.bytes = 0, .seconds = 10}, known, context);
  ASSERT_EQ(list.size(), 2U);
  for (const Advice& one : list) EXPECT_GT(one.prospect.runs, 0) << *one.prospect.block;
  EXPECT_GT(list[0].prospect.error, 0.001);
  EXPECT_LE(list[0].prospect.error, list[1].prospect.error);
}

TEST(Advisor, TheTimeOfASmallPlaneIsThatOfARun) {
  // Not that of the pass by which the reference was found, which is slower.
  JobContext context(test::pool());
  PilotOptions options;
  options.methods = {"bs-fft", "exact"};
  options.budget = options.reference = 120;  // a plane of any machine is small against this
  const PatternPtr pattern = test::random_pattern(300, 260, 2000, 4);
  for (const Prospect& one : find_expectations(pattern, options, context).prospects)
    EXPECT_EQ(one.basis, kRunItself) << one.method;
  options.budget = options.cheap = 0;
  for (const Prospect& one : find_expectations(pattern, options, context).prospects)
    EXPECT_EQ(one.basis, kPass) << one.method;
}

TEST(Advisor, ASecondQuestionRunsOnlySettingsThatWereNotMeasured) {
  JobContext context(test::pool());
  int runs = 0;
  PilotOptions options;
  options.blocks = {4, 16};
  options.patience = 20;
  options.budget = 60;
  options.on_run = [&](const Prospect& /*expected*/, const Prospect& /*run*/) { ++runs; };
  const PatternPtr pattern = test::random_pattern(300, 260, 2000, 4);
  Expectations known = find_expectations(pattern, options, context);
  const auto first = advise(pattern, options, {}, known, context);
  runs = 0;
  const auto second = advise(pattern, options, {}, known, context);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(second[0].prospect.method, first[0].prospect.method);
  EXPECT_EQ(second[0].prospect.block, first[0].prospect.block);
}

TEST(Advisor, WithoutTimeForThePlaneSamplesAreTheReference) {
  JobContext context(test::pool());
  PilotOptions options = density_map_at(16);
  const PatternPtr pattern = test::random_pattern(1200, 900, 9000, 4);
  const auto whole = find_expectations(pattern, options, context);
  ASSERT_TRUE(whole.reference);
  EXPECT_GT(whole.plane_seconds, 0);
  options.reference = 0;  // no pass at all: samples
  const auto sampled = find_expectations(pattern, options, context);
  ASSERT_TRUE(sampled.reference);
  EXPECT_NEAR(sampled.prospects[0].error, whole.prospects[0].error, 0.1 * whole.prospects[0].error);
  options.exact = whole.reference;
  EXPECT_EQ(find_expectations(pattern, options, context).prospects[0].error, whole.prospects[0].error);
}

TEST(Advisor, MeasuredErrorsEqualThoseOfTheMethod) {
  JobContext context(test::pool());
  PilotOptions options = density_map_at(8);
  options.cheap = 10;
  const PatternPtr pattern = test::random_pattern(200, 180, 1500, 8);
  const auto list = find_expectations(pattern, options, context).prospects;
  ASSERT_EQ(list.size(), 1U);
  const auto exact = test::run_job(*find_method("bs-fft"), test::request_of(pattern), test::pool());
  const auto sampled =
      test::run_job(*find_method("density-map"), test::request_of(pattern, {{"block", "8"}}), test::pool());
  ASSERT_TRUE(exact && sampled);
  EXPECT_NEAR(list[0].error, mean_error(feature_errors(*(*sampled)->features, *(*exact)->features)), 1e-6);
}

TEST(Advisor, TinyMatricesGetAdvice) {
  for (const auto& [name, pattern] : test::awkward_patterns()) {
    if (pattern->nonzeros() == 0) continue;
    JobContext context(test::pool());
    PilotOptions options;
    options.blocks = {1, 2, 128};
    for (const Prospect& one : find_expectations(pattern, options, context).prospects) {
      EXPECT_TRUE(!one.refusal.empty() || std::isfinite(one.error)) << name << " " << one.method;
      EXPECT_TRUE(!one.refusal.empty() || std::isfinite(one.seconds)) << name << " " << one.method;
    }
  }
}

TEST(Advisor, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  JobContext::Options options;
  options.stop = stop.get_token();
  JobContext context(test::pool(), options);
  EXPECT_THROW((void)find_expectations(test::random_pattern(300, 300, 900, 1), {}, context), Failure);
}

}  // namespace
}  // namespace spyctrum
