// SPDX-License-Identifier: Apache-2.0
// The words about a running job, at given times.
#include "app/cli/progress_line.hpp"

#include <gtest/gtest.h>

namespace spyctrum::cli {
namespace {

constexpr std::uint64_t kRows = 1'000'000;

TEST(ProgressLine, OfALongStageInAFileSaysHowMuchTimeIsLeftAtGrowingIntervals) {
  ProgressLine line("Exact", false);
  EXPECT_EQ(line.text({"build", 0, kRows}, 0), "Exact: build\n");
  EXPECT_EQ(line.text({"rows", 0, kRows}, 2), "Exact: rows\n");
  EXPECT_EQ(line.text({"rows", 500, kRows}, 11), "");
  EXPECT_EQ(line.text({"rows", 1000, kRows}, 12), "Exact: rows 0.1 %, about 2 h 46 min left\n");
  EXPECT_EQ(line.text({"rows", 2000, kRows}, 22), "") << "the next one comes after 20 seconds";
  EXPECT_EQ(line.text({"rows", 3000, kRows}, 32), "Exact: rows 0.3 %, about 2 h 46 min left\n");
  int lines = 0;
  for (int second = 33; second <= 32 + 36000; ++second)
    lines += line.text({"rows", 3000, kRows}, second).empty() ? 0 : 1;
  EXPECT_GE(lines, 60);
  EXPECT_LE(lines, 64) << "later on one each ten minutes";
}

TEST(ProgressLine, OfShortStagesInAFileNamesEachOnce) {
  ProgressLine line("Elastic", false);
  EXPECT_EQ(line.text({"", 0, 0}, 0), "");
  EXPECT_EQ(line.text({"lattice", 1, 10}, 0), "Elastic: lattice\n");
  EXPECT_EQ(line.text({"lattice", 9, 10}, 5), "");
  EXPECT_EQ(line.text({"decode", 0, 10}, 6), "Elastic: decode\n");
}

TEST(ProgressLine, CountsOnlyTheStepsOfThisRunWhereAStateIsResumed) {
  ProgressLine line("Exact", false);
  (void)line.text({"rows", 900'000, kRows}, 0);
  EXPECT_EQ(line.text({"rows", 910'000, kRows}, 10), "Exact: rows 91 %, about 90 s left\n");
}

TEST(ProgressLine, OnATerminalIsRewritten) {
  ProgressLine line("Exact", true);
  EXPECT_EQ(line.text({"rows", 0, kRows}, 0), "\r\033[KExact: rows 0 %");
  EXPECT_EQ(line.text({"rows", 4200, kRows}, 1), "\r\033[KExact: rows 0 %");
  EXPECT_EQ(line.text({"rows", kRows / 2, kRows}, 20), "\r\033[KExact: rows 50 %, about 20 s left");
}

}  // namespace
}  // namespace spyctrum::cli
