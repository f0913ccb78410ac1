// SPDX-License-Identifier: Apache-2.0
// Lists from which matrices are opened: the files below a folder, and the matrices of a file. Typed text
// selects lines. An arrow key goes to another line and opens its matrix in place of the selected one, with
// the same view; Enter or a click opens a matrix and closes the list.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/panels/collection/thumbnail_textures.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/dialog.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/base/text.hpp"
#include "core/io/formats.hpp"
#include "core/io/quote.hpp"
#include "core/io/reader.hpp"

namespace spyctrum::panels {
namespace {

struct Line {
  std::string name;
  std::string facts;   ///< words at the right
  std::string source;  ///< for action::OpenFile
};

/// A list of `count` lines; make() is called only for those on the screen.
struct Lines {
  std::string title;  ///< differs between lists
  std::size_t count = 0;
  std::function<std::string(std::size_t)> name_of;
  std::function<Line(std::size_t)> make;
};

/// The lines whose names contain the typed text; searched again only when list or text has changed.
const std::vector<std::size_t>& fitting_lines(const Ui& ui, const Lines& lines) {
  const std::string key = lines.title + '\n' + std::to_string(lines.count) + '\n' + ui.memory.list_text;
  std::vector<std::size_t>& fitting = ui.memory.list_fitting;
  if (ui.memory.list_key == key) return fitting;
  ui.memory.list_key = key;
  fitting.clear();
  for (std::size_t k = 0; k < lines.count; ++k)
    if (contains_ignoring_case(lines.name_of(k), ui.memory.list_text)) fitting.push_back(k);
  return fitting;
}

constexpr const char* kKeys =
    "Arrow keys go through the matrices with the same view, Enter opens one and closes the list. Without the "
    "list, Page Down and Page Up open the next and the previous one.";
constexpr double kRest = 0.1;  // seconds from the release of an arrow key until the line's matrix is opened
constexpr float kPadding = 5, kGap = 3;  // points

/// The arrangement of a list's items: lines, or cards beside each other (`as_sheet`).
struct Arranged {
  bool as_sheet = false;
  float side = 0;  ///< side of each of the two pictures of an item
  ImVec2 item;
  std::size_t per_line = 1;
};

Arranged arrange(bool as_sheet) {
  const float room = ImGui::GetContentRegionAvail().x;
  if (!as_sheet) {
    const float side = std::round(px(40));
    return {false, side, {room, side + 2 * px(2)}, 1};
  }
  const float side = std::round(px(88));
  const float pictures = 2 * side + px(kGap) + 2 * px(kPadding);
  const auto per_line = std::max<std::size_t>(1, static_cast<std::size_t>(room / (pictures + px(kGap))));
  const float gaps = static_cast<float>(per_line - 1) * ImGui::GetStyle().ItemSpacing.x;
  const float width = std::floor((room - gaps) / static_cast<float>(per_line));
  return {true, side, {width, side + 2 * ImGui::GetTextLineHeight() + 3 * px(kPadding)}, per_line};
}

const std::shared_ptr<const Thumbnails>* find_thumbnails(const Ui& ui, const std::string& source) {
  const auto found = ui.state.list_thumbnails.find(source);
  return found == ui.state.list_thumbnails.end() ? nullptr : &found->second;
}

/// Draws pattern and spectrum, or dashes if the matrix has no thumbnails (*found is null).
void draw_thumbnails(const Ui& ui, const std::shared_ptr<const Thumbnails>* found, ImVec2 at, float side) {
  ui.memory.thumbnails->draw(ui, found == nullptr ? nullptr : *found, at, side, px(kGap));
  if (found == nullptr || *found != nullptr) return;
  for (int k = 0; k < 2; ++k) {
    const float left = at.x + static_cast<float>(k) * (side + px(kGap));
    ImGui::GetWindowDrawList()->AddLine({left + side * 0.4F, at.y + side / 2},
                                        {left + side * 0.6F, at.y + side / 2}, palette().faint, px(1));
  }
}

void item_tooltip(const Ui& ui, const Line& line, const std::shared_ptr<const Thumbnails>* found) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) return;
  ImGui::BeginTooltip();
  if (found != nullptr && *found != nullptr) {
    const float side = px(160);
    draw_thumbnails(ui, found, ImGui::GetCursorScreenPos(), side);
    ImGui::Dummy({2 * side + px(kGap), side + px(4)});
  }
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + px(330));
  ImGui::TextUnformatted(line.name.c_str());
  ImGui::PopTextWrapPos();
  small_text(line.facts);
  if (found != nullptr && *found == nullptr)
    small_text("There is no thumbnail: the matrix cannot be read, or its file has more than 256 MiB.");
  ImGui::EndTooltip();
}

