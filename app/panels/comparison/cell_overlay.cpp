// SPDX-License-Identifier: Apache-2.0
// Lines and numbers over a picture: ticks, the linked crosshair and its values, the value of each coefficient
// when it is large enough to read, the named parts of the rows, the selected region, and the wave of a
// frequency over the pattern.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/comparison/picture_store.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/view_math.hpp"
#include "app/panels/widgets/wave_text.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr double kPixelsForNumbers = 60;    // width in points from which a coefficient shows its value
constexpr std::size_t kMaximumBands = 400;  // a wave with more is not drawn

ImVec2 size_of(const std::string& words) { return ImGui::CalcTextSize(words.c_str()); }

bool has_numbers(const CellFrame& cell) {
  return cell.pixels_per_col() >= px(kPixelsForNumbers) && cell.pixels_per_row() >= px(18);
}

/// A tick marks the middle of its coefficient (spectra) or entry (patterns).
double tick_shift(Plane plane) { return plane == Plane::pattern ? 0.5 : 0; }

/// Text on a dim rectangle, readable over noise.
void draw_tick_text(ImDrawList& list, ImVec2 at, const std::string& words) {
  const ImVec2 size = size_of(words);
  list.AddRectFilled({at.x - px(3), at.y}, {at.x + size.x + px(3), at.y + size.y}, IM_COL32(8, 10, 14, 175),
                     px(3));
  list.AddText(at, IM_COL32(235, 238, 242, 225), words.c_str());
}

std::string tick_label(Plane plane, double at) {
  return plane == Plane::spectrum ? signed_grouped(std::llround(at))
                                  : grouped(static_cast<std::uint64_t>(std::llround(at)));
}

constexpr float kTickLength = 4;  // points
constexpr ImU32 kTickColor = IM_COL32(255, 255, 255, 130);
constexpr int kTicks = 4;  // about so many along a side of a small picture

/// Round ticks along the lower edge: about one for every px(64), and no more than have room for their labels.
std::vector<double> ticks_across(const CellFrame& cell) {
  for (int target_count = std::max(kTicks, static_cast<int>(cell.width() / px(64))); target_count > 1;
       --target_count) {
    std::vector<double> ticks = round_ticks(cell.rect.left, cell.rect.right, target_count);
    if (ticks.size() < 2) return ticks;
    float widest = 0;
    for (const double at : ticks) widest = std::max(widest, size_of(tick_label(cell.plane(), at)).x);
    if ((ticks[1] - ticks[0]) * cell.pixels_per_col() > static_cast<double>(widest + px(16))) return ticks;
  }
  return {};
}

/// Draws ticks along the lower edge; returns the height above their labels.
float draw_ticks_across(const CellFrame& cell, const PlaneRect& full, bool skip_zero, ImDrawList& list) {
  const float length = px(kTickLength), label_height = ImGui::GetFontSize();
  float lowest = cell.max.y - label_height;
  for (const double at : ticks_across(cell)) {
    if ((at == 0 && skip_zero) || at < full.left || at > full.right) continue;
    const float x = cell.x_of(at + tick_shift(cell.plane()));
    const std::string label = tick_label(cell.plane(), at);
    // A label that would cross the picture's edge is moved inwards as far as its tick stays under it.
    const float width = size_of(label).x, first = cell.min.x + px(4), last = cell.max.x - px(4) - width;
    if (x < first || x > last + width) continue;
    const float left = std::clamp(x - width / 2, first, std::max(first, last));
    if (std::abs(left - (x - width / 2)) > std::max(px(4), width / 2 - px(3))) continue;
    lowest = cell.max.y - length - label_height * 1.5F - px(6);
    list.AddLine({x, cell.max.y}, {x, cell.max.y - length}, kTickColor, px(1));
    draw_tick_text(list, {left, cell.max.y - length - label_height}, label);
  }
  return lowest;
}

