// SPDX-License-Identifier: Apache-2.0
// Features that a CUDA device sums coset by coset against a plain pass of the CPU, for every length of
// cosets. Tolerance: 1e-6, as for rows (cuda_progress_test.cpp). Without a device the tests report that
// nothing was compared.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/device/backends.hpp"
#include "core/device/device_cosets.hpp"
#include "core/features/moments.hpp"
#include "tests/support/feature_bits.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/large_axes.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr Backend kCuda{BackendKind::cuda, 0, false};
constexpr RequestedOutputs kFeatures{false, true, false, 64};

class CudaCosets : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = cuda_unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << "NOT COMPARED, no CUDA device: " << reason;
  }
  static Moments sums_of(const SparsePattern& pattern, const cuda::CosetSize& size) {
    JobContext context(pool());
    Moments sums;
    const DeviceUse use = sum_cosets(pattern, kCuda, size, context, sums);
    const std::uint64_t forecast = device_coset_terms(pattern, size).total();
    EXPECT_LE(use.bytes, forecast);
    EXPECT_GE(use.bytes, forecast - 65536);  // rounding of the buffers' sizes
    return sums;
  }
  static Features by_cosets(const SparsePattern& pattern, const cuda::CosetSize& size) {
    const double cells = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
    Features features =
        features_of(sums_of(pattern, size), pattern.weight_sum() * pattern.weight_sum(), cells);
    features.samples = pattern.rows() * pattern.cols();
    return features;
  }
  static void expect_parity(const PatternPtr& pattern, const cuda::CosetSize& size) {
    expect_features(by_cosets(*pattern, size), pattern);
  }
  /// Expects the features that a plain pass of the CPU finds.
  static void expect_features(const Features& actual, const PatternPtr& pattern) {
    const SpectrumPtr plain = succeed(*find_method("exact"), request_of(pattern, {}, kFeatures));
    ASSERT_TRUE(plain && plain->features);
    const Features& expected = *plain->features;
    EXPECT_NEAR(actual.entropy, expected.entropy, 1e-6);
    EXPECT_NEAR(actual.total_power, expected.total_power, 1e-6 * expected.total_power);
    for (std::size_t k = 0; k < kRadialBins; ++k)
      EXPECT_NEAR(actual.radial[k], expected.radial[k], 1e-6) << "ring " << k;
    for (std::size_t k = 0; k < kSectors; ++k)
      EXPECT_NEAR(actual.sectors[k], expected.sectors[k], 1e-6) << "sector " << k;
    EXPECT_NEAR(actual.low_frequency_ratio, expected.low_frequency_ratio, 1e-6);
    EXPECT_NEAR(actual.flatness, expected.flatness, 1e-5 * expected.flatness + 1e-9);
    EXPECT_NEAR(actual.zero_share, expected.zero_share, 1e-6);
    EXPECT_EQ(actual.samples, expected.samples);
  }
};

/// A size of each length; two of resampled ones, with few and with many cells for each value.
std::vector<cuda::CosetSize> all_sizes() {
  std::vector<cuda::CosetSize> sizes;
  for (std::uint32_t length = 0; length < std::size(cuda::kCosetLengths); ++length) {
    const std::uint32_t transformed = cuda::kCosetLengths[length].transformed();
    if (!cuda::kCosetLengths[length].is_resampled) {
      sizes.push_back({transformed, length});
    } else {
      sizes.push_back({3 * transformed / 4, length});
      sizes.push_back({transformed / 2 + 3, length});
    }
  }
  return sizes;
}

std::string side(const cuda::CosetSize& size, std::uint32_t steps) {
  return std::to_string(steps * size.cells);
}

TEST_F(CudaCosets, EveryKernelGivesTheFeaturesOfAPlainPass) {
  for (const cuda::CosetSize& size : all_sizes()) {
    SCOPED_TRACE(size.cells);
    expect_parity(generated("gen:power-law:n=" + side(size, 2) + ",nnz=20000"), size);
  }
}

