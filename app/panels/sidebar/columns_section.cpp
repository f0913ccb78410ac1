// SPDX-License-Identifier: Apache-2.0
// The columns of the comparison grid as a list: select, change, move, remove.
#include <imgui.h>

#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/matrix/reordering.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::panels {
namespace {

std::string role(const Column& column) {
  if (!column.held_back.empty() && !column.spectrum) return "not started";
  if (column.error) return "failed";
  if (column.reference) return "reference";
  if (column.uses_block) return "b = " + std::to_string(column.block) + (column.own_block ? " own" : "");
  return to_string(column.exactness);
}

void draw_entry(const Ui& ui, const Column& column, std::size_t index) {
  const Palette& colors = palette();
  const bool focused = ui.state.interface.focused_column == index;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = px(26), width = ImGui::GetContentRegionAvail().x;
  ImGui::PushID(static_cast<int>(column.id));
  if (ImGui::InvisibleButton(("column entry " + std::to_string(index + 1)).c_str(), {width - px(26), height},
                             ImGuiButtonFlags_EnableNav))
    ui.emit(action::FocusColumn{index});
  const bool hovered = ImGui::IsItemHovered();
  if (ImGui::BeginDragDropSource(ImGuiDragDropFlags_SourceNoPreviewTooltip)) {
    ImGui::SetDragDropPayload("column", &column.id, sizeof column.id);
    ImGui::EndDragDropSource();
  }
  if (ImGui::BeginDragDropTarget()) {
    if (const ImGuiPayload* moved = ImGui::AcceptDragDropPayload("column"))
      ui.emit(action::MoveColumn{*static_cast<const ColumnId*>(moved->Data), index});
    ImGui::EndDragDropTarget();
  }
  tooltip(column.error               ? column.error->message()
          : column.held_back.empty() ? "Click to select this column; drag to move it"
                                     : column.held_back,
          index < 9 ? std::to_string(index + 1) : std::string());
  ImGui::SameLine(0, 0);
  if (icon_button(icon::kMore, "entry menu", "Method, block size, parameters, order of rows and columns"))
    ImGui::OpenPopup("entry menu popup");
  if (ImGui::BeginPopup("entry menu popup")) {
    column_menu(ui, column);
    ImGui::EndPopup();
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + width, at.y + height};
  list.AddRectFilled(at, end, with_alpha(colors.text, focused ? 0.07F : hovered ? 0.045F : 0.02F), px(4));
  list.AddRectFilled(at, {at.x + px(4), end.y}, series_color(column.style.color), px(2));
  const float text_y = at.y + (height - ImGui::GetFontSize()) / 2;
  const auto words = role(column);
  float right_width = 0;
  {
    const auto font = small_font();
    right_width = ImGui::CalcTextSize(words.c_str()).x;
    list.AddText({end.x - px(30) - right_width, at.y + (height - ImGui::GetFontSize()) / 2},
                 column.error               ? colors.bad
                 : column.held_back.empty() ? colors.dim
                                            : colors.warning,
                 words.c_str());
  }
  list.AddText({at.x + px(12), text_y}, colors.text,
               fit_text(column.label, width - px(52) - right_width).c_str());
  ImGui::PopID();
}

}  // namespace

void method_menu(const Ui& ui) {
  for (const auto& method : methods()) {
    const MethodInfo& facts = method->info();
    if (ImGui::MenuItem(facts.label.c_str(), to_string(facts.exactness)))
      ui.emit(action::AddColumn{facts.id});
    tooltip(facts.summary + (facts.citation.empty() ? "" : "\n" + facts.citation), facts.cost);
  }
  ImGui::Separator();
  if (ImGui::BeginMenu("Exact, rows and columns in another order")) {
    for (const OrderInfo& order : orders()) {
      if (ImGui::MenuItem(std::string(order.label).c_str()))
        ui.emit(
            action::AddColumn{usual_method(MethodRole::window).info().id,
                              {Arrangement::Kind::reordered, std::string(order.id), ui.state.settings.seed}});
      tooltip(order.help);
    }
    ImGui::EndMenu();
  }
}

void draw_columns_section(const Ui& ui) {
  section("Columns");
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, px(4));
  for (std::size_t i = 0; i < ui.state.columns.size(); ++i) draw_entry(ui, ui.state.columns[i], i);
  ImGui::PopStyleVar();
  if (link("+ add a method …", "Adds a column to the comparison")) ImGui::OpenPopup("add column popup");
  if (ImGui::BeginPopup("add column popup")) {
    method_menu(ui);
    ImGui::EndPopup();
  }
}

}  // namespace spyctrum::panels
