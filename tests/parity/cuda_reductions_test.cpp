// SPDX-License-Identifier: Apache-2.0
// Reductions on a CUDA device against the same consumers on the host. The host consumes the rows that the
// device computed, so that only the reductions differ. Tolerances: 1e-6 relative for sums (their terms are
// single precision, added in double), 32 roundings of single precision for the cells of the pyramid. Without
// a usable device the comparisons are skipped with a message.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include "core/device/backends.hpp"
#include "core/device/device_consumers.hpp"
#include "core/device/device_module.hpp"
#include "core/device/row_transform_plans.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/features/decoders.hpp"
#include "core/features/feature_consumer.hpp"
#include "core/features/row_classes.hpp"
#include "core/io/reader.hpp"
#include "core/pictures/pyramid_consumer.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "core/spectrum/row_consumer.hpp"
#include "tests/support/feature_bits.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr Backend kCuda{BackendKind::cuda, 0, false};
constexpr double kRelative = 1e-6;

class CudaReductions : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = cuda_unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << "NOT COMPARED, no CUDA device: " << reason;
  }
};

SpectrumPtr result_of(const Method& method, Request request, Backend backend = kCuda) {
  request.backend = backend;
  return succeed(method, std::move(request));
}

/// `cells`: how many coefficients the features describe, those of the plane or the samples. Logarithms have a
/// relative error of 2^−22, which is visible in the entropy of planes of rounding noise.
void expect_features(const Features& actual, const Features& expected, double cells) {
  const double log_mean = std::log(std::max(expected.total_power / cells, 1e-37));
  const double of_logs = 2.4e-7 * std::abs(log_mean) / std::max(std::log(cells), 0.5);
  EXPECT_NEAR(actual.entropy, expected.entropy, kRelative * expected.entropy + 2 * of_logs);
  EXPECT_NEAR(actual.total_power, expected.total_power, kRelative * expected.total_power);
  for (std::size_t k = 0; k < kRadialBins; ++k)
    EXPECT_NEAR(actual.radial[k], expected.radial[k], kRelative * (expected.radial[k] + 1e-6))
        << "ring " << k;
  for (std::size_t k = 0; k < kSectors; ++k)
    EXPECT_NEAR(actual.sectors[k], expected.sectors[k], kRelative * (expected.sectors[k] + 1e-6))
        << "sector " << k;
  EXPECT_NEAR(actual.low_frequency_ratio, expected.low_frequency_ratio, kRelative);
  EXPECT_NEAR(actual.imbalance, expected.imbalance, kRelative);
  // Flatness is the exponential of a mean logarithm: an absolute error of the mean is a relative error of
  // flatness.
  EXPECT_NEAR(actual.flatness, expected.flatness, 1e-5 * (expected.flatness + 1e-9));
  EXPECT_EQ(actual.samples, expected.samples);
}

/// `power`: the mean of |F|² if the rows were computed by different transforms, else 0. In the former case
/// |F| may differ by 1e-6·√power in the root mean square.
void expect_pyramid(const DisplayPyramid& actual, const DisplayPyramid& expected, double power) {
  ASSERT_EQ(actual.rows, expected.rows);
  ASSERT_EQ(actual.cols, expected.cols);
  const double rounding = (power > 0 ? 128 : 32) * 6e-8;
  const auto of_rows = [&](double p) {
    constexpr double kError = 4e-6;  // the largest of many errors: four times their root mean square
    return 2 * kError * std::sqrt(p * power) + kError * kError * power;
  };
  double wrong_mean = 0;
  double wrong_most = 0;
  for (std::size_t k = 0; k < expected.mean_power.size(); ++k) {
    const auto mean = static_cast<double>(expected.mean_power[k]);
    const auto most = static_cast<double>(expected.max_power[k]);
    const double mean_error = std::abs(static_cast<double>(actual.mean_power[k]) - mean) - of_rows(mean);
    const double most_error = std::abs(static_cast<double>(actual.max_power[k]) - most) - of_rows(most);
    wrong_mean = std::max(wrong_mean, mean_error / (mean + 1e-30));
    wrong_most = std::max(wrong_most, most_error / (most + 1e-30));
  }
  EXPECT_LE(wrong_mean, rounding);
  EXPECT_LE(
      wrong_most,
      power > 0 ? rounding : 8 * 6e-8);  // corrected before squaring on one side, afterwards on the other
}

