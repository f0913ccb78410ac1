// SPDX-License-Identifier: Apache-2.0
// Ticks at powers of ten, or at 1, 2 or 5 times a power of ten.
#include "app/study/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/base/text.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

/// "10⁻⁵", "2.5·10³", "−10²": the number `factor`·10^power.
std::string power_text(const std::string& factor, int power) {
  static constexpr std::array<std::string_view, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = factor == "1" ? "10" : factor == "-1" ? "−10" : with_true_minus(factor) + "·10";
  for (const char& letter : std::to_string(power))
    text += letter == '-' ? "⁻" : kDigits.at(static_cast<std::size_t>(letter - '0'));
  return text;
}

/// The exponent of the first digit of `value`, which rounding may have put a little below.
int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9)); }

/// A multiple of `step` on an axis of values up to `greatest`, with all digits that tell it from the next
/// one: "−2,000", "0.25", "1.5·10⁹".
std::string even_text(double value, double step, double greatest) {
  constexpr double kLeastPlain = 1e-4, kMostPlain = 1e7;
  constexpr int kManyDigits = 5;
  if (value == 0) return "0";
  const int digits = std::max(1, exponent_of(value) - exponent_of(step) + 1);
  const bool has_many_digits = exponent_of(greatest) - exponent_of(step) >= kManyDigits;
  if (!has_many_digits && (greatest >= kMostPlain || step < kLeastPlain)) {
    const int power = exponent_of(value);
    return power_text(number_text(value / std::pow(10, power), digits), power);
  }
  if (exponent_of(step) < 0) return with_true_minus(number_text(value, digits));
  return (value < 0 ? "−" : "") + grouped(static_cast<std::uint64_t>(std::llround(std::abs(value))));
}

}  // namespace

double PlotAxis::scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }

void PlotAxis::add(double value) {
  const double place = scaled(value);
  low_ = empty_ ? place : std::min(low_, place);
  high_ = empty_ ? place : std::max(high_, place);
  empty_ = false;
}

void PlotAxis::place(double from, double to, Margin kind) {
  const double margin = kind == Margin::none ? 0 : std::max(logarithmic_ ? 0.1 : 0.01, 0.04 * (high_ - low_));
  low_ -= margin;
  high_ += margin;
  from_ = from;
  to_ = to;
}

double PlotAxis::at(double value) const {
  return from_ + (scaled(value) - low_) / (high_ - low_) * (to_ - from_);
}

std::vector<std::pair<double, std::string>> PlotAxis::ticks(std::size_t most) const {
  constexpr double kFewDecades = 1, kManyDecades = 3;
  const double span = high_ - low_;
  std::vector<std::pair<double, std::string>> list;
  if (logarithmic_ && span >= kFewDecades) {
    const bool plain = low_ >= -3 && high_ < 5;  // otherwise all numbers have an exponent
    for (int power = static_cast<int>(std::floor(low_)); power <= high_; ++power)
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = factor * std::pow(10, power);
        const double place = std::log10(value);
        if (place < low_ || place > high_ || (factor != 1 && span > kManyDecades)) continue;
        list.emplace_back(value, !plain      ? power_text(number_text(factor, 1), power)
                                 : power < 0 ? number_text(value, 1)
                                             : grouped(static_cast<std::uint64_t>(std::llround(value))));
      }
    return list;
  }
  const double least = logarithmic_ ? std::pow(10, low_) : low_;
  const double greatest = logarithmic_ ? std::pow(10, high_) : high_;
  if (!(greatest > least)) return {{least, with_true_minus(number_text(least, 3))}};
  // The smallest of 1, 2 and 5 times a power of ten that is not too small.
  double step = std::pow(10, std::floor(std::log10((greatest - least) / static_cast<double>(most))));
  for (const double factor : {2.0, 2.5, 2.0})
    if ((greatest - least) / step > static_cast<double>(most)) step *= factor;
  const auto first = std::llround(std::ceil(least / step));
  const auto last = std::llround(std::floor(greatest / step));
  for (long long k = first; k <= last; ++k)
    list.emplace_back(
        static_cast<double>(k) * step,
        even_text(static_cast<double>(k) * step, step, std::max(std::abs(least), std::abs(greatest))));
  return list;
}

}  // namespace spyctrum
