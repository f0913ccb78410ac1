// SPDX-License-Identifier: Apache-2.0
// The pencil of the sandbox: a left drag in the pattern of a drawing.
#include <imgui.h>

#include <cmath>

#include "app/panels/comparison/cell.hpp"

namespace spyctrum::panels {

bool draws_into(const Ui& ui, const CellFrame& cell) {
  return ui.state.sandbox.is_drawing && ui.memory.draws && cell.row == Row::pattern &&
         cell.column.arrangement.kind == Arrangement::Kind::matrix;
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
    // The next points of a freehand line begin where these end.
    if (pencil.tool == Stroke::Tool::point) pencil.from = at;
  }
  if (ends) ui.memory.is_drawing = false;
}

}  // namespace spyctrum::panels