/// Features of w as those of the weights a = 2^e·w, which run_method() gives.
Features in_units_of_values(Features features, const Spectrum& spectrum) {
  features.total_power = std::ldexp(features.total_power, 2 * spectrum.exponent());
  return features;
}

/// The rows of a plane method as the device computes them, and their features and pyramid as the host reduces
/// them: from the symmetric half of symmetric patterns, as on the device.
struct HostReduced {
  SpectrumPtr rows;
  Features features;
  DisplayPyramid pyramid;
};
HostReduced reduced_on_host(const Method& method, const PatternPtr& pattern, std::uint32_t cells,
                            const ParameterValues& parameters = {}) {
  HostReduced reduced;
  reduced.rows = result_of(method, request_of(pattern, parameters, {true, false, false, 1024}));
  if (!reduced.rows) return reduced;
  FeatureConsumer features(rounding_floor(*pattern));
  PyramidConsumer pyramid(cells);
  const std::uint64_t n = pattern->cols();
  const std::span<const std::complex<float>> values(reduced.rows->values);
  for (RowConsumer* consumer : std::initializer_list<RowConsumer*>{&features, &pyramid}) {
    consumer->begin(pattern->rows(), n, 1);
    for (std::uint64_t u = 0; u < half_rows(pattern->rows()); ++u)
      consumer->consume(spectrum_row(static_cast<std::int64_t>(u), pattern->rows(), values.subspan(u * n, n),
                                     pattern->symmetric()),
                        0);
    consumer->finish();
  }
  reduced.features = in_units_of_values(features.features(), *reduced.rows);
  reduced.pyramid = pyramid.snapshot(pool());
  return reduced;
}

/// The parameters `given`, with a fixed tile height unless they contain one. Otherwise rows that stay on the
/// device and rows that are copied to the host come in tiles of different heights, which may be rounded
/// differently.
ParameterValues in_equal_tiles(const Method& method, ParameterValues given) {
  for (const Parameter& parameter : method.parameters())
    if (parameter.name == "tile") given.try_emplace("tile", "512");
  return given;
}

/// The largest power outside the cell of DC; the rounding error of a row is proportional to its power.
double largest_power(const DisplayPyramid& pyramid) {
  const std::size_t dc =
      std::max_element(pyramid.max_power.begin(), pyramid.max_power.end()) - pyramid.max_power.begin();
  float most = 0;
  for (std::size_t k = 0; k < pyramid.max_power.size(); ++k)
    if (k != dc) most = std::max(most, pyramid.max_power[k]);
  return static_cast<double>(most);
}

/// Whether the symmetric half of a row is computed by another row transform plan than a whole row.
bool resamples_symmetric_half(const Method& method, const SparsePattern& pattern) {
  const std::string& id = method.info().id;
  return pattern.symmetric() && (id == "bs-fft" || id == "exact") &&
         row_transform_plans(pattern.cols(), cuda::RowAlgorithm::optimized, kCuda, true).back().resampled;
}

/// `ridges`: whether few rows may hold most of the power.
void compare_one_plane(const Method& method, const PatternPtr& pattern, std::uint32_t cells,
                       const ParameterValues& given, bool ridges) {
  const ParameterValues parameters = in_equal_tiles(method, given);
  const HostReduced expected = reduced_on_host(method, pattern, cells, parameters);
  const SpectrumPtr actual = result_of(method, request_of(pattern, parameters, {false, true, true, cells}));
  ASSERT_TRUE(expected.rows && actual && actual->features && actual->pyramid);
  EXPECT_TRUE(actual->values.empty());
  const double cells_of_plane = static_cast<double>(pattern->rows()) * static_cast<double>(pattern->cols());
  expect_features(*actual->features, expected.features, cells_of_plane);
  const double power = !resamples_symmetric_half(method, *pattern) ? 0
                       : ridges                                    ? largest_power(expected.pyramid)
                                                                   : pattern->weight_squares();
  expect_pyramid(*actual->pyramid, expected.pyramid, power);
  const SpectrumPtr alone = result_of(method, request_of(pattern, parameters, {false, true, false, cells}));
  ASSERT_TRUE(alone && alone->features);
  expect_features(*alone->features, expected.features, cells_of_plane);
}

/// The plane of the pattern and, where the method takes weights, that of the pattern with weights.
void compare_plane(const Method& method, const PatternPtr& pattern, std::uint32_t cells,
                   const ParameterValues& given = {}, bool ridges = false) {
  compare_one_plane(method, pattern, cells, given, ridges);
  if (!method.info().takes_weights) return;
  SCOPED_TRACE("with weights");
  compare_one_plane(method, with_signed_weights(pattern), cells, given, ridges);
}

