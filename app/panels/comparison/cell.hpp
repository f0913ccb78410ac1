// SPDX-License-Identifier: Apache-2.0
// One picture of the comparison grid: its place on the screen and on the plane, the lines and numbers drawn
// over it, and what the mouse does in it.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/panels/comparison/picture_grid.hpp"
#include "app/panels/widgets/ui.hpp"

namespace spyctrum::panels {

struct CellFrame {
  const Column& column;
  Row row = Row::spectrum;
  std::size_t index = 0;         ///< of the column
  ImVec2 min, max;               ///< of the picture on the screen
  PlaneRect rect;                ///< of the plane that is shown there
  bool shows_reference = false;  ///< in place of the column's own picture (picture_store.hpp)

  [[nodiscard]] Plane plane() const { return plane_of(row); }
  [[nodiscard]] float width() const { return max.x - min.x; }
  [[nodiscard]] float height() const { return max.y - min.y; }
  [[nodiscard]] double pixels_per_col() const { return width() / rect.width(); }
  [[nodiscard]] double pixels_per_row() const { return height() / rect.height(); }
  [[nodiscard]] float x_of(double col) const {
    return min.x + static_cast<float>((col - rect.left) * pixels_per_col());
  }
  [[nodiscard]] float y_of(double row_position) const {
    return min.y + static_cast<float>((row_position - rect.top) * pixels_per_row());
  }
  [[nodiscard]] double col_at(float x) const { return rect.left + (x - min.x) / pixels_per_col(); }
  [[nodiscard]] double row_at(float y) const { return rect.top + (y - min.y) / pixels_per_row(); }
};

/// Whose picture is drawn in a cell: while the reference is shown in place of the column's own picture,
/// caption, colour bar and read-out are the reference's as well.
struct Pictured {
  const Column* column;
  Row row;
};
[[nodiscard]] Pictured pictured(const AppState& state, const CellFrame& cell);  // cell_overlay.cpp

// grid_request.cpp: the input of picture_grid.hpp.
/// Whether `column` has a picture in `row` that repeats no other: a complete exact plane needs no
/// reconstruction, and the reference has no error.
[[nodiscard]] bool has_picture(const Column& column, Row row);
/// The request for the open rows of every column in `room` (pixels). Of pictures that share a range, the last
/// has the colour bar.
[[nodiscard]] GridRequest grid_request(const AppState& state, ImVec2 room);

// card_header.cpp: name, badge, share of the plane and time of a column, in its card.
void draw_card_header(const Ui& ui, const Column& column, std::size_t index, const PictureGrid& grid,
                      const GridLengths& lengths);
/// Whether the whole plane took no longer than this column, "exact takes no longer", or how long it took,
/// "exact takes 52 ms". Empty before the exact plane was computed.
[[nodiscard]] std::string exact_cost_words(const AppState& state, const Column& column);

// captions.cpp: text around the picture.
[[nodiscard]] std::string caption(const AppState& state, const Column& column, Row row);
/// Tooltip of the caption: how many coefficients a reconstruction was made of. Empty for other pictures.
[[nodiscard]] std::string caption_tip(const AppState& state, const Column& column, Row row);
inline constexpr std::string_view kOwnRange = "own range";
/// Text right of the caption: kOwnRange, "H 0.328 · own range", "±12 dB", "±40 %".
[[nodiscard]] std::string caption_note(const AppState& state, const Column& column, Row row);
/// What of a caption and its note fits in `width`, in the font in use: the note goes before all but the first
/// two phrases of the caption, and that pixels are zero to rounding goes before both.
struct CaptionLine {
  std::string words, note;
};
[[nodiscard]] CaptionLine fit_caption(const AppState& state, const Column& column, Row row, float width);
/// The same on two lines. The upper one is empty if one line is enough. The lower one has the note, unless
/// that leaves too little room above a pattern, or for the words that pixels are zero to rounding.
struct CaptionLines {
  std::string upper;
  CaptionLine lower;
};
[[nodiscard]] CaptionLines fit_two_lines(const AppState& state, const Column& column, Row row, float width);
/// The error of one coefficient or pixel with its unit; of the phase the difference itself, in place of
/// `estimated_power`. Empty where it is not finite.
[[nodiscard]] std::string error_text(PictureError measure, double estimated_power, double power,
                                     double entries);
/// The values of this picture at the crosshair, as text; empty if there are none.
[[nodiscard]] std::string read_out(const AppState& state, const Column& column, Row row);
/// The place of the crosshair, in the reference's picture of a presentation, which has no status bar for it;
/// else empty.
[[nodiscard]] std::string place_read_out(const AppState& state, const Column& column, Row row);

/// Exactness of the spectrum on the screen: that of the method, or a lower one if the picture is drawn from
/// fewer coefficients; empty if there is no picture.
[[nodiscard]] std::optional<Exactness> shown_exactness(const Column& column);
/// The words of the badge: that exactness; "preview" where a picture of samples stands for a plane of which
/// no row was computed yet, since "exact samples" would be taken for the result.
[[nodiscard]] std::string badge_words(const Column& column);
/// Whether a picture that could show every coefficient in view was drawn from fewer of them.
[[nodiscard]] bool is_coarse(const Column& column, Row row);

// cell_overlay.cpp
/// The column whose picture lies right of the wipe's line in this cell; null if the wipe is off here.
[[nodiscard]] const Column* wiped_with(const AppState& state, const CellFrame& cell);
/// The x at which the wipe's line crosses the height y.
[[nodiscard]] float wipe_x(const CompareSettings& compare, const CellFrame& cell, float y);

// cell_overlay.cpp: lines and numbers over the picture, drawn inside its edges.
void draw_overlays(const Ui& ui, const CellFrame& cell, ImDrawList& list);

// scale_bar.cpp: the colour bar at the right of the picture.
void draw_scale_bar(const Ui& ui, const CellFrame& cell);

// cell_input.cpp: pan, zoom, box, crosshair, menu. The invisible button over the picture is the last item.
void handle_mouse(const Ui& ui, const CellFrame& cell);
void draw_cell_menu(const Ui& ui, const CellFrame& cell);

// cell_drawing.cpp: the pencil of the sandbox.
[[nodiscard]] bool draws_into(const Ui& ui, const CellFrame& cell);
void drag_pencil(const Ui& ui, const CellFrame& cell, ImVec2 mouse);
/// A drag up or down gives the coefficient under the mouse another magnitude.
[[nodiscard]] bool drags_coefficient(const Ui& ui, const CellFrame& cell);
void drag_coefficient(const Ui& ui, const CellFrame& cell, ImVec2 mouse);
/// The changed coefficients in the spectrum, and the matrix that belongs to them over the pattern.
void draw_changes(const Ui& ui, const CellFrame& cell, ImDrawList& list);

// folding_overlay.cpp: what folds onto the coefficient under the mouse, or of the wave, over all spectra.
void draw_folding(const Ui& ui, const std::vector<CellFrame>& spectra);

}  // namespace spyctrum::panels
