// SPDX-License-Identifier: Apache-2.0
// Toasts: short messages in a lower corner that disappear after a while unless they are pinned. A click on a
// toast copies its text and closes it; the log keeps all of them. A toast about a refused file may offer to
// read it in another way. They are in the right corner unless the cursor is in the right third of the
// window, so that they do not cover what was just clicked.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr std::size_t kMostToasts = 4;

/// Draws a toast with its lower right (or left) corner at `corner`; returns its height.
float draw_toast(const Ui& ui, const Toast& toast, ImVec2 corner) {
  const MessageLook look = look_of(toast.level);
  const float width = std::min(px(420), ImGui::GetIO().DisplaySize.x * 0.5F);
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {ui.memory.toasts_at_left ? 0.0F : 1.0F, 1});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, mix(palette().panel, palette().frame, 0.8F));
  ImGui::PushStyleColor(ImGuiCol_Border, with_alpha(look.color, 0.7F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(14), px(10)});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoMove;
  ImGui::Begin(("###toast " + std::to_string(toast.id)).c_str(), nullptr, kFlags);
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  text(look.icon, look.color);
  ImGui::SameLine();
  const float close = px(toast.pinned ? 26 : 50);
  ImGui::PushTextWrapPos(width - close - px(8));
  text(toast.text, palette().text);
  ImGui::PopTextWrapPos();
  if (ImGui::IsItemClicked()) {
    ImGui::SetClipboardText(toast.text.c_str());
    ui.emit(action::DismissToast{toast.id});
  }
  tooltip("Click to copy; the log keeps it");
  ImGui::SameLine(width - close);
  if (!toast.pinned) {
    if (icon_button(icon::kPin, "pin", "Keep this message on the screen until it is closed"))
      ui.emit(action::PinToast{toast.id});
    ImGui::SameLine(0, 0);
  }
  if (icon_button(icon::kClose, "dismiss", "")) ui.emit(action::DismissToast{toast.id});
  if (toast.offer && link((toast.offer->label + "###offer").c_str())) {
    ui.emit(action::OpenFile{toast.offer->source, true, toast.offer->reading});
    ui.emit(action::DismissToast{toast.id});
  }
  const float height = ImGui::GetWindowHeight();
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  return height;
}

}  // namespace

void draw_toasts(const Ui& ui) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const auto& toasts = ui.state.toasts;
  // Toasts that are shown do not follow the cursor.
  if (toasts.empty()) {
    ui.memory.toasts_at_left = ImGui::GetIO().MousePos.x > viewport.WorkPos.x + viewport.WorkSize.x * 2 / 3;
    return;
  }
  ImVec2 corner = {viewport.WorkPos.x + (ui.memory.toasts_at_left ? px(14) : viewport.WorkSize.x - px(14)),
                   viewport.WorkPos.y + viewport.WorkSize.y - px(12)};
  // A strip below the pictures, as that of a lesson with its answers, stays free.
  if (const ImGuiWindow* pictures = ImGui::FindWindowByName(kComparison);
      pictures != nullptr && pictures->WasActive)
    corner.y = std::min(corner.y, pictures->Rect().Max.y - px(12));
  const std::size_t first = toasts.size() > kMostToasts ? toasts.size() - kMostToasts : 0;
  for (std::size_t i = toasts.size(); i > first; --i)
    corner.y -= draw_toast(ui, toasts[i - 1], corner) + px(8);
}

}  // namespace spyctrum::panels
