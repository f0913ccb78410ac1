// SPDX-License-Identifier: Apache-2.0
// A histogram with two handles that select a range of its values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spyctrum::panels {

struct RangeHistogram {
  std::vector<double> heights;           ///< of bars of equal width from `low` to `high`, in any unit
  double low = 0, high = 1;              ///< where the first bar begins and the last one ends
  double shown_low = 0, shown_high = 1;  ///< values at the left and right edges of the widget
  double range_low = 0, range_high = 1;  ///< values at the handles
  std::string left, middle, right;       ///< captions below the bars
};

struct DraggedHandle {
  std::uint32_t handle = 0;  ///< 0: the handle of range_low, 1: that of range_high
  double value = 0;          ///< the value under the mouse
};

/// Draws the histogram over the remaining width, as ImGui item `id`. Returns the handle that is being
/// dragged, if any; `dragged` keeps its index from frame to frame. Without bars only the frame and the
/// captions are drawn.
std::optional<DraggedHandle> range_histogram(const char* id, const RangeHistogram& histogram,
                                             std::optional<std::uint32_t>& dragged);

}  // namespace spyctrum::panels
