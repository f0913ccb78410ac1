// SPDX-License-Identifier: Apache-2.0
// What the mouse does in a picture: left drag pans, the wheel zooms at the cursor, right drag zooms to a box
// (with Shift: selects a region of the pattern), a double click fits, Ctrl+click draws the wave of a
// frequency, right click opens a menu.
#include <algorithm>
#include <cmath>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/view_math.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr double kWheelFactor = 0.8;
constexpr double kWheelBurst = 0.6;  // seconds: closer wheel steps make one entry of the history
constexpr float kLeastBox = 6;       // points: a right drag over fewer is a click
constexpr float kWipeGrip = 8;       // points around the wipe's line in which the mouse takes hold of it

bool over_wipe(const AppState& state, const CellFrame& cell, ImVec2 mouse) {
  return wiped_with(state, cell) != nullptr &&
         std::abs(mouse.x - wipe_x(state.compare, cell, mouse.y)) < px(kWipeGrip);
}

/// The column whose own view the mouse changes; 0: the linked view.
ColumnId zoomed_column(const CellFrame& cell) { return cell.column.look.views ? cell.column.id : 0; }

void zoom_by_wheel(const Ui& ui, const CellFrame& cell, ImVec2 mouse) {
  const float wheel = ImGui::GetIO().MouseWheel;
  if (wheel == 0) return;
  const View& view = ui.state.view(cell.plane());
  const double now = ImGui::GetTime();
  const bool remember = now - ui.memory.last_wheel > kWheelBurst;
  ui.memory.last_wheel = now;
  const PlaneRect to = zoomed(view_of(ui.state, cell.column, cell.plane()), cell.row_at(mouse.y),
                              cell.col_at(mouse.x), std::pow(kWheelFactor, static_cast<double>(wheel)));
  ui.emit(action::SetView{cell.plane(), limited(to, view.full), remember, zoomed_column(cell)});
}

void begin_gesture(const Ui& ui, const CellFrame& cell, ImVec2 mouse, Gesture::Kind kind) {
  Gesture& gesture = ui.memory.gesture;
  gesture = {};
  gesture.kind = kind;
  gesture.plane = cell.plane();
  gesture.region = cell.row == Row::pattern && ImGui::GetIO().KeyShift;
  gesture.start_rect = gesture.region ? cell.rect : view_of(ui.state, cell.column, cell.plane());
  ui.memory.requested_pixels[static_cast<std::size_t>(cell.plane())] = {
      static_cast<std::uint32_t>(std::max(1.0F, cell.width())),
      static_cast<std::uint32_t>(std::max(1.0F, cell.height()))};
  gesture.start_row = gesture.row = cell.row_at(mouse.y);
  gesture.start_col = gesture.col = cell.col_at(mouse.x);
}

void pan(const Ui& ui, const CellFrame& cell, ImVec2 moved) {
  Gesture& gesture = ui.memory.gesture;
  const PlaneRect to =
      shifted(gesture.start_rect, -moved.y / cell.pixels_per_row(), -moved.x / cell.pixels_per_col());
  const View& view = ui.state.view(gesture.plane);
  const PlaneRect next = limited(to, view.full);
  if (next == view_of(ui.state, cell.column, gesture.plane)) return;
  ui.emit(action::SetView{gesture.plane, next, !gesture.moved, zoomed_column(cell)});
  gesture.moved = true;
}

void drag_wipe(const Ui& ui, const CellFrame& cell, ImVec2 mouse) {
  const CompareSettings& now = ui.state.compare;
  const float moved = mouse.x - wipe_x(now, cell, mouse.y);
  const float position = std::clamp(now.wipe_position + moved / cell.width(), 0.0F, 1.0F);
  if (position != now.wipe_position)
    change_compare(ui, [=](auto& compare) { compare.wipe_position = position; });
}

bool is_click(const CellFrame& cell, const PlaneRect& box) {
  return box.width() * cell.pixels_per_col() < px(kLeastBox) ||
         box.height() * cell.pixels_per_row() < px(kLeastBox);
}

