// SPDX-License-Identifier: Apache-2.0
// The open lesson, below the pictures: the text of the step, beside it a suggestion or a question. When the
// reader has chosen an answer, the right one is marked.
#include <imgui.h>

#include <algorithm>

#include "app/controller/lessons/lesson.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/dialog.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/strip.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr float kTextPoints = 16, kWideEnough = 560;  // points

/// Title and number of the step, and the buttons that change it.
void draw_head(const Ui& ui, const Lesson& lesson) {
  const LessonView& view = ui.state.lessons;
  bold_text(lesson.steps[view.step].title, 17, palette().text);
  const std::string place = std::to_string(view.step + 1) + " of " + std::to_string(lesson.steps.size());
  const float buttons = px(4 * 28 + 10) + ImGui::CalcTextSize(place.c_str()).x;
  ImGui::SameLine(0, px(14));
  const float room = right_edge() - ImGui::GetCursorPosX() - buttons - px(20);
  dim_text(fit_text(lesson.title, std::max(room, 0.0F)));
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(right_edge() - buttons, ImGui::GetCursorPosX()));
  const auto turn = [&](const char* icon, const char* id, Command command) {
    if (icon_button(icon, id, info(command).help, keys_text(command), false, is_possible(ui.state, command)))
      run(ui, command);
    ImGui::SameLine(0, px(4));
  };
  turn(icon::kBack, "previous step", Command::previous_step);
  dim_text(place);
  ImGui::SameLine(0, px(4));
  turn(icon::kForward, "next step", Command::next_step);
  if (icon_button(icon::kReset, "step again", "Shows the step again as it was"))
    ui.emit(action::ShowStep{view.step});
  ImGui::SameLine(0, px(4));
  if (icon_button(icon::kClose, "close lesson", info(Command::close_lesson).help,
                  keys_text(Command::close_lesson)))
    run(ui, Command::close_lesson);
}

void draw_text(const LessonView& view, const LessonStep& step) {
  if (!view.problem.empty()) wrapped_text(view.problem, palette().bad);
  wrapped_text(step.text, palette().text);
}

void draw_try(const LessonStep& step) {
  if (step.to_try.empty()) return;
  bold_text("Try", kTextPoints, palette().accent);
  wrapped_text(step.to_try, palette().text);
}

/// The words in lines of at most `width`.
std::string with_line_breaks(const std::string& words, float width) {
  std::string lines;
  const char* const end = words.data() + words.size();
  for (const char* from = words.data(); from < end;) {
    const char* to = ImGui::GetFont()->CalcWordWrapPosition(ImGui::GetFontSize(), from, end, width);
    if (!lines.empty()) lines += '\n';
    lines.append(from, to);
    for (from = to; from < end && *from == ' ';) ++from;
  }
  return lines;
}

/// An answer to choose: a button before the reader has chosen, then a line of text if the answer is right or
/// was chosen.
void draw_choice(const Ui& ui, const LessonStep& step, std::size_t k) {
  const std::optional<std::size_t>& guess = ui.state.lessons.guess;
  ImGui::PushID(static_cast<int>(k));
  if (!guess) {
    ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5F});
    const float width = ImGui::GetContentRegionAvail().x;
    if (ImGui::Button((with_line_breaks(std::to_string(k + 1) + "  " + step.choices[k], width - px(16)) +
                       "###choice " + std::to_string(k + 1))
                          .c_str(),
                      {width, 0}))
      ui.emit(action::GuessAnswer{k});
    ImGui::PopStyleVar();
  } else {
    const bool is_right = k == step.answer, is_guess = k == *guess;
    if (!is_right && !is_guess) return ImGui::PopID();
    const char* mark = !is_right ? "your guess: " : is_guess ? "right, as you guessed: " : "right: ";
    wrapped_text(mark + step.choices[k], is_right ? palette().good : palette().bad);
  }
  ImGui::PopID();
}

void draw_question(const Ui& ui, const LessonStep& step) {
  {
    const auto font = bold_font(kTextPoints);
    wrapped_text(step.question, palette().accent);
  }
  for (std::size_t k = 0; k < step.choices.size(); ++k) draw_choice(ui, step, k);
  if (ui.state.lessons.guess && !step.reveal.empty()) wrapped_text(step.reveal, palette().text);
}

