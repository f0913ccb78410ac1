// SPDX-License-Identifier: Apache-2.0
// Commands with a key: one table from which keyboard shortcuts, menus, tooltips and the help overlay are
// made, so that they agree.
#pragma once

#include <imgui.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/panels/widgets/ui.hpp"

namespace spyctrum::panels {

enum class Command {
  open,
  open_folder,
  previous_matrix,
  next_matrix,
  gallery,
  collection,
  open_collection,
  index_folder,
  close,
  reload,
  save_view,
  export_data,
  export_matrix,
  copy_picture,
  preferences,
  quit,
  undo,
  redo,
  smaller_block,
  larger_block,
  palette,
  fit,
  one_to_one,
  reset_views,
  back,
  forward,
  go_to,
  side_panels,
  log,
  next_column,
  previous_column,
  automatic_range,
  log_scale,
  error_row,
  reference,
  blink,
  wipe,
  diagonal_split,
  antidiagonal_split,
  folding,
  run_column,
  escape,
  help,
  lessons,
  next_step,
  previous_step,
  close_lesson,
  explain,
  sandbox,
  animation,
  presentation,
};

inline const char* nothing_missing(const AppState& /*state*/) { return nullptr; }

struct CommandInfo {
  Command id;
  const char* group;  ///< heading in the help overlay
  const char* label;
  ImGuiKeyChord keys;
  ImGuiKeyChord other_keys;
  const char* help;
  void (*run)(const Ui& ui);
  /// Null if the command can run now. Else what it lacks, which the user is told if its keys are pressed; "":
  /// the user is told nothing.
  const char* (*missing)(const AppState& state) = nothing_missing;
  bool (*is_on)(const AppState& state) = [](const AppState&) { return false; };  ///< of switches
};

[[nodiscard]] std::span<const CommandInfo> commands();
[[nodiscard]] const CommandInfo& info(Command command);
/// "Ctrl+O"; empty without keys.
[[nodiscard]] std::string keys_text(Command command);
[[nodiscard]] std::string chord_text(ImGuiKeyChord chord);

[[nodiscard]] bool is_possible(const AppState& state, Command command);
/// Whether a command that switches a state has it on; false for other commands.
[[nodiscard]] bool is_on(const AppState& state, Command command);
/// Why RunColumn would do nothing, as a sentence without its subject's capital; null if it starts a run.
[[nodiscard]] const char* why_no_run(const Column& column);
/// `help` and, where `missing` says so (CommandInfo::missing), why the command is not possible now.
[[nodiscard]] std::string help_text(std::string_view help, const char* missing);
void run(const Ui& ui, Command command);
/// A menu entry with its keys, tick and help.
void menu_item(const Ui& ui, Command command);
void menu_items(const Ui& ui, std::initializer_list<Command> commands);
/// Applies `change` to a copy of the comparison's settings and emits the copy.
template <class Change>
void change_compare(const Ui& ui, Change change) {
  CompareSettings compare = ui.state.compare;
  change(compare);
  ui.emit(action::SetCompare{compare});
}

/// Reads the keyboard once a frame. Text fields keep their keys.
void handle_keys(const Ui& ui);

/// `suggestion` as a file name that begins with that of the open matrix, without characters that some file
/// systems refuse: "view.png" → "corafull-view.png", ".mtx" → "corafull.mtx".
[[nodiscard]] std::string named_after_matrix(const AppState& state, const std::string& suggestion);
/// Opens a dialog for a file to write, with the name named_after_matrix(suggestion) and `endings` to choose
/// from. make() returns the action for the chosen path.
void ask_save(const Ui& ui, const std::string& title, const std::string& suggestion,
              const std::vector<std::string>& endings, const char* description,
              const std::function<Action(const std::string& path)>& make);

/// File dialogs that are opened from several places.
void ask_open(const Ui& ui);
void ask_folder(const Ui& ui);
void ask_lesson(const Ui& ui);
void ask_collection(const Ui& ui);
void ask_index(const Ui& ui);
void ask_save_picture(const Ui& ui, ColumnId column, Row row);
/// Asks where the comparison, or one picture, is written as a figure.
void ask_figure(const Ui& ui, std::optional<action::ExportFigure::One> one, bool dark);
/// A menu that writes the comparison, or one picture, as a figure: light or dark, with the pixels of a PNG.
void figure_menu(const Ui& ui, std::optional<action::ExportFigure::One> one);
void ask_export_values(const Ui& ui, ColumnId column);
void ask_session(const Ui& ui, bool save);
/// Copies the picture of a cell to the clipboard.
void copy_picture(const Ui& ui, ColumnId column, Row row);
/// The comparison, or one picture, with title, axes and colour bars.
void copy_figure(const Ui& ui, std::optional<action::ExportFigure::One> one, bool dark);
/// To be called once a frame: hands a copied picture to the clipboard once its file is complete.
void follow_copy(const Ui& ui);

}  // namespace spyctrum::panels
