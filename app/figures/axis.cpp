// SPDX-License-Identifier: Apache-2.0
// Ticks at powers of ten, or at 1, 2 or 5 times a power of ten.
#include "app/figures/axis.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"

namespace spyctrum {

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
        list.emplace_back(value,
                          with_true_minus(plain ? number_text(value, 6)
                                                : number_text(factor, 1) + "e" + std::to_string(power)));
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
    list.emplace_back(static_cast<double>(k) * step,
                      with_true_minus(number_text(static_cast<double>(k) * step, 6)));
  return list;
}

}  // namespace spyctrum