/// Draws ticks along the left edge, down to `lowest`. Labels that are wider than `room` stand above the
/// number of their coefficient, if its row is high enough.
void draw_ticks_down(const CellFrame& cell, const PlaneRect& full, bool skip_zero, float lowest, float room,
                     ImDrawList& list) {
  const float length = px(kTickLength), label_height = ImGui::GetFontSize();
  const std::vector<double> ticks = round_ticks(cell.rect.top, cell.rect.bottom,
                                                std::max(kTicks, static_cast<int>(cell.height() / px(60))));
  const auto is_too_wide = [&](double at) { return size_of(tick_label(cell.plane(), at)).x > room; };
  const bool is_above = std::ranges::any_of(ticks, is_too_wide);
  if (is_above && cell.pixels_per_row() < 3.5 * static_cast<double>(label_height)) return;
  for (const double at : ticks) {
    if ((at == 0 && skip_zero) || at < full.top || at > full.bottom) continue;
    const float y = cell.y_of(at + tick_shift(cell.plane()));
    if (y < cell.min.y + label_height || y > lowest) continue;
    list.AddLine({cell.min.x, y}, {cell.min.x + length, y}, kTickColor, px(1));
    draw_tick_text(list, {cell.min.x + length + px(4), y - label_height * (is_above ? 1.6F : 0.5F)},
                   tick_label(cell.plane(), at));
  }
}

/// Draws ticks inside of the whole plane `full`, which may be smaller than the picture.
void draw_ticks(const CellFrame& cell, const PlaneRect& full, ImDrawList& list) {
  if (cell.width() < px(150) || cell.height() < px(90)) return;  // labels would cover the picture
  const auto font = small_font();
  // In an overview the bright cross of the spectrum shows where 0 is, and a label would cover it.
  const bool skip_zero = cell.plane() == Plane::spectrum && cell.pixels_per_col() < 1;
  // Coefficients with numbers in them have ticks only if there is room for both.
  const bool numbers = has_numbers(cell);
  float lowest = cell.max.y - ImGui::GetFontSize();
  if (!numbers || cell.pixels_per_row() >= px(52)) lowest = draw_ticks_across(cell, full, skip_zero, list);
  // Points: half of a number such as "3.606", and what surrounds a label.
  constexpr float kHalfNumber = 20;
  constexpr float kAroundLabel = 2 * kTickLength + 3;
  const float beside_number =
      static_cast<float>(cell.pixels_per_col() / 2) - px(kHalfNumber) - px(kAroundLabel);
  draw_ticks_down(cell, full, skip_zero, lowest, numbers ? beside_number : cell.width(), list);
}

/// The value of the cell of `image` that covers (row, col) of the plane; NaN outside of the image.
float cell_value(const CellImage& image, double row, double col) {
  const auto y = std::floor((row - image.rect.top) / image.rect.height() * image.height);
  const auto x = std::floor((col - image.rect.left) / image.rect.width() * image.width);
  if (!(y >= 0 && x >= 0 && y < image.height && x < image.width)) return std::nanf("");
  const auto at = static_cast<std::size_t>(y) * image.width + static_cast<std::size_t>(x);
  return image.cells[2 * at];
}

struct CellNumber {
  std::string text;
  double place = 0;  ///< where the cell's colour lies on the colour map, 0 … 1
};

CellNumber cell_number(const AppState& state, const CellFrame& cell, double row, double col) {
  const Picture& picture = cell.column.picture(cell.row);
  const float value = cell_value(*picture.shown, row, col);
  if (!std::isfinite(value)) return {};
  const float against = picture.against ? cell_value(*picture.against, row, col) : 0;
  switch (cell.row) {
    case Row::pattern:
      if (against > 0) return {number_text(-against, 4)};
      if (value > 0) return {number_text(value, 4), picture.against ? 0.0 : 1.0};
      return {};
    case Row::error:
      if (picture.against && !(against > 0 && value > 0)) return {};
      return {error_text(state.scale.error, value, against, state.pattern()->weight_squares()), 0.5};
    case Row::spectrum:
    case Row::reconstruction:
      break;
  }
  const double span = picture.range.high - picture.range.low;
  return {number_text(magnitude_unit(state) * std::sqrt(value), 4),
          value > 0 && span > 0 ? (std::log10(value) - picture.range.low) / span : 0};
}

