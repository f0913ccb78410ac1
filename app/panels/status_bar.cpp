// SPDX-License-Identifier: Apache-2.0
// The status bar: the backend, how pictures reach the screen, the coordinates of the crosshair, the exactness
// of the reference picture.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/wave_text.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr float kReasonWidth = 330;
constexpr float kWideWindow = 1000;  // points; a narrower one has no room for the reason

float width_of(const std::string& words) { return ImGui::CalcTextSize(words.c_str()).x; }

constexpr const char* kBar = "   |   ";

std::string crosshair_words(const Crosshair& cross) {
  if (!cross.active) return {};
  const std::string place = place_text(cross);
  if (cross.plane == Plane::pattern)
    return cross.stored ? place + kBar + (*cross.stored ? "stored" : "not stored") : place;
  return place + kBar + "period " + number_text(cross.period_rows, 3) + " rows × " +
         number_text(cross.period_cols, 3) + " columns" + kBar + "angle " +
         number_text(cross.angle_degrees, 3) + "°" + kBar + "r = " + number_text(cross.radius, 3) +
         " cycles per sample";
}

/// As many of the parts between the bars as `width` has room for.
std::string fit_parts(std::string words, float width) {
  for (std::size_t bar = words.rfind(kBar); bar != std::string::npos && width_of(words) > width;
       bar = words.rfind(kBar))
    words.resize(bar);
  return fit_text(words, width);
}

ImU32 exactness_words_color(const std::string& words) {
  if (words == "exact") return palette().good;
  return words == "exact samples" ? palette().accent : palette().warning;
}

void draw_left(const Ui& ui) {
  const StatusFacts& facts = ui.state.status;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddCircleFilled({at.x + px(4), at.y + ImGui::GetFontSize() / 2}, px(4),
                                              palette().good);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(14));
  const std::string path = "How pictures are copied to the screen: " + facts.upload_path +
                           (facts.upload_reason.empty() ? "" : ", because " + facts.upload_reason);
  if (facts.on_device) {
    text(facts.backend + (facts.upload_path.empty() ? "" : " · " + facts.upload_path), palette().good);
    tooltip(path + "\n" + facts.renderer);
  } else {
    const std::string reason = facts.cuda_reason.empty() ? std::string() : "no CUDA: " + facts.cuda_reason;
    text(facts.backend, palette().good);
    tooltip(path + "\n" + facts.renderer + (reason.empty() ? "" : "\n" + reason));
    if (!reason.empty() && ImGui::GetWindowWidth() >= px(kWideWindow)) {
      ImGui::SameLine(0, 0);
      dim_text(fit_text(" — " + reason, px(kReasonWidth)));
      tooltip(facts.cuda_reason);
    }
  }
  if (facts.graphics_resets > 0) {
    ImGui::SameLine(0, px(10));
    text("restored after a GPU reset" +
             (facts.graphics_resets > 1 ? ", " + std::to_string(facts.graphics_resets) + " times" : ""),
         palette().warning);
    tooltip("The graphics driver was reset; the log says when and why");
  }
  if (facts.host_bytes_total > 0) {
    ImGui::SameLine(0, px(22));
    dim_text("host " + bytes_text(facts.host_bytes_used) + " of " + bytes_text(facts.host_bytes_total));
    tooltip("Memory of this process · memory of the machine");
  }
}

}  // namespace

void draw_status_bar(const Ui& ui) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(14), px(5)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus;
  const bool open = ImGui::BeginViewportSideBar("###status bar", ImGui::GetMainViewport(), ImGuiDir_Down,
                                                ImGui::GetFontSize() + px(12), kFlags);
  ImGui::PopStyleVar(2);
  if (open) {
    draw_left(ui);
    ImGui::SameLine(0, px(22));
    const float left_end = ImGui::GetCursorPosX();
    const StatusFacts& facts = ui.state.status;
    std::string view = ui.state.matrix() == nullptr ? std::string() : facts.view;
    std::string exact = ui.state.matrix() == nullptr ? std::string() : facts.exactness;
    if (!exact.empty() && !view.empty()) view += " · ";
    const float right = ImGui::GetWindowWidth() - px(14);
    float view_at = right - width_of(view) - width_of(exact);
    // The middle shows the frequency under the cursor and takes precedence where both do not fit; where not
    // even the words at the left leave room, those at the right are left out as well.
    const std::string cross = crosshair_words(ui.state.crosshair);
    const float cross_width = width_of(cross);
    if (left_end + cross_width > view_at - (cross.empty() ? 0 : px(20))) view_at = right - width_of(exact);
    if (!cross.empty()) {
      const float middle = std::max(left_end, (left_end + view_at - cross_width) / 2);
      ImGui::SetCursorPosX(middle);
      text(fit_parts(cross, view_at - px(20) - middle), palette().text);
      ImGui::SameLine();
    }
    if (view_at + 1 < right) {
      ImGui::SetCursorPosX(std::max(view_at, ImGui::GetCursorPosX()));
      if (view_at < right - width_of(exact)) {
        dim_text(view);
        ImGui::SameLine(0, 0);
      }
      text(exact, exactness_words_color(exact));
      tooltip("Source of the reference picture · " + facts.view);
    }
  }
  ImGui::End();
}

}  // namespace spyctrum::panels