/// The patterns, and all of them with weights.
std::vector<NamedPattern> with_and_without_weights(std::vector<NamedPattern> patterns) {
  const std::size_t count = patterns.size();
  for (std::size_t k = 0; k < count; ++k)
    patterns.push_back({patterns[k].name + " with weights", with_signed_weights(patterns[k].pattern)});
  return patterns;
}

std::vector<const Method*> plane_methods() {
  std::vector<const Method*> list;
  for (const auto& method : methods())
    if (method->info().full_plane) list.push_back(method.get());
  return list;
}

NamedPattern graph(std::uint64_t n, std::uint64_t nonzeros) {
  const std::string text = "gen:power-law:n=" + std::to_string(n) + ",nnz=" + std::to_string(nonzeros);
  JobContext context(pool());
  auto matrix = load_matrix(text, {}, context);
  if (!matrix) throw Failure(matrix.error());
  EXPECT_TRUE(matrix->pattern->symmetric());
  return {text, matrix->pattern};
}

std::vector<NamedPattern> larger_patterns() {
  std::vector<NamedPattern> list;
  list.push_back({"1200x1000 random", random_pattern(1200, 1000, 9000, 11)});
  list.push_back({"1031x1009 random (primes)", random_pattern(1031, 1009, 7000, 12)});
  list.push_back({"20001x61 random", random_pattern(20001, 61, 4000, 13)});
  list.push_back({"61x20001 random", random_pattern(61, 20001, 4000, 14)});
  list.push_back({"512x640 identity: most powers are tiny", [] {
                    std::vector<std::pair<Index, Index>> places;
                    for (Index i = 0; i < 512; ++i) places.emplace_back(i, i);
                    return make_pattern(512, 640, places);
                  }()});
  // Symmetric patterns of odd and even sides, some of which are resampled.
  for (const std::uint64_t n : {960U, 1009U, 1046U, 2503U, 3026U}) list.push_back(graph(n, 8 * n));
  return list;
}

TEST_F(CudaReductions, FeaturesAndPyramidOfAwkwardPlanesEqualThoseOfTheCpu) {
  std::vector<NamedPattern> patterns = awkward_patterns();
  for (const std::uint64_t n : {6U, 7U, 30U, 97U, 194U}) patterns.push_back(graph(n, 3 * n));
  for (const NamedPattern& named : patterns) {
    for (const Method* method : plane_methods()) {
      for (const std::uint32_t cells : {1024U, 5U}) {
        SCOPED_TRACE(method->info().id + " on " + named.name + ", cells " + std::to_string(cells));
        compare_plane(*method, named.pattern, cells);
      }
    }
  }
}

TEST_F(CudaReductions, FeaturesAndPyramidOfLargerPlanesEqualThoseOfTheCpu) {
  for (const NamedPattern& named : larger_patterns()) {
    for (const Method* method : plane_methods()) {
      for (const std::uint32_t cells : {1024U, 64U, 7U}) {
        SCOPED_TRACE(method->info().id + " on " + named.name + ", cells " + std::to_string(cells));
        compare_plane(*method, named.pattern, cells);
      }
    }
  }
}

TEST_F(CudaReductions, ResultsDoNotDependOnTheTileHeight) {
  for (const NamedPattern& named :
       {NamedPattern{"random", random_pattern(700, 900, 5000, 22)}, graph(701, 5000), graph(706, 5000)}) {
    for (const char* tile : {"1", "31", "64", "351"}) {
      SCOPED_TRACE(named.name + ", tile " + tile);
      compare_plane(*find_method("bs-fft"), named.pattern, 100, {{"tile", tile}});
    }
  }
}

/// Rows so long that one kernel computes them where the device can, and rows that are too long for it, whose
/// widest symmetric halves are transformed in parts.
TEST_F(CudaReductions, SymmetricHalvesOfLongRowsGiveTheSumsOfTheCpu) {
  for (const std::uint64_t n : {19793U, 28282U, 36293U}) {
    const NamedPattern named = graph(n, 120000);
    SCOPED_TRACE(named.name);
    const Request request = request_of(named.pattern, {}, {false, true, true, 512});
    const SpectrumPtr expected = result_of(*find_method("bs-fft"), request, {});
    const SpectrumPtr actual = result_of(*find_method("bs-fft"), request);
    ASSERT_TRUE(expected && actual);
    expect_features(*actual->features, *expected->features, static_cast<double>(n) * static_cast<double>(n));
    expect_pyramid(*actual->pyramid, *expected->pyramid, static_cast<double>(named.pattern->nonzeros()));
  }
}

