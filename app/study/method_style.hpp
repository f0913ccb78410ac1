// SPDX-License-Identifier: Apache-2.0
// How each method is drawn: one table for the window, the figures of a study and those of the comparison.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace spyctrum {

/// Methods differ by colour and mark, in black and white by mark and dash. The colours are those of Okabe and
/// Ito (Color Universal Design, 2008), which colour-blind readers tell apart, and darker ones of Tol
/// (SRON/EPS/TN/09-002, 2021).
enum class Mark { circle, square, diamond, up, down, left, right, cross, plus, asterisk };
struct MethodStyle {
  std::uint32_t color = 0;  ///< 0xRRGGBB, for white paper
  Mark mark = Mark::circle;
  std::array<double, 2> dash{};  ///< lengths of stroke and gap in line widths; 0: solid
};
[[nodiscard]] MethodStyle method_style(const std::string& method);

}  // namespace spyctrum
