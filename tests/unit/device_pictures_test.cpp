// SPDX-License-Identifier: Apache-2.0
// The tasks that a device gets for pictures, carried out by plain loops on the CPU, make the same pictures as
// the CPU's own code. A wrong table shows here without a device; kernels are compared in tests/parity.
#include "core/device/device_pictures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "tests/support/fake_pictures.hpp"
#include "tests/support/picture_parity.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum::test {
namespace {

class DevicePicturesTest : public ::testing::Test {
 protected:
  FakePictures fake;
  DevicePictures device{fake, Backend{BackendKind::cuda, 0, false}};
  JobContext context{pool()};
};

TEST_F(DevicePicturesTest, EqualThoseOfTheCpu) {
  for (const NamedPattern& named :
       {NamedPattern{"40x40 random", random_pattern(40, 40, 200, 1)},
        NamedPattern{"41x29 random", random_pattern(41, 29, 90, 2)},
        NamedPattern{"5x47 random", random_pattern(5, 47, 60, 3)},
        NamedPattern{"9x9 full", full_pattern(9, 9)}, NamedPattern{"13x11 empty", make_pattern(13, 11, {})},
        NamedPattern{"1x1 full", full_pattern(1, 1)}})
    compare_pictures(device, named, {23, 31}, 400, 3e-5, pool());
  EXPECT_GT(fake.drawn, 100);
}

TEST_F(DevicePicturesTest, DifferIfTheTaskDiffers) {
  const PatternPtr pattern = random_pattern(40, 40, 200, 1);
  const CellImage right = exact_image(*pattern, nullptr, {full_spectrum_rect(40, 40), 20, 20}, 1600, context);
  const CellImage wrong =
      device.exact_image(pattern, nullptr, {{-20.5, -19.5, 19.5, 20.5}, 20, 20}, 1600, context);
  double difference = 0;
  for (std::size_t k = 0; k < right.cells.size(); ++k)
    if (std::isfinite(right.cells[k]) && std::isfinite(wrong.cells[k]))
      difference += std::abs(static_cast<double>(right.cells[k] - wrong.cells[k]));
  EXPECT_GT(difference / static_cast<double>(right.cells.size()), 1.0);
}

TEST_F(DevicePicturesTest, OfASmallWindowOfALargePatternEqualThoseOfTheCpu) {
  const PatternPtr pattern = random_pattern(300, 280, 9000, 4);
  const PlaneRect rect{3.5, -7.5, 6.5, -3.5};
  expect_same_picture(device.exact_image(pattern, nullptr, {rect, 12, 16}, 1600, context),
                      exact_image(*pattern, nullptr, {rect, 12, 16}, 1600, context), 1e-5, 9000);
}

TEST_F(DevicePicturesTest, PatternsAndValuesAreUploadedOnceAndFreedWithTheirOwners) {
  PatternPtr pattern = random_pattern(40, 40, 200, 1);
  for (int round = 0; round < 3; ++round)
    (void)device.pattern_image(pattern, {full_pattern_rect(40, 40), 8, 8}, context);
  EXPECT_EQ(fake.kept, 1);
  const std::uint64_t one = device.cache().bytes();
  EXPECT_GT(one, 0U);
  pattern = random_pattern(40, 40, 200, 2);
  (void)device.pattern_image(pattern, {full_pattern_rect(40, 40), 8, 8}, context);
  EXPECT_EQ(fake.kept, 2);
  EXPECT_LT(device.cache().bytes(), 2 * one) << "the first pattern is gone, and so is its copy";
}

TEST_F(DevicePicturesTest, SpareMemoryIsFreedWithTheLastPatternOrOnRequest) {
  PatternPtr pattern = random_pattern(40, 40, 200, 1);
  PatternPtr other = random_pattern(40, 40, 200, 2);
  for (const PatternPtr& shown : {pattern, other})
    (void)device.pattern_image(shown, {full_pattern_rect(40, 40), 8, 8}, context);
  pattern.reset();
  EXPECT_GT(device.cache().release_gone(), 0U);
  EXPECT_EQ(fake.spare_released, 0) << "the next picture of the other pattern would allocate it again";
  other.reset();
  EXPECT_GT(device.cache().release_gone(), 0U);
  EXPECT_EQ(fake.spare_released, 1);
  (void)device.cache().reclaim();
  EXPECT_EQ(fake.spare_released, 2);
}

TEST_F(DevicePicturesTest, AFullDeviceIsReported) {
  fake.draw_failure = "no memory left";
  try {
    (void)device.pattern_image(random_pattern(9, 9, 9, 1), {full_pattern_rect(9, 9), 8, 8}, context);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::out_of_memory);
  }
  EXPECT_EQ(fake.alive(), 0U);
}

TEST_F(DevicePicturesTest, AreFreedWithTheLastImage) {
  {
    const CellImage image =
        device.pattern_image(random_pattern(9, 9, 9, 1), {full_pattern_rect(9, 9), 8, 8}, context);
    auto held = std::make_unique<CellImage>(image);
    EXPECT_EQ(fake.alive(), 1U);
    held.reset();
    EXPECT_EQ(fake.alive(), 1U);
  }
  EXPECT_EQ(fake.alive(), 0U);
}

}  // namespace
}  // namespace spyctrum::test
