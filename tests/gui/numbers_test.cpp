// SPDX-License-Identifier: Apache-2.0
// Formatting of numbers, rectangles under pan and zoom, and the items of the gallery. No window.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/fuzzy_match.hpp"
#include "app/panels/widgets/gallery_sketch.hpp"
#include "app/panels/widgets/view_math.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum::panels {
namespace {

TEST(Numbers, ThousandsAreSeparatedAndTheMinusSignIsATrueOne) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(126842), "126,842");
  EXPECT_EQ(grouped(18446744073709551615ULL), "18,446,744,073,709,551,615");
  EXPECT_EQ(signed_grouped(2571), "+2,571");
  EXPECT_EQ(signed_grouped(-2766), "\u22122,766");
  EXPECT_EQ(signed_grouped(std::numeric_limits<std::int64_t>::min()), "\u22129,223,372,036,854,775,808");
}

TEST(Numbers, ProgressEndsWithFinishingAndNeverWithNoTimeLeft) {
  JobView job;
  job.running = true;
  job.seconds = 2;
  EXPECT_EQ(progress_text(job), "2.0 s");
  job.progress = {"lattice", 40, 100};
  job.seconds_left = 3;
  EXPECT_EQ(progress_text(job), "lattice · 40 % · 3.0 s left");
  for (const std::uint64_t done : {9950U, 9999U, 10000U}) {
    job.progress = {"lattice", done, 10000};
    job.seconds_left = 1e-5;
    EXPECT_EQ(progress_text(job), "lattice · finishing") << done;
  }
  job.stopping = true;
  EXPECT_EQ(progress_text(job), "stopping");
  EXPECT_EQ(progress_text(JobView{}), "waiting");
}

TEST(Numbers, UnitsKeepTwoOrThreeDigits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(412'000'000), "412 MB");
  EXPECT_EQ(bytes_text(3'900'000'000), "3.9 GB");
  EXPECT_EQ(seconds_text(0.041), "41 ms");
  EXPECT_EQ(seconds_text(3.52), "3.5 s");
  EXPECT_EQ(seconds_text(125), "2 min 05 s");
  EXPECT_EQ(seconds_text(0.000412), "412 µs");
  EXPECT_EQ(seconds_text(3.14e-6), "3.1 µs");
  EXPECT_EQ(seconds_text(40e-9), "40 ns");
  EXPECT_EQ(seconds_text(0.9996e-3), "1.0 ms");
  EXPECT_EQ(seconds_text(0), "0 s");
  EXPECT_EQ(count_text(1'530'000), "1.53 M");
  EXPECT_EQ(percent_text(0.0039), "0.39 %");
  EXPECT_EQ(signed_percent_text(-0.041), "\u22124.1 %");
  EXPECT_EQ(signed_percent_text(114.41), "+11,441 %");
}

TEST(Numbers, PairsThatALineHasNoRoomForAreBrokenBesideTheirOperators) {
  const auto within = [](std::size_t letters) {
    return with_unbroken_pairs("for 3,000 × 3,000 (281 GB in b = 4)", [=](const std::string& pair) {
      // Letters, of which "×" and the no-break space have two bytes.
      return std::ranges::count_if(pair, [](char c) { return (c & 0xC0) != 0x80; }) <=
             static_cast<std::ptrdiff_t>(letters);
    });
  };
  EXPECT_EQ(within(13), "for 3,000\u00a0×\u00a03,000 (281\u00a0GB in b\u00a0=\u00a04)");
  EXPECT_EQ(within(12), "for 3,000\u00a0× 3,000 (281\u00a0GB in b\u00a0=\u00a04)");
  EXPECT_EQ(within(1), "for 3,000 × 3,000 (281\u00a0GB in b = 4)") << "a number keeps its unit";
}

TEST(FuzzyMatch, LettersInOrderFitAndBeginningsOfWordsFitBest) {
  EXPECT_EQ(fuzzy_match("", "Blink"), 0);
  EXPECT_EQ(fuzzy_match("knb", "Blink"), -1) << "not in this order";
  EXPECT_EQ(fuzzy_match("blinks", "Blink"), -1);
  EXPECT_EQ(fuzzy_match("x", ""), -1);
  EXPECT_EQ(fuzzy_match("B", "Blink"), 1 + 4);
  EXPECT_EQ(fuzzy_match("bl", "Blink"), 5 + 1 + 5);
  EXPECT_GT(fuzzy_match("rv", "Look: Reset views"), fuzzy_match("rv", "Compare: Curve"));
  EXPECT_GT(fuzzy_match("fig", "File: Save as a figure"), fuzzy_match("fig", "File: Gallery"))
      << "letters that follow each other are no worse than beginnings of words";
  EXPECT_GT(fuzzy_match("reset v", "Look: Reset views"), 0);
  EXPECT_EQ(fuzzy_match(" views  reset ", "Look: Reset views"),
            fuzzy_match("reset views", "Look: Reset views"))
      << "words in any order";
  EXPECT_EQ(fuzzy_match("views x", "Look: Reset views"), -1);
}

TEST(Numbers, NanAndInfinityHaveTheirOwnText) {
  EXPECT_EQ(number_text(std::nan("")), "n/a");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "\u221E");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(1234.5678, 5), "1234.6");
  EXPECT_EQ(number_text(-0.5, 2), "\u22120.50");
  EXPECT_EQ(number_text(0.999999, 4), "1.000") << "as 1.0, which has as many digits";
  EXPECT_EQ(number_text(9.9996, 4), "10.00");
  EXPECT_EQ(number_text(9.9994, 4), "9.999") << "control";
}

