// SPDX-License-Identifier: Apache-2.0
// Dense transforms against the direct double-precision sum
//   X[k] = Σ_j x[j] e^{−2πi jk/n}, jk reduced mod n in integers.
// Tolerance, relative L2: 4·ε·(1 + log₂ n), ε = 2^−24 or 2^−53; a prime length
// is computed by transforms of more than twice its length (Bluestein), hence the 4.
#include "core/fft/fft.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <thread>

#include "core/base/error.hpp"
#include "core/kernels/kernel_table.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum {
namespace {

using Reference = std::vector<std::complex<double>>;

template <class T>
double tolerance(std::size_t length) {
  return 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2 *
         (1 + std::log2(static_cast<double>(length)));
}

template <class T>
std::vector<std::complex<T>> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::complex<T>> values(count);
  for (auto& value : values) value = {static_cast<T>(normal(random)), static_cast<T>(normal(random))};
  return values;
}

template <class T>
Reference direct(const std::complex<T>* x, std::size_t n, std::size_t stride, bool forward) {
  std::vector<std::complex<double>> roots(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(
        1.0, (forward ? -2 : 2) * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  Reference sums(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) sums[k] += std::complex<double>(x[j * stride]) * roots[j * k % n];
  return sums;
}

template <class T>
double relative_error(const std::complex<T>* values, const Reference& reference, std::size_t stride = 1) {
  double error = 0;
  double norm = 0;
  for (std::size_t k = 0; k < reference.size(); ++k) {
    error += std::norm(std::complex<double>(values[k * stride]) - reference[k]);
    norm += std::norm(reference[k]);
  }
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

template <class T>
class FftRows : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FftRows, Precisions);

TYPED_TEST(FftRows, MatchTheDirectSumAtEveryLengthAndLeaveThePaddingUnchanged) {
  using T = TypeParam;
  for (const std::size_t length :
       {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 16U, 17U, 30U, 97U, 128U, 251U, 360U, 404U, 1009U})
    for (const std::size_t count : {1U, 2U, 5U, 8U, 11U})
      for (const bool forward : {true, false}) {
        const std::size_t stride = length + 3;
        auto values = random_values<T>(count * stride, static_cast<unsigned>(length + count));
        const auto before = values;
        fft_rows(values.data(), length, count, stride, forward);
        for (std::size_t row = 0; row < count; ++row) {
          const auto reference = direct(before.data() + row * stride, length, 1, forward);
          EXPECT_LE(relative_error(values.data() + row * stride, reference), tolerance<T>(length))
              << "length " << length << " row " << row << " of " << count;
          for (std::size_t k = length; k < stride; ++k)
            EXPECT_EQ(values[row * stride + k], before[row * stride + k]);
        }
      }
}

TYPED_TEST(FftRows, LongRowsAreRestoredByTheInverse) {
  using T = TypeParam;
  for (const std::size_t length : {131'071U, 180'000U}) {  // a prime, and a smooth one
    auto values = random_values<T>(2 * length, 5);
    const Reference before(values.begin(), values.end());
    fft_rows(values.data(), length, 2, length, true);
    fft_rows(values.data(), length, 2, length, false);
    for (auto& value : values) value /= static_cast<T>(length);
    EXPECT_LE(relative_error(values.data(), before), 2 * tolerance<T>(length));
  }
}

TEST(Fft2d, MatchesTheDirectSum) {
  ThreadPool pool(3);
  JobContext context(pool);
  for (const auto& [rows, cols] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {1, 9}, {9, 1}, {7, 13}, {16, 10}, {37, 40}}) {
    auto values = random_values<float>(rows * cols, 3);
    Reference reference(values.begin(), values.end());
    for (std::size_t r = 0; r < rows; ++r) {
      const auto row = direct(reference.data() + r * cols, cols, 1, true);
      std::copy(row.begin(), row.end(), reference.begin() + static_cast<std::ptrdiff_t>(r * cols));
    }
    for (std::size_t c = 0; c < cols; ++c) {
      const auto column = direct(reference.data() + c, rows, cols, true);
      for (std::size_t r = 0; r < rows; ++r) reference[r * cols + c] = column[r];
    }
    fft_2d(values.data(), rows, cols, context);
    EXPECT_LE(relative_error(values.data(), reference), tolerance<float>(rows * cols)) << rows << "x" << cols;
  }
}

TEST(Fft2dReal, IsTheFirstHalfOfTheComplexTransformTransposed) {
  JobContext context(test::pool());
  for (const auto& [rows, cols] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {1, 2}, {5, 1}, {3, 2}, {11, 8}, {10, 27}, {64, 97}}) {
    const auto both = random_values<float>(rows * cols, 8);
    std::vector<float> input(both.size());
    std::vector<std::complex<float>> complex_input(both.size());
    for (std::size_t k = 0; k < both.size(); ++k) complex_input[k] = input[k] = both[k].real();
    const std::size_t half = cols / 2 + 1;
    std::vector<std::complex<float>> output(rows * half, {7, 7});
    fft_2d_real_transposed(input.data(), output.data(), rows, cols, context);
    fft_2d(complex_input.data(), rows, cols, context);
    Reference reference;
    for (std::size_t c = 0; c < half; ++c)
      for (std::size_t r = 0; r < rows; ++r) reference.emplace_back(complex_input[r * cols + c]);
    EXPECT_LE(relative_error(output.data(), reference), 2 * tolerance<float>(rows * cols))
        << rows << "x" << cols;
  }
}

