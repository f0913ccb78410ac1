// SPDX-License-Identifier: Apache-2.0
// The table of styles, and the shapes of the marks.
#include "app/study/method_style.hpp"

#include <algorithm>
#include <limits>

#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

constexpr std::array kStyles{
    MethodStyle{0x009E73, Mark::circle, {}},       MethodStyle{0x0072B2, Mark::square, {}},
    MethodStyle{0xCC79A7, Mark::diamond, {}},      MethodStyle{0x117733, Mark::cross, {4, 2}},
    MethodStyle{0x666666, Mark::up, {4, 2}},       MethodStyle{0x999933, Mark::plus, {4, 2}},
    MethodStyle{0x56B4E9, Mark::down, {4, 2}},     MethodStyle{0xE69F00, Mark::left, {1, 1.5}},
    MethodStyle{0xD55E00, Mark::right, {1, 1.5}},  MethodStyle{0x882255, Mark::asterisk, {1, 1.5}},
    MethodStyle{0x332288, Mark::circle, {1, 1.5}}, MethodStyle{0x44AA99, Mark::square, {1, 1.5}}};

/// The place of a method's style in kStyles.
std::size_t style_place(const std::string& method) {
  const auto found =
      std::ranges::find_if(methods(), [&](const auto& one) { return one->info().id == method; });
  return static_cast<std::size_t>(found - methods().begin()) % kStyles.size();
}

/// The square of the distance of two colours 0xRRGGBB.
int distance(std::uint32_t a, std::uint32_t b) {
  int sum = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const int difference = static_cast<int>(a >> shift & 0xFFU) - static_cast<int>(b >> shift & 0xFFU);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

MethodStyle method_style(const std::string& method) { return kStyles[style_place(method)]; }

std::vector<MethodStyle> column_styles(std::span<const std::string> of_columns) {
  std::vector<std::size_t> taken(of_columns.size());  // first the methods' own, by column
  std::ranges::transform(of_columns, taken.begin(), style_place);
  // The distance of a style's colour from the nearest colour taken; 0 for taken styles.
  const auto room = [&](std::size_t place) {
    int least = std::numeric_limits<int>::max();
    for (const std::size_t other : taken)
      least = std::min(least, distance(kStyles[place].color, kStyles[other].color));
    return least;
  };
  std::vector<MethodStyle> styles;
  for (std::size_t k = 0; k < of_columns.size(); ++k) {
    std::size_t chosen = taken[k];
    const auto own = taken.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::find(taken.begin(), own, chosen) != own) {
      for (std::size_t place = 0; place < kStyles.size(); ++place)
        if (room(place) > room(chosen)) chosen = place;
      taken.push_back(chosen);
    }
    styles.push_back(kStyles[chosen]);
  }
  return styles;
}

std::vector<std::pair<double, double>> corners_of(Mark mark) {
  constexpr double s = 0.85, t = 1.1;
  switch (mark) {
    case Mark::square:
      return {{-s, -s}, {s, -s}, {s, s}, {-s, s}};
    case Mark::diamond:
      return {{0, -t}, {t, 0}, {0, t}, {-t, 0}};
    case Mark::up:
      return {{0, -t}, {t, s}, {-t, s}};
    case Mark::down:
      return {{0, t}, {t, -s}, {-t, -s}};
    case Mark::left:
      return {{-t, 0}, {s, -t}, {s, t}};
    case Mark::right:
      return {{t, 0}, {-s, -t}, {-s, t}};
    case Mark::circle:
    case Mark::cross:
    case Mark::plus:
    case Mark::asterisk:
      break;
  }
  return {};
}

std::vector<int> strokes_of(Mark mark) {
  if (mark == Mark::cross) return {1, 3};
  if (mark == Mark::plus) return {0, 2};
  if (mark == Mark::asterisk) return {0, 1, 2, 3};
  return {};
}

}  // namespace spyctrum