TEST_F(CudaCosets, SymmetricPatternsHaveTheFeaturesOfAPlainPass) {
  for (const cuda::CosetSize& size : all_sizes()) {
    for (const std::uint32_t steps : {1U, 3U, 4U}) {
      SCOPED_TRACE(side(size, steps));
      expect_parity(generated("gen:power-law:n=" + side(size, steps) + ",nnz=30000,shuffle=1"), size);
    }
  }
}

TEST_F(CudaCosets, RectangularPatternsHaveTheFeaturesOfAPlainPass) {
  for (const cuda::CosetSize& size : all_sizes()) {
    const std::string rows = side(size, 2);
    const std::string cols = side(size, 5);
    SCOPED_TRACE(rows + "x" + cols);
    expect_parity(generated("gen:random:rows=" + rows + ",cols=" + cols + ",nnz=20000"), size);
    expect_parity(generated("gen:random:rows=" + cols + ",cols=" + rows + ",nnz=20000"), size);
  }
}

constexpr cuda::CosetSize kThousand{1000, 0};
constexpr cuda::CosetSize kResampledThousand{1000, 8};
constexpr cuda::CosetSize kTwoThousand{2000, 3};

TEST_F(CudaCosets, PatternsWithPowersOnTheAxesOrWithZerosHaveTheFeaturesOfAPlainPass) {
  for (const cuda::CosetSize& size : {kThousand, kResampledThousand}) {
    for (const auto& [name, pattern] : patterns_with_large_axes(2000, 3000)) {
      SCOPED_TRACE(name);
      expect_parity(pattern, size);
      expect_parity(with_positive_weights(pattern), size);
    }
    expect_parity(make_pattern(2000, 2000, {{3, 5}}), size);
  }
  for (const char* text : {"gen:band:n=4000", "gen:diagonal:n=2000", "gen:band:n=3000,bandwidth=7"}) {
    SCOPED_TRACE(text);
    expect_parity(generated(text), kThousand);
  }
  expect_parity(make_pattern(2000, 2000, {{1, 1}, {0, 1000}, {1000, 0}}), kTwoThousand);
}

TEST_F(CudaCosets, EqualTasksGiveEqualBits) {
  const PatternPtr pattern = generated("gen:power-law:n=6000,nnz=60000");
  for (const cuda::CosetSize& size : {kThousand, kResampledThousand}) {
    const Features first = by_cosets(*pattern, size);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(same_bits(figures(by_cosets(*pattern, size)), figures(first)));
  }
}

TEST_F(CudaCosets, ExactFeaturesOfLargePatternsAreSummedByCosets) {
  for (const char* text :
       {"gen:power-law:n=20000,nnz=100000", "gen:random:rows=12000,cols=18000,nnz=90000"}) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = generated(text);
    const auto size = coset_size(*pattern, kCuda);
    ASSERT_TRUE(size);
    Request request = request_of(pattern, {}, kFeatures);
    request.backend = kCuda;
    const SpectrumPtr result = succeed(*find_method("exact"), std::move(request));
    ASSERT_TRUE(result && result->features);
    EXPECT_TRUE(same_bits(figures(*result->features), figures(by_cosets(*pattern, *size))));
  }
}

// Beside the coefficients on which the power of these planes is concentrated, resampled lines err by more
// than the tolerance; such planes are summed by rows.
TEST_F(CudaCosets, ConcentratedPlanesOfResampledSizesHaveTheFeaturesOfAPlainPass) {
  for (const char* text : {"gen:diagonal:n=23740", "gen:band:n=23740", "gen:band:n=23740,bandwidth=40"}) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = generated(text);
    const auto size = coset_size(*pattern, kCuda);
    ASSERT_TRUE(size && cuda::kCosetLengths[size->length].is_resampled);
    Request request = request_of(pattern, {}, kFeatures);
    request.backend = kCuda;
    const SpectrumPtr result = succeed(*find_method("exact"), std::move(request));
    ASSERT_TRUE(result && result->features);
    expect_features(*result->features, pattern);
  }
}

}  // namespace
}  // namespace spyctrum::test
