// SPDX-License-Identifier: Apache-2.0
// Features that a CUDA device sums coset by coset against a plain pass of the CPU, for every length of
// cosets. Tolerance: 1e-6, as for rows (cuda_progress_test.cpp). Without a device the tests report that
// nothing was compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/device/backends.hpp"
#include "core/device/device_cosets.hpp"
#include "core/device/loader.hpp"
#include "core/engine/plane_progress.hpp"
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
    const DeviceUse use = sum_cosets(pattern, {&kCuda, 1}, size, context, sums);
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
  /// Expects the features that a plain pass of the CPU finds.
  static void expect_parity(const PatternPtr& pattern, const cuda::CosetSize& size) {
    const Features actual = by_cosets(*pattern, size);
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

/// Cosets of a length, and the sides of a plane that has them.
struct Sides {
  cuda::CosetSize size;
  std::uint32_t rows;
  std::uint32_t cols;
};

/// Sides of planes of row_step × col_step cosets: of each length; two of resampled ones, with few and with
/// many cells for each value; and where entries are spread, an odd side, an even one, and one that the number
/// of cosets divides.
std::vector<Sides> all_sides(std::uint32_t row_step, std::uint32_t col_step) {
  std::vector<Sides> all;
  for (std::uint32_t length = 0; length < std::size(cuda::kCosetLengths); ++length) {
    const cuda::CosetLength& of = cuda::kCosetLengths[length];
    const std::uint32_t transformed = of.transformed();
    const auto add = [&](std::uint32_t cells, std::uint32_t rest) {
      const std::uint32_t needed = of.is_spread() ? cells + 4 : cells;
      all.push_back({{needed, length, row_step, col_step}, row_step * cells + rest, col_step * cells + rest});
    };
    if (of.is_resampled()) {
      add(3 * transformed / 4, 0);
      add(transformed / 2 + 3, 0);
    } else if (of.is_spread()) {
      for (const std::uint32_t rest : {0U, 1U, 2U}) add(transformed * 7 / 20 * 2, rest);
    } else {
      add(transformed, 0);
    }
  }
  return all;
}

TEST(CosetSize, FitsTheSharedMemoryOfAThreadBlock) {
  // Of prime sides.
  const SparsePattern pattern = random_pattern(100003, 100003, 220000, 1)->symmetrised();
  constexpr std::uint64_t kHopper = 227 * 1024;
  constexpr std::uint64_t kAda = 99 * 1024;
  const auto bytes = [&](std::uint64_t most) {
    return cuda::block_bytes(cuda::kCosetLengths[coset_size(pattern, most).value().length]);
  };
  EXPECT_LE(bytes(kHopper), kHopper);
  EXPECT_GT(bytes(kHopper), kAda);
  EXPECT_LE(bytes(kAda), kAda);
  EXPECT_FALSE(coset_size(pattern, std::uint64_t{0}));
}

TEST_F(CudaCosets, EveryKernelGivesTheFeaturesOfAPlainPass) {
  for (const auto& [size, rows, cols] : all_sides(2, 2)) {
    SCOPED_TRACE(rows);
    expect_parity(generated("gen:power-law:n=" + std::to_string(rows) + ",nnz=20000"), size);
  }
}

TEST_F(CudaCosets, SymmetricPatternsHaveTheFeaturesOfAPlainPass) {
  for (const std::uint32_t steps : {1U, 3U, 4U}) {
    for (const auto& [size, rows, cols] : all_sides(steps, steps)) {
      SCOPED_TRACE(rows);
      expect_parity(generated("gen:power-law:n=" + std::to_string(rows) + ",nnz=30000,shuffle=1"), size);
    }
  }
}

TEST_F(CudaCosets, RectangularPatternsHaveTheFeaturesOfAPlainPass) {
  for (const auto& [row_step, col_step] : {std::pair{2U, 5U}, {5U, 2U}}) {
    for (const auto& [size, rows, cols] : all_sides(row_step, col_step)) {
      const std::string sides = "rows=" + std::to_string(rows) + ",cols=" + std::to_string(cols);
      SCOPED_TRACE(sides);
      expect_parity(generated("gen:random:" + sides + ",nnz=20000"), size);
    }
  }
}

// The cosets of both axes have as many frequencies, of which those of the shorter axis need fewer.
TEST_F(CudaCosets, SidesOfDifferentNumbersOfFrequenciesHaveTheFeaturesOfAPlainPass) {
  for (const char* sides : {"rows=5000,cols=13001", "rows=13001,cols=5000", "rows=2999,cols=10240"}) {
    SCOPED_TRACE(sides);
    const PatternPtr pattern = generated(std::string("gen:random:") + sides + ",nnz=30000");
    for (const cuda::CosetSize& size : possible_coset_sizes(*pattern)) {
      SCOPED_TRACE(size.length);
      expect_parity(pattern, size);
    }
  }
}

/// The size of a length that a pattern must have.
cuda::CosetSize size_of(const SparsePattern& pattern, std::uint32_t length) {
  for (const cuda::CosetSize& size : possible_coset_sizes(pattern))
    if (size.length == length) return size;
  throw std::logic_error("no such cosets");
}
constexpr std::uint32_t kFoldedThousand = 0;
constexpr std::uint32_t kFoldedTwoThousand = 3;
constexpr std::uint32_t kResampled = 8;
constexpr std::uint32_t kSpread = 12;

TEST_F(CudaCosets, PatternsWithPowersOnTheAxesOrWithZerosHaveTheFeaturesOfAPlainPass) {
  for (const std::uint32_t length : {kFoldedThousand, kResampled, kSpread}) {
    for (const auto& [name, pattern] : patterns_with_large_axes(2000, 3000)) {
      SCOPED_TRACE(name);
      expect_parity(pattern, size_of(*pattern, length));
      expect_parity(with_positive_weights(pattern), size_of(*pattern, length));
    }
    const PatternPtr point = make_pattern(2000, 2000, {{3, 5}});
    expect_parity(point, size_of(*point, length));
  }
  for (const char* text : {"gen:band:n=4000", "gen:diagonal:n=2000", "gen:band:n=3000,bandwidth=7"}) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = generated(text);
    expect_parity(pattern, size_of(*pattern, kFoldedThousand));
  }
  const PatternPtr three = make_pattern(2000, 2000, {{1, 1}, {0, 1000}, {1000, 0}});
  expect_parity(three, size_of(*three, kFoldedTwoThousand));
}

