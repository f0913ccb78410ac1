// SPDX-License-Identifier: Apache-2.0
// The lattice engine on CUDA against direct sums in double precision: windows and samples whose fine grids
// end inside, at and across tiles, wrap around, fold on one axis or both, are computed in cosets, or are so
// crowded that tiles are cut into parts. Without a device the tests report that nothing was compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "core/device/backends.hpp"
#include "core/device/device_cache.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_module.hpp"
#include "core/engine/device_grid.hpp"
#include "core/fft/axis_leaks.hpp"
#include "core/fft/lattice.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/large_axes.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr Backend kCuda{BackendKind::cuda, 0, false};
using Axis = FrequencyAxis;

struct Cosets {
  std::uint64_t rows, cols;
};

class CudaLattice : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = cuda_unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << "NOT COMPARED, no CUDA device: " << reason;
  }
  JobContext context_{pool()};

  std::vector<std::complex<float>> on_device(const PatternPtr& pattern, const FrequencyGrid& grid,
                                             double tolerance, std::optional<Cosets> cosets = {}) {
    DeviceGridPlan plan = plan_device_grid(*pattern, grid, GridEngine::lattice, tolerance, 0, kCuda);
    if (cosets) {
      plan.lattice = device_lattice(plan.grid, plan.lattice.value().shape, cosets->rows, cosets->cols);
      plan.in_groups.reset();
    }
    DeviceUse use;
    return compute_device_grid(pattern, plan, kCuda, context_, use);
  }

  /// `tolerance` bounds the root mean square error over the window, relative to √K. Single coefficients: the
  /// outermost rows and columns err by up to 4 times the mean (LatticeOptions::tolerance), the largest of
  /// thousands of random errors is 2.5 times theirs, hence 10·tolerance·√K; rounding adds 6e-7·|F| and
  /// 3e-6·√K.
  void compare(const PatternPtr& pattern, const FrequencyGrid& grid, double tolerance,
               std::optional<Cosets> cosets = {}) {
    compare_one(pattern, grid, tolerance, cosets);
    SCOPED_TRACE("with weights");
    compare_one(with_signed_weights(pattern), grid, tolerance, cosets);
  }

  void compare_one(const PatternPtr& pattern, const FrequencyGrid& grid, double tolerance,
                   std::optional<Cosets> cosets = {}) {
    const auto expected = direct_transform(*pattern, grid, context_);
    const auto actual = on_device(pattern, grid, tolerance, cosets);
    ASSERT_EQ(actual.size(), expected.size());
    const double root = std::sqrt(pattern->weight_squares());
    double wrong = 0;
    for (std::size_t k = 0; k < actual.size(); ++k) {
      const double error = std::abs(std::complex<double>(actual[k]) - expected[k]);
      ASSERT_LE(error, 10 * tolerance * root + 6e-7 * std::abs(expected[k]) + 3e-6 * root)
          << "at row " << k / grid.cols.count() << ", column " << k % grid.cols.count();
      wrong += error * error;
    }
    // 1e-6·K is the rounding of the few coefficients whose magnitude is near K.
    EXPECT_LE(std::sqrt(wrong / static_cast<double>(actual.size())),
              2 * tolerance * root + 1e-6 * root * root);
  }
};

TEST_F(CudaLattice, WindowsOfEverySizeAroundATileEqualDirectSums) {
  const PatternPtr pattern = random_pattern(1009, 1201, 3000, 1);
  for (const std::uint64_t height : {1U, 2U, 15U, 24U, 32U, 33U, 64U})
    for (const std::uint64_t width : {1U, 3U, 18U, 28U, 37U, 75U}) {
      SCOPED_TRACE(std::to_string(height) + " x " + std::to_string(width));
      compare(pattern, {Axis::progression(1009, -7, 1, height), Axis::progression(1201, 100, 1, width)},
              1e-5);
    }
}

TEST_F(CudaLattice, EveryToleranceIsKept) {
  const PatternPtr pattern = random_pattern(1009, 1201, 3000, 2);
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    SCOPED_TRACE(tolerance);
    compare(pattern, {Axis::progression(1009, 3, 7, 61), Axis::progression(1201, -600, 5, 90)}, tolerance);
  }
}

TEST_F(CudaLattice, FoldsOnOneAxisOrBothEqualDirectSums) {
  for (const auto& [m, n] : {std::pair{1024U, 960U}, std::pair{1024U, 1009U}, std::pair{1009U, 960U}}) {
    const PatternPtr pattern = random_pattern(m, n, 4000, 3);
    for (const std::uint64_t block : {2U, 4U, 8U, 16U, 500U}) {
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", b = " + std::to_string(block));
      const FrequencyGrid grid = off_axis_grid(m, n, block);
      if (grid.count() <= 40000) compare(pattern, grid, block == 500 ? 1e-5 : 1e-6);
    }
  }
}