/// Writes |F|, the count, or the error into every coefficient that is large enough on the screen.
void draw_numbers(const AppState& state, const CellFrame& cell, ImDrawList& list) {
  if (!cell.column.picture(cell.row).shown) return;
  if (!has_numbers(cell)) return;
  const auto font = small_font();
  const double shift = tick_shift(cell.plane());
  for (double row = std::ceil(cell.rect.top - shift); row + shift < cell.rect.bottom; ++row) {
    for (double col = std::ceil(cell.rect.left - shift); col + shift < cell.rect.right; ++col) {
      const auto [words, place] = cell_number(state, cell, row + shift, col + shift);
      if (words.empty()) continue;
      const ImVec2 size = size_of(words);
      const ImVec2 at = {cell.x_of(col + shift) - size.x / 2, cell.y_of(row + shift) - size.y / 2};
      if (place > 0.62)
        list.AddText(at, IM_COL32(15, 15, 20, 235), words.c_str());
      else
        shadow_text(list, at, words, IM_COL32(255, 255, 255, 225));
    }
  }
}

void draw_crosshair(const AppState& state, const CellFrame& cell, ImDrawList& list) {
  const Crosshair& cross = state.crosshair;
  if (!cross.active || cross.plane != cell.plane()) return;
  const float x = std::round(cell.x_of(cross.col)) + 0.5F, y = std::round(cell.y_of(cross.row)) + 0.5F;
  const ImU32 line = IM_COL32(255, 255, 255, 120);
  if (x >= cell.min.x && x <= cell.max.x) list.AddLine({x, cell.min.y}, {x, cell.max.y}, line, px(1));
  if (y >= cell.min.y && y <= cell.max.y) list.AddLine({cell.min.x, y}, {cell.max.x, y}, line, px(1));
  const auto font = small_font();
  const auto [shown, row] = pictured(state, cell);
  float top = cell.min.y + px(5);
  for (std::string whole : {read_out(state, *shown, row), place_read_out(state, *shown, row)}) {
    if (whole.empty()) continue;
    const float room = cell.width() - px(12);
    // The last parts are left out where not all fit: a number that is cut is another number.
    for (std::size_t end = whole.rfind("   "); end != std::string::npos && size_of(whole).x > room;
         end = whole.rfind("   "))
      whole.resize(end);
    // Without room for the place of the nearest sample.
    if (const std::size_t at = whole.find(" at "); at != std::string::npos && size_of(whole).x > room)
      whole = "near " + whole.substr(0, at);
    const std::string words = fit_text(whole, room);
    const ImVec2 size = size_of(words);
    label_text(list, {cell.max.x - size.x - px(8), top}, words, cross.pending);
    top += size.y + px(6);
  }
}

/// Lines where the named parts of the rows and columns begin (chromosomes of a contact map), and the names
/// that have room.
void draw_parts(const AppState& state, const CellFrame& cell, ImDrawList& list) {
  if (cell.row != Row::pattern || !cell.column.is_of_matrix() || state.matrix() == nullptr) return;
  const Matrix& matrix = state.matrix()->matrix;
  const std::vector<NamedPart>& parts = matrix.report.parts;
  const auto font = small_font();
  const ImU32 line = with_alpha(palette().accent, 0.6F);  // seen over dark and bright pictures
  const auto rows = static_cast<double>(matrix.pattern->rows());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto begin = static_cast<double>(parts[k].begin);
    const double end = k + 1 < parts.size() ? static_cast<double>(parts[k + 1].begin) : rows;
    const double pixels = std::min(cell.pixels_per_col(), cell.pixels_per_row()) * (end - begin);
    if (pixels < px(4)) continue;  // lines would hide the entries
    const float x = std::round(cell.x_of(begin)) + 0.5F;
    const float y = std::round(cell.y_of(begin)) + 0.5F;
    if (k > 0) list.AddLine({x, cell.min.y}, {x, cell.max.y}, line, px(1));
    if (k > 0) list.AddLine({cell.min.x, y}, {cell.max.x, y}, line, px(1));
    const ImVec2 size = size_of(parts[k].name);
    if (pixels > size.x + px(8) && x >= cell.min.x - px(1))
      draw_tick_text(list, {x + px(4), cell.min.y + px(3)}, parts[k].name);
  }
}

void draw_region(const AppState& state, const CellFrame& cell, ImDrawList& list) {
  if (cell.row != Row::pattern || !state.region) return;
  list.AddRect({cell.x_of(state.region->left), cell.y_of(state.region->top)},
               {cell.x_of(state.region->right), cell.y_of(state.region->bottom)}, palette().warning, 0,
               px(1.5F));
}

