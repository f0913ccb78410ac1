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
  std::size_t index = 0;         ///< of `column` in AppState::columns
  ImVec2 min, max;               ///< corners of the picture on the screen
  PlaneRect rect;                ///< the part of the plane that the picture shows
  bool shows_reference = false;  ///< the picture is the reference's: shows_reference() in picture_store.hpp

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

/// The column and row whose picture is drawn in a cell. Caption, colour bar and read-out belong to these,
/// too.
struct Pictured {
  const Column* column;
  Row row;
};
[[nodiscard]] Pictured pictured(const AppState& state, const CellFrame& cell);  // cell_overlay.cpp

// grid_request.cpp: the input of picture_grid.hpp.
/// Whether `column` has a picture of its own in `row`: methods of the whole plane have no reconstruction, and
/// the reference has no error.
[[nodiscard]] bool has_picture(const Column& column, Row row);
/// The request for the open rows of every column in `room` (pixels). Of pictures that share a range, the last
/// has the colour bar.
[[nodiscard]] GridRequest grid_request(const AppState& state, ImVec2 room);

// card_header.cpp: name, badge, share of the plane and time of a column, in its card.
void draw_card_header(const Ui& ui, const Column& column, std::size_t index, const PictureGrid& grid,
                      const GridLengths& lengths);
/// The time of the exact plane beside that of `column`: "exact took no longer" or "exact took 52 ms". Empty
/// before the exact plane was computed.
[[nodiscard]] std::string exact_cost_words(const AppState& state, const Column& column);

// captions.cpp: text around the picture.
[[nodiscard]] std::string caption(const AppState& state, const Column& column, Row row);
/// Tooltip of the caption: how many coefficients a reconstruction was made of. Empty for other pictures.
[[nodiscard]] std::string caption_tip(const AppState& state, const Column& column, Row row);
/// Whether the picture is of powers and its colours span a range of its own, beside columns that share one.
[[nodiscard]] bool has_own_range(const AppState& state, const Column& column, Row row);
inline constexpr std::string_view kOwnRange = "own range";
/// Text right of the caption: kOwnRange, "H 0.328 · own range", "±12 dB", "±40 %".
[[nodiscard]] std::string caption_note(const AppState& state, const Column& column, Row row);
/// The parts of a caption and its note that fit in `width`, in the font in use. Where not all fits, the words
/// "rest zero to rounding" or "thin lines may be missing" are kept first, then the first two phrases of the
/// caption, then the note.
struct CaptionLine {
  std::string words, note;
};
[[nodiscard]] CaptionLine fit_caption(const AppState& state, const Column& column, Row row, float width);
/// The same on two lines, of which the upper one may be `upper_width` wide; it is empty if one line is
/// enough. The note is in the lower line, and left out where it would take the room of the pattern's words or
/// of the words that are kept.
struct CaptionLines {
  std::string upper;
  CaptionLine lower;
};
[[nodiscard]] CaptionLines fit_two_lines(const AppState& state, const Column& column, Row row, float width,
                                         float upper_width = 0);
/// The error of one coefficient or pixel with its unit; empty where it is not finite. For PictureError::phase
/// `estimated_power` is the difference of the phases.
[[nodiscard]] std::string error_text(PictureError measure, double estimated_power, double power,
                                     double entries);
/// The values of this picture at the crosshair, as text; empty if there are none.
[[nodiscard]] std::string read_out(const AppState& state, const Column& column, Row row);
/// The place of the crosshair as text. Only the reference's picture in a presentation shows it, since a
/// presentation has no status bar; otherwise empty.
[[nodiscard]] std::string place_read_out(const AppState& state, const Column& column, Row row);

/// Exactness of the picture of the spectrum: that of the method, or a lower one if the picture was drawn from
/// fewer coefficients. Empty if there is no picture.
[[nodiscard]] std::optional<Exactness> shown_exactness(const Column& column);
/// The words of the badge: shown_exactness(), or "preview" while a method of the whole plane has computed no
/// row and its picture shows samples.
[[nodiscard]] std::string badge_words(const Column& column);
/// Whether the picture was drawn from samples although its method can compute every coefficient in view.
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
/// Circles around the changed coefficients of the spectrum; over the pattern, the matrix of the changed
/// spectrum.
void draw_changes(const Ui& ui, const CellFrame& cell, ImDrawList& list);

// folding_overlay.cpp: the frequencies that fold onto one coefficient, drawn over all spectra.
void draw_folding(const Ui& ui, const std::vector<CellFrame>& spectra);

}  // namespace spyctrum::panels
