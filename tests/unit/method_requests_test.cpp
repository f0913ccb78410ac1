// SPDX-License-Identifier: Apache-2.0
// Requests: parameters against schemas, text parsed once, cache keys, provenance, forecasts against measured
// memory, and refusals that name a setting which then works.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "core/engine/windows.hpp"
#include "core/features/decoders.hpp"
#include "core/methods/finufft/finufft_points.hpp"
#include "core/methods/fixed_point/fixed_point_cpu.hpp"
#include "core/methods/method.hpp"
#include "tests/support/method_runs.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum::test {
namespace {

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

TEST(Resolve, FillsDefaultsAndWritesValuesInCanonicalForm) {
  const auto values = resolve(method_named("elastic"), {{"block", "016"}, {"tolerance", "0.000010"}});
  ASSERT_TRUE(values);
  const ParameterValues text = values->text();
  EXPECT_EQ(text.at("block"), "16");
  EXPECT_EQ(text.at("tolerance"), "1e-05");
  EXPECT_EQ(text.at("engine"), "auto");
  EXPECT_EQ(values->integer("block"), 16);
  EXPECT_EQ(values->real("tolerance"), 1e-5);
}

TEST(Resolve, CanonicalTextResolvesToTheSameNumbers) {
  for (const auto& method : methods()) {
    const ResolvedParameters defaults = resolve(*method, {}).value();
    for (const Parameter& parameter : method->parameters()) {
      std::vector<std::string> spellings = parameter.choices;
      if (parameter.type == Parameter::Type::flag) spellings = {"on", "0"};
      if (parameter.type == Parameter::Type::integer) spellings = {"007", "1"};
      if (parameter.type == Parameter::Type::real) spellings = {"0.0012345678901234", "2.50e-3"};
      for (const std::string& spelling : spellings) {
        SCOPED_TRACE(method->info().id + " " + parameter.name + "=" + spelling);
        const auto once = resolve(*method, {{parameter.name, spelling}});
        ASSERT_TRUE(once) << once.error().message();
        const ParameterValues text = once->text();
        EXPECT_EQ(text.size(), method->parameters().size());
        EXPECT_EQ(once->text_of(parameter.name), text.at(parameter.name));
        const auto twice = resolve(*method, text);
        ASSERT_TRUE(twice);
        EXPECT_TRUE(twice->text_unlike(*once).empty()) << "the numbers are equal, not only their spelling";
        EXPECT_EQ(twice->text(), text);
        ParameterValues others = once->text_unlike(defaults);
        others.erase(parameter.name);
        EXPECT_TRUE(others.empty()) << "no other value changes";
        switch (parameter.type) {
          case Parameter::Type::integer:
            EXPECT_EQ(once->integer(parameter.name), spelling == "1" ? 1 : 7);
            break;
          case Parameter::Type::real:
            EXPECT_EQ(once->real(parameter.name), spelling == "2.50e-3" ? 2.5e-3 : 0.00123456789012);
            break;
          case Parameter::Type::choice:
            EXPECT_EQ(parameter.choices[once->choice_index(parameter.name)], spelling);
            break;
          case Parameter::Type::flag:
            EXPECT_EQ(once->flag(parameter.name), spelling == "on");
            break;
        }
      }
    }
    EXPECT_THROW((void)defaults.integer("no such parameter"), Failure);
  }
}

TEST(Resolve, AcceptsNumbersOfTheRightTypeAndRange) {
  ResolvedParameters values = resolve(method_named("elastic"), {}).value();
  EXPECT_TRUE(values.set("block", std::int64_t{12}));
  EXPECT_EQ(values.integer("block"), 12);
  EXPECT_TRUE(values.set("tolerance", 1e-4));
  EXPECT_EQ(values.real("tolerance"), 1e-4);
  EXPECT_FALSE(values.set("block", std::int64_t{0}));
  EXPECT_FALSE(values.set("block", 4.0)) << "a real is not an integer";
  EXPECT_FALSE(values.set("engine", std::int64_t{1})) << "a choice is made by its word";
  EXPECT_FALSE(values.set("blok", std::int64_t{4}));
  EXPECT_EQ(values.integer("block"), 12) << "as before where it is refused";
  EXPECT_THROW((void)values.real("block"), Failure) << "an integer is not read as a real";
}

/// A method reads a choice as an enumeration in the order of the schema's words.
TEST(Resolve, ChoicesStandInTheOrderOfTheirEnumerations) {
  const auto engine = [](const char* word) {
    return resolve(method_named("elastic"), {{"engine", word}})->choice<GridEngine>("engine");
  };
  EXPECT_EQ(engine("auto"), GridEngine::automatic);
  EXPECT_EQ(engine("lattice"), GridEngine::lattice);
  EXPECT_EQ(engine("rows"), GridEngine::rows);
  const auto decoder = [](const char* word) {
    return resolve(method_named("elastic"), {{"decoder", word}})->choice<Decoder>("decoder");
  };
  EXPECT_EQ(decoder("stratified"), Decoder::stratified);
  EXPECT_EQ(decoder("paper"), Decoder::paper);
  const auto keep = [](const char* word) {
    return resolve(method_named("fixed-point"), {{"keep", word}})->choice<FixedPoints>("keep");
  };
  EXPECT_EQ(keep("decimation"), FixedPoints::decimation);
  EXPECT_EQ(keep("crop"), FixedPoints::crop);
  const auto mode = [](const char* word) {
    return resolve(method_named("nufft"), {{"mode", word}})->choice<FinufftMode>("mode");
  };
  EXPECT_EQ(mode("type3"), FinufftMode::type3);
  EXPECT_EQ(mode("type1-box"), FinufftMode::type1_box);
  EXPECT_EQ(mode("type1-lattice"), FinufftMode::type1_lattice);
}

TEST(Resolve, NamesTheWrongParameterAndItsPossibleValues) {
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

/// "file:line: text" of every line below `folder` that reads the text of a parameter or turns text into a
/// number. `deep_only` leaves out the files of the folder itself.
std::vector<std::string> lines_that_read_text(const std::filesystem::path& folder, bool deep_only = false) {
  static const std::regex reads(
      R"(from_chars|parse_number|\bsto(i|l|ul|ll|ull|f|d|ld)\(|\bstrto|\bato(i|f|l|ll)\(|sscanf|istringstream)"
      R"(|parameters\.(find|at|text|text_of)\(|ParameterValues)");
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path& file = entry.path();
    if (!entry.is_regular_file() || (file.extension() != ".cpp" && file.extension() != ".hpp")) continue;
    if (deep_only && file.parent_path() == folder) continue;
    std::ifstream text(file);
    std::string line;
    for (int number = 1; std::getline(text, line); ++number)
      if (std::regex_search(line, reads))
        found.push_back(file.lexically_relative(folder).generic_string() + ":" + std::to_string(number) +
                        ": " + line);
  }
  return found;
}

TEST(Resolve, NoCodeAfterItParsesText) {
  const std::filesystem::path core = std::filesystem::path(SPYCTRUM_SOURCE_DIR) / "core";
  EXPECT_EQ(lines_that_read_text(core / "engine"), std::vector<std::string>{});
  EXPECT_EQ(lines_that_read_text(core / "methods", true), std::vector<std::string>{});
  // The names of backends ("cuda:1") are read in core/device/backends.cpp, which is not part of resolve().
  for (const std::string& line : lines_that_read_text(core / "device"))
    EXPECT_TRUE(line.starts_with("backends.cpp:")) << line;
}

TEST(Resolve, CodeAfterItThatParsesTextIsDetected) {
  const std::filesystem::path core = std::filesystem::path(SPYCTRUM_SOURCE_DIR) / "core";
  EXPECT_FALSE(lines_that_read_text(core / "request").empty()) << "where the text of parameters is read";
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "my_method");
  const auto with_line = [&](const std::string& line) {
    folder.write("my_method/my_method.cpp", "// a method\n" + line + "\n");
    return lines_that_read_text(folder.path(), true).size();
  };
  EXPECT_EQ(with_line("const auto block = block_of(request);"), 0U);
  EXPECT_EQ(with_line("const auto block = request.parameters.integer(\"block\");"), 0U);
  for (const char* line : {"const int block = std::stoi(text);", "std::from_chars(first, last, block);",
                           "const auto block = parse_number<int>(text);",
                           R"(if (request.parameters.text_of("keep") == "crop") return;)",
                           R"(const auto at = values.parameters.find("block");)",
                           "void take(const ParameterValues& values);", "double x = std::stod(text);"})
    EXPECT_EQ(with_line(line), 1U) << line;
}

