// SPDX-License-Identifier: Apache-2.0
// Lists to open a matrix from: the files below a folder, and the matrices that a file holds. A line to search
// with; arrow keys choose, Enter or a click opens.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "app/panels/widgets/dialog.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "core/io/reader.hpp"

namespace spyctrum::panels {
namespace {

struct Line {
  std::string name;
  std::string facts;   ///< at the right
  std::string source;  ///< what OpenFile takes
};

char small_letter(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool holds(std::string_view name, std::string_view typed) {
  const auto same = [](char a, char b) { return small_letter(a) == small_letter(b); };
  return typed.empty() || !std::ranges::search(name, typed, same).empty();
}

/// The wish of the user: a line of `lines`, or none.
const Line* draw_lines(const Ui& ui, const std::vector<Line>& lines, const std::string& selected) {
  std::string& typed = ui.memory.list_text;
  std::size_t& chosen = ui.memory.list_chosen;
  std::vector<const Line*> fitting;
  const auto find = [&] {
    fitting.clear();
    for (const Line& line : lines)
      if (holds(line.name, typed)) fitting.push_back(&line);
  };
  find();
  const bool appears = ImGui::IsWindowAppearing();
  if (appears) {
    typed.clear();
    find();
    const auto open = std::ranges::find(fitting, selected, [](const Line* line) { return line->source; });
    chosen = open == fitting.end() ? 0 : static_cast<std::size_t>(open - fitting.begin());
  }
  // The line keeps the keyboard: an arrow key would move it to another item.
  if (!ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const std::string before = typed;
  const bool entered = ImGui::InputTextWithHint("###list text", "type part of a name", &typed,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  if (typed != before) {
    chosen = 0;
    find();
  }
  const std::size_t was = chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) && chosen > 0) --chosen;
  chosen = fitting.empty() ? 0 : std::min(chosen, fitting.size() - 1);
  const Line* wanted = entered && !fitting.empty() ? fitting[chosen] : nullptr;
  ImGui::BeginChild("lines", {0, std::min(px(420), ImGui::GetIO().DisplaySize.y * 0.6F)},
                    ImGuiChildFlags_Borders, ImGuiWindowFlags_NoNav);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(fitting.size()));
  if (chosen != was || appears) clipper.IncludeItemByIndex(static_cast<int>(chosen));
  while (clipper.Step())
    for (auto k = static_cast<std::size_t>(clipper.DisplayStart);
         k < static_cast<std::size_t>(clipper.DisplayEnd); ++k) {
      const Line& line = *fitting[k];
      const float room =
          ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(line.facts.c_str()).x - px(16);
      if (ImGui::Selectable((fit_text(line.name, room) + "###line " + line.source).c_str(), k == chosen))
        wanted = &line;
      tooltip(line.name);
      if ((chosen != was || appears) && k == chosen) ImGui::SetScrollHereY();
      ImGui::SameLine();
      right_text(line.facts, line.source == selected ? palette().accent : palette().dim);
    }
  ImGui::EndChild();
  return wanted;
}

std::string count_text(std::size_t count, const char* one, const char* many) {
  return grouped(count) + " " + (count == 1 ? one : many);
}

std::string facts_of(const MatrixInFile& matrix) {
  if (matrix.rows == 0 && matrix.cols == 0) return bytes_text(matrix.bytes);
  return grouped(matrix.rows) + " × " + grouped(matrix.cols) + "  ·  " + grouped(matrix.stored) +
         " stored  ·  " + matrix.layout;
}

}  // namespace

void draw_folder_list(const Ui& ui) {
  const Dialog dialog(ui, "Matrices below a folder", 680);
  if (!dialog.is_visible()) return;
  const FolderList& folder = ui.state.folder;
  const std::string many = count_text(folder.files.size(), "file", "files");
  if (folder.searching)
    small_text("Searching …");
  else
    small_text(folder.files.empty() ? folder.path + " holds no file that could be read."
                                    : folder.path + "  ·  " + many);
  if (!folder.note.empty()) small_text(folder.note, palette().warning);
  std::vector<Line> lines;
  lines.reserve(folder.files.size());
  for (const MatrixFile& file : folder.files)
    lines.push_back({file.path.substr(std::min(file.path.size(), folder.path.size() + 1)),
                     bytes_text(file.bytes), file.path});
  const OpenMatrix* open = ui.state.matrix();
  if (const Line* wanted = draw_lines(ui, lines, open != nullptr ? open->source : std::string())) {
    dialog.close();
    ui.emit(action::OpenFile{wanted->source});
  }
  small_text("Page Down and Page Up open the next and the previous one.");
}

void draw_matrix_list(const Ui& ui) {
  const OpenMatrix* open = ui.state.matrix();
  if (open == nullptr) return;
  const Dialog dialog(ui, "Matrices of this file", 680);
  if (!dialog.is_visible()) return;
  const LoadReport& report = open->matrix.report;
  const std::string path = path_of_matrix(open->source);
  small_text(path + "  ·  " + count_text(report.matrices.size(), "matrix", "matrices"));
  std::vector<Line> lines;
  lines.reserve(report.matrices.size());
  for (const MatrixInFile& matrix : report.matrices)
    lines.push_back({matrix.name, facts_of(matrix), path + "::" + matrix.name});
  if (const Line* wanted = draw_lines(ui, lines, path + "::" + report.matrix)) {
    dialog.close();
    if (wanted->source != path + "::" + report.matrix)
      ui.emit(action::OpenFile{wanted->source, true, open->reading});
  }
}

}  // namespace spyctrum::panels
