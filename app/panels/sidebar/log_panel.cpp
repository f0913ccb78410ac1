// SPDX-License-Identifier: Apache-2.0
// The log, newest line last, with a filter; a click copies a line.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <array>
#include <chrono>
#include <ctime>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/strip.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

std::string clock_text(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S", &local);
  return text.data();
}

void copy_all(const AppState& state) {
  std::string all;
  for (const LogEntry& entry : state.log) all += clock_text(entry.time) + "  " + entry.text + "\n";
  ImGui::SetClipboardText(all.c_str());
}

void draw_line(const Ui& ui, const LogEntry& entry, int index) {
  ImGui::PushID(index);
  const auto font = small_font();
  text(clock_text(entry.time), palette().faint);
  ImGui::SameLine();
  const MessageLook look = look_of(entry.level);
  const bool is_info = entry.level == Level::info;
  text(look.icon, is_info ? palette().dim : look.color);
  ImGui::SameLine();
  wrapped_text(entry.text, is_info ? palette().text : look.color);
  if (ImGui::IsItemClicked()) {
    ImGui::SetClipboardText(entry.text.c_str());
    ui.notify(Level::info, "Copied the line.");
  }
  tooltip("Click to copy");
  ImGui::PopID();
}

}  // namespace

void draw_log(const Ui& ui) {
  bool open = true;
  {
    const StripWindow window(kLog, &open);
    if (window.is_visible()) {
      ImGui::AlignTextToFramePadding();
      small_text("LOG");
      ImGui::SameLine(px(60));
      ImGui::SetNextItemWidth(px(200));
      ImGui::InputTextWithHint("##filter", "filter", &ui.memory.log_filter);
      ImGui::SameLine(right_edge() - px(78));
      if (icon_button(icon::kCopy, "copy log", "Copy all lines")) copy_all(ui.state);
      ImGui::SameLine(0, px(2));
      if (icon_button(icon::kReset, "clear log", "Delete all lines")) ui.emit(action::ClearLog{});
      ImGui::SameLine(0, px(2));
      if (icon_button(icon::kClose, "close log", "Close the log", keys_text(Command::log)))
        ui.emit(action::ShowLog{false});
      ImGui::BeginChild("lines", {0, 0}, ImGuiChildFlags_NavFlattened);
      const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
      int index = 0;
      for (const LogEntry& entry : ui.state.log) {
        ++index;
        if (!ui.memory.log_filter.empty() && entry.text.find(ui.memory.log_filter) == std::string::npos)
          continue;
        draw_line(ui, entry, index);
      }
      if (at_end) ImGui::SetScrollHereY(1);
      ImGui::EndChild();
    }
  }
  if (!open) ui.emit(action::ShowLog{false});
}

}  // namespace spyctrum::panels