/// For the sanitizers: rows of direct length, by Bluestein's algorithm, resampled and in parts, with and
/// without a pyramid.
TEST_F(CudaReductions, EveryKernelEqualsTheCpuOnSmallPlanes) {
  for (const auto& [rows, cols] : {std::pair{70U, 150U}, {53U, 211U}, {40U, 7919U}}) {
    const PatternPtr pattern = random_pattern(rows, cols, 600, 15);
    for (const char* id : {"bs-fft", "bs-fft-paper"}) {
      SCOPED_TRACE(std::string(id) + ", " + std::to_string(rows) + "x" + std::to_string(cols));
      compare_plane(*find_method(id), pattern, 20);
    }
  }
  for (const std::uint64_t n : {150U, 211U, 422U, 1511U}) {
    SCOPED_TRACE("symmetric_half of " + std::to_string(n));
    compare_plane(*find_method("bs-fft"), graph(n, 4 * n).pattern, 20);
  }
}

/// Patterns of which lines in every direction are summed: graphs with and without hubs,
/// symmetric or not, rectangles, ridges along diagonals.
std::vector<NamedPattern> patterns_of_lines() {
  std::vector<NamedPattern> list;
  JobContext context(pool());
  for (const char* text :
       {"gen:power-law:n=700,nnz=6000,symmetric=0", "gen:power-law:n=701,nnz=6000,symmetric=1",
        "gen:band:n=640,bandwidth=3", "gen:random:n=1500,nnz=9000"}) {
    auto matrix = load_matrix(text, {}, context);
    if (!matrix) ADD_FAILURE() << text << ": " << matrix.error().message();
    if (matrix) list.push_back({text, matrix->pattern});
  }
  list.push_back({"900x350 with a hub", [] {
                    std::vector<std::pair<Index, Index>> places;
                    for (Index i = 0; i < 900; ++i) places.emplace_back(i, 17);
                    for (Index j = 0; j < 350; ++j) places.emplace_back(40, j);
                    for (Index i = 0; i < 900; ++i) places.emplace_back(i, (i * 37 + i / 7) % 350);
                    return make_pattern(900, 350, places);
                  }()});
  return list;
}

/// Compares the sums of the same lines on the device and on the host.
TEST_F(CudaReductions, EveryKernelOfLinesEqualsTheCpu) {
  for (const NamedPattern& named : with_and_without_weights(patterns_of_lines())) {
    SCOPED_TRACE(named.name);
    const Request request = request_of(named.pattern, {{"block", "8"}}, {false, true, false, 1});
    const SpectrumPtr expected = result_of(*find_method("elastic"), request, {});
    const SpectrumPtr once = result_of(*find_method("elastic"), request);
    const SpectrumPtr again = result_of(*find_method("elastic"), request);
    ASSERT_TRUE(expected && once && again);
    EXPECT_NEAR(once->features->entropy, expected->features->entropy, 1e-5);
    for (std::size_t k = 0; k < kRadialBins; ++k)
      EXPECT_NEAR(once->features->radial[k], expected->features->radial[k], 1e-5) << "ring " << k;
    for (std::size_t k = 0; k < kSectors; ++k)
      EXPECT_NEAR(once->features->sectors[k], expected->features->sectors[k], 1e-5) << "sector " << k;
    EXPECT_EQ(once->features->samples, expected->features->samples);
    EXPECT_EQ(once->features->entropy, again->features->entropy);
    EXPECT_EQ(once->features->flatness, again->features->flatness);
    EXPECT_EQ(once->features->sectors, again->features->sectors);
  }
}

TEST_F(CudaReductions, AreBitEqualFromRunToRun) {
  const PatternPtr pattern = larger_patterns().at(1).pattern;
  for (const Method* method : plane_methods()) {
    SCOPED_TRACE(method->info().id);
    const Request request = request_of(pattern, {}, {false, true, true, 100});
    const SpectrumPtr once = result_of(*method, request);
    const SpectrumPtr again = result_of(*method, request);
    ASSERT_TRUE(once && again);
    EXPECT_EQ(once->features->entropy, again->features->entropy);
    EXPECT_EQ(once->features->flatness, again->features->flatness);
    EXPECT_EQ(once->features->radial, again->features->radial);
    EXPECT_EQ(once->pyramid->mean_power, again->pyramid->mean_power);
  }
}

