// SPDX-License-Identifier: Apache-2.0
// The ticks of a figure's axes are round numbers inside of the axis, neither too few to read it nor too many.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "app/figures/axis.hpp"

namespace spyctrum {
namespace {

PlotAxis axis_of(bool logarithmic, double low, double high) {
  PlotAxis axis(logarithmic);
  axis.add(low);
  axis.add(high);
  axis.place(0, 1, PlotAxis::Margin::none);
  return axis;
}

TEST(PlotAxisTest, TicksAreFewAndInsideOfTheAxis) {
  for (const bool logarithmic : {false, true})
    for (double low : {1e-9, 0.03, 1.0, 7.7e4, 1e12})
      for (const double ratio : {1.001, 1.9, 4.0, 12.0, 900.0, 1e5, 1e9}) {
        const PlotAxis axis = axis_of(logarithmic, low, low * ratio);
        const auto ticks = axis.ticks();
        EXPECT_GE(ticks.size(), 2U) << low << " × " << ratio << (logarithmic ? ", logarithmic" : "");
        EXPECT_LE(ticks.size(), 11U) << low << " × " << ratio << (logarithmic ? ", logarithmic" : "");
        const auto with_exponent = std::ranges::count_if(
            ticks, [](const auto& tick) { return tick.second.find('e') != std::string::npos; });
        if (logarithmic && ratio > 10) {
          EXPECT_TRUE(with_exponent == 0 || with_exponent == std::ssize(ticks)) << "two notations";
        }
        for (const auto& [value, text] : ticks) {
          EXPECT_GE(axis.at(value), -1e-9);
          EXPECT_LE(axis.at(value), 1 + 1e-9);
          std::string ascii = text;
          if (const auto minus = ascii.find("−"); minus != std::string::npos) ascii.replace(minus, 3, "-");
          EXPECT_NEAR(std::stod(ascii), value, 1e-5 * value) << text;
        }
      }
}

TEST(PlotAxisTest, AnAxisOfOneValueHasOneTick) {
  EXPECT_EQ(axis_of(false, 3, 3).ticks().size(), 1U);
  EXPECT_EQ(axis_of(true, 3, 3).ticks().size(), 1U);
}

}  // namespace
}  // namespace spyctrum
