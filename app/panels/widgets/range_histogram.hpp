// SPDX-License-Identifier: Apache-2.0
// A histogram with two handles that choose a range of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spyctrum::panels {

struct RangeHistogram {
  std::vector<double> heights;           ///< of bars of equal width from `low` to `high`, in any unit
  double low = 0, high = 1;              ///< ends of the first and the last bar
  double shown_low = 0, shown_high = 1;  ///< the part that fills the width
  double range_low = 0, range_high = 1;  ///< where the handles are
  std::string left, middle, right;       ///< text below
};

struct DraggedHandle {
  std::uint32_t handle = 0;  ///< 0: that of range_low, 1: that of range_high
  double value = 0;          ///< where the mouse is
};

/// Draws it over the width that is left, as the item `id`; `dragged` remembers the handle between frames.
/// Returns a handle while it is moved. Without bars only the frame is drawn.
std::optional<DraggedHandle> range_histogram(const char* id, const RangeHistogram& histogram,
                                             std::optional<std::uint32_t>& dragged);

}  // namespace spyctrum::panels