/// Outlines the finding of the explanation that is shown.
void draw_mark(const AppState& state, const CellFrame& cell, ImDrawList& list) {
  const auto& mark = state.explain.marks.at(static_cast<std::size_t>(cell.plane()));
  if (!mark || !cell.column.is_of_matrix()) return;
  list.AddRect({cell.x_of(mark->left) - px(2), cell.y_of(mark->top) - px(2)},
               {cell.x_of(mark->right) + px(2), cell.y_of(mark->bottom) + px(2)}, palette().accent, px(2),
               px(2));
}

void draw_box(const Ui& ui, const CellFrame& cell, ImDrawList& list) {
  const Gesture& gesture = ui.memory.gesture;
  if (gesture.kind != Gesture::Kind::box || gesture.plane != cell.plane()) return;
  const PlaneRect box = between(gesture.start_row, gesture.start_col, gesture.row, gesture.col);
  const ImVec2 from = {cell.x_of(box.left), cell.y_of(box.top)},
               to = {cell.x_of(box.right), cell.y_of(box.bottom)};
  const ImU32 color = gesture.region ? palette().warning : palette().accent;
  list.AddRectFilled(from, to, with_alpha(color, 0.12F));
  list.AddRect(from, to, color, 0, px(1.2F));
}

/// Draws the bands where cos(2π(ui/m + vj/n) + φ) > 0, in which entries add to |F|. A band is half a period
/// wide across the direction (u/m, v/n), drawn as a parallelogram far larger than the picture and clipped to
/// it. Returns whether the wave is coarse enough on the screen to be drawn.
bool draw_bands(const AppState& state, const CellFrame& cell, ImDrawList& list) {
  const SparsePattern& pattern = *state.matrix()->matrix.pattern;
  const double per_row = static_cast<double>(state.wave->first) / static_cast<double>(pattern.rows());
  const double per_col = static_cast<double>(state.wave->second) / static_cast<double>(pattern.cols());
  const double a = per_row / cell.pixels_per_row(), b = per_col / cell.pixels_per_col();
  const double rate = std::hypot(a, b);  // periods per pixel
  if (rate == 0 || rate > 0.25) return rate == 0;
  const double shift = state.wave_sum ? std::arg(state.wave_sum->coefficient) / (2 * std::numbers::pi) : 0.0;
  // The phase belongs to the entry's index; the entry's centre is drawn half a unit further.
  const auto phase = [&](float x, float y) {
    return per_row * (cell.row_at(y) - 0.5) + per_col * (cell.col_at(x) - 0.5) + shift;
  };
  const std::array<double, 4> corners = {phase(cell.min.x, cell.min.y), phase(cell.max.x, cell.min.y),
                                         phase(cell.min.x, cell.max.y), phase(cell.max.x, cell.max.y)};
  const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
  const auto first = static_cast<std::int64_t>(std::floor(*low - 0.25));
  const auto last = static_cast<std::int64_t>(std::ceil(*high + 0.25));
  if (static_cast<std::size_t>(last - first) > kMaximumBands) return false;
  const double nx = b / rate, ny = a / rate;  // across the bands
  const double reach = cell.width() + cell.height();
  const double x0 = cell.min.x, y0 = cell.min.y;
  for (std::int64_t k = first; k <= last; ++k) {
    const auto corner = [&](double at_phase, double along) {
      const double across = (at_phase - corners[0]) / rate;
      return ImVec2(static_cast<float>(x0 + nx * across - ny * along),
                    static_cast<float>(y0 + ny * across + nx * along));
    };
    const double from = static_cast<double>(k) - 0.25, to = static_cast<double>(k) + 0.25;
    list.AddQuadFilled(corner(from, -reach), corner(to, -reach), corner(to, reach), corner(from, reach),
                       with_alpha(palette().accent, 0.22F));
  }
  return true;
}