TEST(Fft2d, StopsBeforeItsNextGroupOfRows) {
  ThreadPool pool(1);
  std::stop_source stop;
  JobContext context(pool, {.memory_bytes = 0, .seed = 1, .stop = stop.get_token(), .on_progress = {}});
  auto values = random_values<float>(std::size_t{64} * 64, 3);
  const auto before = values;
  stop.request_stop();
  EXPECT_THROW(fft_2d(values.data(), 64, 64, context), Failure);
  EXPECT_EQ(values, before);
}

TEST(FftRowsConcurrently, ShareOnePlan) {
  const auto input = random_values<float>(std::size_t{720} * 16, 2);
  auto expected = input;
  fft_rows(expected.data(), 720, 16, 720);
  std::vector<std::thread> threads;
  std::vector<std::vector<std::complex<float>>> results(4, input);
  for (auto& result : results) threads.emplace_back([&result] { fft_rows(result.data(), 720, 16, 720); });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST(SmoothSize, IsTheSmallestWithoutAPrimeFactorAboveSeven) {
  for (std::uint64_t n = 1; n <= 3000; ++n) {
    std::uint64_t expected = n;
    while (!is_smooth(expected)) ++expected;
    EXPECT_EQ(smooth_size(n), expected) << n;
  }
  EXPECT_EQ(smooth_size(39'585), 39'690U);
  EXPECT_FALSE(is_smooth(0));
  EXPECT_FALSE(is_smooth(11));
  EXPECT_FALSE(is_smooth(19'793));
}

// The tables of all instruction sets that this processor can run.

std::vector<const kernels::KernelTable*> tables() {
  std::vector<const kernels::KernelTable*> found;
  for (const char* name : {"baseline", "v3"})
    if (const auto* table = kernels::kernels_for(name)) found.push_back(table);
  return found;
}

TEST(InstructionSets, BaselineIsAlwaysAvailableAndUnknownNamesAreNot) {
  EXPECT_NE(kernels::kernels_for("baseline"), nullptr);
  EXPECT_EQ(kernels::kernels_for("nonsense"), nullptr);
}

template <class T>
void expect_lanes_match_the_direct_sum(const kernels::KernelTable& table, const kernels::Loops<T>& loop) {
  for (const std::size_t length : {1U, 6U, 31U, 300U, 1013U}) {
    const std::size_t count = loop.lanes - 1;  // one lane is missing
    auto rows = random_values<T>(count * length, 4);
    const auto before = rows;
    kernels::FftPlan* plan = loop.plan(length);
    constexpr T kGuard = 12345;
    const std::size_t lane_values = 2 * length * loop.lanes;
    const std::size_t work_values = table.workspace(plan);
    std::vector<T> lanes(lane_values + 64, kGuard);
    std::vector<T> work(work_values + 64, kGuard);
    const auto aligned = [](std::vector<T>& v) {
      void* start = v.data();
      std::size_t room = v.size() * sizeof(T);
      return static_cast<T*>(std::align(64, 64, start, room));
    };
    loop.rows_to_lanes(rows.data(), length, count, length, aligned(lanes));
    const T* result = loop.fft_lanes(plan, aligned(lanes), aligned(work), true);
    loop.lanes_to_rows(result, length, rows.data(), length, count);
    table.free_plan(plan);
    EXPECT_TRUE(std::all_of(aligned(lanes) + lane_values, lanes.data() + lanes.size(),
                            [=](T value) { return value == kGuard; }));
    EXPECT_TRUE(std::all_of(aligned(work) + work_values, work.data() + work.size(),
                            [=](T value) { return value == kGuard; }));
    for (std::size_t r = 0; r < count; ++r)
      EXPECT_LE(relative_error(rows.data() + r * length, direct(before.data() + r * length, length, 1, true)),
                tolerance<T>(length))
          << table.name << " length " << length;
  }
}

TEST(InstructionSets, GiveTheSameTransforms) {
  for (const auto* table : tables()) {
    expect_lanes_match_the_direct_sum<float>(*table, table->f);
    expect_lanes_match_the_direct_sum<double>(*table, table->d);
  }
}

TEST(InstructionSets, GiveTheSameSpreadingForAnyNumberOfTaps) {
  constexpr std::size_t stride = 40;
  for (const std::size_t column_taps : {2U, 4U, 7U, 12U}) {
    std::vector<std::complex<float>> first;
    for (const auto* table : tables()) {
      const std::size_t values =
          (2 * column_taps + table->f.vector_values - 1) / table->f.vector_values * table->f.vector_values;
      const std::vector<std::uint32_t> row_start{1, 4};
      const std::vector<std::uint32_t> column_start{0, 5};
      const std::vector<float> row_weights{0.5F, 0.25F, 1, 2, 3, 4};
      std::vector<float> column_weights(2 * values, 0.0F);
      for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t tap = 0; tap < column_taps; ++tap)
          for (std::size_t part = 0; part < 2; ++part)
            column_weights[s * values + 2 * tap + part] = static_cast<float>(s + 1 + tap);
      const std::vector<std::complex<float>> phase{{0.6F, 0.8F}, {0, 1}};
      std::vector<std::complex<float>> grid(8 * stride);
      const kernels::Spread<float> to{row_start.data(),
                                      row_weights.data(),
                                      3,
                                      phase.data(),
                                      column_start.data(),
                                      column_weights.data(),
                                      values,
                                      phase.data(),
                                      grid.data(),
                                      stride};
      const std::vector<std::uint64_t> points{0, 1, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1};
      table->f.spread(to, points.data(), points.size(), nullptr);
      if (first.empty()) first = grid;
      const Reference reference(first.begin(), first.end());
      EXPECT_GT(std::abs(grid[stride]), 0);
      EXPECT_LE(relative_error(grid.data(), reference), 1e-6) << table->name << " taps " << column_taps;
    }
  }
}

TEST(PowerSums, MatchDoublePrecisionAndLeaveOutZeros) {
  auto values = random_values<float>(10'007, 9);
  for (auto& value : values) value *= 300.0F;
  values[0] = 126'842.0F;
  for (const std::size_t zero : {17U, 5000U, 10'006U}) values[zero] = 0;
  for (const std::size_t count : {0U, 1U, 3U, 8U, 127U, 128U, 129U, 10'007U}) {
    double power = 0;
    double power_log = 0;
    double log = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double p = std::norm(std::complex<double>(values[k]));
      if (p == 0) continue;
      power += p;
      power_log += p * std::log(p);
      log += std::log(p);
    }
    for (const auto* table : tables()) {
      const kernels::PowerSums sums = table->power_sums(values.data(), count);
      EXPECT_NEAR(sums.power, power, 2e-7 * power);
      EXPECT_NEAR(sums.f.of[(kPlaceOf<1, 1>)], power_log, 3e-7 * std::abs(power_log));
      EXPECT_NEAR(sums.log_power, log, 3e-7 * std::abs(log));
    }
  }
}

TEST(PowerSums, TermsHaveTheBitsOfTheSumsOverASingleValue) {
  auto values = random_values<float>(1003, 9);
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] *= std::ldexp(1.0F, static_cast<int>(k % 120) - 70);
  values[17] = values[1002] = 0;
  for (const auto* table : tables()) {
    std::vector<float> terms(kernels::kPowerRows * values.size());
    table->single_power_sums(values.data(), values.size(), terms.data());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto term = [&](std::size_t row) { return static_cast<double>(terms[row * values.size() + k]); };
      const kernels::PowerSums one = table->power_sums(&values[k], 1);
      ASSERT_EQ(term(0), one.power) << table->name << ' ' << k;
      for (std::size_t t = 0; t < kPowerSums; ++t)
        ASSERT_EQ(term(1 + t), one.f.of[t]) << table->name << ' ' << k;
      ASSERT_EQ(term(kernels::kPowerRows - 1), one.log_power) << table->name << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace spyctrum