/// `live`: the mouse is still dragging the region.
void select_region(const Ui& ui, const PlaneRect& box, bool live) {
  const PlaneRect& full = ui.state.view(Plane::pattern).full;
  const PlaneRect region{std::max(std::floor(box.top), full.top), std::max(std::floor(box.left), full.left),
                         std::min(std::ceil(box.bottom), full.bottom),
                         std::min(std::ceil(box.right), full.right)};
  if (live && ui.state.region == region) return;
  ui.emit(action::SelectRegion{region, live});
}

void finish_box(const Ui& ui, const CellFrame& cell) {
  const Gesture gesture = ui.memory.gesture;
  ui.memory.gesture = {};
  const PlaneRect box = between(gesture.start_row, gesture.start_col, gesture.row, gesture.col);
  if (gesture.region && (gesture.moved || !is_click(cell, box))) return select_region(ui, box, false);
  if (is_click(cell, box)) {
    ImGui::OpenPopup("cell menu");
    return;
  }
  const PlaneRect& full = ui.state.view(gesture.plane).full;
  ui.emit(action::SetView{gesture.plane, limited(box, full), true, zoomed_column(cell)});
}

void update_crosshair(const Ui& ui, const CellFrame& cell, ImVec2 mouse) {
  const double row = cell.row_at(mouse.y), col = cell.col_at(mouse.x);
  const bool same = ui.memory.crosshair_from_mouse && ui.state.crosshair.plane == cell.plane() &&
                    ui.memory.last_crosshair == std::pair(row, col);
  // While the cursor rests, the crosshair stays where "go to" has put it.
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (same || (moved.x == 0 && moved.y == 0 && ui.state.crosshair.active)) return;
  ui.memory.crosshair_from_mouse = true;
  ui.memory.last_crosshair = {row, col};
  ui.emit(action::SetCrosshair{cell.plane(), row, col});
}

void toggle_wave(const Ui& ui, const CellFrame& cell, ImVec2 mouse) {
  const std::pair at{frequency_at(cell.row_at(mouse.y)), frequency_at(cell.col_at(mouse.x))};
  ui.emit(action::ShowWave{ui.state.wave == at ? std::nullopt : std::optional(at)});
}

void drag_left(const Ui& ui, const CellFrame& cell, ImVec2 mouse) {
  Gesture& gesture = ui.memory.gesture;
  if (ImGui::IsItemActivated() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    ui.emit(action::FocusColumn{cell.index});
    if (cell.plane() == Plane::spectrum && ImGui::GetIO().KeyCtrl) return toggle_wave(ui, cell, mouse);
    ui.memory.dragging_wipe = over_wipe(ui.state, cell, mouse);
    if (!ui.memory.dragging_wipe) begin_gesture(ui, cell, mouse, Gesture::Kind::pan);
  }
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  if (ui.memory.dragging_wipe) return drag_wipe(ui, cell, mouse);
  if (gesture.kind == Gesture::Kind::pan && ImGui::IsMouseDragging(ImGuiMouseButton_Left, px(3)))
    pan(ui, cell, ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, px(3)));
}

/// Moves the corner of a region by the scale at which the drag began: during the drag a column for the region
/// appears, and the pictures shrink.
void follow_from_start(const Ui& ui, Gesture& gesture) {
  const PixelSize size = ui.memory.requested_pixels[static_cast<std::size_t>(gesture.plane)];
  const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Right, 0);
  const PlaneRect& rect = gesture.start_rect;
  gesture.row = std::clamp(gesture.start_row + moved.y * rect.height() / size.height, rect.top, rect.bottom);
  gesture.col = std::clamp(gesture.start_col + moved.x * rect.width() / size.width, rect.left, rect.right);
}