TEST_F(CudaReductions, SharedMatricesHaveTheFeaturesOfTheCpu) {
  const char* named = std::getenv("SPYCTRUM_SHARED_DATA");  // NOLINT(concurrency-mt-unsafe): one thread
  const std::filesystem::path folder = named != nullptr ? named : SPYCTRUM_SOURCE_DIR "/../shared/data";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "NOT COMPARED, there is no " << folder;
  for (const char* name : {"sci_bcspwr10", "sci_lp_e226", "sci_bwm2000", "sci_tols4000", "sci_zenios"}) {
    SCOPED_TRACE(name);
    JobContext context(pool());
    const auto matrix = load_matrix((folder / (std::string(name) + ".mtx.gz")).string(), {}, context);
    ASSERT_TRUE(matrix) << matrix.error().message();
    compare_plane(*find_method("bs-fft"), matrix->pattern, 512, {}, true);
    const Request request = request_of(matrix->pattern, {}, {false, true, false, 1024});
    const SpectrumPtr expected = result_of(*find_method("bs-fft"), request, {});
    const SpectrumPtr actual = result_of(*find_method("bs-fft"), request);
    ASSERT_TRUE(expected && actual);
    EXPECT_NEAR(actual->features->entropy / expected->features->entropy, 1, kRelative);
  }
}

/// Features of samples that stay on the device against those that the host decodes from the same samples.
TEST_F(CudaReductions, FeaturesOfSamplesEqualThoseOfTheCpu) {
  std::vector<NamedPattern> patterns = awkward_patterns();
  for (NamedPattern& named : larger_patterns()) patterns.push_back(std::move(named));
  for (const NamedPattern& named : with_and_without_weights(std::move(patterns))) {
    for (const auto& [id, block] : {std::pair{"density-map", "1"},
                                    {"density-map", "3"},
                                    {"elastic-paper", "2"},
                                    {"elastic-paper", "7"},
                                    {"elastic", "4"},
                                    {"elastic", "16"}}) {
      for (const char* decoder : {"paper", "stratified"}) {
        SCOPED_TRACE(std::string(id) + " on " + named.name + ", block " + block + ", " + decoder);
        ParameterValues parameters{{"block", block}};
        const bool has_choice = std::string(id) == "elastic";
        if (named.pattern->has_weights() && !find_method(id)->info().takes_weights) continue;
        if (has_choice) parameters["decoder"] = decoder;
        if (!has_choice && std::string(decoder) == "stratified") continue;
        const SpectrumPtr values =
            result_of(*find_method(id), request_of(named.pattern, parameters, {true, false, false, 1}));
        const SpectrumPtr alone =
            result_of(*find_method(id), request_of(named.pattern, parameters, {false, true, false, 1}));
        const SpectrumPtr both =
            result_of(*find_method(id), request_of(named.pattern, parameters, {true, true, false, 1}));
        ASSERT_TRUE(values && alone && both && alone->features && both->features);
        JobContext context(pool());
        const double floor = values->rounding_floor;
        const Features expected = in_units_of_values(
            has_choice && std::string(decoder) == "stratified"
                ? decode_stratified(*named.pattern, values->grid, values->values, floor, context)
                : decode_paper(values->grid, values->values, floor),
            *values);
        // A sample next to the floor may be on either side of it; those that were seen to weigh less than
        // half a coefficient of the plane. A coefficient more is a failure.
        const double coefficients =
            static_cast<double>(named.pattern->rows()) * static_cast<double>(named.pattern->cols());
        EXPECT_NEAR(alone->features->zero_share, expected.zero_share, 0.5 / coefficients);
        if (has_choice) {
          EXPECT_NEAR(alone->features->entropy, expected.entropy, 1e-5);
          for (std::size_t k = 0; k < kRadialBins; ++k)
            EXPECT_NEAR(alone->features->radial[k], expected.radial[k], 1e-5);
          for (std::size_t k = 0; k < kSectors; ++k)
            EXPECT_NEAR(alone->features->sectors[k], expected.sectors[k], 1e-5) << "sector " << k;
          EXPECT_NEAR(alone->features->low_frequency_ratio, expected.low_frequency_ratio, 1e-5);
          // Flatness is a mean of logarithms; on planes that are mostly zero they are those of rounding
          // noise.
          EXPECT_NEAR(alone->features->flatness, expected.flatness, 1e-2 * expected.flatness + 1e-9);
          EXPECT_EQ(alone->features->samples, expected.samples);
          EXPECT_NEAR(both->features->entropy, expected.entropy, 1e-5);
        } else {
          const auto count = static_cast<double>(values->values.size());
          expect_features(*alone->features, expected, count);
          expect_features(*both->features, expected, count);
        }
        EXPECT_EQ(both->values.size(), values->values.size());
        EXPECT_TRUE(alone->values.empty());
      }
    }
  }
}

