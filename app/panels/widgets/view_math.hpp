// SPDX-License-Identifier: Apache-2.0
// Rectangles of a plane under pan, zoom and ticks, and places of labels. Pure functions, no widget.
#pragma once

#include <vector>

#include "core/pictures/view.hpp"

namespace spyctrum::panels {

[[nodiscard]] PlaneRect shifted(const PlaneRect& rect, double rows, double cols);
/// `rect` scaled by `factor` about the fixed point (row, col).
[[nodiscard]] PlaneRect zoomed(const PlaneRect& rect, double row, double col, double factor);
/// The nearest allowed view: its centre lies inside `full` and its sides are at least two units; `full`
/// itself if `rect` is larger on both axes.
[[nodiscard]] PlaneRect limited(const PlaneRect& rect, const PlaneRect& full);
/// The rectangle between two opposite corners, in any order.
[[nodiscard]] PlaneRect between(double row0, double col0, double row1, double col1);

/// `value` clamped to low … high; `low` if high < low, as in a panel with very little room.
[[nodiscard]] inline float placed_within(float value, float low, float high) {
  return value < low || high < low ? low : value > high ? high : value;
}

/// 1, 2 or 5 times a power of ten: the smallest that is not below `least` > 0, but for rounding.
[[nodiscard]] double round_step(double least);
/// About `target_count` ticks in [low, high]: multiples of 1, 2 or 5 times a power of ten, at least
/// `least_step` apart (1 for positions of entries and coefficients).
[[nodiscard]] std::vector<double> round_ticks(double low, double high, int target_count,
                                              double least_step = 1);

}  // namespace spyctrum::panels
