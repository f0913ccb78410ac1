// SPDX-License-Identifier: Apache-2.0
// The table of styles, and the shapes of the marks.
#include "app/study/method_style.hpp"

#include <algorithm>

#include "core/methods/method.hpp"

namespace spyctrum {

MethodStyle method_style(const std::string& method) {
  static constexpr std::array kStyles{
      MethodStyle{0x009E73, Mark::circle, {}},       MethodStyle{0x0072B2, Mark::square, {}},
      MethodStyle{0xCC79A7, Mark::diamond, {}},      MethodStyle{0x117733, Mark::cross, {4, 2}},
      MethodStyle{0x666666, Mark::up, {4, 2}},       MethodStyle{0x999933, Mark::plus, {4, 2}},
      MethodStyle{0x56B4E9, Mark::down, {4, 2}},     MethodStyle{0xE69F00, Mark::left, {1, 1.5}},
      MethodStyle{0xD55E00, Mark::right, {1, 1.5}},  MethodStyle{0x882255, Mark::asterisk, {1, 1.5}},
      MethodStyle{0x332288, Mark::circle, {1, 1.5}}, MethodStyle{0x44AA99, Mark::square, {1, 1.5}}};
  const auto found =
      std::ranges::find_if(methods(), [&](const auto& one) { return one->info().id == method; });
  return kStyles[static_cast<std::size_t>(found - methods().begin()) % kStyles.size()];
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
    default:
      return {};
  }
}

std::vector<int> strokes_of(Mark mark) {
  if (mark == Mark::cross) return {1, 3};
  if (mark == Mark::plus) return {0, 2};
  if (mark == Mark::asterisk) return {0, 1, 2, 3};
  return {};
}

}  // namespace spyctrum