TEST(Numbers, ZoomKeepsThePlaceUnderTheCursor) {
  const PlaneRect rect{-100, -50, 100, 150};
  const PlaneRect zoomed_rect = zoomed(rect, 20, 30, 0.5);
  EXPECT_DOUBLE_EQ((20 - rect.top) / rect.height(), (20 - zoomed_rect.top) / zoomed_rect.height());
  EXPECT_DOUBLE_EQ((30 - rect.left) / rect.width(), (30 - zoomed_rect.left) / zoomed_rect.width());
  EXPECT_DOUBLE_EQ(zoomed_rect.width(), rect.width() / 2);
}

TEST(Numbers, AViewStaysInsideThePlaneAndIsNeverAPoint) {
  const PlaneRect full{-50.5, -50.5, 49.5, 49.5};
  EXPECT_EQ(limited({-300, -300, 300, 300}, full), full);
  const PlaneRect tiny = limited({3, 3, 3.001, 3.001}, full);
  EXPECT_DOUBLE_EQ(tiny.width(), 2);
  EXPECT_DOUBLE_EQ(tiny.height(), 2);
  const PlaneRect away = limited({1000, 0, 1010, 10}, full);
  EXPECT_LE((away.top + away.bottom) / 2, full.bottom);
  const PlaneRect one{0, 0, 1, 1};
  EXPECT_EQ(limited(one, one), one) << "a plane of one coefficient";
}

TEST(Numbers, TicksAreRoundWholeAndInside) {
  const auto ticks = round_ticks(-9896.5, 9896.5, 4);
  ASSERT_GE(ticks.size(), 3U);
  for (const double tick : ticks) {
    EXPECT_GE(tick, -9896.5);
    EXPECT_LE(tick, 9896.5);
    EXPECT_EQ(std::fmod(tick, 5000), 0);
  }
  for (const double tick : round_ticks(0.2, 3.9, 40)) EXPECT_EQ(tick, std::floor(tick));
  EXPECT_TRUE(round_ticks(1, 1, 4).empty());
}

TEST(Gallery, ShowsEachKindWithItsSpectrum) {
  std::size_t by_value = 0;
  for (const GeneratorInfo& info : generators()) {
    SCOPED_TRACE(info.kind);
    const GallerySketch& sketch = gallery_sketch(info.example);
    ASSERT_GE(sketch.side, 16);
    ASSERT_LE(sketch.side, 40);
    const auto side = static_cast<std::size_t>(sketch.side);
    const std::size_t cells = side * side;
    ASSERT_EQ(sketch.matrix.size(), cells);
    ASSERT_EQ(sketch.spectrum.size(), cells);
    EXPECT_GE(std::ranges::count_if(sketch.matrix, [](float value) { return value != 0; }), sketch.side);
    EXPECT_EQ(std::ranges::max(sketch.spectrum), 1);
    EXPECT_GE(std::ranges::min(sketch.spectrum), 0);
    // No coefficient of a pattern is larger than F[0, 0], in the middle; of a Laplacian by value it is small.
    const std::size_t middle = side / 2 * (side + 1);
    if (sketch.weights == Weights::pattern) {
      EXPECT_EQ(sketch.spectrum[middle], 1);
      continue;
    }
    ++by_value;
    if (info.kind.starts_with("laplacian")) {
      EXPECT_LT(sketch.spectrum[middle], 0.9);
    }
  }
  EXPECT_EQ(by_value, 6U);
  EXPECT_EQ(gallery_sketch("/tmp/a.mtx").side, 0);
}

}  // namespace
}  // namespace spyctrum::panels
