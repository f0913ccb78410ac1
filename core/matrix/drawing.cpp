// SPDX-License-Identifier: Apache-2.0
// Reads and writes the run-length code of drawings, and applies strokes.
#include "core/matrix/drawing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>

namespace spyctrum {

namespace {

constexpr std::string_view kDrawingPrefix = "gen:drawing:";

/// Removes a number from the front of `text` and returns it, kLargestDrawing + 1 in place of one that does
/// not fit 32 bits, or `otherwise` if there is none.
std::uint32_t take_number(std::string_view& text, std::uint32_t otherwise) {
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ptr == text.data()) return otherwise;
  if (read.ec != std::errc{}) number = kLargestDrawing + 1;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

std::string short_text(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return std::string(text.substr(0, kMost)) + (text.size() > kMost ? "…" : "");
}

[[noreturn]] void refuse(std::string_view text, const std::string& what) {
  throw Failure(ErrorCode::wrong_use, short_text(text) + ": " + what,
                "A drawing is gen:drawing:ROWSxCOLS:CELLS, at most 128x128, with CELLS like o$bo$2bo: b "
                "empty, o stored, $ ends a row.");
}

void read_cells(std::string_view text, std::string_view cells, Drawing& drawing) {
  std::uint32_t row = 0, col = 0;
  while (!cells.empty()) {
    const std::uint32_t times = take_number(cells, 1);
    const char kind = cells.empty() ? ' ' : cells.front();
    if (kind == '$') {
      row += times;
      col = 0;
    } else if (kind == 'b' || kind == 'o') {
      if (row >= drawing.rows || times > drawing.cols - col)
        refuse(text, "row " + std::to_string(row + 1) + " does not fit into the drawing.");
      if (kind == 'o') std::fill_n(&drawing.at(row, 0) + col, times, std::uint8_t{1});
      col += times;
    } else {
      refuse(text, "found '" + std::string(1, kind) + "', expected b, o or $.");
    }
    cells.remove_prefix(1);
    if (row > drawing.rows) refuse(text, "it has more rows than its size says.");
  }
}

Drawing read_drawing(std::string_view text) {
  if (!is_drawing_text(text)) refuse(text, "this is not a drawing.");
  std::string_view rest = text.substr(kDrawingPrefix.size());
  const std::uint32_t rows = take_number(rest, 0);
  if (!rest.starts_with('x')) refuse(text, "its size is missing.");
  rest.remove_prefix(1);
  const std::uint32_t cols = take_number(rest, 0);
  if (rows < 1 || cols < 1 || rows > kLargestDrawing || cols > kLargestDrawing)
    refuse(text, "its sides are not from 1 to " + std::to_string(kLargestDrawing) + ".");
  Drawing drawing(rows, cols);
  if (rest.empty()) return drawing;
  if (!rest.starts_with(':')) refuse(text, "':' is missing after its size.");
  read_cells(text, rest.substr(1), drawing);
  return drawing;
}

void append_run(std::string& text, std::uint32_t times, char kind) {
  if (times == 0) return;
  if (times > 1) text += std::to_string(times);
  text += kind;
}

void set(const Stroke& stroke, Drawing& drawing, std::int64_t row, std::int64_t col) {
  const auto one = [&](std::int64_t i, std::int64_t j) {
    if (i < 0 || j < 0 || i >= std::int64_t{drawing.rows} || j >= std::int64_t{drawing.cols}) return;
    drawing.at(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)) = stroke.erases ? 0 : 1;
  };
  one(row, col);
  if (stroke.mirrors) one(col, row);
}

/// Sets the positions of a straight line, one in each row or column of its longer direction.
void set_line(const Stroke& stroke, Drawing& drawing) {
  const std::int64_t rows = stroke.to.row - stroke.from.row, cols = stroke.to.col - stroke.from.col;
  const std::int64_t steps = std::max({std::abs(rows), std::abs(cols), std::int64_t{1}});
  if (steps > std::int64_t{16} * kLargestDrawing) return;
  for (std::int64_t k = 0; k <= steps; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(steps);
    set(stroke, drawing, stroke.from.row + std::llround(share * static_cast<double>(rows)),
        stroke.from.col + std::llround(share * static_cast<double>(cols)));
  }
}

}  // namespace

void apply(const Stroke& stroke, Drawing& drawing) {
  const std::int64_t rows = drawing.rows, cols = drawing.cols;
  switch (stroke.tool) {
    case Stroke::Tool::point:
    case Stroke::Tool::line:
      return set_line(stroke, drawing);
    case Stroke::Tool::diagonal:
      for (std::int64_t i = 0; i < rows; ++i) set(stroke, drawing, i, i + stroke.to.col - stroke.to.row);
      return;
    case Stroke::Tool::block: {
      const auto [top, bottom] = std::minmax(stroke.from.row, stroke.to.row);
      const auto [left, right] = std::minmax(stroke.from.col, stroke.to.col);
      for (std::int64_t i = std::max<std::int64_t>(0, top); i <= std::min(bottom, rows - 1); ++i)
        for (std::int64_t j = std::max<std::int64_t>(0, left); j <= std::min(right, cols - 1); ++j)
          set(stroke, drawing, i, j);
      return;
    }
    case Stroke::Tool::stamp: {
      const std::int64_t period = std::max<std::int64_t>(1, stroke.period);
      const auto first = [&](std::int64_t at) { return (at % period + period) % period; };
      for (std::int64_t i = first(stroke.to.row); i < rows; i += period)
        for (std::int64_t j = first(stroke.to.col); j < cols; j += period) set(stroke, drawing, i, j);
      return;
    }
  }
}

bool is_drawing_text(std::string_view text) { return text.starts_with(kDrawingPrefix); }

Result<Drawing> parse_drawing(std::string_view text) {
  return run_guarded([&] { return read_drawing(text); });
}

std::string drawing_text(const Drawing& drawing) {
  std::string text =
      std::string(kDrawingPrefix) + std::to_string(drawing.rows) + "x" + std::to_string(drawing.cols) + ":";
  std::uint32_t row_ends = 0;
  for (std::uint32_t row = 0; row < drawing.rows; ++row, ++row_ends) {
    std::uint32_t begin = 0;  // of the run of equal positions
    for (std::uint32_t col = 0; col < drawing.cols; ++col) {
      const bool is_stored = drawing.at(row, col) != 0;
      const bool is_last = col + 1 == drawing.cols;
      if (!is_last && (drawing.at(row, col + 1) != 0) == is_stored) continue;
      if (is_last && !is_stored) break;  // empty positions at the end of a row are not written
      append_run(text, std::exchange(row_ends, 0), '$');
      append_run(text, col + 1 - begin, is_stored ? 'o' : 'b');
      begin = col + 1;
    }
  }
  return text;
}

Matrix matrix_of(const Drawing& drawing) {
  std::vector<Index> rows, cols;
  for (std::uint32_t row = 0; row < drawing.rows; ++row)
    for (std::uint32_t col = 0; col < drawing.cols; ++col)
      if (drawing.at(row, col) != 0) {
        rows.push_back(row);
        cols.push_back(col);
      }
  Matrix matrix;
  matrix.pattern = std::make_shared<const SparsePattern>(
      SparsePattern::from_coordinates(drawing.rows, drawing.cols, rows, cols).value());
  matrix.name = "drawing " + std::to_string(drawing.rows) + " × " + std::to_string(drawing.cols);
  matrix.report.file = drawing_text(drawing);
  matrix.report.format = "drawing";
  matrix.report.field = "pattern";
  matrix.report.entries_in_file = matrix.pattern->nonzeros();
  return matrix;
}

}  // namespace spyctrum