TEST_F(CudaLattice, RepeatedAndDescendingFrequenciesEqualDirectSums) {
  const PatternPtr pattern = random_pattern(60, 47, 500, 4);
  compare(pattern, {Axis::progression(60, 5, -3, 45), Axis::progression(47, -2, -1, 99)}, 1e-6);
  compare(pattern, {Axis::progression(60, 5, 20, 30), Axis::progression(47, 0, 1, 47)}, 1e-6);
}

TEST_F(CudaLattice, CosetsOfOneAxisOrBothEqualDirectSums) {
  for (const auto& [m, n] : {std::pair{1024U, 960U}, std::pair{1024U, 1009U}, std::pair{1009U, 1201U}}) {
    const PatternPtr pattern = random_pattern(m, n, 4000, 5);
    for (const Cosets cosets : {Cosets{2, 1}, Cosets{1, 3}, Cosets{4, 4}, Cosets{8, 5}}) {
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", cosets " + std::to_string(cosets.rows) +
                   " x " + std::to_string(cosets.cols));
      compare(pattern, off_axis_grid(m, n, 8), 1e-5, cosets);
      compare(pattern, {Axis::progression(m, 505, -6, 99), Axis::progression(n, -301, 7, 101)}, 1e-5, cosets);
    }
  }
}

TEST(DeviceLattice, LongAxesOfSamplesAreComputedInCosets) {
  const FrequencyGrid sample = off_axis_grid(93773, 93773, 4);
  const std::optional<DeviceLattice> lattice =
      choose_device_lattice(sample, 3.5e6, 1e-6, most_cosets_of(sample));
  ASSERT_TRUE(lattice);
  EXPECT_GT(lattice->row_cosets * lattice->col_cosets, 1U);
  EXPECT_LE(lattice->cells(), 20000.0 * 20000);
  EXPECT_GE(lattice->row_cosets * lattice->rows.distinct, sample.rows.count());
  EXPECT_GE(lattice->col_cosets * lattice->cols.distinct, sample.cols.count());
  const std::optional<DeviceLattice> short_axes =
      choose_device_lattice(off_axis_grid(93773, 93773, 64), 3.5e6, 1e-6, kMostCosets);
  ASSERT_TRUE(short_axes);
  EXPECT_EQ(short_axes->row_cosets * short_axes->col_cosets, 1U);
}

TEST(DeviceLattice, OnlyGridsWithoutRepetitionsHaveCosets) {
  const Axis sampled = Axis::progression(1009, 2, 4, 252);
  const auto most = [&](const Axis& other) {
    EXPECT_EQ(most_cosets_of({sampled, other}), most_cosets_of({other, sampled}));
    return most_cosets_of({sampled, other});
  };
  EXPECT_EQ(most(sampled), kMostCosets);
  EXPECT_EQ(most(Axis::progression(1009, -8, 4, 252)), kMostCosets) << "an output lies on the axis";
  EXPECT_EQ(most(Axis::progression(1009, 400, 1, 90)), kMostCosets) << "a window";
  EXPECT_EQ(most(Axis::progression(1000, 1, 4, 300)), 1U) << "outputs repeat after 250";
}

TEST_F(CudaLattice, CrowdedTilesThatAreSummedInPartsEqualDirectSums) {
  // All entries of a band lie on few tiles, thousands on each.
  std::vector<std::pair<Index, Index>> places;
  for (Index i = 0; i < 3000; ++i)
    for (Index d = 0; d < 20; ++d) places.emplace_back(i, std::min<Index>(2999, i + d));
  const PatternPtr pattern = make_pattern(3000, 3000, places);
  compare(pattern, {Axis::progression(3000, -60, 1, 120), Axis::progression(3000, 700, 1, 110)}, 1e-5);
}

TEST_F(CudaLattice, SymmetricPatternsOnEqualAxesEqualDirectSums) {
  const auto symmetric = [](const PatternPtr& pattern) {
    return std::make_shared<const SparsePattern>(pattern->symmetrised());
  };
  for (const PatternPtr& pattern :
       {symmetric(random_pattern(1009, 1009, 3000, 7)), symmetric(random_pattern(1024, 1024, 6000, 8)),
        symmetric(random_pattern(2003, 2003, 40000, 9))}) {
    const std::uint64_t n = pattern->rows();
    ASSERT_TRUE(pattern->symmetric());
    for (const std::uint64_t block : {4U, 8U, 16U, 60U}) {
      SCOPED_TRACE(std::to_string(n) + ", b = " + std::to_string(block));
      compare(pattern, off_axis_grid(n, n, block), block == 60 ? 1e-4 : 1e-5);
    }
    compare(pattern, {Axis::progression(n, 5, 1, 90), Axis::progression(n, 5, 1, 90)}, 1e-5);
    compare(pattern, {Axis::progression(n, 5, 1, 90), Axis::progression(n, 6, 1, 90)}, 1e-5);
    compare(pattern, {Axis::progression(n, 5, 1, 90), Axis::progression(n, 5, 1, 91)}, 1e-5);
  }
}

