// SPDX-License-Identifier: Apache-2.0
// Rectangles of a plane under pan, zoom and ticks.
#include "app/panels/widgets/view_math.hpp"

#include <algorithm>
#include <cmath>

namespace spyctrum::panels {
namespace {

constexpr double kLeastSide = 2;

/// Widens [low, high) about its middle to the smallest allowed side and moves its middle into the full range.
void limit_axis(double& low, double& high, double full_low, double full_high) {
  const double side = std::max(high - low, std::min(kLeastSide, full_high - full_low));
  const double middle = std::clamp((low + high) / 2, full_low, full_high);
  low = middle - side / 2;
  high = middle + side / 2;
}

}  // namespace

PlaneRect shifted(const PlaneRect& rect, double rows, double cols) {
  return {rect.top + rows, rect.left + cols, rect.bottom + rows, rect.right + cols};
}

PlaneRect zoomed(const PlaneRect& rect, double row, double col, double factor) {
  return {row + (rect.top - row) * factor, col + (rect.left - col) * factor,
          row + (rect.bottom - row) * factor, col + (rect.right - col) * factor};
}

PlaneRect limited(const PlaneRect& rect, const PlaneRect& full) {
  if (rect.height() >= full.height() && rect.width() >= full.width()) return full;
  PlaneRect result = rect;
  limit_axis(result.top, result.bottom, full.top, full.bottom);
  limit_axis(result.left, result.right, full.left, full.right);
  return result;
}

PlaneRect between(double row0, double col0, double row1, double col1) {
  return {std::min(row0, row1), std::min(col0, col1), std::max(row0, row1), std::max(col0, col1)};
}

double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * 0.999) return factor * power;
  return 10 * power;
}

std::vector<double> round_ticks(double low, double high, int target_count, double least_step) {
  if (!(high > low) || target_count < 1) return {};
  const double step = std::max(round_step((high - low) / target_count), least_step);
  std::vector<double> ticks;
  const double first = std::ceil(low / step);
  const auto count = static_cast<std::size_t>(std::max(0.0, std::floor(high / step) - first + 1));
  ticks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) ticks.push_back((first + static_cast<double>(i)) * step);
  return ticks;
}

}  // namespace spyctrum::panels