/// A circulant of 512×512, of whose coefficients fifteen are above rounding beside DC.
TEST_F(CudaReductions, WhatIsZeroToRoundingIsZeroOnBothBackends) {
  const PatternPtr pattern = generated("gen:circulant:n=512,degree=32,stride=16");
  for (const char* id : {"exact", "bs-fft", "bs-fft-paper", "dense", "elastic", "elastic-paper", "pruned",
                         "density-map", "fixed-point"}) {
    SCOPED_TRACE(id);
    const Method& method = *find_method(id);
    const ParameterValues block =
        method.info().uses_block ? ParameterValues{{"block", "4"}} : ParameterValues{};
    const Request request = request_of(pattern, block, {false, true, false, 1});
    const SpectrumPtr expected = result_of(method, request, {});
    const SpectrumPtr actual = result_of(method, request);
    ASSERT_TRUE(expected && actual);
    EXPECT_NEAR(actual->features->entropy, expected->features->entropy, 1e-6);
    EXPECT_NEAR(actual->features->zero_share, expected->features->zero_share, 1e-9);
    EXPECT_EQ(actual->features->flatness, expected->features->flatness);
  }
}

ReconstructionErrors errors_of(const Reconstruction& reconstruction, const PatternPtr& pattern,
                               Backend backend, const char* id) {
  ReconstructionErrorConsumer consumer(reconstruction);
  RowConsumer* const consumers[] = {&consumer};
  Request request = request_of(pattern);
  request.backend = backend;
  JobContext context(pool());
  const auto streamed = stream_method(*find_method(id), request, consumers, context);
  if (!streamed) ADD_FAILURE() << streamed.error().message();
  return consumer.errors();
}

TEST_F(CudaReductions, ErrorsOfReconstructionsEqualThoseOfTheCpu) {
  std::vector<NamedPattern> patterns = larger_patterns();
  patterns.push_back({"40x33 random", random_pattern(40, 33, 120, 3)});
  patterns.push_back(
      {"512x512 circulant: most powers are zero", generated("gen:circulant:n=512,degree=32,stride=16")});
  for (const NamedPattern& named : patterns) {
    for (const auto& [id, block] :
         {std::pair{"elastic", "4"}, {"elastic", "5"}, {"elastic-paper", "16"}, {"density-map", "6"}}) {
      for (const Fill fill : {Fill::bilinear, Fill::bilinear_centers, Fill::nearest}) {
        SCOPED_TRACE(std::string(id) + " on " + named.name + ", block " + block);
        const SpectrumPtr samples = result_of(
            *find_method(id), request_of(named.pattern, {{"block", block}}, {true, false, false, 1}), {});
        ASSERT_TRUE(samples);
        const auto reconstruction = Reconstruction::make(samples, fill);
        ASSERT_TRUE(reconstruction) << reconstruction.error().message();
        const ReconstructionErrors expected = errors_of(*reconstruction, named.pattern, {}, "exact");
        for (const char* stream : {"exact", "dense", "bs-fft-paper"}) {
          const ReconstructionErrors actual = errors_of(*reconstruction, named.pattern, kCuda, stream);
          EXPECT_NEAR(actual.hellinger, expected.hellinger, 1e-5) << stream;
          EXPECT_EQ(actual.above_rounding, expected.above_rounding) << stream;
          // Rounding may move a magnitude to the neighbouring bin.
          if (std::isnan(expected.recall_top10)) {
            EXPECT_TRUE(std::isnan(actual.recall_top10)) << stream;
          } else if (named.name.find("identity") == std::string::npos) {
            EXPECT_NEAR(actual.recall_top10, expected.recall_top10, 2e-3) << stream;
          }
          EXPECT_EQ(actual.coefficients, expected.coefficients);
          EXPECT_FALSE(actual.sampled);
        }
      }
    }
  }
}