TEST_F(CudaLattice, FoldsWithFewEntriesEqualDirectSums) {
  // 256 x 240 cells: sorted by cells. Some have several entries; a column has one on each.
  std::vector<std::pair<Index, Index>> places;
  for (Index i = 0; i < 256; ++i) places.emplace_back(i, 3);
  for (Index k = 0; k < 4; ++k)
    for (Index l = 0; l < 4; ++l) places.emplace_back(100 + 256 * k, 50 + 240 * l);
  for (const PatternPtr& pattern : {random_pattern(1024, 960, 900, 9), make_pattern(1024, 960, places),
                                    make_pattern(1024, 960, {}), make_pattern(1024, 960, {{1023, 959}})})
    compare(pattern, off_axis_grid(1024, 960, 4), 1e-6);
}

TEST_F(CudaLattice, TheSortedEntriesOfOneWindowServeTheNext) {
  const PatternPtr pattern = random_pattern(2003, 1999, 9000, 5);
  const auto cache = device_cache(0);
  (void)cache->reclaim();
  for (const std::int64_t origin : {-500, 0, 411}) {
    SCOPED_TRACE(origin);
    compare_one(pattern, {Axis::progression(2003, origin, 1, 70), Axis::progression(1999, 2 * origin, 1, 80)},
                1e-6);
  }
  const std::uint64_t after = cache->bytes();
  compare_one(pattern, {Axis::progression(2003, 12, 1, 70), Axis::progression(1999, 9, 1, 80)}, 1e-6);
  EXPECT_EQ(cache->bytes(), after) << "windows of equal size share the sorted entries";
  EXPECT_GT(cache->reclaim(), 0U);
  EXPECT_EQ(cache->bytes(), 0U);
  compare_one(pattern, {Axis::progression(2003, 12, 1, 70), Axis::progression(1999, 9, 1, 80)}, 1e-6);
}

TEST_F(CudaLattice, ClosingTheLastPatternFreesItsMemoryAndThatOfThePlans) {
  const auto cache = device_cache(0);
  const auto free_bytes = [] { return cuda_module().pictures().free_bytes(0); };
  PatternPtr pattern = random_pattern(20011, 20011, 600000, 8);
  const auto look = [&] {
    for (const std::uint64_t side : {100U, 250U, 600U, 1100U, 2000U})
      (void)on_device(pattern, {Axis::progression(20011, -7, 1, side), Axis::progression(20011, 11, 1, side)},
                      1e-5);
  };
  look();  // loads the code of the libraries' kernels, which stays on the device
  (void)cache->reclaim();
  ASSERT_EQ(cache->bytes(), 0U);
  const std::uint64_t before = free_bytes();
  look();
  const std::uint64_t kept = cache->bytes();
  const std::uint64_t during = free_bytes();
  EXPECT_GT(kept, std::uint64_t{4} << 20U);
  std::cout << "the plans hold " << static_cast<std::int64_t>(before - during - kept) << " bytes\n";
  pattern.reset();
  EXPECT_EQ(cache->release_gone(), kept);
  // The driver allocates in units of 2 MiB.
  EXPECT_GE(free_bytes() + (std::uint64_t{2} << 20U), before);
}

TEST_F(CudaLattice, EqualRequestsGiveEqualBits) {
  const PatternPtr pattern = random_pattern(5003, 4999, 150000, 6);
  for (const std::uint64_t block : {4U, 16U, 64U}) {
    const FrequencyGrid grid = off_axis_grid(5003, 4999, block);
    const auto once = on_device(pattern, grid, 1e-6);
    EXPECT_TRUE(on_device(pattern, grid, 1e-6) == once) << block << ", from the order that is kept";
    (void)device_cache(0)->reclaim();
    EXPECT_TRUE(on_device(pattern, grid, 1e-6) == once) << block << ", sorted again";
  }
}

