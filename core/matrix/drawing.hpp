// SPDX-License-Identifier: Apache-2.0
// Small matrices that are drawn by hand, as text and back: gen:drawing:ROWSxCOLS:CELLS is allowed wherever a
// generated matrix is. CELLS is the run-length code of cellular automata (Golly's "Life RLE"): row by row, b
// an empty position, o a stored one, a number before either repeats it, $ ends a row (2$: two rows); missing
// positions are empty. gen:drawing:3x3:o$bo$2bo is the main diagonal.
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
/// Reads a drawing. Errors: wrong_use if the text is not a drawing, naming the wrong character, or if a side
/// is above kLargestDrawing.
[[nodiscard]] Result<Drawing> parse_drawing(std::string_view text);
/// The shortest text from which parse_drawing() makes `drawing`.
[[nodiscard]] std::string drawing_text(const Drawing& drawing);

/// One stroke of a pencil. Positions outside of the drawing are left out.
struct Stroke {
  enum class Tool {
    point,     ///< the positions of the straight line from `from` to `to`, one per pointer movement
    line,      ///< the same, one per stroke
    diagonal,  ///< the whole diagonal through `to`
    block,     ///< all positions of the rectangle between `from` and `to`
    stamp,     ///< `to`, and every `period` rows and columns from it
  };
  struct Place {
    std::int64_t row = 0, col = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  Tool tool = Tool::point;
  Place from, to;
  std::int64_t period = 8;
  bool erases = false;
  bool mirrors = false;  ///< also sets (j, i)
  friend bool operator==(const Stroke&, const Stroke&) = default;
};
/// Sets (or erases) the positions of the stroke.
void apply(const Stroke& stroke, Drawing& drawing);

/// The stored positions as a matrix named "drawing ROWS × COLS".
[[nodiscard]] Matrix matrix_of(const Drawing& drawing);

}  // namespace spyctrum