void draw_step(const Ui& ui, const LessonStep& step) {
  const LessonView& view = ui.state.lessons;
  const auto font = ScopedFont(ImGui::GetFont(), kTextPoints);
  const bool asks = !step.question.empty();
  // The suggestion is about pictures that a question hides until it is answered.
  const bool tries = !asks || view.guess;
  const float width = ImGui::GetContentRegionAvail().x;
  if (width < px(kWideEnough)) {
    draw_text(view, step);
    ImGui::Spacing();
    if (asks) draw_question(ui, step);
    if (tries) draw_try(step);
    return;
  }
  if (!ImGui::BeginTable("step", 2, ImGuiTableFlags_SizingStretchProp)) return;
  ImGui::TableSetupColumn("text", 0, asks ? 1 : 1.2F);
  ImGui::TableSetupColumn("try or question", 0, asks ? 1.25F : 1);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_text(view, step);
  if (asks && tries) draw_try(step);  // the answer fills the other column
  ImGui::TableNextColumn();
  if (asks)
    draw_question(ui, step);
  else
    draw_try(step);
  ImGui::EndTable();
}

/// Draws a lesson of the list; returns whether it was clicked or Enter was pressed on it. `takes_keyboard`:
/// it gets the keyboard focus.
bool draw_entry(const LessonEntry& entry, std::size_t number, bool takes_keyboard) {
  const std::string title = std::to_string(number) + ".  " + entry.title;
  const bool chosen = ImGui::Selectable((title + "###lesson " + std::to_string(number)).c_str(), false,
                                        entry.problem.empty() ? 0 : ImGuiSelectableFlags_Disabled);
  if (takes_keyboard) {
    ImGui::SetItemDefaultFocus();
    ImGui::SetNavCursorVisible(true);
  }
  ImGui::Indent(px(22));
  small_text(entry.problem.empty() ? entry.about : entry.problem,
             entry.problem.empty() ? palette().dim : palette().bad);
  ImGui::Unindent(px(22));
  return chosen;
}

}  // namespace

void draw_lesson(const Ui& ui) {
  const LessonView& view = ui.state.lessons;
  if (!view.lesson) return;
  const StripWindow window(kLesson);
  if (!window.is_visible()) return;
  draw_head(ui, *view.lesson);
  ImGui::Separator();
  draw_step(ui, view.lesson->steps[view.step]);
}

void draw_lesson_list(const Ui& ui) {
  const Dialog dialog(ui, "Lessons", 620);
  if (!dialog.is_visible()) return;
  const std::vector<LessonEntry>& known = ui.state.lessons.known;
  if (known.empty()) small_text("No lesson was found beside the program.", palette().warning);
  ImGui::BeginChild("lessons", {px(580), std::min(px(460), ImGui::GetIO().DisplaySize.y * 0.66F)},
                    ImGuiChildFlags_NavFlattened);
  // Enter opens the first lesson, unless arrow keys choose another.
  const auto first =
      std::ranges::find_if(known, [](const LessonEntry& one) { return one.problem.empty(); }) - known.begin();
  const bool appears = ImGui::IsWindowAppearing();
  for (std::size_t k = 0; k < known.size(); ++k)
    if (draw_entry(known[k], k + 1, static_cast<std::ptrdiff_t>(k) == first && appears))
      ui.emit(action::OpenLesson{known[k].path});
  ImGui::EndChild();
  if (ImGui::Button("Open a lesson file…")) {
    dialog.close();
    ask_lesson(ui);
  }
  ImGui::SameLine();
  if (ImGui::Button("Close")) dialog.close();
}

void draw_lesson_offers(const Ui& ui) {
  const std::vector<LessonEntry>& known = ui.state.lessons.known;
  if (known.empty()) return;
  section("Lessons");
  const float edge = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const bool is_first_start = ui.state.recent.empty();
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (!known[k].problem.empty()) continue;
    const bool is_offer = k == 0 && is_first_start;
    const std::string words = is_offer ? "Start here: " + known[k].title : known[k].title;
    const float width = ImGui::CalcTextSize(words.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (k > 0) {
      ImGui::SameLine();
      if (ImGui::GetCursorScreenPos().x + width > edge) ImGui::NewLine();
    }
    if (is_offer) {
      ImGui::PushStyleColor(ImGuiCol_Button, with_alpha(palette().accent, 0.35F));
      ImGui::PushStyleColor(ImGuiCol_ButtonHovered, with_alpha(palette().accent, 0.55F));
    }
    if (ImGui::Button((words + "###offer " + std::to_string(k + 1)).c_str()))
      ui.emit(action::OpenLesson{known[k].path});
    if (is_offer) ImGui::PopStyleColor(2);
    tooltip(known[k].about);
  }
  ImGui::Dummy({0, px(6)});
}

}  // namespace spyctrum::panels