TEST_F(CudaLattice, IsNotDisturbedByTheLargeValuesOnTheAxes) {
  // As Lattice.IsNotDisturbedByTheLargeValuesOnTheAxes on the CPU, whose bound this is beside rounding. On
  // the device 400,000 entries are crowded on the grid of a small window: 200 × 190 coefficients.
  std::mt19937 random(9);
  std::uniform_real_distribution<double> at(0, 1);
  std::vector<std::pair<Index, Index>> slope;
  for (int k = 0; k < 400000; ++k)
    slope.emplace_back(static_cast<Index>(3001 * std::sqrt(at(random))),
                       static_cast<Index>(2999 * at(random)));
  for (const PatternPtr& pattern : {random_pattern(3001, 2999, 400000, 8), make_pattern(3001, 2999, slope)}) {
    const auto m = pattern->rows();
    const auto n = pattern->cols();
    const double root = std::sqrt(static_cast<double>(pattern->nonzeros()));
    for (const std::int64_t shift : {-95, -6, 100, 200, 240, 300, 360, 420})
      for (const bool along_rows : {false, true}) {
        SCOPED_TRACE(std::to_string(m) + ", shift " + std::to_string(shift) + (along_rows ? " of rows" : ""));
        const FrequencyGrid grid{Axis::progression(m, along_rows ? shift : -100, 1, 200),
                                 Axis::progression(n, along_rows ? -95 : shift, 1, 190)};
        ASSERT_TRUE(plan_device_grid(*pattern, grid, GridEngine::lattice, 1e-5, 0, kCuda).lattice);
        const auto expected = direct_transform(*pattern, grid, context_);
        const auto actual = on_device(pattern, grid, 1e-5);
        for (std::size_t k = 0; k < actual.size(); ++k)
          ASSERT_LE(std::abs(std::complex<double>(actual[k]) - expected[k]),
                    1e-4 * root + 6e-7 * std::abs(expected[k]))
              << "at row " << k / grid.cols.count() << ", column " << k % grid.cols.count();
        for (std::size_t k = 0; k < actual.size(); ++k) {
          const std::uint64_t p = k / grid.cols.count();
          const std::uint64_t q = k % grid.cols.count();
          if (grid.rows.at(p) != 0 && grid.cols.at(q) != 0) continue;
          ASSERT_LE(std::abs(std::complex<double>(actual[k]) - expected[k]),
                    1e-8 * root + 1e-7 * std::abs(expected[k]))
              << "on the axes, at row " << p << ", column " << q;
        }
      }
  }
}

TEST_F(CudaLattice, CosetsAreNotDisturbedByTheLargeValuesOnTheAxes) {
  // Patterns of Lattice.SamplesAreNotDisturbedByTheLargeValuesOnTheAxes on the CPU; windows and samples on
  // and beside the axes.
  const std::uint64_t m = 1003;
  const std::uint64_t n = 1201;
  const FrequencyGrid grids[] = {
      {Axis::progression(m, -60, 1, 150), Axis::progression(n, 9, 1, 130)},
      {Axis::progression(m, 230, 1, 150), Axis::progression(n, -3, 1, 130)},
      {Axis::progression(m, -400, 5, 160), Axis::progression(n, -70, 7, 150)},
      off_axis_grid(m, n, 7),
  };
  for (const NamedPattern& named : patterns_with_large_axes(m, n))
    for (const FrequencyGrid& grid : grids)
      for (const PatternPtr& pattern : {named.pattern, with_positive_weights(named.pattern)}) {
        const auto expected = direct_transform(*pattern, grid, context_);
        const double root = std::sqrt(pattern->weight_squares());
        for (const Cosets cosets : {Cosets{1, 1}, Cosets{2, 3}, Cosets{4, 2}, Cosets{8, 5}}) {
          // Smaller lattices would have so many entries on a cell that single-precision sums lose digits.
          if (cosets.rows == 8 && grid.count() < 50000) continue;
          SCOPED_TRACE(named.name + (pattern->has_weights() ? " with weights, " : ", ") +
                       std::to_string(grid.rows.origin()) + " by " + std::to_string(grid.rows.step()) +
                       ", cosets " + std::to_string(cosets.rows) + " x " + std::to_string(cosets.cols));
          ASSERT_TRUE(plan_device_grid(*pattern, grid, GridEngine::lattice, 1e-5, 0, kCuda).lattice);
          const auto actual = on_device(pattern, grid, 1e-5, cosets);
          for (std::size_t k = 0; k < actual.size(); ++k)
            ASSERT_LE(std::abs(std::complex<double>(actual[k]) - expected[k]),
                      1e-4 * root + 6e-7 * std::abs(expected[k]))
                << "at row " << k / grid.cols.count() << ", column " << k % grid.cols.count();
        }
      }
}

/// A grid in groups of cosets, and every 41st row and 67th column of its outputs.
struct GroupCase {
  FrequencyGrid grid;
  Cosets cosets;
  static constexpr std::uint64_t kRows = 41, kCols = 67;
  [[nodiscard]] FrequencyGrid checked() const {
    const auto every = [](const Axis& axis, std::uint64_t step) {
      return Axis::progression(axis.size(), axis.at(0), axis.step() * static_cast<std::int64_t>(step),
                               (axis.count() + step - 1) / step);
    };
    return {every(grid.rows, kRows), every(grid.cols, kCols)};
  }
};

