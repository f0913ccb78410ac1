// SPDX-License-Identifier: Apache-2.0
// The panels of this folder that lie in a strip below the pictures.
#pragma once

#include <imgui.h>

#include "app/panels/widgets/theme.hpp"

namespace spyctrum::panels {

/// Where the next window opens if a stored layout of an earlier version has no place for it.
inline void place_strip(float height) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(
      {viewport.WorkPos.x + px(290), viewport.WorkPos.y + viewport.WorkSize.y - px(height + 10)},
      ImGuiCond_FirstUseEver);
  ImGui::SetNextWindowSize({px(700), px(height)}, ImGuiCond_FirstUseEver);
}

}  // namespace spyctrum::panels
