// SPDX-License-Identifier: Apache-2.0
// The tools of the sandbox, below the pictures: what the left mouse button draws into the pattern, undo,
// other drawings, and files.
#include <imgui.h>

#include <array>
#include <utility>

#include "app/controller/lessons/lesson.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/strip.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/matrix/drawing.hpp"

namespace spyctrum::panels {
namespace {

struct Tool {
  Stroke::Tool tool;
  const char* label;
  const char* help;
};
constexpr std::array<Tool, 5> kTools = {{
    {Stroke::Tool::point, "points", "Draws where the mouse is dragged"},
    {Stroke::Tool::line, "line", "A straight line from press to release"},
    {Stroke::Tool::diagonal, "diagonal", "The whole diagonal through the mouse pointer"},
    {Stroke::Tool::block, "full block", "A full block from press to release"},
    {Stroke::Tool::stamp, "periodic stamp",
     "The point under the mouse pointer, repeated over the matrix; period: rows and columns from one to the "
     "next"},
}};

void draw_tools(Memory& memory) {
  Stroke& pencil = memory.pencil;
  if (choice("move the view", !memory.draws, "The left button moves the view, as in other matrices"))
    memory.draws = false;
  for (const Tool& one : kTools) {
    same_line_if_fits(one.label, px(14));
    if (choice(one.label, memory.draws && pencil.tool == one.tool, one.help)) {
      memory.draws = true;
      pencil.tool = one.tool;
    }
  }
  ImGui::Checkbox("erase", &pencil.erases);
  tooltip("The tools remove entries instead of adding them");
  ImGui::SameLine(0, px(14));
  ImGui::Checkbox("mirror", &pencil.mirrors);
  tooltip("Draws (j, i) with every (i, j), so that a symmetric matrix stays symmetric");
  if (pencil.tool != Stroke::Tool::stamp) return;
  same_line_if_fits("period", px(14), px(120));
  int period = static_cast<int>(pencil.period);
  ImGui::SetNextItemWidth(px(110));
  if (ImGui::SliderInt("period", &period, 2, 64, "%d", ImGuiSliderFlags_AlwaysClamp)) pencil.period = period;
}

void ask_steps(const Ui& ui) {
  const std::string ending(kLessonEnding);
  ask_save(ui, "Save the steps as a lesson", ending, {ending}, "Lessons", [ending](const std::string& path) {
    return action::ExportSteps{is_lesson_file(path) ? path : path + ending};
  });
}

void draw_buttons(const Ui& ui) {
  bool begins_line = true;
  const auto button = [&](const char* label, bool enabled, const char* help) {
    if (!std::exchange(begins_line, false)) same_line_if_fits(label, ImGui::GetStyle().ItemSpacing.x);
    ImGui::BeginDisabled(!enabled);
    const bool pressed = ImGui::Button(label);
    ImGui::EndDisabled();
    tooltip(help);
    return pressed;
  };
  if (button("Undo", ui.state.sandbox.can_undo, "Undoes the last stroke (Ctrl+Z)"))
    ui.emit(action::UndoStroke{});
  if (button("Redo", ui.state.sandbox.can_redo, "Draws the stroke again (Ctrl+Y)"))
    ui.emit(action::RedoStroke{});
  if (button("Clear", true, "Removes all entries")) ui.emit(action::ClearDrawing{});
  if (!ui.state.sandbox.changed.empty() &&
      button("Restore the spectrum", true, "Undoes all changes of coefficients"))
    ui.emit(action::RestoreSpectrum{});
  if (button("Save as Matrix Market…", true, "Writes the drawing as a file")) run(ui, Command::export_matrix);
  if (button("Copy for a lesson", true,
             "Copies the line \"matrix: …\" with which a lesson file shows this drawing"))
    ImGui::SetClipboardText(("matrix: " + ui.state.matrix()->source + "\n").c_str());
  begins_line = true;
  for (const int side : {16, 32, 64, 128}) {
    const std::string label = "New " + std::to_string(side) + " × " + std::to_string(side);
    if (button(label.c_str(), true, "A new drawing, which begins with its diagonal"))
      ui.emit(action::NewDrawing{static_cast<std::uint32_t>(side)});
  }
  if (button("Save the steps as a lesson…", true, "Writes a lesson with a step for each stroke"))
    ask_steps(ui);
}

}  // namespace

void draw_sandbox(const Ui& ui) {
  if (!ui.state.sandbox.is_drawing) {
    ui.memory.draws = true;  // the next drawing begins with the pencil
    return;
  }
  const StripWindow window(kSandbox);
  if (!window.is_visible()) return;
  section("Draw into the pattern with the left button; drag a coefficient of the spectrum up or down");
  draw_tools(ui.memory);
  ImGui::Spacing();
  draw_buttons(ui);
}

}  // namespace spyctrum::panels