class CudaGroups : public CudaLattice {
 protected:
  DeviceGridPlan plan_of(const PatternPtr& pattern, const GroupCase& one) {
    DeviceGridPlan plan = plan_device_grid(*pattern, one.grid, GridEngine::lattice, 1e-6, 0, kCuda);
    plan.in_groups =
        lattice_in_groups(plan.grid, one.cosets.rows, one.cosets.cols, cuda_module().facts(0).block_bytes);
    return plan;
  }

  /// Bounds as in compare(), for a `tolerance` that may be looser than that of the lattice. Returns the
  /// outputs; none if the device has too little shared memory.
  std::vector<std::complex<float>> compare_groups(const PatternPtr& pattern, const GroupCase& one,
                                                  double tolerance = 1e-6) {
    const DeviceGridPlan plan = plan_of(pattern, one);
    if (!plan.in_groups) {
      std::cout << "NOT COMPARED: this device has no lattice in groups of this size\n";
      return {};
    }
    DeviceUse use;
    auto actual = compute_device_grid(pattern, plan, kCuda, context_, use);
    const FrequencyGrid checked = one.checked();
    const auto expected = direct_transform(*pattern, checked, context_);
    const double root = std::sqrt(pattern->weight_squares());
    double wrong = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const std::size_t row = k / checked.cols.count() * GroupCase::kRows;
      const std::size_t col = k % checked.cols.count() * GroupCase::kCols;
      const double error =
          std::abs(std::complex<double>(actual[row * one.grid.cols.count() + col]) - expected[k]);
      EXPECT_LE(error, 10 * tolerance * root + 6e-7 * std::abs(expected[k]) + 3e-6 * root)
          << "at row " << row << ", column " << col;
      if (HasFailure()) return actual;
      wrong += error * error;
    }
    EXPECT_LE(std::sqrt(wrong / static_cast<double>(expected.size())),
              2 * tolerance * root + 1e-6 * root * root);
    return actual;
  }
};

/// Axes of one, two and four cosets, of which the last has an output less than the others, or of different
/// lengths; frequencies that begin anywhere, descend, and cross 0.
const GroupCase kGroupCases[] = {
    {{Axis::progression(9001, 1, 2, 4501), Axis::progression(8377, -3, 2, 4189)}, {2, 2}},
    {{Axis::progression(9001, -4500, 2, 4501), Axis::progression(8377, 4000, -1, 8377)}, {1, 4}},
    {{Axis::progression(9001, 17, 1, 8998), Axis::progression(8377, -4188, 2, 2500)}, {4, 1}},
    {{Axis::progression(9001, -9, 2, 4500), Axis::progression(8377, -4188, 1, 8377)}, {2, 4}}};

TEST_F(CudaGroups, EqualDirectSums) {
  const PatternPtr pattern = random_pattern(9001, 8377, 12000, 10);
  (void)compare_groups(pattern, kGroupCases[0]);
  for (const GroupCase& one : kGroupCases) {
    SCOPED_TRACE(std::to_string(one.cosets.rows) + " x " + std::to_string(one.cosets.cols) + " cosets");
    (void)compare_groups(with_signed_weights(pattern), one);
  }
}

/// Axes whose sources lie on cells and whose outputs are all frequencies: 2000 × 2048, 3125 × 2500 and 4000 ×
/// 4096 cells for each coset.
const GroupCase kFoldedCases[] = {
    {{Axis::progression(4000, 1, 2, 2000), Axis::progression(8192, -3, 1, 8192)}, {1, 4}},
    {{Axis::progression(12500, 7, -1, 12500), Axis::progression(5000, -5, 2, 2500)}, {4, 1}},
    {{Axis::progression(16000, 0, 2, 8000), Axis::progression(8192, 1, 1, 8192)}, {2, 2}}};

TEST_F(CudaGroups, EveryKernel) {
  // As small as groups are, since the tools of compute-sanitizer run this test.
  (void)compare_groups(random_pattern(2603, 5197, 3000, 13),
                       {{Axis::progression(2603, 1, 2, 1302), Axis::progression(5197, -3, 1, 5197)}, {1, 4}});
  (void)compare_groups(random_pattern(4000, 8000, 3000, 14),
                       {{Axis::progression(4000, 1, 2, 2000), Axis::progression(8000, -3, 1, 8000)}, {1, 4}});
}

TEST_F(CudaGroups, FoldsEqualDirectSums) {
  for (const GroupCase& one : kFoldedCases) {
    const auto m = static_cast<Index>(one.grid.rows.size());
    const auto n = static_cast<Index>(one.grid.cols.size());
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
    const auto lattice = lattice_in_groups(one.grid, one.cosets.rows, one.cosets.cols, ~std::uint64_t{0});
    ASSERT_TRUE(lattice && lattice->rows.on_grid && lattice->cols.on_grid);
    (void)compare_groups(with_signed_weights(random_pattern(m, n, 30000, 12)), one);
  }
}

