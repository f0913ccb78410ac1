// SPDX-License-Identifier: Apache-2.0
// Cards of the rows that are shown: pattern, spectrum, name, and the value by which they are sorted.
#include <algorithm>
#include <cmath>

#include "app/panels/collection/collection_parts.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

namespace {

constexpr float kPadding = 7, kGap = 3;  // points

void draw_card(const Ui& ui, std::size_t row, ImVec2 size, float side) {
  const CollectionView& view = ui.state.collection;
  const CollectionTable& table = *view.table;
  CollectionMemory& memory = ui.memory.collection;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string name = name_of_row(table, row);
  ImGui::PushID(static_cast<int>(row));
  if (ImGui::InvisibleButton(("matrix " + name).c_str(), size, ImGuiButtonFlags_EnableNav)) open_row(ui, row);
  ImGui::PopID();
  const bool is_under_cursor = ImGui::IsItemHovered();
  if (is_under_cursor) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    memory.hovered_card = row;
  }
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) row_tooltip(ui, row);
  const bool is_marked =
      is_under_cursor || memory.hovered_point == row || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
  const bool is_own = view.neighbours.own == row;
  const Palette& colors = palette();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, is_marked ? mix(colors.panel, colors.text, 0.09F) : colors.panel, px(5));
  list.AddRect(at, end, is_own ? colors.warning : is_marked ? colors.accent : colors.border, px(5), px(1));
  draw_row_pictures(ui, row, {at.x + px(kPadding), at.y + px(kPadding)}, side, px(kGap));
  const float left = at.x + px(kPadding), width = size.x - 2 * px(kPadding);
  const auto font = small_font();
  const float line = ImGui::GetTextLineHeight();
  const float below = at.y + px(kPadding) + side + px(4);
  list.AddText({left, below}, colors.text, fit_text(name, width).c_str());
  const std::size_t column = table.column(view.choice.order);
  const std::string facts = column < table.columns.size()
                                ? table.columns[column].label + " " + value_text(table.columns[column], row)
                                : count_text(static_cast<double>(table.matrices[row].rows)) + " × " +
                                      count_text(static_cast<double>(table.matrices[row].cols));
  list.AddText({left, below + line}, colors.dim, fit_text(facts, width).c_str());
}

}  // namespace

void draw_contact_sheet(const Ui& ui, ImVec2 size) {
  const CollectionView& view = ui.state.collection;
  CollectionMemory& memory = ui.memory.collection;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::BeginChild("contact sheet", size, ImGuiChildFlags_NavFlattened);
  const float side = std::round(px(memory.card_side)), gap = px(6);
  float line = 0;
  {
    const auto font = small_font();
    line = ImGui::GetTextLineHeight();
  }
  const ImVec2 card{2 * side + px(kGap) + 2 * px(kPadding), side + 2 * line + 2 * px(kPadding) + px(4)};
  const float width = ImGui::GetContentRegionAvail().x;
  const auto per_line =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::max(0.0F, (width + gap) / (card.x + gap))));
  // The cards of a line are spread over the width.
  const auto cards = static_cast<float>(per_line);
  const float between = per_line > 1 ? std::floor((width - cards * card.x) / (cards - 1)) : gap;
  // Other rows or another order: the beginning is shown.
  if (memory.sheet_version != view.version) ImGui::SetScrollY(0);
  memory.sheet_version = view.version;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, gap});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>((view.shown.size() + per_line - 1) / per_line), card.y + gap);
  while (clipper.Step())
    for (auto k = static_cast<std::size_t>(clipper.DisplayStart) * per_line;
         k < std::min(view.shown.size(), static_cast<std::size_t>(clipper.DisplayEnd) * per_line); ++k) {
      if (k % per_line != 0) ImGui::SameLine(0, between);
      draw_card(ui, view.shown[k], card, side);
    }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

}  // namespace spyctrum::panels
