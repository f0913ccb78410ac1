// SPDX-License-Identifier: Apache-2.0
// The frame of a dialog over the screen. AppState::interface.overlay says which is open; Escape or a click
// outside closes it.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

/// Sets whether ImGui darkens the screen behind the next modal window. To be called before each of them.
inline void dim_screen(bool is_dark) {
  ImGui::GetStyle().Colors[ImGuiCol_ModalWindowDimBg].w = is_dark ? 140.0F / 255 : 0;
}

/// A modal window in the centre of a darkened screen; or at the right of a screen that stays bright, for
/// dialogs whose user watches the pictures.
class Dialog {
 public:
  enum class Place { centre, right };
  /// Sizes in points. `height` 0: the dialog is as high as its content; otherwise the content scrolls.
  Dialog(const Ui& ui, const char* title, float width, float height = 0, Place place = Place::centre)
      : ui_(ui) {
    const std::string id = std::string(title) + "###dialog " + title;
    if (!ImGui::IsPopupOpen(id.c_str())) ImGui::OpenPopup(id.c_str());
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const bool is_right = place == Place::right;
    ImGui::SetNextWindowPos({is_right ? display.x - px(8) : display.x / 2, display.y / 2}, ImGuiCond_Always,
                            {is_right ? 1.0F : 0.5F, 0.5F});
    dim_screen(!is_right);
    const ImVec2 most{display.x * 0.94F, display.y * 0.92F};
    const ImVec2 size{std::min(px(width), most.x), std::min(px(height), most.y)};
    if (height > 0)
      ImGui::SetNextWindowSize(size);
    else
      ImGui::SetNextWindowSizeConstraints({size.x, 0}, most);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(22), px(18)});
    visible_ = ImGui::BeginPopupModal(id.c_str(), nullptr,
                                      ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                          ImGuiWindowFlags_NoSavedSettings |
                                          (height > 0 ? static_cast<int>(ImGuiWindowFlags_NoResize)
                                                      : static_cast<int>(ImGuiWindowFlags_AlwaysAutoResize)));
    ImGui::PopStyleVar();
    if (!visible_) return;
    bold_text(title, 17, palette().text);
    ImGui::Dummy({0, px(4)});
  }
  ~Dialog() {
    if (!visible_) return;
    // CancelNewest cancels a job or, if none is running, closes the dialog. The command palette is closed at
    // once: Escape ends typing.
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
      if (ui_.state.interface.overlay == Overlay::palette)
        close();
      else
        ui_.emit(action::CancelNewest{});
    }
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
