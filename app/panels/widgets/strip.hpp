// SPDX-License-Identifier: Apache-2.0
// The windows below the pictures. They are tabs of one place, where the one that was opened last is in front.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

class StripWindow : public PanelWindow {
 public:
  /// `height` in points, for a stored layout that has no place for the window; `open` as of ImGui::Begin().
  StripWindow(const char* name, float height, bool* open = nullptr)
      : PanelWindow(placed(name, height), open) {
    ImGuiWindow* const window = ImGui::FindWindowByName(name);
    ImGuiDockNode* const node = window->DockNode;
    if (!window->Appearing || node == nullptr) return;
    node->SelectedTabId = window->TabId;  // for a tab bar that is made in the next frame
    if (node->TabBar != nullptr)
      node->TabBar->SelectedTabId = node->TabBar->NextSelectedTabId = window->TabId;
  }

 private:
  static const char* placed(const char* name, float height) {
    const ImGuiViewport& viewport = *ImGui::GetMainViewport();
    ImGui::SetNextWindowPos(
        {viewport.WorkPos.x + px(290), viewport.WorkPos.y + viewport.WorkSize.y - px(height + 10)},
        ImGuiCond_FirstUseEver);
    ImGui::SetNextWindowSize({px(700), px(height)}, ImGuiCond_FirstUseEver);
    return name;
  }
};

}  // namespace spyctrum::panels