TEST_F(CudaReductions, AGroupOfDevicesComparesReconstructionsWithTheBitsOfOneDevice) {
  const int count = cuda_module().device_count();
  if (count < 2) std::printf("NOT COMPARED, one device: groups of several devices\n");
  for (const PatternPtr& pattern :
       {random_pattern(3001, 2500, 9000, 51), random_pattern(40, 33, 120, 3),
        generated("gen:power-law:n=2003,nnz=9000"), generated("gen:power-law:n=9000,nnz=30000")}) {
    std::vector<Reconstruction> planes;
    for (const char* block : {"4", "16"}) {
      const SpectrumPtr samples = result_of(
          *find_method("elastic"), request_of(pattern, {{"block", block}}, {true, false, false, 1}), {});
      ASSERT_TRUE(samples);
      planes.push_back(Reconstruction::make(samples, Fill::bilinear).value());
      ASSERT_FALSE(planes.back().nodes().magnitudes.empty());
    }
    const auto errors_on = [&](Backend backend) {
      std::vector<std::unique_ptr<ReconstructionErrorConsumer>> consumers;
      std::vector<RowConsumer*> streamed;
      for (const Reconstruction& plane : planes) {
        consumers.push_back(std::make_unique<ReconstructionErrorConsumer>(plane));
        streamed.push_back(consumers.back().get());
      }
      Request request = request_of(pattern, {{"tile", "32"}});
      request.backend = backend;
      JobContext context(pool());
      const auto passed = stream_method(*find_method("exact"), request, streamed, context);
      if (!passed) ADD_FAILURE() << passed.error().message();
      EXPECT_EQ(context.memory().current(), 0U);
      std::vector<ReconstructionErrors> errors;
      for (const auto& consumer : consumers) errors.push_back(consumer->errors());
      return errors;
    };
    const std::vector<ReconstructionErrors> one = errors_on(kCuda);
    for (int members = 1; members <= count; ++members) {
      SCOPED_TRACE("n = " + std::to_string(pattern->cols()) + ", devices " + std::to_string(members));
      const std::vector<ReconstructionErrors> all =
          errors_on({BackendKind::cuda, 0, false, (std::uint64_t{1} << members) - 1});
      for (std::size_t k = 0; k < planes.size(); ++k) {
        EXPECT_GT(one[k].hellinger, 0);
        EXPECT_EQ(all[k].hellinger, one[k].hellinger);
        EXPECT_EQ(all[k].above_rounding, one[k].above_rounding);
        EXPECT_EQ(all[k].recall_top10, one[k].recall_top10);
        EXPECT_EQ(all[k].coefficients, pattern->rows() * pattern->cols());
      }
    }
  }
}

TEST_F(CudaReductions, SeveralConsumersShareOnePassAndOthersStillGetTheRows) {
  struct Counter : RowConsumer {
    void begin(std::uint64_t, std::uint64_t, unsigned) override {}
    void consume(const SpectrumRow&, unsigned) override { ++rows; }
    void finish() override {}
    std::atomic<int> rows{0};
  };
  const PatternPtr pattern = random_pattern(500, 300, 3000, 31);
  const SpectrumPtr samples =
      result_of(*find_method("elastic"), request_of(pattern, {{"block", "4"}}, {true, false, false, 1}), {});
  const auto plane = Reconstruction::make(samples, Fill::bilinear);
  ASSERT_TRUE(plane);
  FeatureConsumer first(rounding_floor(*pattern));
  FeatureConsumer second(rounding_floor(*pattern));
  PyramidConsumer pyramid(64);
  ReconstructionErrorConsumer one(*plane);
  ReconstructionErrorConsumer other(*plane);
  Counter counter;
  RowConsumer* const consumers[] = {&first, &second, &pyramid, &one, &other, &counter};
  Request request = request_of(pattern);
  request.backend = kCuda;
  JobContext context(pool());
  const auto streamed = stream_method(*find_method("bs-fft"), request, consumers, context);
  ASSERT_TRUE(streamed) << streamed.error().message();
  EXPECT_EQ(counter.rows, 251);
  expect_features(first.features(), second.features(), 500.0 * 300.0);
  EXPECT_EQ(one.errors().hellinger, other.errors().hellinger);
  EXPECT_EQ(one.errors().recall_top10, other.errors().recall_top10);
  EXPECT_GT(one.errors().hellinger, 0.1);
  EXPECT_EQ(pyramid.snapshot(pool()).rows, 64U);
}