TEST_F(CudaCosets, EqualTasksGiveEqualBits) {
  const PatternPtr pattern = generated("gen:power-law:n=6000,nnz=60000");
  for (const std::uint32_t length : {kFoldedThousand, kResampled, kSpread}) {
    const cuda::CosetSize size = size_of(*pattern, length);
    const Features first = by_cosets(*pattern, size);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(same_bits(figures(by_cosets(*pattern, size)), figures(first)));
  }
}

TEST_F(CudaCosets, ExactFeaturesOfLargePatternsAreSummedByCosets) {
  for (const char* text : {"gen:power-law:n=20000,nnz=100000", "gen:random:rows=12000,cols=18000,nnz=90000",
                           "gen:power-law:n=19793,nnz=100000,shuffle=1"}) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = generated(text);
    const auto size = coset_size(*pattern, {&kCuda, 1});
    ASSERT_TRUE(size);
    Request request = request_of(pattern, {}, kFeatures);
    request.backend = kCuda;
    const SpectrumPtr result = succeed(*find_method("exact"), std::move(request));
    ASSERT_TRUE(result && result->features);
    EXPECT_TRUE(same_bits(figures(*result->features), figures(by_cosets(*pattern, *size))));
  }
}

// One device computes the shares of several.
TEST_F(CudaCosets, SharesOfSeveralDevicesGiveTheFeaturesOfOne) {
  for (const char* text : {"gen:power-law:n=20000,nnz=100000", "gen:power-law:n=19793,nnz=100000,shuffle=1",
                           "gen:random:rows=12000,cols=18000,nnz=90000"}) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = generated(text);
    const auto size = coset_size(*pattern, {&kCuda, 1});
    ASSERT_TRUE(size);
    const Moments one = sums_of(*pattern, *size);
    for (const std::size_t shares : {2U, 3U}) {
      const std::vector<Backend> devices(shares, kCuda);
      JobContext context(pool());
      Moments sums;
      Moments again;
      sum_cosets(*pattern, devices, *size, context, sums);
      sum_cosets(*pattern, devices, *size, context, again);
      EXPECT_TRUE(std::ranges::equal(sums.sums, again.sums));
      for (std::size_t k = 0; k < Moments::kSize; ++k)
        EXPECT_NEAR(sums.sums[k], one.sums[k], 1e-7 * std::abs(one.sums[k])) << k;
    }
  }
}

TEST_F(CudaCosets, AGroupOfDevicesGivesTheFeaturesOfOneDevice) {
  const int count = cuda::loaded_module().module->device_count();
  if (count < 2) std::printf("NOT COMPARED, one device: groups of several devices\n");
  const PatternPtr pattern = generated("gen:power-law:n=19793,nnz=100000,shuffle=1");
  const auto run = [&](Backend backend) {
    Request request = request_of(pattern, {}, kFeatures);
    request.backend = backend;
    return succeed(*find_method("exact"), std::move(request));
  };
  const SpectrumPtr one = run(kCuda);
  ASSERT_TRUE(one && one->features);
  for (int members = 1; members <= count; ++members) {
    SCOPED_TRACE(members);
    const SpectrumPtr all = run({BackendKind::cuda, 0, false, (std::uint64_t{1} << members) - 1});
    ASSERT_TRUE(all && all->features);
    EXPECT_NEAR(all->features->entropy, one->features->entropy, 1e-8);
    EXPECT_NEAR(all->features->total_power, one->features->total_power, 1e-7 * one->features->total_power);
    EXPECT_NEAR(all->features->flatness, one->features->flatness, 1e-7);
    EXPECT_EQ(all->features->samples, one->features->samples);
  }
}

// Beside the coefficients on which the power of these planes is concentrated, lines that are not folded err
// by more than the tolerance; such planes are summed by rows.
TEST_F(CudaCosets, ConcentratedPlanesOfOtherSizesAreSummedByRows) {
  for (const char* text : {"gen:diagonal:n=23740", "gen:band:n=23740", "gen:band:n=23740,bandwidth=40",
                           "gen:diagonal:n=19793", "gen:band:n=19793"}) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = generated(text);
    const auto size = coset_size(*pattern, {&kCuda, 1});
    ASSERT_TRUE(size && !cuda::kCosetLengths[size->length].is_folded());
    Request request = request_of(pattern, {}, kFeatures);
    request.backend = kCuda;
    Request by_rows = request;
    by_rows.progress = std::make_shared<PlaneProgress>();
    by_rows.progress->take_rows_in_order(true);
    const SpectrumPtr result = succeed(*find_method("exact"), std::move(request));
    const SpectrumPtr expected = succeed(*find_method("exact"), std::move(by_rows));
    ASSERT_TRUE(result && result->features && expected && expected->features);
    EXPECT_TRUE(same_bits(figures(*result->features), figures(*expected->features)));
  }
}

}  // namespace
}  // namespace spyctrum::test