/// Draws an item at the cursor; returns whether it was clicked.
bool draw_item(const Ui& ui, const Line& line, const Arranged& arranged, bool is_chosen, bool is_open) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::Selectable(("###line " + line.source).c_str(), is_chosen, 0, arranged.item);
  const auto* found = find_thumbnails(ui, line.source);
  if (found == nullptr) ui.memory.list_missing.push_back(line.source);
  item_tooltip(ui, line, found);
  const Palette& colors = palette();
  const ImU32 dim = is_open ? colors.accent : colors.dim;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float pictures = 2 * arranged.side + px(kGap);
  if (arranged.as_sheet) {
    const float left = at.x + (arranged.item.x - pictures) / 2;
    const float below = at.y + arranged.side + 2 * px(kPadding);
    draw_thumbnails(ui, found, {left, at.y + px(kPadding)}, arranged.side);
    list.AddText({left, below}, colors.text, fit_text(line.name, pictures).c_str());
    list.AddText({left, below + ImGui::GetTextLineHeight()}, dim, fit_text(line.facts, pictures).c_str());
    return clicked;
  }
  draw_thumbnails(ui, found, {at.x + px(2), at.y + px(2)}, arranged.side);
  const float left = at.x + pictures + px(14);
  const float right = at.x + arranged.item.x - ImGui::CalcTextSize(line.facts.c_str()).x - px(4);
  const float middle = at.y + (arranged.item.y - ImGui::GetTextLineHeight()) / 2;
  list.AddText({left, middle}, colors.text, fit_text(line.name, right - left - px(12)).c_str());
  list.AddText({right, middle}, dim, line.facts.c_str());
  return clicked;
}

/// Moves the chosen item by the arrow keys.
void follow_arrows(std::size_t& chosen, std::size_t count, const Arranged& arranged) {
  const auto move = [&](ImGuiKey key, std::ptrdiff_t step) {
    const auto to = static_cast<std::ptrdiff_t>(chosen) + step;
    if (ImGui::IsKeyPressed(key) && to >= 0 && to < static_cast<std::ptrdiff_t>(count))
      chosen = static_cast<std::size_t>(to);
  };
  const auto line = static_cast<std::ptrdiff_t>(arranged.per_line);
  move(ImGuiKey_DownArrow, line);
  move(ImGuiKey_UpArrow, -line);
  if (!arranged.as_sheet) return;
  move(ImGuiKey_RightArrow, 1);
  move(ImGuiKey_LeftArrow, -1);
}

/// Requests, once, the thumbnails that were missing in this frame.
void request_thumbnails(const Ui& ui) {
  if (!ui.memory.list_missing.empty() && ui.memory.list_missing != ui.memory.list_requested) {
    ui.memory.list_requested = ui.memory.list_missing;
    ui.emit(action::RequestListThumbnails{ui.memory.list_requested});
  }
  ui.memory.list_missing.clear();
}

/// The source of the chosen line, once: kRest after the last arrow key was released. Empty in all other
/// frames.
std::string rested_line(const Ui& ui, const Lines& lines, const std::vector<std::size_t>& fitting,
                        bool has_moved) {
  double& opens_at = ui.memory.list_opens_at;
  const double now = ImGui::GetTime();
  const bool is_held = ImGui::IsKeyDown(ImGuiKey_DownArrow) || ImGui::IsKeyDown(ImGuiKey_UpArrow) ||
                       ImGui::IsKeyDown(ImGuiKey_RightArrow) || ImGui::IsKeyDown(ImGuiKey_LeftArrow);
  if (has_moved || (is_held && opens_at >= 0)) opens_at = now + kRest;
  if (opens_at < 0 || fitting.empty()) return {};
  if (now < opens_at) {
    ui.wake_in(opens_at - now);
    return {};
  }
  opens_at = -1;
  return lines.make(fitting[ui.memory.list_chosen]).source;
}

