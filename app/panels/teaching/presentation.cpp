// SPDX-License-Identifier: Apache-2.0
// The mouse pointer of a presentation: a ring that can be seen from the last row of a room, filled while a
// mouse button is held.
#include <imgui.h>

#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/theme.hpp"

namespace spyctrum::panels {

void draw_presenter(const Ui& ui) {
  if (!ui.state.interface.presentation || !ImGui::IsMousePosValid()) return;
  const ImVec2 at = ImGui::GetIO().MousePos;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Right))
    list.AddCircleFilled(at, px(20), with_alpha(palette().warning, 0.35F));
  list.AddCircle(at, px(21.5F), IM_COL32(0, 0, 0, 160), 0, px(5));
  list.AddCircle(at, px(21.5F), palette().warning, 0, px(3));
}

}  // namespace spyctrum::panels
