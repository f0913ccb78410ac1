// SPDX-License-Identifier: Apache-2.0
// The collection over the whole screen, and the panel with the neighbours of the matrix in view.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>

#include "app/panels/collection/collection_parts.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

namespace {

constexpr float kSmallestCard = 32, kLargestCard = 192;  // points

/// Requests, once, the thumbnails that were missing in this frame.
void request_thumbnails(const Ui& ui) {
  CollectionMemory& memory = ui.memory.collection;
  const CollectionView& view = ui.state.collection;
  std::ranges::sort(memory.missing);
  memory.missing.erase(std::unique(memory.missing.begin(), memory.missing.end()), memory.missing.end());
  if (!memory.missing.empty() && (memory.missing != memory.requested || memory.requested_of != view.table)) {
    ui.emit(action::RequestThumbnails{memory.missing});
    memory.requested = memory.missing;
    memory.requested_of = view.table;
  }
  memory.missing.clear();
}

void draw_facts(const Ui& ui) {
  const CollectionView& view = ui.state.collection;
  std::string facts = short_name(view.path);
  if (view.table) facts += "  ·  " + counted(view.table->matrices.size(), "matrix", "matrices");
  if (view.reading) facts += "  ·  reading …";
  if (view.indexing) facts += "  ·  indexing a folder …";
  small_text(facts);
  tooltip(view.path);
  if (!view.problem.empty()) small_text(view.problem, palette().warning);
  if (!view.thumbnails_problem.empty()) small_text(view.thumbnails_problem, palette().warning);
  for (const LoadingMatrix& loading : ui.state.loading)
    small_text("Reading " + short_name(loading.source) + " …", palette().accent);
}

void draw_buttons(const Ui& ui) {
  if (ImGui::Button("Index a folder…")) ask_index(ui);
  tooltip(
      "Makes fingerprints of all matrices below a folder; matrices that have not changed are not read again");
  ImGui::SameLine();
  if (ImGui::Button("Open another…")) ask_collection(ui);
  ImGui::SameLine();
  if (ImGui::Button("Read again")) ui.emit(action::OpenCollection{ui.state.collection.path});
  tooltip("Reads the collection again, with what another program has added");
  ImGui::SameLine();
  if (ImGui::Button("Close")) ui.emit(action::CloseCollection{});
  tooltip("Closes the collection; its file stays");
  if (ui.state.matrix() == nullptr) return;
  ImGui::SameLine();
  if (ImGui::Button(("Back to " + fit_text(ui.state.matrix()->matrix.name, px(200)) + "###back").c_str()))
    ui.emit(action::ShowCollection{false});
  tooltip("Shows the matrix again", keys_text(Command::collection));
}

/// Conditions, order and size of the cards.
void draw_choice(const Ui& ui) {
  const CollectionView& view = ui.state.collection;
  const CollectionTable& table = *view.table;
  CollectionMemory& memory = ui.memory.collection;
  CollectionChoice choice = view.choice;
  ImGui::SetNextItemWidth(px(420));
  if (!memory.is_typing) memory.conditions = choice.where;
  ImGui::InputTextWithHint("##conditions", "rows > 1000  entropy < 0.8  file ~ band", &memory.conditions);
  memory.is_typing = ImGui::IsItemActive();
  tooltip(
      "Conditions that all must hold: a column, < <= > >= = or !=, a number such as 0.8, 10k or 80%; yes and "
      "no; or a part of a file's name");
  choice.where = memory.conditions;
  ImGui::SameLine();
  dim_text("sorted by");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(px(190));
  const std::size_t order = table.column(choice.order);
  if (ImGui::BeginCombo("##order",
                        order < table.columns.size() ? table.columns[order].label.c_str() : "file")) {
    if (ImGui::Selectable("file", choice.order == "file")) choice.order = "file";
    for (const CollectionColumn& column : table.columns)
      if (ImGui::Selectable((column.label + "###order " + column.id).c_str(), column.id == choice.order))
        choice.order = column.id;
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  if (icon_button(choice.descending ? icon::kDown : icon::kUp, "order direction",
                  choice.descending ? "Largest first" : "Smallest first"))
    choice.descending = !choice.descending;
  ImGui::SameLine();
  ImGui::SetNextItemWidth(px(110));
  ImGui::SliderFloat("##card size", &memory.card_side, kSmallestCard, kLargestCard, "size %.0f",
                     ImGuiSliderFlags_AlwaysClamp);
  tooltip("Size of the pictures");
  ImGui::SameLine();
  dim_text(grouped(view.shown.size()) + " of " + grouped(table.matrices.size()));
  if (!view.choice_problem.empty()) small_text(view.choice_problem, palette().warning);
  if (choice != view.choice) ui.emit(action::ChooseInCollection{choice});
}

void draw_body(const Ui& ui) {
  const CollectionView& view = ui.state.collection;
  if (!view.table || view.table->matrices.empty())
    return small_text(view.reading ? "Reading …"
                                   : "The collection is empty. \"Index a folder…\" computes a fingerprint of "
                                     "every matrix below a folder. Then the matrices are listed here with "
                                     "pictures and features, and those similar to an open one are found.");
  draw_choice(ui);
  ImGui::Dummy({0, px(2)});
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float right = std::clamp(room.x * 0.36F, px(260), px(720));
  ui.memory.collection.hovered_card.reset();
  draw_contact_sheet(ui, {room.x - right - px(14), room.y});
  ImGui::SameLine(0, px(14));
  ImGui::BeginChild("beside the sheet", {right, room.y}, ImGuiChildFlags_NavFlattened);
  const float height = ui.state.matrix() == nullptr ? room.y - px(70) : std::min(room.y * 0.55F, right);
  draw_collection_scatter(ui, {ImGui::GetContentRegionAvail().x, std::max(px(160), height)});
  draw_neighbours(ui);
  ImGui::EndChild();
}

}  // namespace

void draw_collection(const Ui& ui) {
  if (ui.state.collection.path.empty()) return;
  ui.memory.collection.hovered_card.reset();
  {
    const PanelWindow window(kCollection);
    if (window.is_visible()) {
      if (link("Show the collection", "Contact sheet, conditions and scatter over the whole screen"))
        ui.emit(action::ShowCollection{});
      ImGui::SameLine();
      draw_facts(ui);
      if (ui.state.collection.table) draw_neighbours(ui);
    }
  }
  request_thumbnails(ui);
}

void draw_collection_alone(const Ui& ui) {
  begin_screen("Collection alone", {px(18), px(12)});
  bold_text("Collection", 18, palette().text);
  ImGui::SameLine(0, px(24));
  draw_buttons(ui);
  draw_facts(ui);
  draw_body(ui);
  ImGui::End();
  request_thumbnails(ui);
}

}  // namespace spyctrum::panels