TEST_F(CudaGroups, AreNotDisturbedByTheLargeValuesOnTheAxes) {
  for (const NamedPattern& named : patterns_with_large_axes(9001, 8377)) {
    SCOPED_TRACE(named.name);
    (void)compare_groups(named.pattern, kGroupCases[0], 1e-5);
    (void)compare_groups(with_positive_weights(named.pattern), kGroupCases[1], 1e-5);
  }
}

TEST_F(CudaGroups, AliasesOfTheLargeValuesOnTheAxesAreSubtracted) {
  // Single rows and columns contain them. Their errors are about as large as those of their neighbours in the
  // coset, which contain none.
  const GroupCase& one = kGroupCases[0];
  for (const NamedPattern& named : patterns_with_large_axes(9001, 8377)) {
    SCOPED_TRACE(named.name);
    const DeviceGridPlan plan = plan_of(named.pattern, one);
    if (!plan.in_groups) GTEST_SKIP() << "NOT COMPARED: this device has no lattice in groups of this size";
    const DeviceLattice& lattice = *plan.in_groups;
    const AxisLeaks leaks =
        axis_leaks(*named.pattern, {one.grid.rows, lattice.rows, lattice.row_cosets},
                   {one.grid.cols, lattice.cols, lattice.col_cosets}, lattice.shape, context_.pool());
    EXPECT_GE(leaks.rows.leaks.size() + leaks.cols.leaks.size(), 1U);
    DeviceUse use;
    const auto actual = compute_device_grid(named.pattern, plan, kCuda, context_, use);
    const FrequencyGrid every = one.checked();
    const std::size_t width = one.grid.cols.count();
    const auto error_of = [&](const FrequencyGrid& grid, std::size_t first, std::size_t step) {
      const auto expected = direct_transform(*named.pattern, grid, context_);
      double sum = 0;
      for (std::size_t k = 0; k < expected.size(); ++k)
        sum += std::norm(std::complex<double>(actual[first + k * step]) - expected[k]);
      return std::sqrt(sum / static_cast<double>(expected.size()));
    };
    const auto row_error = [&](std::uint64_t row) {
      return error_of({Axis::progression(9001, one.grid.rows.at(row), 1, 1), every.cols}, row * width,
                      GroupCase::kCols);
    };
    const auto col_error = [&](std::uint64_t col) {
      return error_of({every.rows, Axis::progression(8377, one.grid.cols.at(col), 1, 1)}, col,
                      GroupCase::kRows * width);
    };
    const auto neighbour = [](std::uint64_t output, std::uint64_t cosets, std::uint64_t count) {
      return output + cosets < count ? output + cosets : output - cosets;
    };
    for (const AxisLeak& leak : leaks.rows.leaks)
      EXPECT_LE(row_error(leak.output),
                4 * row_error(neighbour(leak.output, lattice.row_cosets, one.grid.rows.count())))
          << "row " << leak.output;
    for (const AxisLeak& leak : leaks.cols.leaks)
      EXPECT_LE(col_error(leak.output), 4 * col_error(neighbour(leak.output, lattice.col_cosets, width)))
          << "column " << leak.output;
  }
}

TEST_F(CudaGroups, EqualRequestsGiveEqualBits) {
  const PatternPtr pattern = random_pattern(9001, 8377, 200000, 11);
  const auto once = compare_groups(pattern, kGroupCases[0]);
  EXPECT_TRUE(compare_groups(pattern, kGroupCases[0]) == once) << "from the order that is kept";
  (void)device_cache(0)->reclaim();
  EXPECT_TRUE(compare_groups(pattern, kGroupCases[0]) == once) << "sorted again";
}

TEST_F(CudaGroups, CrowdedCellsAreComputedOnTheFineGrid) {
  // Rows and columns that share the same cells: one block of 8 for each 8th of both axes, with random signs.
  std::vector<std::pair<Index, Index>> places;
  for (Index i = 0; i < 9000; ++i)
    for (Index j = 0; j < 8376; ++j)
      if (i % 2250 < 8 && j % 2094 < 8) places.emplace_back(i, j);
  for (Index i = 0; i < 9000; ++i) places.emplace_back(i, (37 * i) % 8377);
  const PatternPtr pattern = with_signed_weights(make_pattern(9001, 8377, places));
  const DeviceGridPlan plan = plan_of(pattern, kGroupCases[0]);
  if (!plan.in_groups) GTEST_SKIP() << "NOT COMPARED: this device has no lattice in groups of this size";
  {
    DeviceJob host(kCuda, context_);
    const auto order =
        device_cache(0)->order(pattern, plan.in_groups->row_spec(plan.grid.rows),
                               plan.in_groups->col_spec(plan.grid.cols), cuda::LatticeOrder::groups, host);
    EXPECT_FALSE(order->is_precise());
  }
  (void)compare_groups(pattern, kGroupCases[0]);
}

