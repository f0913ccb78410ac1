// SPDX-License-Identifier: Apache-2.0
// Finds the parts of the screen that a frame changes, and draws these alone. The time of a software renderer
// is proportional to the pixels that it draws: tens of milliseconds for a screen of 1920 × 1080, a few for
// one picture and some numbers.
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

/// Draws `data` in `parts` alone: pixels inside `parts` become what drawing all of `data` would make of them,
/// pixels outside are not changed. First `clear` is called with the rectangles that no opaque triangle
/// covers, then `draw` with the triangles that are visible in `parts`, clipped to `parts`. Requires
/// can_draw_parts(data).
void draw_within(ImDrawData& data, const std::vector<render::PixelRect>& parts,
                 const std::function<void(const std::vector<render::PixelRect>&)>& clear,
                 const std::function<void(ImDrawData*)>& draw);
/// Whether draw_within() can draw `data`: a unit of its coordinates is one pixel, and its callbacks, if any,
/// only choose a sampler.
[[nodiscard]] bool can_draw_parts(const ImDrawData& data);

}  // namespace spyctrum
