// SPDX-License-Identifier: Apache-2.0
// The dialog "Related work" of the menu Help: for each system that Spyctrum is not compared with by
// measurement, what it assumes of its input and whether the open matrix meets that.
#include <imgui.h>

#include "app/panels/widgets/dialog.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

void draw_system(const RelatedSystem& system) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  bold_text(system.label, 14, palette().text);
  small_text(system.citation, palette().faint);
  ImGui::TableNextColumn();
  wrapped_text(system.assumes, palette().text);
  small_text(system.condition);
  ImGui::TableNextColumn();
  const ImU32 color = !system.met ? palette().dim : *system.met ? palette().good : palette().warning;
  text(!system.met ? "not evaluated" : *system.met ? "met" : "not met", color);
  wrapped_text(system.verdict, palette().text);
}

void draw_sparsity(const Theory& theory) {
  if (!theory.effective_coefficients || !theory.holding_90_percent) return;
  const double cells = static_cast<double>(theory.m) * static_cast<double>(theory.n);
  wrapped_text("The power without DC is spread over as many as " +
                   count_text(*theory.effective_coefficients) + " of " + count_text(cells) +
                   " coefficients (e^H, where H is its entropy in nats); the largest " +
                   percent_text(*theory.holding_90_percent / cells) + " hold 90 % of the power without DC.",
               palette().text);
}

}  // namespace

void draw_related_work(const Ui& ui) {
  const Dialog dialog(ui, "Related work", 980);
  if (!dialog.is_visible()) return;
  const TheoryView& view = ui.state.theory;
  wrapped_text(
      "A sparse matrix has few entries but, as a rule, a dense spectrum. Sparse Fourier transforms assume a "
      "sparse spectrum, and libraries of dense transforms also transform the zeros. Each condition below is "
      "evaluated for the open matrix.",
      palette().text);
  ImGui::Dummy({0, px(4)});
  if (view.related.empty()) {
    small_text(view.busy                      ? "…"
               : ui.state.matrix() == nullptr ? "Open a matrix to see which conditions it meets."
                                              : "A matrix without entries has no spectrum to judge.");
  } else {
    if (view.theory) draw_sparsity(*view.theory);
    if (view.measuring) {
      small_text("Measuring the power of the whole plane …");
    } else if (!view.measured) {
      if (ImGui::Button("Measure the spectrum")) ui.emit(action::MeasureTheory{});
      tooltip(
          "Computes every row of the exact plane once to find how the power is distributed over the "
          "coefficients");
    }
    if (ImGui::BeginTable("systems", 3, ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp)) {
      ImGui::TableSetupColumn("System", 0, 0.27F);
      ImGui::TableSetupColumn("What it assumes", 0, 0.36F);
      ImGui::TableSetupColumn("This matrix", 0, 0.37F);
      ImGui::TableHeadersRow();
      for (const RelatedSystem& system : view.related) draw_system(system);
      ImGui::EndTable();
    }
  }
  ImGui::Dummy({0, px(6)});
  if (ImGui::Button("Close")) dialog.close();
}

}  // namespace spyctrum::panels
