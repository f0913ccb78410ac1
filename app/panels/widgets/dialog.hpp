// SPDX-License-Identifier: Apache-2.0
// The frame of a dialog over the screen. AppState::interface.overlay says which is open; Escape or a click
// outside closes it.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

/// A centred window above a dimmed screen, drawn by ImGui's modal machinery.
class Dialog {
 public:
  Dialog(const Ui& ui, const char* title, float width) : ui_(ui) {
    const std::string id = std::string(title) + "###dialog " + title;
    if (!ImGui::IsPopupOpen(id.c_str())) ImGui::OpenPopup(id.c_str());
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    ImGui::SetNextWindowSizeConstraints({std::min(px(width), display.x * 0.94F), 0},
                                        {display.x * 0.94F, display.y * 0.92F});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(22), px(18)});
    visible_ = ImGui::BeginPopupModal(id.c_str(), nullptr,
                                      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoTitleBar |
                                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleVar();
    if (!visible_) return;
    {
      const auto font = bold_font(17);
      ImGui::TextUnformatted(title);
    }
    ImGui::Dummy({0, px(4)});
  }
  ~Dialog() {
    if (!visible_) return;
    // Escape cancels a job if one is running, else closes the dialog: CancelNewest does both in that order.
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ui_.emit(action::CancelNewest{});
    if (clicked_outside()) close();
    ImGui::EndPopup();
  }
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;
  [[nodiscard]] bool is_visible() const { return visible_; }
  void close() const { ui_.emit(action::SetOverlay{Overlay::none}); }

 private:
  const Ui& ui_;
  bool visible_ = false;
};

}  // namespace spyctrum::panels
