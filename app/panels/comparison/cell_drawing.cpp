// SPDX-License-Identifier: Apache-2.0
// The mouse in a drawing: a left drag draws into the pattern, or changes the magnitude of a coefficient.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/comparison/picture_store.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum::panels {

bool draws_into(const Ui& ui, const CellFrame& cell) {
  return ui.state.sandbox.is_drawing && ui.memory.draws && cell.row == Row::pattern &&
         cell.column.is_of_matrix();
}

void drag_pencil(const Ui& ui, const CellFrame& cell, ImVec2 mouse) {
  Stroke& pencil = ui.memory.pencil;
  const Stroke::Place at{static_cast<std::int64_t>(std::floor(cell.row_at(mouse.y))),
                         static_cast<std::int64_t>(std::floor(cell.col_at(mouse.x)))};
  const bool begins = ImGui::IsItemActivated() && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  const bool ends = ImGui::IsItemDeactivated();
  if (begins) {
    ui.emit(action::FocusColumn{cell.index});
    pencil.from = at;
    ui.memory.is_drawing = true;
  }
  if (!ui.memory.is_drawing) return;
  if (begins || ends || at != pencil.to) {
    pencil.to = at;
    ui.emit(action::Draw{pencil, !ends});
    // A freehand line consists of strokes, each of which begins where the last one ended.
    if (pencil.tool == Stroke::Tool::point) pencil.from = at;
  }
  if (ends) ui.memory.is_drawing = false;
}

bool drags_coefficient(const Ui& ui, const CellFrame& cell) {
  return ui.state.sandbox.is_drawing && ui.memory.draws && cell.row == Row::spectrum &&
         cell.column.reference && !ImGui::GetIO().KeyCtrl;
}

void drag_coefficient(const Ui& ui, const CellFrame& cell, ImVec2 mouse) {
  constexpr float kPerPixel = 0.01F;  // change of |F| / max(K, 1) for one pixel of the drag
  std::optional<ChangedCoefficient>& dragged = ui.memory.dragged;
  const SparsePattern& pattern = *ui.state.matrix()->matrix.pattern;
  if (ImGui::IsItemActivated() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    ui.emit(action::FocusColumn{cell.index});
    dragged = {frequency_at(cell.row_at(mouse.y)), frequency_at(cell.col_at(mouse.x)), 0, 0};
    dragged->before = std::abs(coefficient_at(pattern, dragged->u, dragged->v));
    for (const ChangedCoefficient& one : ui.state.sandbox.changed)
      if (one.u == dragged->u && one.v == dragged->v) dragged->before = one.after;
    dragged->after = dragged->before;
  }
  if (!dragged) return;
  if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, px(3))) {
    const float up = -ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, px(3)).y / px(1);
    const double unit = std::max(1.0, static_cast<double>(pattern.nonzeros()));
    const double after = std::max(0.0, dragged->before + static_cast<double>(kPerPixel * up) * unit);
    if (after != dragged->after) ui.emit(action::ChangeCoefficient{dragged->u, dragged->v, after});
    dragged->after = after;
  }
  if (ImGui::IsItemDeactivated()) dragged.reset();
}

namespace {

void draw_changed_matrix(const Ui& ui, const CellFrame& cell, ImDrawList& list) {
  const std::vector<float>& matrix = *ui.state.sandbox.matrix;
  const PlaneRect& full = ui.state.view(Plane::pattern).full;
  list.AddImage(static_cast<ImTextureID>(ui.memory.pictures->changed_matrix(ui.state)),
                {cell.x_of(full.left), cell.y_of(full.top)}, {cell.x_of(full.right), cell.y_of(full.bottom)});
  const auto [least, most] = std::ranges::minmax(matrix);
  const auto font = small_font();
  label_text(
      list, {cell.min.x + px(8), cell.min.y + px(6)},
      fit_text("matrix of the changed spectrum: " + number_text(least, 3) + " … " + number_text(most, 3),
               cell.width() - px(16)));
}

}  // namespace

void draw_changes(const Ui& ui, const CellFrame& cell, ImDrawList& list) {
  if (!ui.state.sandbox.matrix || !cell.column.is_of_matrix()) return;
  if (cell.row == Row::pattern) return draw_changed_matrix(ui, cell, list);
  if (cell.row != Row::spectrum) return;
  const auto font = small_font();
  for (const ChangedCoefficient& one : ui.state.sandbox.changed) {
    for (const int side : {1, -1}) {
      const ImVec2 at{cell.x_of(static_cast<double>(side * one.v)),
                      cell.y_of(static_cast<double>(side * one.u))};
      const float radius = std::max(px(6), static_cast<float>(cell.pixels_per_col()) * 0.7F);
      list.AddCircle(at, radius, IM_COL32(0, 0, 0, 200), 0, px(4));
      list.AddCircle(at, radius, one.after > one.before ? palette().warning : palette().accent, 0, px(2));
    }
    label_text(
        list, {cell.x_of(static_cast<double>(one.v)) + px(12), cell.y_of(static_cast<double>(one.u)) - px(7)},
        "|F| " + number_text(one.before, 3) + " → " + number_text(one.after, 3));
  }
}

}  // namespace spyctrum::panels
