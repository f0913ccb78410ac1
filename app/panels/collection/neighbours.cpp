// SPDX-License-Identifier: Apache-2.0
// The nearest entries of the matrix in view, with the distances of the parts of their signatures.

#include "app/panels/collection/collection_parts.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

namespace {

std::string kinship(const SignatureDistance& found) {
  std::string text = number_text(found.distance, 3);
  if (found.transposed) text += "  ·  transposed";
  if (found.view == SignatureView::canonical) text += "  ·  in a canonical order";
  return text;
}

void draw_neighbour(const Ui& ui, const Neighbour& neighbour, std::size_t place) {
  const CollectionTable& table = *ui.state.collection.table;
  if (neighbour.row >= table.matrices.size()) return;
  const float side = px(56), gap = px(3), height = side + px(8);
  ImGui::PushID(static_cast<int>(place));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  if (ImGui::Selectable("##neighbour", false, 0, {0, height})) open_row(ui, neighbour.row);
  const std::string reason = reason_text(neighbour.found);
  tooltip("Click to open " + table.matrices[neighbour.row].files.front() + "\n" + reason);
  if (ImGui::IsItemHovered()) ui.memory.collection.hovered_card = neighbour.row;
  draw_row_pictures(ui, neighbour.row, {at.x + px(2), at.y + px(4)}, side, gap);
  const float left = at.x + 2 * side + gap + px(12), room = at.x + width - left;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string name = std::to_string(place + 1) + "  " + name_of_row(table, neighbour.row);
  list.AddText({left, at.y + px(3)}, palette().text, fit_text(name, room).c_str());
  const auto font = small_font();
  const float line = ImGui::GetTextLineHeight();
  const std::string facts = kinship(neighbour.found) + "  ·  " + facts_of_row(table, neighbour.row);
  list.AddText({left, at.y + px(22)}, palette().dim, fit_text(facts, room).c_str());
  const ImVec4 clip{left, at.y, left + room, at.y + px(22) + 3 * line};
  list.AddText(nullptr, 0, {left, at.y + px(22) + line}, palette().faint, reason.c_str(), nullptr, room,
               &clip);
  ImGui::PopID();
}

}  // namespace

void draw_neighbours(const Ui& ui) {
  const NeighbourView& view = ui.state.collection.neighbours;
  const OpenMatrix* open = ui.state.matrix();
  section("Neighbours" + (open != nullptr ? " of " + open->matrix.name : std::string()),
          view.busy ? "comparing …" : "");
  if (open == nullptr) return small_text("Open a matrix to find similar ones.", palette().faint);
  if (!view.problem.empty()) return small_text(view.problem, palette().warning);
  if (view.waits && link("Find its neighbours", "Its signature takes some seconds"))
    ui.emit(action::FindNeighbours{});
  if (open->whole->has_weights()) small_text("By the pattern: a collection compares no values.");
  if (view.own)
    small_text("In the collection as " + ui.state.collection.table->matrices[*view.own].files.front() + ".");
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.list.size()));
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
      draw_neighbour(ui, view.list[static_cast<std::size_t>(k)], static_cast<std::size_t>(k));
}

}  // namespace spyctrum::panels