/// Bytes booked in a ledger, summed by purpose.
class CountingHost : public cuda::Host {
 public:
  void begin_stage(const char*) override {}
  void checkpoint(std::uint64_t, std::uint64_t) override {}
  void book(std::uint64_t bytes, const char* purpose) override { booked[purpose] += bytes; }
  void unbook(std::uint64_t) noexcept override {}
  void book_host(std::uint64_t bytes, const char*) override { on_host += bytes; }
  void unbook_host(std::uint64_t) noexcept override {}
  [[noreturn]] void fail(cuda::DeviceError, const char* what, std::int64_t) override {
    throw std::runtime_error(what);
  }
  std::map<std::string, std::uint64_t> booked;
  std::uint64_t on_host = 0;
};

TEST_F(CudaReductions, BookTheBytesThatTheyForecast) {
  const PatternPtr pattern = random_pattern(3000, 2500, 9000, 41);
  const SpectrumPtr samples =
      result_of(*find_method("elastic"), request_of(pattern, {{"block", "4"}}, {true, false, false, 1}), {});
  const auto plane = Reconstruction::make(samples, Fill::bilinear);
  ASSERT_TRUE(plane);
  FeatureConsumer features(rounding_floor(*pattern));
  PyramidConsumer pyramid(512);
  ReconstructionErrorConsumer errors(*plane);
  RowConsumer* const consumers[] = {&features, &pyramid, &errors};
  JobContext context(pool());
  DeviceConsumers split(*pattern, kCuda, consumers, context);
  ASSERT_NE(split.reductions(), nullptr);
  EXPECT_EQ(split.receiver(), nullptr);
  std::vector<std::uint32_t> u(half_rows(pattern->rows()));
  std::iota(u.begin(), u.end(), 0U);
  cuda::RowTask task;
  task.pattern = view_of(*pattern);
  task.frequencies = u.data();
  task.count = u.size();
  task.width = pattern->cols();
  task.tile = 64;
  task.algorithm = cuda::RowAlgorithm::optimized;
  const cuda::Reductions nothing;
  task.reductions = &nothing;
  CountingHost without;
  std::uint64_t before = 0;
  (void)cuda_module().run(0, task, without);
  for (const auto& [purpose, bytes] : without.booked) before += bytes;
  task.reductions = split.reductions();
  CountingHost with;
  std::uint64_t after = 0;
  (void)cuda_module().run(0, task, with);
  for (const auto& [purpose, bytes] : with.booked) after += bytes;
  EXPECT_EQ(with.on_host, 0U);  // no page-locked tiles: no row comes to the host
  const std::uint64_t forecast =
      cuda::reduction_device_bytes(*split.reductions(), u.size(), pattern->cols(), 64, kDeviceLanes);
  EXPECT_NEAR(static_cast<double>(after - before), static_cast<double>(forecast),
              0.05 * static_cast<double>(forecast));
}

TEST_F(CudaReductions, EveryMethodGivesTheSameBitsAgainWithAnyNumberOfHostThreads) {
  JobContext making(pool());
  for (const char* text : {"gen:power-law:n=1531,nnz=9000,seed=3", "gen:band:n=1201"}) {
    auto matrix = load_matrix(text, {}, making);
    ASSERT_TRUE(matrix);
    for (const auto& method : methods()) {
      // cuFINUFFT adds floats atomically.
      if (method->info().id == "nufft" || !method->supports(kCuda).ok) continue;
      SCOPED_TRACE(std::string(text) + ", " + method->info().id);
      std::vector<double> expected;
      std::vector<std::complex<float>> values;
      for (const unsigned threads : {1U, 2U, 7U, 7U}) {
        ThreadPool threads_of_host(threads);
        Request request;
        request.pattern = matrix->pattern;
        request.backend = kCuda;
        request.outputs = {.values = !method->info().full_plane, .features = true, .pyramid = false};
        if (method->info().uses_block) request.parameters["block"] = "12";
        auto result = run_job(*method, std::move(request), threads_of_host);
        ASSERT_TRUE(result) << result.error().message();
        const std::vector<double> got = figures((*result)->features.value());
        if (expected.empty()) {
          expected = got;
          values = (*result)->values;
        }
        EXPECT_TRUE(same_bits(got, expected))
            << threads << " threads: entropy " << got[0] << " and " << expected[0];
        EXPECT_TRUE(same_bits((*result)->values, values)) << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace spyctrum::test