TEST(DeviceLattice, SamplesOfLargePlanesWithFewEntriesAreComputedInGroups) {
  const FrequencyGrid sample = off_axis_grid(19793, 19793, 4);
  const DeviceLattice on_fine_grid = choose_device_lattice(sample, 127e3, 1e-6, kMostCosets).value();
  const auto in_groups = [&](double entries, std::uint64_t block_bytes) {
    return choose_lattice_in_groups(sample, entries, 1e-6, block_bytes, on_fine_grid);
  };
  constexpr std::uint64_t kHopper = 227 * 1024;
  const std::optional<DeviceLattice> lattice = in_groups(127e3, kHopper);
  ASSERT_TRUE(lattice);
  EXPECT_GE(lattice->row_cosets * lattice->rows.distinct, sample.rows.count());
  EXPECT_GE(static_cast<double>(lattice->rows.fine),
            cuda::kGroupOversampling * static_cast<double>(lattice->rows.distinct));
  EXPECT_FALSE(in_groups(127e3, 48 * 1024)) << "too little shared memory";
  EXPECT_FALSE(in_groups(1e8, kHopper)) << "additions of entries take longer than on the fine grid";
  EXPECT_FALSE(choose_lattice_in_groups(sample, 127e3, 1e-8, kHopper, on_fine_grid)) << "too coarse";
}

TEST(DeviceLattice, SamplesWhoseEntriesLieOnCellsAreFoldedInGroups) {
  const auto in_groups = [&](std::uint64_t n) {
    const FrequencyGrid sample = off_axis_grid(n, n, 4);
    const DeviceLattice on_fine_grid = choose_device_lattice(sample, 447e3, 1e-6, kMostCosets).value();
    return choose_lattice_in_groups(sample, 447e3, 1e-6, 227 * 1024, on_fine_grid);
  };
  const std::optional<DeviceLattice> folded = in_groups(100000);
  ASSERT_TRUE(folded);
  EXPECT_TRUE(folded->rows.on_grid && folded->cols.on_grid);
  EXPECT_EQ(folded->rows.fine, folded->rows.distinct);
  EXPECT_EQ(folded->row_cosets * folded->rows.fine, 25000U);
  const FrequencyGrid almost_all{Axis::progression(12500, 0, 1, 12499),
                                 Axis::progression(12500, 0, 1, 12499)};
  EXPECT_FALSE(lattice_in_groups(almost_all, 4, 4, 227 * 1024)->cols.on_grid) << "the last coset is shorter";
  const std::optional<DeviceLattice> spread = in_groups(60004);  // 4·7·2143
  ASSERT_TRUE(spread);
  EXPECT_FALSE(spread->rows.on_grid || spread->cols.on_grid);
}

/// Sums of the grid's coefficients by DirectTask, also where plan_device_grid() chooses a lattice.
std::vector<std::complex<float>> by_direct_sums(const PatternPtr& pattern, const FrequencyGrid& grid,
                                                JobContext& context) {
  DeviceGridPlan plan;
  plan.grid = grid;
  plan.direct = true;
  DeviceUse use;
  return compute_device_grid(pattern, plan, kCuda, context, use);
}

/// Sums in double precision: the only error is the rounding of the result, half of 2^−23 relative.
void expect_rounded(const std::vector<std::complex<float>>& actual,
                    const std::vector<std::complex<double>>& expected, const PatternPtr& pattern) {
  ASSERT_EQ(actual.size(), expected.size());
  const double root = std::sqrt(static_cast<double>(pattern->nonzeros()));
  for (std::size_t k = 0; k < actual.size(); ++k)
    ASSERT_LE(std::abs(std::complex<double>(actual[k]) - expected[k]),
              1e-7 * std::abs(expected[k]) + 1e-10 * root)
        << "at " << k;
}

TEST_F(CudaLattice, DirectSumsHaveTheErrorOfTheirResultsRoundingAlone) {
  for (const PatternPtr& pattern : {random_pattern(1009, 1201, 700, 1), random_pattern(1009, 1201, 255, 2),
                                    make_pattern(1009, 1201, {}), make_pattern(1009, 1201, {{1008, 1200}})})
    for (const std::uint64_t height : {1U, 63U, 64U, 65U, 130U})
      for (const std::uint64_t width : {1U, 17U, 64U, 129U}) {
        SCOPED_TRACE(std::to_string(pattern->nonzeros()) + " entries, " + std::to_string(height) + " x " +
                     std::to_string(width));
        const FrequencyGrid grid{Axis::progression(1009, -7, 3, height),
                                 Axis::progression(1201, 600, -1, width)};
        expect_rounded(by_direct_sums(pattern, grid, context_), direct_transform(*pattern, grid, context_),
                       pattern);
      }
  const PatternPtr pattern = random_pattern(301, 207, 900, 3);
  const FrequencyGrid lists{Axis::list(301, {0, -150, 150, 7, 7, 300}), Axis::list(207, {1, 2, 4, 8, -103})};
  expect_rounded(by_direct_sums(pattern, lists, context_), direct_transform(*pattern, lists, context_),
                 pattern);
}

