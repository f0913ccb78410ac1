// SPDX-License-Identifier: Apache-2.0
// Which parts of the screen a frame changes, and the drawing of those alone. A software renderer takes time
// for every pixel that it draws: all of 1920 × 1080 tens of milliseconds, a picture and some numbers a few.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "render/context.hpp"

namespace spyctrum {

/// The screen in squares, each with a hash of all triangles that touch it: their corners, clip rectangle and
/// texture, in the order in which they are drawn. Squares with equal hashes have equal pixels.
class ChangedParts {
 public:
  /// The parts of the screen in which `data` differs from that of the last call, as disjoint rectangles: the
  /// whole screen at the first call, after forget() and for another size; none if nothing changed.
  [[nodiscard]] std::vector<render::PixelRect> compare(const ImDrawData& data);
  /// To be called when the content of the screen is no longer known.
  void forget() { hashes_.clear(); }

 private:
  render::PixelRect screen_;
  std::vector<std::uint64_t> hashes_;
};

/// Calls `clear` with rectangles that nothing opaque covers, then `draw` with `data` reduced to the triangles
/// that are seen in `parts`, clipped to these; the pixels inside become those that all of `data` gives. Only
/// for data without callbacks, but for those that choose a sampler, and with one pixel for each unit of
/// coordinates.
void draw_within(ImDrawData& data, const std::vector<render::PixelRect>& parts,
                 const std::function<void(const std::vector<render::PixelRect>&)>& clear,
                 const std::function<void(ImDrawData*)>& draw);
/// Whether draw_within() can be used.
[[nodiscard]] bool can_draw_parts(const ImDrawData& data);

}  // namespace spyctrum
