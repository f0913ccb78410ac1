// SPDX-License-Identifier: Apache-2.0
// What a request may say and what comes back: parameters against schemas, cache keys, provenance, forecasts
// that the ledger confirms, and refusals that name a setting that then works.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/methods/method.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

ThreadPool& pool() {
  static ThreadPool instance(2);
  return instance;
}

const Method& method_named(const char* id) {
  const Method* method = find_method(id);
  if (method == nullptr) throw std::runtime_error(std::string("no method ") + id);
  return *method;
}

TEST(Registry, HoldsEveryMethodOnceUnderItsId) {
  std::set<std::string> ids;
  for (const auto& method : methods()) {
    const MethodInfo& info = method->info();
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_EQ(find_method(info.id), method.get());
    for (const std::string& text : {info.label, info.citation, info.cost, info.summary})
      EXPECT_FALSE(text.empty());
    bool has_block = false;
    for (const Parameter& parameter : method->parameters()) {
      EXPECT_FALSE(parameter.help.empty()) << info.id << " " << parameter.name;
      has_block = has_block || (parameter.name == "block" && parameter.type == Parameter::Type::integer);
    }
    EXPECT_EQ(has_block, info.uses_block) << info.id;
    EXPECT_TRUE(resolve(*method, {})) << "the defaults of " << info.id << " must be possible";
  }
  for (const char* id : {"dense", "bs-fft", "bs-fft-paper", "elastic", "elastic-paper", "density-map",
                         "fixed-point", "fps-sft", "pruned", "nufft", "exact"})
    EXPECT_TRUE(ids.count(id)) << id;
  EXPECT_EQ(find_method("no such method"), nullptr);
}

TEST(Resolve, FillsDefaultsAndNormalisesSpelling) {
  const auto values = resolve(method_named("elastic"), {{"block", "016"}, {"tolerance", "0.000010"}});
  ASSERT_TRUE(values);
  EXPECT_EQ(values->at("block"), "16");
  EXPECT_EQ(values->at("tolerance"), "1e-05");
  EXPECT_EQ(values->at("engine"), "auto");
  EXPECT_EQ(integer_value(*values, "block"), 16);
  EXPECT_EQ(real_value(*values, "tolerance"), 1e-5);
}

TEST(Resolve, NamesTheParameterAndWhatIsPossible) {
  const std::vector<std::pair<std::string, std::string>> wrong{{"block", "0"},
                                                               {"block", "1048577"},
                                                               {"block", "4.5"},
                                                               {"block", ""},
                                                               {"block", "four"},
                                                               {"block", "-3"},
                                                               {"block", "99999999999999999999"},
                                                               {"engine", "gpu"},
                                                               {"tolerance", "nan"},
                                                               {"tolerance", "1"}};
  for (const auto& [name, value] : wrong) {
    const auto values = resolve(method_named("elastic"), {{name, value}});
    ASSERT_FALSE(values) << name << " = " << value;
    EXPECT_EQ(values.error().code, ErrorCode::wrong_use);
    EXPECT_NE(values.error().what.find(name), std::string::npos) << values.error().what;
    EXPECT_FALSE(values.error().advice.empty());
  }
  const auto unknown = resolve(method_named("elastic"), {{"blok", "4"}});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().what.find("blok"), std::string::npos);
  EXPECT_NE(unknown.error().advice.find("block"), std::string::npos);
}

TEST(CacheKey, IsEqualForEqualJobsAndDiffersInEveryPart) {
  const PatternPtr pattern = random_pattern(20, 30, 50, 1);
  const PatternPtr same = random_pattern(20, 30, 50, 1);
  const Method& elastic = method_named("elastic");
  const Request base = request_of(pattern, {{"block", "4"}});
  const std::string key = cache_key(elastic, base, 1);
  EXPECT_EQ(key, cache_key(elastic, request_of(same, {{"block", "04"}, {"engine", "auto"}}), 1));
  std::set<std::string> keys{key};
  const auto differs = [&](const Method& method, const Request& request, std::uint64_t seed) {
    EXPECT_TRUE(keys.insert(cache_key(method, request, seed)).second);
  };
  differs(elastic, request_of(pattern, {{"block", "5"}}), 1);
  differs(elastic, base, 2);
  differs(method_named("elastic-paper"), base, 1);
  differs(elastic, request_of(random_pattern(20, 30, 50, 2), {{"block", "4"}}), 1);
  differs(elastic, request_of(pattern, {{"block", "4"}}, {true, true, false, 1024}), 1);
  differs(elastic, request_of(pattern, {{"block", "4"}}, {false, true, true, 1024}), 1);
  Request windowed = base;
  windowed.window = FrequencyGrid{FrequencyAxis::full(20), FrequencyAxis::full(30)};
  differs(elastic, windowed, 1);
  windowed.window->rows = FrequencyAxis::progression(20, 0, 1, 20);
  differs(elastic, windowed, 1);
  windowed.window->rows = FrequencyAxis::list(20, {0, 1, 2});
  differs(elastic, windowed, 1);
  Request elsewhere = base;
  elsewhere.backend = {BackendKind::cuda, 0};
  differs(elastic, elsewhere, 1);
}