/// Clears the list's memory when it appears; returns whether it does. ImGui::IsWindowAppearing() is also true
/// when the first matrix that an arrow key opens gives the dialog another parent.
bool begin_list(const Ui& ui, std::optional<std::size_t> selected) {
  const int frame = ImGui::GetFrameCount();
  const bool appears = std::exchange(ui.memory.list_frame, frame) < frame - 1;
  if (!appears) return false;
  ui.memory.list_text.clear();
  ui.memory.list_key.clear();
  ui.memory.list_requested.clear();
  ui.memory.list_opens_at = -1;
  ui.memory.list_chosen = selected.value_or(0);
  return true;
}

/// Draws the lines; returns the source of the line that the user opens, if any. `selected`: the line of the
/// matrix that is open, if any.
std::optional<std::string> draw_lines(const Ui& ui, const Lines& lines, std::optional<std::size_t> selected) {
  std::string& typed = ui.memory.list_text;
  std::size_t& chosen = ui.memory.list_chosen;
  const bool appears = begin_list(ui, selected);
  // The search field keeps the keyboard after a click on another item.
  if (!ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-px(110));
  const std::string before = typed;
  const bool entered = search_line("###list text", "type part of a name", typed);
  if (typed != before) {
    chosen = 0;
    ui.memory.list_opens_at = -1;
  }
  bool& as_sheet = ui.memory.list_as_sheet;
  const bool was_sheet = as_sheet;
  ImGui::SameLine();
  if (choice("lines", !as_sheet)) as_sheet = false;
  ImGui::SameLine();
  if (choice("sheet", as_sheet, "Larger pictures of pattern and spectrum beside each other")) as_sheet = true;
  const std::vector<std::size_t>& fitting = fitting_lines(ui, lines);
  std::optional<std::string> opened;
  const std::size_t was = chosen;
  ImGui::BeginChild("lines", {0, std::min(px(as_sheet ? 620 : 460), ImGui::GetIO().DisplaySize.y * 0.62F)},
                    ImGuiChildFlags_Borders, ImGuiWindowFlags_NoNav);
  const Arranged arranged = arrange(as_sheet);
  const std::size_t before_arrows = chosen;
  follow_arrows(chosen, fitting.size(), arranged);
  const bool has_moved = chosen != before_arrows;
  chosen = fitting.empty() ? 0 : std::min(chosen, fitting.size() - 1);
  if (const std::string source = rested_line(ui, lines, fitting, has_moved); !source.empty())
    ui.emit(action::OpenInList{source});
  if (entered && !fitting.empty()) opened = lines.make(fitting[chosen]).source;
  const bool scrolls = chosen != was || appears || as_sheet != was_sheet;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>((fitting.size() + arranged.per_line - 1) / arranged.per_line),
                arranged.item.y + ImGui::GetStyle().ItemSpacing.y);
  if (scrolls && !fitting.empty()) clipper.IncludeItemByIndex(static_cast<int>(chosen / arranged.per_line));
  while (clipper.Step())
    for (auto k = static_cast<std::size_t>(clipper.DisplayStart) * arranged.per_line;
         k < std::min(fitting.size(), static_cast<std::size_t>(clipper.DisplayEnd) * arranged.per_line);
         ++k) {
      if (k % arranged.per_line != 0) ImGui::SameLine();
      const Line line = lines.make(fitting[k]);
      if (draw_item(ui, line, arranged, k == chosen, fitting[k] == selected)) opened = line.source;
      if (scrolls && k == chosen) ImGui::SetScrollHereY();
    }
  ImGui::EndChild();
  request_thumbnails(ui);
  return opened;
}

/// The dialog of a list, beside the pictures of the open matrix, which the arrow keys change.
struct ListDialog : Dialog {
  ListDialog(const Ui& ui, const char* title)
      : Dialog(ui, title, width(ui), 0,
               ui.state.matrix() != nullptr ? Dialog::Place::right : Dialog::Place::centre) {}
  static float width(const Ui& ui) {
    const bool is_open = ui.state.matrix() != nullptr;
    return ui.memory.list_as_sheet ? (is_open ? 640 : 1180) : (is_open ? 480 : 760);
  }
};

