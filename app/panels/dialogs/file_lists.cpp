// SPDX-License-Identifier: Apache-2.0
// Lists to open a matrix from: the files below a folder, and the matrices that a file holds. A line to search
// with; arrow keys choose, Enter or a click opens.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
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

/// A list of `count` lines, of which only those on the screen are made. `title` tells it from other lists.
struct Lines {
  std::string title;
  std::size_t count = 0;
  std::function<std::string_view(std::size_t)> name_of;
  std::function<Line(std::size_t)> make;
};

/// The lines that hold what is typed; found again only where something has changed.
const std::vector<std::size_t>& fitting_lines(const Ui& ui, const Lines& lines) {
  const std::string key = lines.title + '\n' + std::to_string(lines.count) + '\n' + ui.memory.list_text;
  std::vector<std::size_t>& fitting = ui.memory.list_fitting;
  if (ui.memory.list_key == key) return fitting;
  ui.memory.list_key = key;
  fitting.clear();
  for (std::size_t k = 0; k < lines.count; ++k)
    if (holds(lines.name_of(k), ui.memory.list_text)) fitting.push_back(k);
  return fitting;
}

/// What the user opens: the source of a line, or nothing. `selected`: the line that is open, if any.
std::optional<std::string> draw_lines(const Ui& ui, const Lines& lines, std::optional<std::size_t> selected) {
  std::string& typed = ui.memory.list_text;
  std::size_t& chosen = ui.memory.list_chosen;
  const bool appears = ImGui::IsWindowAppearing();
  if (appears) {
    typed.clear();
    ui.memory.list_key.clear();
    chosen = selected.value_or(0);
  }
  // The line keeps the keyboard: an arrow key would move it to another item.
  if (!ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const std::string before = typed;
  const bool entered = ImGui::InputTextWithHint("###list text", "type part of a name", &typed,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  if (typed != before) chosen = 0;
  const std::vector<std::size_t>& fitting = fitting_lines(ui, lines);
  const std::size_t was = chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) && chosen > 0) --chosen;
  chosen = fitting.empty() ? 0 : std::min(chosen, fitting.size() - 1);
  std::optional<std::string> wanted;
  if (entered && !fitting.empty()) wanted = lines.make(fitting[chosen]).source;
  ImGui::BeginChild("lines", {0, std::min(px(420), ImGui::GetIO().DisplaySize.y * 0.6F)},
                    ImGuiChildFlags_Borders, ImGuiWindowFlags_NoNav);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(fitting.size()));
  const bool scrolls = chosen != was || appears;
  if (scrolls && !fitting.empty()) clipper.IncludeItemByIndex(static_cast<int>(chosen));
  while (clipper.Step())
    for (auto k = static_cast<std::size_t>(clipper.DisplayStart);
         k < static_cast<std::size_t>(clipper.DisplayEnd); ++k) {
      const Line line = lines.make(fitting[k]);
      const float room =
          ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(line.facts.c_str()).x - px(16);
      if (ImGui::Selectable((fit_text(line.name, room) + "###line " + line.source).c_str(), k == chosen))
        wanted = line.source;
      tooltip(line.name);
      if (scrolls && k == chosen) ImGui::SetScrollHereY();
      ImGui::SameLine();
      right_text(line.facts, fitting[k] == selected ? palette().accent : palette().dim);
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
    small_text(folder.files.empty() ? folder.path + " contains no file that can be read."
                                    : folder.path + "  ·  " + many);
  if (!folder.note.empty()) small_text(folder.note, palette().warning);
  const OpenMatrix* open = ui.state.matrix();
  const auto at =
      std::ranges::find(folder.files, open != nullptr ? open->source : std::string(), &MatrixFile::path);
  const auto name_of = [&folder](std::size_t k) {
    const std::string_view path = folder.files[k].path;
    return path.substr(std::min(path.size(), folder.path.size() + 1));
  };
  const Lines lines{folder.path, folder.files.size(), name_of, [&](std::size_t k) {
                      const MatrixFile& file = folder.files[k];
                      return Line{std::string(name_of(k)), bytes_text(file.bytes), file.path};
                    }};
  const auto selected = at == folder.files.end()
                            ? std::nullopt
                            : std::optional(static_cast<std::size_t>(at - folder.files.begin()));
  if (const auto wanted = draw_lines(ui, lines, selected)) {
    dialog.close();
    ui.emit(action::OpenFile{*wanted});
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
  const auto at = std::ranges::find(report.matrices, report.matrix, &MatrixInFile::name);
  const Lines lines{path, report.matrices.size(),
                    [&](std::size_t k) { return std::string_view(report.matrices[k].name); },
                    [&](std::size_t k) {
                      const MatrixInFile& matrix = report.matrices[k];
                      return Line{matrix.name, facts_of(matrix), path + "::" + matrix.name};
                    }};
  const auto selected = at == report.matrices.end()
                            ? std::nullopt
                            : std::optional(static_cast<std::size_t>(at - report.matrices.begin()));
  if (const auto wanted = draw_lines(ui, lines, selected)) {
    dialog.close();
    if (*wanted != path + "::" + report.matrix) ui.emit(action::OpenFile{*wanted, true, open->reading});
  }
}

}  // namespace spyctrum::panels
