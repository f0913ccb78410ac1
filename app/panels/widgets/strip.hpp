// SPDX-License-Identifier: Apache-2.0
// The windows below the pictures: tabs of one dock node. The window that was opened last is in front.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

inline constexpr float kStripHeight = 210;  ///< points

class StripWindow : public PanelWindow {
 public:
  /// `open`: the argument p_open of ImGui::Begin().
  explicit StripWindow(const char* name, bool* open = nullptr) : PanelWindow(placed(name), open) {
    ImGuiWindow* const window = ImGui::FindWindowByName(name);
    ImGuiDockNode* const node = window->DockNode;
    if (!window->Appearing || node == nullptr) return;
    node->SelectedTabId = window->TabId;  // for a tab bar that is made in the next frame
    if (node->TabBar != nullptr)
      node->TabBar->SelectedTabId = node->TabBar->NextSelectedTabId = window->TabId;
  }

 private:
  /// Lets a window for which a stored layout has no place float over the lower edge of the pictures.
  static const char* placed(const char* name) {
    const ImGuiViewport& viewport = *ImGui::GetMainViewport();
    ImGui::SetNextWindowPos(
        {viewport.WorkPos.x + px(290), viewport.WorkPos.y + viewport.WorkSize.y - px(kStripHeight + 10)},
        ImGuiCond_FirstUseEver);
    ImGui::SetNextWindowSize({px(700), px(kStripHeight)}, ImGuiCond_FirstUseEver);
    return name;
  }
};

}  // namespace spyctrum::panels