std::string key_of(const Method& method, const Request& request, std::uint64_t seed) {
  return cache_key(method, resolve_request(method, request).value(), seed);
}

TEST(CacheKey, IsEqualForEqualJobsAndDiffersInEveryPart) {
  const PatternPtr pattern = random_pattern(20, 30, 50, 1);
  const PatternPtr same = random_pattern(20, 30, 50, 1);
  const Method& elastic = method_named("elastic");
  const Request base = request_of(pattern, {{"block", "4"}});
  const std::string key = key_of(elastic, base, 1);
  EXPECT_EQ(key, key_of(elastic, request_of(same, {{"block", "04"}, {"engine", "auto"}}), 1));
  std::set<std::string> keys{key};
  const auto differs = [&](const Method& method, const Request& request, std::uint64_t seed) {
    EXPECT_TRUE(keys.insert(key_of(method, request, seed)).second);
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

TEST(RunMethod, RefusesInvalidRequests) {
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
  if (!exact.supports(request.backend).ok) {
    ASSERT_FALSE(elsewhere);
    EXPECT_EQ(elsewhere.error().code, ErrorCode::backend_unavailable);
  }
  for (const Method* method : runnable_methods()) {
    if (method->info().full_plane) continue;
    JobContext context(pool());
    EXPECT_THROW(
        method->stream(resolve_request(*method, request_of(random_pattern(9, 9, 9, 1))).value(), {}, context),
        Failure);
  }
}

TEST(RunMethod, FillsTheProvenance) {
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
    EXPECT_TRUE(spectrum.values.empty()) << "values were not requested";
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
    EXPECT_LE(staged, provenance.seconds * (1 + 1e-9))
        << "stages add up to at most the whole, except for rounding";
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
  EXPECT_NE(result.error().what.find("4,294,967,295 × 4,294,967,295"), std::string::npos);
}

TEST(Refusal, NamesASettingThatThenWorks) {
  const PatternPtr pattern = random_pattern(500, 400, 5000, 4);
  for (const Method* method : runnable_methods()) {
    for (const Request& unresolved : requests_for(*method, pattern)) {
      SCOPED_TRACE(method->info().id);
      ResolvedRequest request = resolve_request(*method, unresolved).value();
      request.threads = pool().threads();
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
        EXPECT_EQ(direct.error().what.find("·"), std::string::npos) << "a formula: " << direct.error().what;
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

TEST(Refusal, NamesOneThreadWhereEveryThreadHoldsRowsOfItsOwn) {
  ThreadPool threads(4);
  const PatternPtr pattern = random_pattern(1000, 40000, 300, 5);
  const Method& method = method_named("exact");
  ResolvedRequest request = resolve_request(method, request_of(pattern, {{"tile", "8"}})).value();
  request.threads = 1;
  const std::uint64_t allowance = method.forecast(request).bytes;
  const auto refused = run_job(method, request, threads, allowance);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().advice.find("Compute on one thread (--threads 1"), 0U) << refused.error().advice;
  ThreadPool single(1);
  EXPECT_TRUE(run_job(method, request, single, allowance));
}

TEST(Refusal, NamesAnotherMethodAsTheWindowAndAsTheCommandLine) {
  const PatternPtr pattern = random_pattern(3000, 3000, 900, 5);
  const Method& method = method_named("dense");
  const auto refused = run_job(method, request_of(pattern), pool(), 8 * 3000 * 1501 / 4);
  ASSERT_FALSE(refused);
  const MethodInfo& plane = usual_method(MethodRole::plane).info();
  EXPECT_EQ(refused.error().advice.find("Use " + plane.label + ", --method " + plane.id), 0U)
      << refused.error().advice;
}

TEST(Resolve, NamesTheMethodByItsLabel) {
  const auto missing = resolve(method_named("elastic"), {{"colour", "1"}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what, "Elastic BS-FFT has no parameter 'colour'.");
  const auto wrong = resolve(method_named("elastic"), {{"block", "0"}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "'0' is not possible for block of Elastic BS-FFT.");
}

TEST(Refusal, NeverNamesABlockThatLeavesTooFewSamples) {
  // A type 3 transform takes a grid of the whole plane unless the block size leaves a single coefficient.
  const PatternPtr pattern = random_pattern(4000, 3000, 2000, 5);
  const Method& method = *find_method("nufft");
  ResolvedRequest request = resolve_request(method, request_of(pattern, {{"block", "16"}})).value();
  request.threads = pool().threads();
  const std::uint64_t bytes = method.forecast(request).bytes;
  const auto fitting = find_feasible_request(method, request, bytes / 20);
  ASSERT_TRUE(fitting);
  EXPECT_EQ(fitting->request.parameters.text().at("mode"), "type1-lattice");
  EXPECT_EQ(fitting->request.parameters.text().at("block"), "16");
  EXPECT_EQ(fitting->advice.find("Set mode to type1-lattice ("), 0U) << fitting->advice;
  const auto both = find_feasible_request(method, request, bytes / 2000);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->request.parameters.text().at("mode"), "type1-lattice");
  EXPECT_GT(both->request.parameters.integer("block"), 16);
  EXPECT_LE(both->request.parameters.integer("block"), 4000 / 16);
  EXPECT_NE(both->advice.find("mode to type1-lattice and block to "), std::string::npos) << both->advice;
  EXPECT_FALSE(find_feasible_request(method, request, 1000)) << "two thousand entries alone take more";
}

TEST(Refusal, OfASampleNamesTheSmallestBlockThatFits) {
  const PatternPtr pattern = random_pattern(700, 900, 2000, 5);
  for (const char* id : {"elastic", "density-map"}) {
    SCOPED_TRACE(id);
    const Method& method = method_named(id);
    ResolvedRequest request = resolve_request(method, request_of(pattern, {{"block", "1"}})).value();
    request.threads = pool().threads();
    const std::uint64_t allowance = method.forecast(request).bytes / 5;
    const auto refused = run_job(method, request, pool(), allowance);
    ASSERT_FALSE(refused);
    std::smatch match;
    ASSERT_TRUE(std::regex_search(refused.error().advice, match, std::regex("block to ([0-9]+)")))
        << refused.error().advice;
    const std::int64_t block = std::stoi(match[1]);
    ASSERT_TRUE(request.parameters.set("block", block));
    EXPECT_TRUE(run_job(method, request, pool(), allowance));
    ASSERT_TRUE(request.parameters.set("block", block - 1));
    EXPECT_FALSE(run_job(method, request, pool(), allowance)) << "a smaller block fits as well";
  }
}

/// Stored values need whole rows; without them the symmetric half of each row is enough, whether the row's
/// transform length is resampled or not.
TEST(RunMethod, SymmetricPatternsHaveTheSameFeaturesFromTheSymmetricHalfAsFromWholeRows) {
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
      const Features& expected = *(*rows)->features;
      const Features& got = *(*symmetric_half)->features;
      EXPECT_NEAR(got.entropy, expected.entropy, 1e-7);
      EXPECT_NEAR(got.flatness, expected.flatness, 1e-6);
      EXPECT_NEAR(got.low_frequency_ratio, expected.low_frequency_ratio, 1e-7);
      for (std::size_t k = 0; k < kRadialBins; ++k) EXPECT_NEAR(got.radial[k], expected.radial[k], 1e-7) << k;
      for (std::size_t k = 0; k < kSectors; ++k) EXPECT_NEAR(got.sectors[k], expected.sectors[k], 1e-7) << k;
      const auto& cells = (*symmetric_half)->pyramid->mean_power;
      for (std::size_t k = 0; k < cells.size(); ++k)
        EXPECT_NEAR(cells[k], (*rows)->pyramid->mean_power[k], 1e-5F * (*rows)->pyramid->mean_power[k]) << k;
      const Provenance& provenance = (*symmetric_half)->provenance;
      EXPECT_NEAR(static_cast<double>(provenance.bytes_peak) / static_cast<double>(provenance.bytes_forecast),
                  1.0, 0.05);
    }
  }
}

TEST(BsFft, RunsInLittleMemoryWhereOnlyReductionsAreRequested) {
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
