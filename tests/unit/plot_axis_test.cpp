// SPDX-License-Identifier: Apache-2.0
// The ticks of a figure's axes are round numbers inside of the axis, neither too few to read it nor too many.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "app/study/axis.hpp"

namespace spyctrum {
namespace {

/// A tick's text as std::stod() reads it: "−2,000" → "-2000", "2·10⁻⁵" → "2e-5", "10³" → "1e3".
std::string ascii_of(std::string text) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  const std::vector<std::string> raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁻"};
  for (std::size_t k = 0; k < raised.size(); ++k) {
    const std::string digit = k < 10 ? std::to_string(k) : "-";
    replace("·10" + raised[k], "e" + digit);
    replace("10" + raised[k], "1e" + digit);
  }
  for (std::size_t k = 0; k < raised.size(); ++k) replace(raised[k], std::to_string(k));
  replace("−", "-");
  replace(",", "");
  return text;
}

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
            ticks, [](const auto& tick) { return ascii_of(tick.second).find('e') != std::string::npos; });
        if (logarithmic && ratio > 10) {
          EXPECT_TRUE(with_exponent == 0 || with_exponent == std::ssize(ticks)) << "two notations";
        }
        for (const auto& [value, text] : ticks) {
          EXPECT_GE(axis.at(value), -1e-9);
          EXPECT_LE(axis.at(value), 1 + 1e-9);
          EXPECT_NEAR(std::stod(ascii_of(text)), value, 1e-5 * value) << text;
        }
      }
}

TEST(PlotAxisTest, NumbersAreWrittenForReaders) {
  const auto texts_of = [](const PlotAxis& axis) {
    std::vector<std::string> texts;
    for (const auto& [value, text] : axis.ticks(5)) texts.push_back(text);
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts_of(axis_of(true, 0.5, 2e6)), (Texts{"10⁰", "10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"}));
  EXPECT_EQ(texts_of(axis_of(true, 1.5e-5, 2.1e-4)), (Texts{"2·10⁻⁵", "5·10⁻⁵", "10⁻⁴", "2·10⁻⁴"}));
  EXPECT_EQ(texts_of(axis_of(true, 0.5, 2000)), (Texts{"1", "10", "100", "1,000"}));
  EXPECT_EQ(texts_of(axis_of(false, -2000, 2000)), (Texts{"−2,000", "−1,000", "0", "1,000", "2,000"}));
  EXPECT_EQ(texts_of(axis_of(false, 0, 3e9)), (Texts{"0", "10⁹", "2·10⁹", "3·10⁹"}));
  EXPECT_EQ(texts_of(axis_of(false, 9'000'001, 9'000'004)),
            (Texts{"9,000,001", "9,000,002", "9,000,003", "9,000,004"}))
      << "indices differ in their last digit";
}

TEST(PlotAxisTest, AnAxisOfOneValueHasOneTick) {
  EXPECT_EQ(axis_of(false, 3, 3).ticks().size(), 1U);
  EXPECT_EQ(axis_of(true, 3, 3).ticks().size(), 1U);
}

}  // namespace
}  // namespace spyctrum
