// SPDX-License-Identifier: Apache-2.0
// Small matrices that are drawn by hand, as text and back: gen:drawing:ROWSxCOLS:CELLS may stand wherever a
// generated matrix may. CELLS is the run-length code of cellular automata (Golly's "Life RLE"): row by row, b
// an empty position, o a stored one, a number before either repeats it, $ ends a row (2$: two rows), and what
// is missing is empty. gen:drawing:3x3:o$bo$2bo is the main diagonal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Rows and columns of a drawing, at most.
inline constexpr std::uint32_t kLargestDrawing = 128;

struct Drawing {
  std::uint32_t rows = 0, cols = 0;
  std::vector<std::uint8_t> stored;  ///< rows·cols, row by row; 1: an entry

  Drawing() = default;
  Drawing(std::uint32_t rows_, std::uint32_t cols_)
      : rows(rows_), cols(cols_), stored(std::size_t{rows_} * cols_, 0) {}
  [[nodiscard]] std::uint8_t& at(std::uint32_t row, std::uint32_t col) {
    return stored[std::size_t{row} * cols + col];
  }
  [[nodiscard]] std::uint8_t at(std::uint32_t row, std::uint32_t col) const {
    return stored[std::size_t{row} * cols + col];
  }
  friend bool operator==(const Drawing&, const Drawing&) = default;
};

/// Whether the text begins with "gen:drawing:".
[[nodiscard]] bool is_drawing_text(std::string_view text);
/// Errors: wrong_use, naming the character, where the text is no drawing or larger than kLargestDrawing.
[[nodiscard]] Result<Drawing> parse_drawing(std::string_view text);
/// The shortest such text of a drawing; parse_drawing() of it is the drawing.
[[nodiscard]] std::string drawing_text(const Drawing& drawing);

/// One gesture of a pencil. Positions may lie outside of the drawing; what is outside is left out.
struct Stroke {
  enum class Tool {
    point,     ///< the points from `from` to `to`
    line,      ///< the same, of a straight line
    diagonal,  ///< the whole diagonal through `to`
    block,     ///< all points of the rectangle between both
    stamp,     ///< the point `to`, and every `period` rows and columns from it
  };
  struct Place {
    std::int64_t row = 0, col = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  Tool tool = Tool::point;
  Place from, to;
  std::int64_t period = 8;
  bool erases = false;
  bool mirrors = false;  ///< also at (j, i)
  friend bool operator==(const Stroke&, const Stroke&) = default;
};
void apply(const Stroke& stroke, Drawing& drawing);

/// The stored positions as a matrix named "drawing ROWS × COLS".
[[nodiscard]] Matrix matrix_of(const Drawing& drawing);

}  // namespace spyctrum