void drag_right(const Ui& ui, const CellFrame& cell, ImVec2 mouse) {
  Gesture& gesture = ui.memory.gesture;
  if (ImGui::IsItemActivated() && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    ui.emit(action::FocusColumn{cell.index});
    begin_gesture(ui, cell, mouse, Gesture::Kind::box);
  }
  if (gesture.kind != Gesture::Kind::box) return;
  if (gesture.region) {
    follow_from_start(ui, gesture);
  } else {
    gesture.row = cell.row_at(std::clamp(mouse.y, cell.min.y, cell.max.y));
    gesture.col = cell.col_at(std::clamp(mouse.x, cell.min.x, cell.max.x));
  }
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Right)) return finish_box(ui, cell);
  const PlaneRect box = between(gesture.start_row, gesture.start_col, gesture.row, gesture.col);
  if (!gesture.region || (!gesture.moved && is_click(cell, box))) return;
  gesture.moved = true;
  select_region(ui, box, true);
}

}  // namespace

void handle_mouse(const Ui& ui, const CellFrame& cell) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  // Without the flag the item with the keyboard focus would count as hovered, too.
  const bool hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_NoNavOverride), active = ImGui::IsItemActive();
  if (hovered || active) {
    ui.memory.active_plane = cell.plane();
    ui.memory.active_row = cell.row;
  }
  if (hovered) {
    ui.memory.picture_hovered = true;
    // The wheel zooms the picture under the cursor and does not scroll the grid around it.
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    zoom_by_wheel(ui, cell, mouse);
    if (over_wipe(ui.state, cell, mouse)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (ui.memory.gesture.kind == Gesture::Kind::none) update_crosshair(ui, cell, mouse);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && !ImGui::GetIO().KeyCtrl &&
        !draws_into(ui, cell))
      ui.emit(action::FitView{cell.plane(), zoomed_column(cell)});
  }
  if (active || ImGui::IsItemDeactivated()) {
    if (draws_into(ui, cell))
      drag_pencil(ui, cell, mouse);
    else if (drags_coefficient(ui, cell))
      drag_coefficient(ui, cell, mouse);
    else
      drag_left(ui, cell, mouse);
    drag_right(ui, cell, mouse);
  }
  if (ImGui::IsItemDeactivated() && ui.memory.gesture.kind == Gesture::Kind::pan) ui.memory.gesture = {};
}

void draw_cell_menu(const Ui& ui, const CellFrame& cell) {
  if (!ImGui::BeginPopup("cell menu")) return;
  const Crosshair& cross = ui.state.crosshair;
  if (ImGui::MenuItem("Save this picture…")) ask_save_picture(ui, cell.column.id, cell.row);
  figure_menu(ui, action::ExportFigure::One{cell.column.id, cell.row});
  if (ImGui::MenuItem("Copy picture", keys_text(Command::copy_picture).c_str()))
    copy_picture(ui, cell.column.id, cell.row);
  if (ImGui::MenuItem("Export samples…", nullptr, false, cell.column.spectrum != nullptr))
    ask_export_values(ui, cell.column.id);
  ImGui::Separator();
  if (cell.plane() == Plane::spectrum) {
    if (ImGui::MenuItem("Wave of this frequency", "Ctrl+click", ui.state.wave.has_value(), cross.active))
      ui.emit(action::ShowWave{ui.state.wave ? std::nullopt : std::optional(std::pair(cross.u, cross.v))});
    if (ImGui::MenuItem("Own range", nullptr, cell.column.own_range))
      ui.emit(action::SetColumnOwnRange{cell.column.id, !cell.column.own_range});
  } else {
    if (ImGui::MenuItem("Remove the region", "", false, ui.state.region.has_value()))
      ui.emit(action::SelectRegion{});
    tooltip("Shift and a right drag in the pattern select a region");
    if (ImGui::MenuItem(ui.state.region ? "Draw in a copy of the region" : "Draw in a copy of this view"))
      ui.emit(action::DrawRegion{});
    tooltip("Opens it in the sandbox: at most 128 rows and columns");
  }
  if (ImGui::MenuItem("Centre here", nullptr, false, cross.active))
    ui.emit(cell.plane() == Plane::spectrum ? action::GoTo{Plane::spectrum, cross.u, cross.v}
                                            : action::GoTo{Plane::pattern, cross.i, cross.j});
  ImGui::Separator();
  menu_items(ui, {Command::fit, Command::one_to_one, Command::back, Command::forward, Command::go_to});
  ImGui::EndPopup();
}

}  // namespace spyctrum::panels