TEST(RunMethod, RefusesRequestsThatMakeNoSense) {
  const Method& exact = method_named("exact");
  EXPECT_EQ(run_job(exact, Request{}, pool()).error().code, ErrorCode::wrong_use);
  Request request = request_of(random_pattern(20, 30, 50, 1));
  request.window = FrequencyGrid{FrequencyAxis::full(21), FrequencyAxis::full(30)};
  EXPECT_EQ(run_job(exact, request, pool()).error().code, ErrorCode::wrong_use);
  request.window = FrequencyGrid{FrequencyAxis::progression(20, 0, 1, 0), FrequencyAxis::full(30)};
  EXPECT_EQ(run_job(exact, request, pool()).error().code, ErrorCode::wrong_use);
  request.window =
      FrequencyGrid{FrequencyAxis::progression(20, INT64_MAX, INT64_MAX, 5), FrequencyAxis::full(30)};
  EXPECT_EQ(run_job(exact, request, pool()).error().code, ErrorCode::wrong_use);
  request.window.reset();
  request.backend = {BackendKind::cuda, 0};
  const auto elsewhere = run_job(exact, request, pool());
  if (!exact.supports(request.backend, 20, 30).ok) {
    ASSERT_FALSE(elsewhere);
    EXPECT_EQ(elsewhere.error().code, ErrorCode::backend_unavailable);
  }
  for (const Method* method : runnable_methods()) {
    if (method->info().full_plane) continue;
    JobContext context(pool());
    EXPECT_THROW(method->stream(request_of(random_pattern(9, 9, 9, 1)), {}, context), Failure);
  }
}

TEST(RunMethod, SaysWhereTheResultComesFrom) {
  const PatternPtr pattern = random_pattern(100, 120, 700, 2);
  for (const Method* method : runnable_methods()) {
    SCOPED_TRACE(method->info().id);
    const auto result = run_job(*method, request_of(pattern), pool());
    ASSERT_TRUE(result) << result.error().message();
    const Spectrum& spectrum = **result;
    const Provenance& provenance = spectrum.provenance;
    EXPECT_EQ(spectrum.m, 100U);
    EXPECT_EQ(spectrum.n, 120U);
    EXPECT_EQ(spectrum.nonzeros, pattern->nonzeros());
    EXPECT_TRUE(spectrum.features);
    EXPECT_TRUE(spectrum.values.empty()) << "values were not asked for";
    EXPECT_EQ(provenance.method, method->info().id);
    EXPECT_EQ(provenance.label, method->info().label);
    EXPECT_EQ(provenance.parameters.size(), method->parameters().size());
    EXPECT_EQ(provenance.backend, "cpu");
    EXPECT_FALSE(provenance.device.empty());
    EXPECT_FALSE(provenance.version.empty());
    EXPECT_GT(provenance.seconds, 0.0);
    EXPECT_FALSE(provenance.stages.empty());
    double staged = 0;
    for (const auto& [name, seconds] : provenance.stages) staged += seconds;
    EXPECT_LE(staged, provenance.seconds * (1 + 1e-9)) << "stages are parts of the whole, but for rounding";
  }
}

/// Every method under every combination of outputs, and with a window.
std::vector<Request> requests_for(const Method& method, const PatternPtr& pattern) {
  std::vector<Request> requests;
  const ParameterValues parameters =
      method.info().uses_block ? ParameterValues{{"block", "3"}} : ParameterValues{};
  for (const bool values : {false, true})
    for (const bool pyramid : {false, true})
      requests.push_back(request_of(pattern, parameters, {values, true, pyramid, 200}));
  Request window = request_of(pattern, parameters);
  window.window = FrequencyGrid{FrequencyAxis::progression(pattern->rows(), -20, 1, 60),
                                FrequencyAxis::progression(pattern->cols(), -35, 2, 70)};
  requests.push_back(window);
  window.window->rows = FrequencyAxis::list(pattern->rows(), {0, 9, 1, 5, 40, 41, 42, 43, 44, 45, 46, -3});
  requests.push_back(window);
  return requests;
}

