// SPDX-License-Identifier: Apache-2.0
// The exact features of real matrices against values computed by an independent program (single-precision
// FFTs, double accumulation): every matrix of the shared data up to side 30,000, where that folder is
// present.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/io/reader.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {
namespace {

constexpr std::uint64_t kLargestSide = 30000;
/// Spectra that are exactly zero on half of the plane or more (four of the matrices: bwm2000, activsg2000,
/// G67, RadiX-Net). Their mean of ln |F|² is that of the rounding errors of each program, so that both
/// flatness values only mean "zero"; the smallest flatness of the other matrices is 8.7e-5.
constexpr double kZerosBelow = 1e-7;

std::filesystem::path data_folder() {
  return std::filesystem::path(SPYCTRUM_SOURCE_DIR) / ".." / "shared" / "data";
}

void expect_features(const Features& features, const nlohmann::json& reference) {
  EXPECT_NEAR(features.entropy, reference.at("entropy").get<double>(), 1e-5);
  const auto& radial = reference.at("radial_integer_edges");
  ASSERT_EQ(radial.size(), kRadialBins);
  for (std::size_t k = 0; k < kRadialBins; ++k)
    EXPECT_NEAR(features.radial[k], radial[k].get<double>(), 1e-6) << "radial bin " << k;
  const auto& sectors = reference.at("sectors_centred_noDC");
  ASSERT_EQ(sectors.size(), kSectors);
  for (std::size_t k = 0; k < kSectors; ++k)
    EXPECT_NEAR(features.sectors[k], sectors[k].get<double>(), 1e-5) << "sector " << k;
  EXPECT_NEAR(features.low_frequency_ratio, reference.at("low_ratio_noDC").get<double>(), 1e-5);
  const auto flatness = reference.at("flatness_noDC").get<double>();
  if (flatness > kZerosBelow) {
    EXPECT_NEAR(features.flatness, flatness, 1e-4 * flatness);
  } else {
    EXPECT_LT(features.flatness, kZerosBelow);
  }
}

TEST(ReferenceFeatures, AreReproducedByBsFftForEveryMatrixUpToSide30000) {
  const std::filesystem::path folder = data_folder();
  std::ifstream file(folder / "reference.json");
  if (!file) {
    GTEST_SKIP() << "NOT CHECKED: " << folder.lexically_normal()
                 << " is not there, so no real matrix was compared with its reference";
  }
  const nlohmann::json references = nlohmann::json::parse(file);
  ThreadPool pool;
  std::size_t compared = 0;
  for (const auto& [name, reference] : references.items()) {
    if (name.starts_with("_")) continue;
    const std::uint64_t side =
        std::max(reference.at("m").get<std::uint64_t>(), reference.at("n").get<std::uint64_t>());
    const std::filesystem::path path = folder / (name + ".mtx.gz");
    if (side > kLargestSide || !std::filesystem::exists(path)) continue;
    SCOPED_TRACE(name);
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
  EXPECT_GE(compared, 20U) << "most matrices of reference.json should be here";
}

}  // namespace
}  // namespace spyctrum
