// SPDX-License-Identifier: Apache-2.0
// An open study and its figures. A click on a point opens its matrix with that method and block size.
#include <imgui.h>

#include <algorithm>

#include "app/panels/plots/study_plots.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr std::size_t kBlocksALine = 3;

std::string facts_of(const Study& study) {
  const auto done =
      static_cast<std::uint64_t>(std::ranges::count(study.cells, CellStatus::done, &StudyCell::status));
  return counted(study.matrices.size(), "matrix", "matrices") + "  ·  " + grouped(done) + " of " +
         counted(study.cells.size(), "cell", "cells") + " done";
}

void choose_plot(Memory& memory) {
  for (std::size_t k = 0; k < kStudyPlots; ++k) {
    const auto plot = static_cast<StudyPlot>(k);
    if (choice(title_of(plot), memory.study_plot == k)) memory.study_plot = k;
  }
}

void choose_group(const std::vector<StudyGroup>& groups, const Study& study, Memory& memory) {
  memory.study_group = std::min(memory.study_group, groups.size() - 1);
  ImGui::Spacing();
  for (std::size_t k = 0; k < groups.size(); ++k)
    if (choice((groups[k].title + " (" + std::to_string(groups[k].matrices.size()) + ")").c_str(),
               memory.study_group == k))
      memory.study_group = k;
  if (memory.study_plot != static_cast<std::size_t>(StudyPlot::time_by_size)) return;
  ImGui::Spacing();
  const std::vector<std::uint32_t> blocks = study_blocks(study);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (k % kBlocksALine != 0) ImGui::SameLine();
    if (choice(("b = " + std::to_string(blocks[k])).c_str(), memory.study_block == blocks[k]))
      memory.study_block = blocks[k];
  }
}

void draw_body(const Ui& ui, const Study& study) {
  const std::vector<StudyGroup> groups = study_groups(study);
  if (groups.empty()) return small_text("This study contains no matrix yet.", palette().faint);
  ImGui::BeginChild("###study choices", {px(236), 0}, ImGuiChildFlags_AlwaysUseWindowPadding);
  text(short_name(study.folder), palette().text);
  small_text(facts_of(study));
  if (link("Close the study")) ui.emit(action::CloseStudy{});
  section("Figure");
  choose_plot(ui.memory);
  section("Matrices");
  choose_group(groups, study, ui.memory);
  ImGui::EndChild();
  ImGui::SameLine();
  const auto font = small_font();
  const StudyCell* clicked =
      draw_study_plot(study, static_cast<StudyPlot>(ui.memory.study_plot), groups[ui.memory.study_group],
                      ui.memory.study_block, ImGui::GetContentRegionAvail());
  if (clicked != nullptr) ui.emit(action::OpenStudyCell{clicked->matrix, clicked->method, clicked->block});
}

}  // namespace

void draw_study(const Ui& ui) {
  if (!ui.state.study) return;
  const PanelWindow window(kStudy);
  if (window.is_visible()) draw_body(ui, *ui.state.study);
}

void draw_study_alone(const Ui& ui) {
  begin_screen("Study alone", {px(10), px(8)});
  draw_body(ui, *ui.state.study);
  ImGui::End();
}

}  // namespace spyctrum::panels
