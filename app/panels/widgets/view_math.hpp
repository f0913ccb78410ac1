// SPDX-License-Identifier: Apache-2.0
// Rectangles of a plane under pan, zoom and ticks, and places of labels. Pure functions, no widget.
#pragma once

#include <vector>

#include "core/pictures/view.hpp"

namespace spyctrum::panels {

[[nodiscard]] PlaneRect shifted(const PlaneRect& rect, double rows, double cols);
/// Scaled by `factor` about (row, col), which keeps its place.
[[nodiscard]] PlaneRect zoomed(const PlaneRect& rect, double row, double col, double factor);
/// The nearest allowed view: its centre lies inside `full`, its sides are at least two units; `full` itself
/// where `rect` is larger on both axes.
[[nodiscard]] PlaneRect limited(const PlaneRect& rect, const PlaneRect& full);
/// The rectangle between two opposite corners, in any order.
[[nodiscard]] PlaneRect between(double row0, double col0, double row1, double col1);

/// `value` between `low` and `high`; `low` where a panel has so little room that high < low.
[[nodiscard]] inline float placed_within(float value, float low, float high) {
  return value < low || high < low ? low : value > high ? high : value;
}

/// Round numbers inside [low, high], about `wanted` of them, multiples of 1, 2 or 5 times a power of
/// ten, at least `least_step` apart: entries and coefficients are counted in ones.
[[nodiscard]] std::vector<double> round_ticks(double low, double high, int wanted, double least_step = 1);

}  // namespace spyctrum::panels
