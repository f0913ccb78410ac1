// SPDX-License-Identifier: Apache-2.0
// Signed indices follow numpy.fft.fftfreq, and axes list the frequencies from which they were made.
#include "core/frequency/frequency_grid.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace spyctrum {
namespace {

TEST(SignedIndex, FollowsNumpyFftfreq) {
  const std::int64_t even[] = {0, 1, 2, -3, -2, -1};
  const std::int64_t odd[] = {0, 1, 2, -2, -1};
  for (std::int64_t k = 0; k < 6; ++k) EXPECT_EQ(signed_index(k, 6), even[k]);
  for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(signed_index(k, 5), odd[k]);
  EXPECT_EQ(signed_index(0, 1), 0);
  EXPECT_EQ(signed_index(1, 2), -1);
}

TEST(SignedIndex, IsPeriodicAndInvertsDftIndex) {
  for (const std::int64_t size : {1, 2, 7, 10}) {
    for (std::int64_t k = -35; k < 35; ++k) {
      EXPECT_EQ(signed_index(k, size), signed_index(k + size, size));
      EXPECT_EQ(signed_index(dft_index(k, size), size), signed_index(k, size));
      EXPECT_EQ(dft_index(signed_index(k, size), size), dft_index(k, size));
      EXPECT_GE(dft_index(k, size), 0);
      EXPECT_LT(dft_index(k, size), size);
    }
  }
}

TEST(FrequencyAxis, FullAxisAscendsFromTheMostNegative) {
  for (const std::uint64_t size : {1U, 2U, 5U, 6U}) {
    const FrequencyAxis axis = FrequencyAxis::full(size);
    ASSERT_EQ(axis.count(), size);
    EXPECT_TRUE(axis.is_full());
    EXPECT_TRUE(axis.is_progression());
    for (std::uint64_t k = 0; k < size; ++k) {
      EXPECT_EQ(axis.at(k), static_cast<std::int64_t>(k) - static_cast<std::int64_t>(size / 2));
      EXPECT_EQ(axis.signed_at(k), axis.at(k));
    }
  }
}

TEST(FrequencyAxis, ProgressionMayLeaveTheSignedRangeAndDescend) {
  const FrequencyAxis axis = FrequencyAxis::progression(10, 3, -4, 3);
  EXPECT_EQ(axis.at(2), -5);
  EXPECT_EQ(axis.signed_at(1), -1);
  EXPECT_EQ(FrequencyAxis::progression(10, 8, 1, 4).signed_at(2), 0);
  EXPECT_FALSE(axis.is_full());
  EXPECT_FALSE(FrequencyAxis::progression(10, 0, 1, 10).is_full());
}

TEST(FrequencyAxis, ListKeepsOrderAndSign) {
  const FrequencyAxis axis = FrequencyAxis::list(8, {7, -3, 0});
  EXPECT_FALSE(axis.is_progression());
  EXPECT_EQ(axis.count(), 3U);
  EXPECT_EQ(axis.at(0), 7);
  EXPECT_EQ(axis.signed_at(0), -1);
}

TEST(FrequencyAxis, RefusesStepAndSizeZero) {
  EXPECT_THROW(FrequencyAxis::progression(8, 0, 0, 2), Failure);
  EXPECT_THROW(FrequencyAxis::progression(0, 0, 1, 2), Failure);
  EXPECT_THROW(FrequencyAxis::list(0, {1}), Failure);
}

TEST(FrequencyGrid, CountIsTheProductOfTheAxes) {
  const FrequencyGrid grid{FrequencyAxis::full(6), FrequencyAxis::progression(9, 1, 2, 4)};
  EXPECT_EQ(grid.count(), 24U);
}

}  // namespace
}  // namespace spyctrum
