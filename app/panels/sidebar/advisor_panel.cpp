// SPDX-License-Identifier: Apache-2.0
// Recommends methods and block sizes: a ranked list for the allowances typed above it; a click applies a
// recommendation.
#include <imgui.h>

#include <algorithm>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr std::size_t kShown = 12;

void number_field(const char* label, const char* id, double& value, const char* help) {
  ImGui::AlignTextToFramePadding();
  dim_text(label);
  ImGui::SameLine(px(150));
  ImGui::SetNextItemWidth(px(110));
  ImGui::InputDouble(id, &value, 0, 0, value > 0 ? "%.4g" : "any");
  value = std::max(0.0, value);
  tooltip(help);
}

Allowance allowance_of(const Memory& memory) {
  Allowance allowance;
  allowance.seconds = memory.advisor_milliseconds / 1e3;
  allowance.bytes = static_cast<std::uint64_t>(memory.advisor_megabytes * 1e6);
  if (memory.advisor_error > 0) allowance.error = memory.advisor_error;
  allowance.exact = memory.advisor_exact;
  return allowance;
}

void draw_advice(const Ui& ui, const Advice& advice, std::size_t place) {
  const Prospect& prospect = advice.prospect;
  const std::string name =
      prospect.label + (prospect.block ? ", b = " + std::to_string(*prospect.block) : std::string());
  ImGui::PushID(static_cast<int>(place));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::Selectable("##advice", false, 0, {0, px(36)});
  tooltip(advice.reason + (prospect.basis.empty() ? "" : "\nExpected from " + prospect.basis + ".") +
          "\nClick to use this setting.");
  const ImVec2 after = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({at.x + px(4), at.y + px(2)});
  text(std::to_string(place + 1) + "  " + name, advice.fits ? palette().text : palette().faint);
  ImGui::SetCursorScreenPos({at.x + px(18), at.y + px(18)});
  const std::string error = prospect.exact ? "exact" : "error " + number_text(prospect.error, 2);
  small_text(prospect.refusal.empty()
                 ? error + "  ·  " + seconds_text(prospect.seconds) + "  ·  " + bytes_text(prospect.bytes)
                 : prospect.refusal);
  ImGui::SetCursorScreenPos(after);
  ImGui::PopID();
  if (pressed && prospect.refusal.empty()) ui.emit(action::UseSetting{prospect.method, prospect.block});
}

}  // namespace

void draw_advisor(const Ui& ui) {
  const PanelWindow window(kAdvisor);
  if (!window.is_visible()) return;
  Memory& memory = ui.memory;
  section("Allowances");
  number_field("Time, ms", "##advisor time", memory.advisor_milliseconds,
               "Longest time that a run may take; 0: any");
  number_field("Memory, MB", "##advisor memory", memory.advisor_megabytes,
               "Most memory that a run may take; 0: any");
  number_field("Largest error", "##advisor error", memory.advisor_error,
               "Largest mean of the entropy's relative error and the radial and directional Hellinger "
               "distances; 0: as small as possible");
  ImGui::Checkbox("every coefficient", &memory.advisor_exact);
  tooltip("Recommends only exact methods that compute the whole plane");
  const AdvisorView& view = ui.state.advisor;
  const Allowance allowance = allowance_of(memory);
  section("Recommendations", view.busy ? "pilot runs …" : "");
  if (view.known.prospects.empty()) {
    small_text("Short runs of every method on this matrix predict its time and error.", palette().faint);
    if (!view.busy && ImGui::Button("Ask the advisor")) ui.emit(action::AskAdvisor{allowance});
    return;
  }
  const std::vector<Advice> list = recommend_tried(view.known.prospects, allowance);
  for (std::size_t k = 0; k < std::min(kShown, list.size()); ++k) draw_advice(ui, list[k], k);
  if (view.busy) return;
  if (link("Ask again",
           "Measures the methods that look best under these allowances; earlier measurements are kept"))
    ui.emit(action::AskAdvisor{allowance});
  if (link("Start over", "Discards the measurements; useful if the machine was busy during them"))
    ui.emit(action::AskAdvisor{allowance, true});
}

}  // namespace spyctrum::panels
