// SPDX-License-Identifier: Apache-2.0
// The paper's bounds for the open matrix and block size, each beside the measured value.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

ImU32 color_of(const Statement& statement) {
  const std::optional<bool> holds = statement.holds();
  if (!holds) return palette().accent;
  return *holds ? palette().good : palette().bad;
}

/// A bar up to the measured value and a tick at the bound, on one scale with 0 at the left.
void draw_bar(const Statement& statement) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = {ImGui::GetContentRegionAvail().x, px(8)};
  ImGui::Dummy({size.x, size.y + px(4)});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, palette().well, px(2));
  const double bound = std::isfinite(statement.bound) ? statement.bound : 0;
  const double most = std::max({bound, statement.measured.value_or(0), 1e-12}) * 1.05;
  const auto place = [&](double value) {
    return at.x + static_cast<float>(std::clamp(value / most, 0.0, 1.0)) * size.x;
  };
  if (statement.measured)
    list.AddRectFilled(at, {std::max(place(*statement.measured), at.x + px(1.5F)), at.y + size.y},
                       with_alpha(color_of(statement), 0.75F), px(2));
  if (std::isfinite(statement.bound)) {
    const float x = place(bound);
    list.AddRectFilled({x - px(1), at.y - px(2)}, {x + px(1), at.y + size.y + px(2)}, palette().text);
  }
}

void draw_statement(const Statement& statement) {
  ImGui::BeginGroup();
  dim_text(statement.label);
  const bool has_bound = std::isfinite(statement.bound);
  const std::string measured = statement.measured ? number_text(*statement.measured, 4) : "not measured";
  ImGui::SameLine();
  right_text(has_bound
                 ? measured + "  " + symbol_of(statement.relation) + "  " + number_text(statement.bound, 3)
                 : measured,
             color_of(statement));
  draw_bar(statement);
  ImGui::EndGroup();
  const std::optional<bool> holds = statement.holds();
  tooltip(statement.meaning +
          (has_bound
               ? "\nLeft: measured value (bar). Right: bound (tick)."
               : "\nThere is no bound: it holds for patterns alone, or follows from an entropy that was not "
                 "measured.") +
          "\nSource or model: " + statement.source +
          (holds ? (*holds ? "\nThe statement holds." : "\nThe statement does not hold.") : ""));
}

void draw_sparsity(const Theory& theory) {
  const double cells = static_cast<double>(theory.m) * static_cast<double>(theory.n);
  if (theory.effective_coefficients) {
    name_and_value("Effective coefficients",
                   count_text(*theory.effective_coefficients) + " of " + count_text(cells), palette().text);
    tooltip(
        "e^H, where H is the entropy of the power without DC: the number of coefficients of equal power that "
        "would have the same entropy. Sparse FFT algorithms are fast only where it is far below mn.");
  }
  if (theory.holding_90_percent) {
    name_and_value("Needed for 90 % of the power",
                   percent_text(*theory.holding_90_percent / cells) + " of all", palette().text);
    tooltip("The least share of the coefficients that holds 90 % of the power without DC");
  }
}

void draw_costs(const Theory& theory) {
  section("Operations and memory by the paper");
  for (const CostFormula& cost : theory.costs) {
    name_and_value(cost.label,
                   count_text(cost.work) + "  ·  " + bytes_text(static_cast<std::uint64_t>(cost.bytes)),
                   palette().text);
    tooltip("Operations: " + cost.work_formula + "\nBytes: " + cost.storage_formula + "\n" + cost.source);
  }
}

}  // namespace

void draw_theory(const Ui& ui) {
  const PanelWindow window(kTheory);
  if (!window.is_visible()) return;
  const TheoryView& view = ui.state.theory;
  if (!view.theory)
    return small_text(view.busy                      ? "…"
                      : ui.state.matrix() == nullptr ? "Open a matrix."
                      : ui.state.pattern()->nonzeros() == 0
                          ? "A matrix without entries has no bounds."
                          : "The bounds could not be computed; see the log.",
                      palette().faint);
  const Theory& theory = *view.theory;
  section("Bounds", "b = " + std::to_string(theory.block) + "  ·  " + percent_text(theory.sampling_rate));
  for (const Statement& statement : theory.statements) draw_statement(statement);
  draw_sparsity(theory);
  if (view.measuring) {
    small_text("Measuring the power of the whole plane …");
  } else if (!view.measured) {
    if (ImGui::Button("Measure the energy")) ui.emit(action::MeasureTheory{});
    tooltip(
        "Computes every row of the exact plane once to find the power of the largest coefficients and of the "
        "sampled ones");
  }
  draw_costs(theory);
}

}  // namespace spyctrum::panels
