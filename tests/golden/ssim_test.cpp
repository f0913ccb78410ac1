// SPDX-License-Identifier: Apache-2.0
// The similarity measure of the picture tests: it must be 1 for equal pictures, and fall for the changes that
// those tests are to detect.
#include "tests/golden/ssim.hpp"

#include <gtest/gtest.h>

#include <random>

namespace spyctrum::testing {
namespace {

constexpr std::size_t kHeight = 96;
constexpr std::size_t kWidth = 128;
using Bytes = std::vector<std::uint8_t>;

/// Bars, a diagonal and a flat part, as a screen may hold.
Bytes drawing() {
  Bytes rgb(3 * kHeight * kWidth, 40);
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t x = 0; x < kWidth; ++x) {
      const bool bar = x < 64 && x / 6 % 2 == 0;
      const bool diagonal = x == y + 20;
      if (!bar && !diagonal) continue;
      for (std::size_t c = 0; c < 3; ++c) rgb[3 * (y * kWidth + x) + c] = diagonal ? 250 : 180;
    }
  return rgb;
}

Similarity compare(const Bytes& a, const Bytes& b) { return structural_similarity(a, b, kHeight, kWidth); }

TEST(StructuralSimilarity, IsOneForEqualPictures) {
  const Similarity same = compare(drawing(), drawing());
  EXPECT_NEAR(same.mean, 1, 1e-12);
  EXPECT_NEAR(same.worst_block, 1, 1e-12);
}

TEST(StructuralSimilarity, HardlyFallsForOneLevelOfRounding) {
  Bytes other = drawing();
  std::mt19937 random(1);
  for (auto& byte : other) byte = static_cast<std::uint8_t>(byte + random() % 2);
  EXPECT_GT(compare(drawing(), other).mean, 0.95);
}

TEST(StructuralSimilarity, FallsForAShiftByHalfAPeriod) {
  const Bytes original = drawing();
  Bytes moved(original.size(), 40);
  std::copy(original.begin(), original.end() - 18, moved.begin() + 18);
  EXPECT_LT(compare(original, moved).mean, 0.6);
}

TEST(StructuralSimilarity, FallsForNoise) {
  Bytes other = drawing();
  std::mt19937 random(2);
  for (auto& byte : other)
    byte = static_cast<std::uint8_t>(std::min<unsigned long>(255, byte + random() % 60));
  EXPECT_LT(compare(drawing(), other).mean, 0.75);
}

TEST(StructuralSimilarity, ShowsASmallChangeInTheWorstBlockThatTheMeanHides) {
  const Bytes original = drawing();
  Bytes other = original;
  for (std::size_t y = 70; y < 82; ++y)
    for (std::size_t x = 110; x < 122; ++x) other[3 * (y * kWidth + x)] = 255;
  const Similarity changed = compare(original, other);
  EXPECT_GT(changed.mean, 0.95);
  EXPECT_LT(changed.worst_block, 0.8);
}

TEST(StructuralSimilarity, FollowsTheFormulaOnFlatPictures) {
  const Bytes a(3 * kHeight * kWidth, 100);
  const Bytes b(3 * kHeight * kWidth, 200);
  const double c1 = 6.5025;
  EXPECT_NEAR(compare(a, b).mean, (2 * 100 * 200 + c1) / (100 * 100 + 200 * 200 + c1), 1e-9);
}

TEST(StructuralSimilarity, IsSymmetric) {
  Bytes other = drawing();
  std::reverse(other.begin(), other.end());
  EXPECT_NEAR(compare(drawing(), other).mean, compare(other, drawing()).mean, 1e-12);
}

TEST(StructuralSimilarity, RefusesPicturesOfDifferentSize) {
  Bytes shorter = drawing();
  shorter.pop_back();
  EXPECT_THROW((void)compare(drawing(), shorter), std::invalid_argument);
}

}  // namespace
}  // namespace spyctrum::testing
