// SPDX-License-Identifier: Apache-2.0
// The exact features of real matrices against values computed by an independent program (single-precision
// FFTs, double accumulation): every matrix of the shared data up to side 50,000 where that folder is present,
// and larger ones where SPYCTRUM_SHARED_DATA names it. Early stops against the features of all rows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/engine/plane_progress.hpp"
#include "core/features/feature_table.hpp"
#include "core/io/reader.hpp"
#include "core/methods/method.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum {
namespace {

/// The one matrix beyond (yelp2018, side 69,716) takes half a minute.
constexpr std::uint64_t kLargestSide = 50000;
constexpr double kTolerance = 1e-6;
/// Spectra that are exactly zero on half of the plane or more (four of the matrices: bwm2000, activsg2000,
/// G67, RadiX-Net). Their mean of ln |F|² is that of the rounding errors of each program, so that both
/// flatness values only mean "zero"; the smallest flatness of the other matrices is 8.7e-5.
constexpr double kZerosBelow = 1e-7;

/// NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
const char* named_folder() { return std::getenv("SPYCTRUM_SHARED_DATA"); }

std::filesystem::path data_folder() {
  if (const char* named = named_folder()) return named;
  return std::filesystem::path(SPYCTRUM_SOURCE_DIR) / ".." / "shared" / "data";
}

void expect_features(const Features& features, const nlohmann::json& reference) {
  EXPECT_NEAR(features.entropy, reference.at("entropy").get<double>(), kTolerance);
  const auto& radial = reference.at("radial_integer_edges");
  ASSERT_EQ(radial.size(), kRadialBins);
  for (std::size_t k = 0; k < kRadialBins; ++k)
    EXPECT_NEAR(features.radial[k], radial[k].get<double>(), kTolerance) << "radial bin " << k;
  const auto& sectors = reference.at("sectors_centred_noDC");
  ASSERT_EQ(sectors.size(), kSectors);
  for (std::size_t k = 0; k < kSectors; ++k)
    EXPECT_NEAR(features.sectors[k], sectors[k].get<double>(), kTolerance) << "sector " << k;
  EXPECT_NEAR(features.low_frequency_ratio, reference.at("low_ratio_noDC").get<double>(), kTolerance);
  const auto flatness = reference.at("flatness_noDC").get<double>();
  if (flatness > kZerosBelow) {
    EXPECT_NEAR(features.flatness, flatness, std::min(kTolerance, 1e-4 * flatness));
  } else {
    EXPECT_LT(features.flatness, kZerosBelow);
  }
}

TEST(ReferenceFeatures, AreReproducedByBsFftForEveryMatrix) {
  const std::filesystem::path folder = data_folder();
  std::ifstream file(folder / "reference.json");
  if (!file) {
    GTEST_SKIP() << "NOT CHECKED: " << folder.lexically_normal()
                 << " is not there, so no real matrix was compared with its reference";
  }
  const nlohmann::json references = nlohmann::json::parse(file);
  ThreadPool pool;
  std::size_t compared = 0;
  std::size_t larger = 0;
  for (const auto& [name, reference] : references.items()) {
    if (name.starts_with("_")) continue;
    const std::uint64_t side =
        std::max(reference.at("m").get<std::uint64_t>(), reference.at("n").get<std::uint64_t>());
    const std::filesystem::path path = folder / (name + ".mtx.gz");
    SCOPED_TRACE(name);
    if (side > kLargestSide && named_folder() == nullptr) {
      ++larger;
      continue;
    }
    JobContext context(pool);
    const auto matrix = load_matrix(path.string(), {}, context);
    ASSERT_TRUE(matrix) << matrix.error().message();
    EXPECT_EQ(matrix->pattern->nonzeros(), reference.at("K").get<std::int64_t>());
    Request request;
    request.pattern = matrix->pattern;
    const auto result = run_method(*find_method("bs-fft"), request, context);
    ASSERT_TRUE(result) << result.error().message();
    expect_features(*(*result)->features, reference);
    ++compared;
  }
  EXPECT_EQ(compared + larger, references.size() - 1)
      << "every matrix of reference.json, which begins with _about";
  EXPECT_LE(larger, 1U);
}

TEST(ReferenceFeatures, AnRmatMatrixThatMayStopEarlyIsWithinItsErrorBars) {
  // Few rows and columns hold much of the power here: with 64 of its 1,025 rows missing, radial[11] was
  // once 18.8 bars off and the entropy 8.2.
  ThreadPool pool;
  JobContext loading(pool);
  const auto matrix = load_matrix("gen:rmat:n=2048,seed=12", {}, loading);
  ASSERT_TRUE(matrix) << matrix.error().message();
  const Method& method = *find_method("exact");
  Request request;
  request.pattern = matrix->pattern;
  JobContext whole(pool);
  const auto exact = run_method(method, request, whole);
  ASSERT_TRUE(exact) << exact.error().message();
  constexpr double kMostBars = 5;
  constexpr double kRounding = 1e-6;
  std::size_t stopped = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    request.parameters["until"] = "0.003";
    request.progress = std::make_shared<PlaneProgress>();
    JobContext::Options options;
    options.seed = seed;
    JobContext context(pool, options);
    const auto early = run_method(method, request, context);
    ASSERT_TRUE(early) << early.error().message();
    const auto estimate = request.progress->estimate();
    ASSERT_TRUE(estimate);
    stopped += estimate->complete() ? 0 : 1;
    EXPECT_LE(estimate->largest, 0.003);
    for (const FeatureDefinition& feature : kFeatureTable) {
      if (feature.standard_error == StandardError::unknown) continue;
      const auto found = feature.of(*(*early)->features);
      const auto expected = feature.of(*(*exact)->features);
      const auto bars = feature.of(estimate->errors);
      for (std::size_t k = 0; k < found.size(); ++k)
        EXPECT_NEAR(found[k], expected[k], kMostBars * bars[k] + kRounding) << feature.id << " " << k;
    }
  }
  EXPECT_GT(stopped, 0U) << "no seed stops early: nothing was checked";
}

}  // namespace
}  // namespace spyctrum