std::string facts_of(const MatrixInFile& matrix) {
  if (matrix.rows == 0 && matrix.cols == 0) return bytes_text(matrix.bytes);
  return grouped(matrix.rows) + " × " + grouped(matrix.cols) + "  ·  " + grouped(matrix.stored) +
         " stored  ·  " + matrix.layout;
}

/// What was looked for in a folder without matrices, and what can be done.
void draw_empty_folder(const Ui& ui) {
  const FolderList& folder = ui.state.folder;
  wrapped_text("No file below " + escaped(folder.path) + " has a name that ends as matrices are named.",
               palette().text);
  if (!folder.note.empty()) small_text(folder.note, palette().warning);
  const auto without_dot = [](const std::string& ending) {
    return ending.substr(ending.starts_with('.') ? 1 : 0);
  };
  small_text("Looked for names that end in " + joined(readable_endings(), without_dot) +
             ", in folders within folders, too.");
  small_text(
      "A file with another ending can be opened by itself: its content decides. A new list of the "
      "folder is made when it is opened again.");
  ImGui::Dummy({0, px(4)});
  const auto leave = [&](const char* label, void (*ask)(const Ui&)) {
    if (ImGui::Button(label)) {
      ui.emit(action::SetOverlay{ui.state.matrix() == nullptr ? Overlay::gallery : Overlay::none});
      if (ask != nullptr) ask(ui);
    }
    ImGui::SameLine();
  };
  leave("Open a file…", ask_open);
  leave("Open another folder…", ask_folder);
  leave("Close", nullptr);
  ImGui::NewLine();
}

}  // namespace

void draw_folder_list(const Ui& ui) {
  const ListDialog dialog(ui, "Matrices below a folder");
  if (!dialog.is_visible()) return;
  const FolderList& folder = ui.state.folder;
  const std::string many = counted(folder.files.size(), "file", "files");
  if (folder.searching)
    small_text("Searching …");
  else if (folder.files.empty())
    return draw_empty_folder(ui);
  else
    small_text(escaped(folder.path) + "  ·  " + many);
  if (!folder.note.empty()) small_text(folder.note, palette().warning);
  const OpenMatrix* open = ui.state.matrix();
  const auto at =
      std::ranges::find(folder.files, open != nullptr ? open->source : std::string(), &MatrixFile::path);
  const auto name_of = [&folder](std::size_t k) {
    const std::string_view path = folder.files[k].path;
    return escaped(path.substr(std::min(path.size(), folder.path.size() + 1)));
  };
  const Lines lines{folder.path, folder.files.size(), name_of, [&](std::size_t k) {
                      const MatrixFile& file = folder.files[k];
                      return Line{name_of(k), bytes_text(file.bytes), file.path};
                    }};
  const auto selected = at == folder.files.end()
                            ? std::nullopt
                            : std::optional(static_cast<std::size_t>(at - folder.files.begin()));
  if (const auto opened = draw_lines(ui, lines, selected)) {
    dialog.close();
    ui.emit(action::OpenFile{*opened});
  }
  small_text(kKeys);
}

void draw_matrix_list(const Ui& ui) {
  const OpenMatrix* open = ui.state.matrix();
  if (open == nullptr) return;
  const ListDialog dialog(ui, "Matrices of this file");
  if (!dialog.is_visible()) return;
  const LoadReport& report = open->matrix.report;
  const std::string path = path_of_matrix(open->source);
  small_text(escaped(path) + "  ·  " + counted(report.matrices.size(), "matrix", "matrices"));
  const auto at = std::ranges::find(report.matrices, report.matrix, &MatrixInFile::name);
  const Lines lines{path, report.matrices.size(),
                    [&](std::size_t k) { return escaped(report.matrices[k].name); },
                    [&](std::size_t k) {
                      const MatrixInFile& matrix = report.matrices[k];
                      return Line{escaped(matrix.name), facts_of(matrix), path + "::" + matrix.name};
                    }};
  const auto selected = at == report.matrices.end()
                            ? std::nullopt
                            : std::optional(static_cast<std::size_t>(at - report.matrices.begin()));
  if (const auto opened = draw_lines(ui, lines, selected)) {
    dialog.close();
    if (*opened != path + "::" + report.matrix) ui.emit(action::OpenFile{*opened, true, open->reading});
  }
  if (ui.state.folder.files.empty()) small_text(kKeys);
}

}  // namespace spyctrum::panels