TEST(Forecast, AgreesWithWhatTheLedgerMeasures) {
  for (const auto& [rows, cols, entries] : std::vector<std::tuple<int, int, int>>{
           {300, 256, 4000}, {257, 311, 2000}, {50, 1000, 900}, {1100, 60, 3000}, {640, 640, 30000}}) {
    const PatternPtr pattern =
        random_pattern(static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols),
                       static_cast<std::size_t>(entries), 3);
    for (const unsigned threads : {1U, 3U}) {
      ThreadPool some(threads);
      for (const Method* method : runnable_methods()) {
        const auto requests = requests_for(*method, pattern);
        for (std::size_t k = 0; k < requests.size(); ++k) {
          SCOPED_TRACE(method->info().id + " on " + std::to_string(rows) + "×" + std::to_string(cols) +
                       ", request " + std::to_string(k) + ", threads " + std::to_string(threads));
          const auto result = run_job(*method, requests[k], some);
          ASSERT_TRUE(result) << result.error().message();
          const Provenance& provenance = (*result)->provenance;
          const auto forecast = static_cast<double>(provenance.bytes_forecast);
          EXPECT_GT(provenance.bytes_peak, 0U);
          EXPECT_NEAR(static_cast<double>(provenance.bytes_peak) / forecast, 1.0, 0.05)
              << provenance.bytes_peak << " measured, " << provenance.bytes_forecast << " forecast";
        }
      }
    }
  }
}

TEST(Forecast, OfAbsurdSizesSaturatesAndIsRefused) {
  std::vector<Index> rows{0, 4'000'000'000U};
  std::vector<Index> cols{5, 4'000'000'001U};
  auto made = SparsePattern::from_coordinates(4'294'967'295U, 4'294'967'295U, rows, cols);
  ASSERT_TRUE(made);
  const auto pattern = std::make_shared<const SparsePattern>(std::move(*made));
  const auto result = run_job(method_named("dense"), request_of(pattern), pool());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::out_of_memory);
  EXPECT_NE(result.error().what.find("4294967295"), std::string::npos);
}

TEST(Refusal, NamesASettingThatThenWorks) {
  const PatternPtr pattern = random_pattern(500, 400, 5000, 4);
  for (const Method* method : runnable_methods()) {
    for (const Request& asked : requests_for(*method, pattern)) {
      SCOPED_TRACE(method->info().id);
      Request request = asked;
      request.threads = pool().threads();
      request.parameters = *resolve(*method, request.parameters);
      for (const double share : {0.5, 0.1}) {
        const auto allowance =
            static_cast<std::uint64_t>(share * static_cast<double>(method->forecast(request).bytes));
        const auto fitting = find_feasible_request(*method, request, allowance);
        const auto direct = run_job(*method, request, pool(), allowance);
        if (fitting && fitting->same_result) {
          EXPECT_TRUE(direct) << direct.error().message();
          continue;
        }
        ASSERT_FALSE(direct) << "it does not fit";
        EXPECT_EQ(direct.error().code, ErrorCode::out_of_memory) << direct.error().message();
        if (!fitting) continue;
        EXPECT_EQ(direct.error().advice, fitting->advice);
        EXPECT_LE(fitting->bytes, allowance);
        const auto second =
            run_job(method_named(fitting->method.c_str()), fitting->request, pool(), allowance);
        EXPECT_TRUE(second) << fitting->advice << " — and yet: " << second.error().message();
      }
    }
  }
}

TEST(Refusal, NeverNamesABlockThatLeavesNothingToSee) {
  // A type 3 takes the grid of the whole plane at any block size but that which leaves one coefficient.
  const PatternPtr pattern = random_pattern(4000, 3000, 2000, 5);
  const Method& method = *find_method("nufft");
  Request request = request_of(pattern, {{"block", "16"}});
  request.threads = pool().threads();
  request.parameters = *resolve(method, request.parameters);
  const std::uint64_t bytes = method.forecast(request).bytes;
  const auto fitting = find_feasible_request(method, request, bytes / 20);
  ASSERT_TRUE(fitting);
  EXPECT_EQ(fitting->request.parameters.at("mode"), "type1-lattice");
  EXPECT_EQ(fitting->request.parameters.at("block"), "16");
  EXPECT_EQ(fitting->advice.find("Set mode to type1-lattice ("), 0U) << fitting->advice;
  const auto both = find_feasible_request(method, request, bytes / 2000);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->request.parameters.at("mode"), "type1-lattice");
  EXPECT_GT(std::stoi(both->request.parameters.at("block")), 16);
  EXPECT_LE(std::stoi(both->request.parameters.at("block")), 4000 / 16);
  EXPECT_NE(both->advice.find("mode to type1-lattice and block to "), std::string::npos) << both->advice;
  EXPECT_FALSE(find_feasible_request(method, request, 1000)) << "two thousand entries alone take more";
}