void draw_wave(const AppState& state, const CellFrame& cell, ImDrawList& list) {
  if (cell.row != Row::pattern || !state.wave || !cell.column.is_of_matrix() || state.matrix() == nullptr)
    return;
  const bool drawn = draw_bands(state, cell, list);
  if (cell.index != 0) return;
  // Words that do not fit are left out: the panel Setup shows all of them.
  const auto font = small_font();
  const std::string words = fit_phrases(
      (drawn ? "" : "wave too fine to be drawn here · ") + wave_text(state)[0], cell.width() - px(16));
  const float read_out_height = state.crosshair.active ? ImGui::GetFontSize() + px(8) : 0;
  label_text(list, {cell.min.x + px(8), cell.min.y + px(5) + read_out_height}, words);
}

constexpr float kNamePoints = 13, kLeastNamePoints = 9;

/// Writes the name of `shown` into the part of the cell that shows its picture in place of the column's own:
/// at the right edge, clear of read-out and ticks.
void draw_reference_name(const AppState& state, const CellFrame& cell, const Column& shown, bool is_wiped,
                         ImDrawList& list) {
  const std::string name = shown.reference ? "REFERENCE" : shown.label;
  // `shown` has the part above a diagonal line, and the right part of a picture with another line.
  const bool above = is_wiped && state.compare.wipe_line == WipeLine::diagonal;
  const float y = above ? cell.min.y + px(30) : cell.max.y - px(40);
  const float left = is_wiped ? wipe_x(state.compare, cell, above ? y + px(16) : y) + px(8) : cell.min.x;
  const auto width = [&](float points) {
    const auto font = bold_font(points);
    return size_of(name).x;
  };
  const float points = std::clamp(kNamePoints * (cell.max.x - px(6) - left) / width(kNamePoints),
                                  kLeastNamePoints, kNamePoints);
  const auto font = bold_font(points);
  draw_tick_text(list, {std::max(cell.max.x - px(10) - size_of(name).x, left), y}, name);
}

void draw_wipe(const AppState& state, const CellFrame& cell, ImDrawList& list) {
  const Column* shown = wiped_with(state, cell);
  if (shown == nullptr || cell.shows_reference) return;
  const float top = wipe_x(state.compare, cell, cell.min.y), bottom = wipe_x(state.compare, cell, cell.max.y);
  const float middle = (cell.min.y + cell.max.y) / 2;
  draw_reference_name(state, cell, *shown, true, list);
  list.AddLine({top, cell.min.y}, {bottom, cell.max.y}, IM_COL32(255, 255, 255, 210), px(1.5F));
  list.AddCircleFilled({wipe_x(state.compare, cell, middle), middle}, px(5), IM_COL32(255, 255, 255, 230));
}

}  // namespace

Pictured pictured(const AppState& state, const CellFrame& cell) {
  const Column* other = cell.shows_reference ? compared_with(state, cell.column, cell.row) : nullptr;
  if (other == nullptr) return {&cell.column, cell.row};
  return {other, row_against(*other, cell.row)};
}

const Column* wiped_with(const AppState& state, const CellFrame& cell) {
  const bool spectral = cell.row == Row::spectrum || cell.row == Row::reconstruction;
  return state.compare.wipe && spectral ? compared_with(state, cell.column, cell.row) : nullptr;
}

float wipe_x(const CompareSettings& compare, const CellFrame& cell, float y) {
  const float middle = cell.min.x + compare.wipe_position * cell.width();
  const float slope = rightward_of(compare.wipe_line) * cell.width() / cell.height();
  return middle + slope * (y - (cell.min.y + cell.max.y) / 2);
}

void draw_overlays(const Ui& ui, const CellFrame& cell, ImDrawList& list) {
  list.PushClipRect(cell.min, cell.max, true);
  draw_changes(ui, cell, list);
  draw_numbers(ui.state, cell, list);
  draw_parts(ui.state, cell, list);
  draw_region(ui.state, cell, list);
  draw_mark(ui.state, cell, list);
  draw_wipe(ui.state, cell, list);
  if (const Column* shown = cell.shows_reference ? compared_column(ui.state) : nullptr)
    draw_reference_name(ui.state, cell, *shown, false, list);
  if (ui.memory.axis_labels) draw_ticks(cell, ui.state.view(cell.plane()).full, list);
  draw_wave(ui.state, cell, list);
  draw_crosshair(ui.state, cell, list);
  draw_box(ui, cell, list);
  list.PopClipRect();
}

}  // namespace spyctrum::panels
