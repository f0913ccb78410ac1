// SPDX-License-Identifier: Apache-2.0
// How each method is drawn: one table for the window, the figures of a study and those of the comparison.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spyctrum {

/// Methods differ by colour and mark; in black and white by mark and dash. The colours are those of Okabe and
/// Ito (Color Universal Design, 2008), which colour-blind readers can distinguish, and darker ones of Tol
/// (SRON/EPS/TN/09-002, 2021).
enum class Mark { circle, square, diamond, up, down, left, right, cross, plus, asterisk };
struct MethodStyle {
  std::uint32_t color = 0;  ///< 0xRRGGBB, for white paper
  Mark mark = Mark::circle;
  std::array<double, 2> dash{};  ///< lengths of stroke and gap in line widths; 0: solid
};
[[nodiscard]] MethodStyle method_style(const std::string& method);
/// The styles of columns with these methods: the first column of a method has the method's; each further one
/// the style, of those that no column has yet, whose colour differs most from theirs. Columns beyond the
/// table's length have their method's.
[[nodiscard]] std::vector<MethodStyle> column_styles(std::span<const std::string> of_columns);

/// The corners of a filled mark of radius 1; empty for marks made of strokes, and for the circle.
[[nodiscard]] std::vector<std::pair<double, double>> corners_of(Mark mark);
/// The angles, in eighths of a turn, of the strokes through the centre of a mark made of strokes.
[[nodiscard]] std::vector<int> strokes_of(Mark mark);

}  // namespace spyctrum