TEST(Refusal, OfASampleNamesTheSmallestBlockThatFits) {
  const PatternPtr pattern = random_pattern(700, 900, 2000, 5);
  for (const char* id : {"elastic", "density-map"}) {
    SCOPED_TRACE(id);
    const Method& method = method_named(id);
    Request request = request_of(pattern, {{"block", "1"}});
    request.threads = pool().threads();
    request.parameters = *resolve(method, request.parameters);
    const std::uint64_t allowance = method.forecast(request).bytes / 5;
    const auto refused = run_job(method, request, pool(), allowance);
    ASSERT_FALSE(refused);
    std::smatch match;
    ASSERT_TRUE(std::regex_search(refused.error().advice, match, std::regex("block to ([0-9]+)")))
        << refused.error().advice;
    const int block = std::stoi(match[1]);
    request.parameters["block"] = std::to_string(block);
    EXPECT_TRUE(run_job(method, request, pool(), allowance));
    request.parameters["block"] = std::to_string(block - 1);
    EXPECT_FALSE(run_job(method, request, pool(), allowance)) << "a smaller block fits as well";
  }
}

/// Stored values need whole rows; without them symmetric_half of the rows are enough, of lengths that are
/// resampled or not.
TEST(RunMethod, SymmetricPatternsHaveTheSameFeaturesFromHalvesAsFromWholeRows) {
  for (const std::uint64_t n : {256U, 509U, 1018U}) {
    const PatternPtr one = random_pattern(n, n, 5 * n, 4);
    const auto pattern = std::make_shared<const SparsePattern>(one->symmetrised());
    ASSERT_TRUE(pattern->symmetric());
    for (const char* id : {"bs-fft", "exact"}) {
      SCOPED_TRACE(id + std::to_string(n));
      const auto rows = run_job(method_named(id), request_of(pattern, {}, {true, true, true, 64}), pool());
      const auto symmetric_half =
          run_job(method_named(id), request_of(pattern, {}, {false, true, true, 64}), pool());
      ASSERT_TRUE(rows && symmetric_half);
      const Features& wanted = *(*rows)->features;
      const Features& got = *(*symmetric_half)->features;
      EXPECT_NEAR(got.entropy, wanted.entropy, 1e-7);
      EXPECT_NEAR(got.flatness, wanted.flatness, 1e-6);
      EXPECT_NEAR(got.low_frequency_ratio, wanted.low_frequency_ratio, 1e-7);
      for (std::size_t k = 0; k < kRadialBins; ++k) EXPECT_NEAR(got.radial[k], wanted.radial[k], 1e-7) << k;
      for (std::size_t k = 0; k < kSectors; ++k) EXPECT_NEAR(got.sectors[k], wanted.sectors[k], 1e-7) << k;
      const auto& cells = (*symmetric_half)->pyramid->mean_power;
      for (std::size_t k = 0; k < cells.size(); ++k)
        EXPECT_NEAR(cells[k], (*rows)->pyramid->mean_power[k], 1e-5F * (*rows)->pyramid->mean_power[k]) << k;
      const Provenance& provenance = (*symmetric_half)->provenance;
      EXPECT_NEAR(static_cast<double>(provenance.bytes_peak) / static_cast<double>(provenance.bytes_forecast),
                  1.0, 0.05);
    }
  }
}

TEST(BsFft, RefusesNothingWhereOnlyReductionsAreWanted) {
  const PatternPtr pattern = random_pattern(3000, 2000, 9000, 6);
  Request request = request_of(pattern, {}, {false, true, true, 64});
  const std::uint64_t half_spectrum = 8ULL * 1501 * 2000;
  const auto result = run_job(method_named("bs-fft"), request, pool(), half_spectrum / 16);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE((*result)->features);
  EXPECT_TRUE((*result)->pyramid);
  EXPECT_TRUE((*result)->values.empty());
}

}  // namespace
}  // namespace spyctrum::test
