// SPDX-License-Identifier: Apache-2.0
// What the spectrum means for the pattern: a sentence for each structure that stands out from noise, with its
// evidence. A click on a sentence zooms pattern and spectrum to the structure; a second click shows the whole
// planes again.
#include <imgui.h>

#include <cmath>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

std::string chance_text(double log_chance) {
  const double decades = -log_chance / std::log(10.0);
  if (decades < 4) return "probability in noise: at most " + number_text(std::exp(log_chance), 2);
  return "probability in noise: below 10^−" + std::to_string(static_cast<std::uint64_t>(decades));
}

void draw_finding(const Ui& ui, const Finding& finding, std::size_t k) {
  const bool is_shown = ui.state.explain.shown == k;
  ImGui::PushID(static_cast<int>(k));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, inset = px(10);
  ImGui::BeginGroup();
  ImGui::Indent(inset);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width - 2 * inset);
  text(finding.sentence, palette().text);
  {
    const auto font = small_font();
    std::string evidence = finding.evidence;
    if (finding.kind != FindingKind::nothing) evidence += " (" + chance_text(finding.log_chance) + ")";
    dim_text(evidence);
  }
  ImGui::PopTextWrapPos();
  ImGui::Unindent(inset);
  ImGui::EndGroup();
  const ImVec2 size = {width, ImGui::GetItemRectSize().y + px(4)};
  ImGui::SetCursorScreenPos(at);
  const std::string name = "finding " + std::to_string(k + 1);
  if (ImGui::InvisibleButton(name.c_str(), size, ImGuiButtonFlags_EnableNav)) ui.emit(action::ShowFinding{k});
  const bool hovered = ImGui::IsItemHovered() || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  tooltip(is_shown ? "Shows the whole planes again" : "Shows the structure in spectrum and pattern");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 edge = is_shown  ? palette().accent
                     : hovered ? mix(palette().border, palette().text, 0.4F)
                               : palette().border;
  list.AddLine({at.x + px(2), at.y}, {at.x + px(2), at.y + size.y}, edge, px(is_shown ? 4 : 3));
  ImGui::Dummy({0, px(6)});
  ImGui::PopID();
}

}  // namespace

void draw_explain(const Ui& ui) {
  const PanelWindow window(kExplain);
  if (!window.is_visible()) return;
  const ExplainView& view = ui.state.explain;
  if (!view.is_on) {
    section("What this spectrum says");
    small_text(
        "Tests find what stands out from noise (lines, peaks, combs, a bright middle) and say what it "
        "means for the pattern.");
    ImGui::Spacing();
    if (ImGui::Button("Explain this spectrum")) ui.emit(action::Explain{});
    return;
  }
  if (!view.explanation) {
    section("What this spectrum says");
    return small_text(view.busy ? "Testing …" : "There is nothing to explain.", palette().faint);
  }
  const bool has_weights = ui.state.pattern() && ui.state.pattern()->has_weights();
  section("What this spectrum says",
          std::to_string(view.explanation->findings.size()) +
              (view.explanation->findings.size() == 1 ? " statement" : " statements"));
  if (has_weights)
    small_text(
        "Explained is the pattern, where every entry counts as 1: the tests know how noise of positions "
        "looks, not "
        "noise of values.",
        palette().warning);
  for (std::size_t k = 0; k < view.explanation->findings.size(); ++k)
    draw_finding(ui, view.explanation->findings[k], k);
  const View& spectrum = ui.state.view(Plane::spectrum);
  const bool is_of_more = !view.shown && spectrum.rect != spectrum.full;
  small_text(grouped(view.explanation->tests) +
                 " hypotheses were tested. In pure noise the chance of any sentence is at most 1 %." +
                 (is_of_more ? " The sentences are about the whole plane, not about the part in view." : ""),
             palette().faint);
}

}  // namespace spyctrum::panels
