// SPDX-License-Identifier: Apache-2.0
// What every panel is for, in three sentences, beside a picture of it.
#include "app/panels/dialogs/panel_help.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/panels/dialogs/help_pictures.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/base/text.hpp"

namespace spyctrum::panels {
namespace {

constexpr PanelHelp kPanels[] = {
    {kComparison,
     "Every column is a method: the pattern that it sees, its spectrum, the reconstruction and its error. "
     "Dragging pans, the wheel zooms, and all pictures of one plane move together. The badge says whether "
     "values are exact, exact samples or an estimate; \"preview\" marks samples in place of a plane not yet "
     "computed."},
    {kSetup,
     "Shows the matrix and how its file was read, with the settings of the pictures: block size or budget, "
     "methods, scale. The slider sets the block size of all columns without one of their own. Choices about "
     "the file that you have made are blue."},
    {kActivity,
     "Lists the running jobs with their progress and the time left. Each job can be cancelled; Escape "
     "cancels the newest. The lower part shows the memory that jobs and data take."},
    {kFeatures,
     "Compares the features of all methods with the exact ones: radial energy, directional energy, and a "
     "table with errors. Estimates have error bars. Dimmed numbers belong to an earlier setting."},
    {kCost,
     "Shows the time of every stage and the memory of each method. After a sweep the plot below shows error "
     "against time for many block sizes. A click on a mark selects its method and block size."},
    {kStrongest,
     "Lists the coefficients of largest magnitude of an exact plane, with their periods and shares of the "
     "power. They are collected while the plane is streamed. A click draws the wave of the coefficient over "
     "the pattern."},
    {kTheory,
     "Evaluates the bounds of the BS-FFT paper for this matrix: entropy, retained energy, coverage, loss by "
     "aggregation. A bar shows the measured value, a tick the bound. The button \"Measure the energy\" "
     "streams the exact plane once, for the shares that need it."},
    {kAdvisor,
     "Recommends a method and a block size for this matrix. You set the time, memory and error that you "
     "allow. The recommendation follows from short runs on this machine and gives its reasons."},
    {kExplain,
     "Lists what stands out from noise in the spectrum and what that means for the pattern. Each sentence "
     "has its evidence and its probability in noise. A click shows the place in both domains."},
    {kStudy,
     "Shows the figures and the table of a study of many matrices. Choose a group and a figure above it. A "
     "click on a cell opens its matrix with that method and block size."},
    {kCollection,
     "Shows the indexed matrices, and those most like the matrix in view, with the reasons. Typed conditions "
     "select matrices, and a column of the table sorts them. A click on a matrix opens it."},
    {kLog,
     "Keeps the messages and errors of this session with their times. The text typed above filters them. A "
     "click on a line copies it."},
    {kLesson,
     "Shows a step of a lesson: an observation, something to try, or a question. Page Down and Page Up "
     "change the step, the keys 1, 2, … answer. Closing the lesson restores the screen as it was before."},
    {kSandbox,
     "Has the tools that draw into a small matrix while its spectrum follows. Dragging a coefficient up or "
     "down shows how the matrix changes. The drawing is saved as Matrix Market, its strokes as a lesson."},
    {kAnimation,
     "Sweeps over block sizes, thresholds, orders or the rows of a stream, frame by frame. Every frame waits "
     "for its pictures before the next one begins. All frames are saved as animated WebP or numbered PNGs."},
};

void draw_picture(const Ui& ui, const PanelHelp& panel, ImVec2 room) {
  const render::Texture2D* picture =
      ui.memory.help_pictures->find(help_picture_name(panel, ui.state.settings.theme == Theme::light));
  if (picture == nullptr) return ImGui::Dummy(room);
  const auto width = static_cast<float>(picture->width()), height = static_cast<float>(picture->height());
  const float scale = std::min({room.x / width, room.y / height, px(1)});
  const ImVec2 from = ImGui::GetCursorScreenPos(), to{from.x + scale * width, from.y + scale * height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddImage(static_cast<ImTextureID>(picture->id()), from, to);
  list.AddRect(from, to, palette().border);
  ImGui::Dummy({room.x, scale * height});
}

}  // namespace

std::span<const PanelHelp> panel_helps() { return kPanels; }

std::string help_picture_name(const PanelHelp& panel, bool light) {
  std::string name = panel.window;
  std::ranges::transform(name, name.begin(), lower_case);
  return name + (light ? "-light" : "-dark");
}

void draw_panel_help(const Ui& ui) {
  const float width = px(760);
  ImGui::BeginChild("panels", {width, std::min(px(560), ImGui::GetIO().DisplaySize.y * 0.68F)},
                    ImGuiChildFlags_NavFlattened);
  for (const PanelHelp& panel : kPanels) {
    if (!ImGui::BeginTable(panel.window, 2)) continue;
    ImGui::TableSetupColumn("picture", ImGuiTableColumnFlags_WidthFixed, px(330));
    ImGui::TableSetupColumn("words", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    draw_picture(ui, panel, {px(320), px(190)});
    ImGui::TableNextColumn();
    bold_text(panel.window, 15, palette().text);
    wrapped_text(panel.words, palette().text);
    ImGui::EndTable();
    ImGui::Dummy({0, px(10)});
  }
  ImGui::EndChild();
}

}  // namespace spyctrum::panels