TEST_F(CudaLattice, DirectSumsOfSeveralPiecesAreThoseOfOne) {
  // 4,200 × 1,100 coefficients are more than 1,024 tiles and more than one delivery.
  const PatternPtr pattern = random_pattern(5003, 4999, 40, 4);
  const FrequencyGrid grid{Axis::progression(5003, -2000, 1, 4200), Axis::progression(4999, -500, 1, 1100)};
  const auto once = by_direct_sums(pattern, grid, context_);
  EXPECT_TRUE(by_direct_sums(pattern, grid, context_) == once) << "the same bits";
  const FrequencyGrid sample{Axis::progression(5003, -2000, 40, 105), Axis::progression(4999, -500, 50, 22)};
  const auto expected = direct_transform(*pattern, sample, context_);
  std::vector<std::complex<float>> actual;
  for (std::size_t p = 0; p < 105; ++p)
    for (std::size_t q = 0; q < 22; ++q) actual.push_back(once[40 * p * 1100 + 50 * q]);
  expect_rounded(actual, expected, pattern);
}

TEST_F(CudaLattice, AWindowOfAPlaneOf10To18CoefficientsIsComputedByDirectSums) {
  const PatternPtr pattern = generated("gen:random:rows=1000000007,cols=999999937,nnz=200000,seed=5");
  Request request = request_of(pattern);
  request.backend = kCuda;
  request.window = {Axis::progression(1000000007, 20212537, 1, 64),
                    Axis::progression(999999937, 431463761, 1, 48)};
  const auto result = run_job(*find_method("exact"), request, pool());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_NE((*result)->provenance.note.find("direct sums"), std::string::npos) << (*result)->provenance.note;
  EXPECT_LT((*result)->provenance.device_bytes_forecast, std::uint64_t{1} << 28U);
  EXPECT_LE((*result)->provenance.device_bytes_peak, (*result)->provenance.device_bytes_forecast);
  expect_rounded((*result)->values, direct_transform(*pattern, (*result)->grid, context_), pattern);
}

TEST_F(CudaLattice, NoLatticeThatTheCpuComputesIsRefused) {
  // Below the tolerance of single precision, and with hundreds of entries on a cell.
  const PatternPtr pattern = random_pattern(2003, 1999, 300000, 6);
  const FrequencyGrid grid{Axis::progression(2003, 5, 7, 12), Axis::progression(1999, -9, 4, 9)};
  const auto expected = direct_transform(*pattern, grid, context_);
  for (const double tolerance : {1e-3, 1e-6, 1e-7}) {
    EXPECT_TRUE(plan_device_grid(*pattern, grid, GridEngine::lattice, tolerance, 0, kCuda).direct);
    expect_rounded(on_device(pattern, grid, tolerance), expected, pattern);
  }
  // A device with less memory than rows take: a window of many columns.
  const DeviceGridPlan plan =
      plan_device_grid(*pattern, grid, GridEngine::automatic, 1e-6, 0, kCuda, std::uint64_t{1} << 10U);
  EXPECT_TRUE(plan.direct);
  // The features of samples that were summed directly.
  Request request = request_of(pattern, {{"block", "128"}, {"tolerance", "1e-7"}, {"engine", "lattice"}});
  const auto on_host = run_job(*find_method("elastic"), request, pool());
  request.backend = kCuda;
  const auto result = run_job(*find_method("elastic"), request, pool());
  ASSERT_TRUE(on_host && result);
  EXPECT_NEAR((*result)->features->entropy, (*on_host)->features->entropy, 1e-6);
  EXPECT_LE((*result)->provenance.device_bytes_peak, (*result)->provenance.device_bytes_forecast);
}

TEST_F(CudaLattice, EmptyAndOneEntryPatternsEqualDirectSums) {
  for (const NamedPattern& named :
       {NamedPattern{"empty", make_pattern(300, 200, {})},
        NamedPattern{"one", make_pattern(300, 200, {{299, 199}})}, NamedPattern{"1x1", full_pattern(1, 1)}}) {
    SCOPED_TRACE(named.name);
    compare(named.pattern,
            {Axis::progression(named.pattern->rows(), -3, 1, 50),
             Axis::progression(named.pattern->cols(), 7, 1, 60)},
            1e-6);
  }
}

}  // namespace
}  // namespace spyctrum::test
