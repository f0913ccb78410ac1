// SPDX-License-Identifier: Apache-2.0
// The table of commands, the keyboard, and what each command emits.
#include "app/panels/widgets/commands.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/controller/lessons/lesson.hpp"
#include "app/panels/widgets/file_dialog.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/view_math.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/io/formats.hpp"
#include "core/io/writer.hpp"

namespace spyctrum::panels {
namespace {

constexpr std::array<CommandInfo, 51> kCommands = {{
    {Command::open, "File", "Open…", ImGuiMod_Ctrl | ImGuiKey_O, 0,
     "Opens a matrix file; files can also be dropped on the window"},
    {Command::open_folder, "File", "Open folder…", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_O, 0,
     "Lists the matrices below a folder; a folder can also be dropped on the window"},
    {Command::previous_matrix, "File", "Previous matrix of the list", ImGuiKey_PageUp, 0,
     "Opens the one before it below the folder, or in the file where it has several, with the same view"},
    {Command::next_matrix, "File", "Next matrix of the list", ImGuiKey_PageDown, 0,
     "Opens the one after it below the folder, or in the file where it has several, with the same view"},
    {Command::gallery, "File", "Gallery…", ImGuiMod_Ctrl | ImGuiKey_N, 0,
     "Generated matrices and recent files"},
    {Command::collection, "File", "Collection", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_K, 0,
     "Contact sheet, scatter and neighbours of the matrices that were indexed; the same keys lead back"},
    {Command::open_collection, "File", "Open collection…", 0, 0,
     "Opens a collection that spyctrum-cli index or this program has made"},
    {Command::index_folder, "File", "Index a folder…", 0, 0,
     "Makes fingerprints of all matrices below a folder, into the collection"},
    {Command::close, "File", "Close matrix", ImGuiMod_Ctrl | ImGuiKey_W, 0,
     "Closes the matrix and stops its jobs"},
    {Command::reload, "File", "Reload", ImGuiKey_F5, 0, "Reads the file again"},
    {Command::save_view, "File", "Save view…", ImGuiMod_Ctrl | ImGuiKey_S, 0,
     "Saves the screen as a picture (.png) or the view as a session (.json)"},
    {Command::export_data, "File", "Export data…", ImGuiMod_Ctrl | ImGuiKey_E, 0,
     "Writes the features (.csv, .json) or the samples of the selected column (.npy, .npz)"},
    {Command::export_matrix, "File", "Export matrix…", 0, 0,
     "Writes the matrix as Matrix Market, NumPy archive, METIS, Rutherford–Boeing or Binsparse, with its "
     "weights"},
    {Command::copy_picture, "File", "Copy picture", ImGuiMod_Ctrl | ImGuiKey_C, 0,
     "Copies the picture that was last under the cursor to the clipboard"},
    {Command::preferences, "File", "Preferences…", ImGuiMod_Ctrl | ImGuiKey_Comma, 0,
     "Interface size, theme, backend, threads, memory"},
    {Command::quit, "File", "Quit", ImGuiMod_Ctrl | ImGuiKey_Q, 0, ""},
    {Command::undo, "Settings", "Undo", ImGuiMod_Ctrl | ImGuiKey_Z, 0,
     "Undoes the last change of columns, block sizes, scale, rows or region"},
    {Command::redo, "Settings", "Redo", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z,
     ImGuiMod_Ctrl | ImGuiKey_Y, "Makes the change again"},
    {Command::smaller_block, "Settings", "Block size − 1", ImGuiKey_LeftBracket, 0,
     "For every column that follows the slider"},
    {Command::larger_block, "Settings", "Block size + 1", ImGuiKey_RightBracket, 0,
     "For every column that follows the slider"},
    {Command::palette, "Help", "Commands…", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P, 0,
     "Finds any command from a few of its letters"},
    {Command::fit, "Look", "Fit", ImGuiKey_F, ImGuiKey_Home,
     "Shows the whole plane; a double click does the same"},
    {Command::one_to_one, "Look", "One to one", ImGuiMod_Ctrl | ImGuiKey_1, 0,
     "Shows one coefficient or entry per pixel"},
    {Command::reset_views, "Look", "Reset views", ImGuiKey_R, 0,
     "Shows both planes whole and resets the scale"},
    {Command::back, "Look", "Back", ImGuiMod_Alt | ImGuiKey_LeftArrow, 0, "Returns to the previous view"},
    {Command::forward, "Look", "Forward", ImGuiMod_Alt | ImGuiKey_RightArrow, 0,
     "Goes to the next view again"},
    {Command::go_to, "Look", "Go to coordinate…", ImGuiMod_Ctrl | ImGuiKey_G, 0,
     "Goes to a frequency or an entry by its indices"},
    {Command::side_panels, "Look", "Side panels", ImGuiMod_Ctrl | ImGuiKey_B, 0,
     "Shows or hides the panels beside the pictures"},
    {Command::log, "Look", "Log", ImGuiMod_Ctrl | ImGuiKey_L, 0, "Shows messages and errors"},
    {Command::next_column, "Columns", "Next column", ImGuiKey_Tab, 0,
     "Selects the column to the right; the keys 1 … 9 select a column directly"},
    {Command::previous_column, "Columns", "Previous column", ImGuiMod_Shift | ImGuiKey_Tab, 0, ""},
    {Command::automatic_range, "Scale", "Automatic range", ImGuiKey_A, 0,
     "Sets the range of colours from the pixels shown"},
    {Command::log_scale, "Scale", "Logarithmic", ImGuiMod_Shift | ImGuiKey_L, 0,
     "Switches between a logarithmic and a linear scale"},
    {Command::error_row, "Compare", "Difference", ImGuiKey_D, 0,
     "Shows a row with the error of each reconstruction"},
    {Command::reference, "Compare", "Show the reference", ImGuiKey_Space, 0,
     "While the key is held, every column shows the reference"},
    {Command::blink, "Compare", "Blink", ImGuiKey_B, 0,
     "Alternates between the column and the reference once a second"},
    {Command::wipe, "Compare", "Wipe", ImGuiKey_W, 0,
     "Shows the column to the left of a line and the reference to its right"},
    {Command::diagonal_split, "Compare", "Split along the diagonal", ImGuiMod_Shift | ImGuiKey_W, 0,
     "Shows the column below the diagonal of the picture and the reference above it"},
    {Command::antidiagonal_split, "Compare", "Split along the antidiagonal", ImGuiMod_Alt | ImGuiKey_W, 0,
     "Shows the column above the antidiagonal of the picture and the reference below it"},
    {Command::folding, "Compare", "Show what folds", ImGuiKey_K, 0,
     "Marks the frequencies that fold onto the coefficient under the mouse in Density Map or Fixed Point; "
     "Ctrl "
     "and a click hold it"},
    {Command::run_column, "Columns", "Run selected column", ImGuiMod_Ctrl | ImGuiKey_Enter, 0,
     "Starts the run of the column if it was not started automatically, failed or was cancelled"},
    {Command::escape, "Jobs", "Cancel", ImGuiKey_Escape, 0,
     "Cancels the newest job, or closes the dialog if no job is running"},
    {Command::help, "Help", "Keys and mouse", ImGuiMod_Shift | ImGuiKey_Slash, ImGuiKey_F1, "This list"},
    {Command::lessons, "Lessons", "Lessons…", ImGuiKey_F2, 0,
     "A list of lessons: what a spectrum says of a matrix, in steps"},
    {Command::next_step, "Lessons", "Next step", ImGuiKey_PageDown, 0, "Shows the next step of the lesson"},
    {Command::previous_step, "Lessons", "Previous step", ImGuiKey_PageUp, 0,
     "Shows the step of the lesson before this one"},
    {Command::close_lesson, "Lessons", "Close the lesson", 0, 0,
     "Closes the lesson; what was on the screen before it returns"},
    {Command::explain, "Lessons", "Explain this spectrum", ImGuiKey_F3, 0,
     "Says what stands out of noise in the spectrum, and what it means for the pattern"},
    {Command::sandbox, "Lessons", "Draw a matrix", ImGuiKey_F4, 0,
     "Opens the sandbox: a matrix of 64 × 64 to draw in, and its spectrum"},
    {Command::animation, "Lessons", "Moving picture", ImGuiKey_F6, 0,
     "Sweeps over block sizes, thresholds or orders, in the window and into a file"},
    {Command::presentation, "Look", "Presentation", ImGuiKey_F11, 0,
     "Large type and the pictures alone; Page Down and Page Up turn the steps of a lesson"},
}};

template <class Change>
void change_scale(const Ui& ui, Change change) {
  ScaleSettings scale = ui.state.scale;
  change(scale);
  ui.emit(action::SetScale{scale});
}

template <class Change>
void change_compare(const Ui& ui, Change change) {
  CompareSettings compare = ui.state.compare;
  change(compare);
  ui.emit(action::SetCompare{compare});
}

void ask_save_view(const Ui& ui) {
  ui.memory.dialog->open({.title = "Save view",
                          .save = true,
                          .suggestion = "spyctrum.png",
                          .endings = {".png", ".json"},
                          .description = "Picture or session",
                          .chosen = [](const Ui& then, const std::string& path) {
                            if (path.ends_with(".json"))
                              then.emit(action::SaveSession{path});
                            else
                              then.emit(action::CaptureScreen{path.ends_with(".png") ? path : path + ".png"});
                          }});
}

void ask_export(const Ui& ui) {
  const std::size_t focused = ui.state.interface.focused_column;
  const ColumnId column = focused < ui.state.columns.size() ? ui.state.columns[focused].id : 0;
  ui.memory.dialog->open({.title = "Export features (.csv, .json) or samples (.npy, .npz)",
                          .save = true,
                          .suggestion = "features.csv",
                          .endings = {".csv", ".json", ".npy", ".npz"},
                          .description = "Tables and arrays",
                          .chosen = [column](const Ui& then, const std::string& path) {
                            if (path.ends_with(".npy") || path.ends_with(".npz"))
                              then.emit(action::ExportValues{column, path});
                            else
                              then.emit(action::ExportFeatures{path});
                          }});
}

void ask_export_matrix(const Ui& ui) {
  ui.memory.dialog->open(
      {.title = "Export the matrix",
       .save = true,
       .suggestion = "matrix.mtx",
       .endings = writable_endings(),
       .description = "Matrix files",
       .chosen = [](const Ui& then, const std::string& path) { then.emit(action::ExportMatrix{path}); }});
}

void focus_by(const Ui& ui, std::ptrdiff_t step) {
  const auto count = static_cast<std::ptrdiff_t>(ui.state.columns.size());
  if (count == 0) return;
  const auto now = static_cast<std::ptrdiff_t>(ui.state.interface.focused_column);
  ui.emit(action::FocusColumn{static_cast<std::size_t>((now + step + count) % count)});
}

void run_file(const Ui& ui, Command command) {
  const AppState& state = ui.state;
  switch (command) {
    case Command::open:
      return ask_open(ui);
    case Command::open_folder:
      return ask_folder(ui);
    case Command::previous_matrix:
      return ui.emit(action::OpenNeighbour{-1});
    case Command::next_matrix:
      return ui.emit(action::OpenNeighbour{1});
    case Command::export_matrix:
      return ask_export_matrix(ui);
    case Command::lessons:
      return state.interface.overlay == Overlay::lessons ? ui.emit(action::SetOverlay{Overlay::none})
                                                         : ui.emit(action::ListLessons{});
    case Command::next_step:
      return ui.emit(action::ShowStep{state.lessons.step + 1});
    case Command::previous_step:
      return ui.emit(action::ShowStep{state.lessons.step - 1});
    case Command::close_lesson:
      return ui.emit(action::CloseLesson{});
    case Command::explain:
      ImGui::SetWindowFocus(kExplain);
      return ui.emit(action::Explain{});
    case Command::sandbox:
      return ui.emit(action::NewDrawing{});
    case Command::animation:
      if (state.animation.swept) return ui.emit(action::StopAnimation{});
      ImGui::SetWindowFocus(kAnimation);
      return ui.emit(action::Animate{});
    case Command::presentation:
      return ui.emit(action::ShowPresentation{!state.interface.presentation});
    case Command::gallery:
      return ui.emit(
          action::SetOverlay{state.interface.overlay == Overlay::gallery ? Overlay::none : Overlay::gallery});
    case Command::collection:
      return ui.emit(action::ShowCollection{!state.collection.whole});
    case Command::open_collection:
      return ask_collection(ui);
    case Command::index_folder:
      return ask_index(ui);
    case Command::close:
      return ui.emit(action::CloseMatrix{*state.selected});
    case Command::reload:
      return ui.emit(action::ReloadMatrix{});
    case Command::save_view:
      return ask_save_view(ui);
    case Command::export_data:
      return ask_export(ui);
    case Command::copy_picture: {
      const std::size_t focused = std::min(state.interface.focused_column, state.columns.size() - 1);
      return copy_picture(ui, state.columns[focused].id, ui.memory.active_row);
    }
    case Command::preferences:
      return ui.emit(action::SetOverlay{Overlay::preferences});
    default:
      return ui.emit(action::Quit{});
  }
}

/// The focused column where it has its own view; 0: the linked view.
ColumnId zoomed_column(const AppState& state) {
  const std::size_t focused = state.interface.focused_column;
  return focused < state.columns.size() && state.columns[focused].look.views ? state.columns[focused].id : 0;
}

void run_look(const Ui& ui, Command command) {
  const AppState& state = ui.state;
  const Plane plane = ui.memory.active_plane;
  switch (command) {
    case Command::fit:
      return ui.emit(action::FitView{plane, zoomed_column(state)});
    case Command::one_to_one:
      return ui.emit(action::OneToOne{plane});
    case Command::reset_views:
      return ui.emit(action::ResetViews{});
    case Command::back:
      return ui.emit(action::ViewBack{plane});
    case Command::forward:
      return ui.emit(action::ViewForward{plane});
    case Command::go_to:
      ui.memory.goto_spectrum = plane == Plane::spectrum;
      return ui.emit(action::SetOverlay{Overlay::go_to});
    case Command::side_panels:
      return ui.emit(action::ShowSidePanels{!state.interface.side_panels});
    case Command::log:
      return ui.emit(action::ShowLog{!state.interface.log_open});
    case Command::next_column:
      return focus_by(ui, 1);
    default:
      return focus_by(ui, -1);
  }
}

}  // namespace

std::span<const CommandInfo> commands() { return kCommands; }

const CommandInfo& info(Command command) {
  return *std::find_if(kCommands.begin(), kCommands.end(),
                       [=](const CommandInfo& one) { return one.id == command; });
}

std::string chord_text(ImGuiKeyChord chord) {
  if (chord == 0) return {};
  std::string text;
  if ((chord & ImGuiMod_Ctrl) != 0) text += "Ctrl+";
  if ((chord & ImGuiMod_Alt) != 0) text += "Alt+";
  const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
  // Shift and slash is written as the character that it types on most keyboards.
  if (key == ImGuiKey_Slash && (chord & ImGuiMod_Shift) != 0) return text + "?";
  if ((chord & ImGuiMod_Shift) != 0) text += "Shift+";
  switch (key) {
    case ImGuiKey_LeftArrow:
      return text + "←";
    case ImGuiKey_RightArrow:
      return text + "→";
    case ImGuiKey_Comma:
      return text + ",";
    case ImGuiKey_LeftBracket:
      return text + "[";
    case ImGuiKey_RightBracket:
      return text + "]";
    case ImGuiKey_Escape:
      return text + "Esc";
    default:
      return text + ImGui::GetKeyName(key);
  }
}

std::string keys_text(Command command) { return chord_text(info(command).keys); }

bool is_possible(const AppState& state, Command command) {
  const bool open = state.matrix() != nullptr;
  const bool columns = open && !state.columns.empty();
  switch (command) {
    case Command::previous_matrix:
    case Command::next_matrix:
      return (!state.folder.files.empty() || (open && state.matrix()->matrix.report.matrices.size() > 1)) &&
             !state.lessons.lesson;
    case Command::next_step:
      return state.lessons.lesson && state.lessons.step + 1 < state.lessons.lesson->steps.size();
    case Command::previous_step:
      return state.lessons.lesson && state.lessons.step > 0;
    case Command::close_lesson:
      return state.lessons.lesson != nullptr;
    case Command::close:
    case Command::reload:
    case Command::export_matrix:
    case Command::fit:
    case Command::one_to_one:
    case Command::reset_views:
    case Command::go_to:
    case Command::automatic_range:
    case Command::log_scale:
    case Command::side_panels:
    case Command::larger_block:
      return open;
    case Command::smaller_block:
      return open && state.block > 1;
    case Command::undo:
      return state.interface.can_undo || state.sandbox.can_undo;
    case Command::redo:
      return state.interface.can_redo || state.sandbox.can_redo;
    case Command::explain:
    case Command::animation:
      return open;
    case Command::back:
      return open && (!state.views[0].back.empty() || !state.views[1].back.empty());
    case Command::forward:
      return open && (!state.views[0].forward.empty() || !state.views[1].forward.empty());
    case Command::export_data:
    case Command::copy_picture:
    case Command::next_column:
    case Command::previous_column:
    case Command::run_column:
    case Command::error_row:
    case Command::folding:
      return columns;
    case Command::reference:
    case Command::blink:
    case Command::wipe:
    case Command::diagonal_split:
    case Command::antidiagonal_split:
      return columns && compared_column(state) != nullptr;
    default:
      return true;
  }
}

namespace {

WipeLine wipe_line_of(Command command) {
  if (command == Command::diagonal_split) return WipeLine::diagonal;
  return command == Command::antidiagonal_split ? WipeLine::antidiagonal : WipeLine::vertical;
}

}  // namespace

bool is_on(const AppState& state, Command command) {
  switch (command) {
    case Command::collection:
      return state.collection.whole;
    case Command::side_panels:
      return state.interface.side_panels;
    case Command::presentation:
      return state.interface.presentation;
    case Command::animation:
      return state.animation.swept.has_value();
    case Command::log:
      return state.interface.log_open;
    case Command::log_scale:
      return state.scale.curve == Curve::log;
    case Command::error_row:
      return state.compare.rows[static_cast<std::size_t>(Row::error)];
    case Command::reference:
      return state.compare.show_reference;
    case Command::blink:
      return state.compare.blink;
    case Command::folding:
      return state.compare.folding;
    case Command::wipe:
    case Command::diagonal_split:
    case Command::antidiagonal_split:
      return state.compare.wipe && state.compare.wipe_line == wipe_line_of(command);
    default:
      return false;
  }
}

void run(const Ui& ui, Command command) {
  const AppState& state = ui.state;
  if (!is_possible(state, command)) return;
  switch (command) {
    case Command::automatic_range:
      return ui.emit(action::AutoRange{});
    case Command::log_scale:
      return change_scale(ui, [](auto& s) { s.curve = s.curve == Curve::log ? Curve::linear : Curve::log; });
    case Command::error_row:
      return change_compare(ui, [](auto& c) { c.rows[static_cast<std::size_t>(Row::error)] ^= true; });
    case Command::reference:
      return change_compare(ui, [](auto& c) { c.show_reference = !c.show_reference; });
    case Command::blink:
      return change_compare(ui, [](auto& c) { c.blink = !c.blink; });
    case Command::folding:
      return change_compare(ui, [](auto& c) { c.folding = !c.folding; });
    case Command::wipe:
    case Command::diagonal_split:
    case Command::antidiagonal_split:
      return change_compare(ui, [&](auto& c) {
        const WipeLine line = wipe_line_of(command);
        if (c.wipe_line != line) c.wipe_position = 0.5F;
        c.wipe = !c.wipe || c.wipe_line != line;
        c.wipe_line = line;
      });
    case Command::run_column:
      if (state.interface.focused_column < state.columns.size())
        ui.emit(action::RunColumn{state.columns[state.interface.focused_column].id});
      return;
    case Command::escape:
      if (ui.memory.dialog->is_open()) return ui.memory.dialog->close();
      return ui.emit(action::CancelNewest{});
    case Command::undo:
      return state.sandbox.can_undo ? ui.emit(action::UndoStroke{}) : ui.emit(action::Undo{});
    case Command::redo:
      return state.sandbox.can_redo ? ui.emit(action::RedoStroke{}) : ui.emit(action::Redo{});
    case Command::smaller_block:
      return ui.emit(action::SetBlock{state.block - 1});
    case Command::larger_block:
      return ui.emit(action::SetBlock{state.block + 1});
    case Command::palette:
      return ui.emit(
          action::SetOverlay{state.interface.overlay == Overlay::palette ? Overlay::none : Overlay::palette});
    case Command::help:
      return ui.emit(
          action::SetOverlay{state.interface.overlay == Overlay::help ? Overlay::none : Overlay::help});
    case Command::fit:
    case Command::one_to_one:
    case Command::reset_views:
    case Command::back:
    case Command::forward:
    case Command::go_to:
    case Command::side_panels:
    case Command::log:
    case Command::next_column:
    case Command::previous_column:
      return run_look(ui, command);
    default:
      return run_file(ui, command);
  }
}

void menu_item(const Ui& ui, Command command) {
  const CommandInfo& one = info(command);
  if (ImGui::MenuItem(one.label, keys_text(command).c_str(), is_on(ui.state, command),
                      is_possible(ui.state, command)))
    run(ui, command);
  tooltip(one.help);
}

namespace {

/// Space shows the reference while it is held; a widget with the keyboard focus gets the key instead.
void handle_space(const Ui& ui) {
  const bool widget = ImGui::GetIO().WantTextInput || (ImGui::IsAnyItemActive() && !ui.memory.space_held);
  const bool held = ImGui::IsKeyDown(ImGuiKey_Space) && !widget && is_possible(ui.state, Command::reference);
  if (held == ui.memory.space_held) return;
  ui.memory.space_held = held;
  change_compare(ui, [held](auto& c) { c.show_reference = held; });
}

void handle_digits(const Ui& ui) {
  for (int digit = 0; digit < 9; ++digit) {
    const auto key = static_cast<ImGuiKey>(ImGuiKey_1 + digit);
    if (static_cast<std::size_t>(digit) < ui.state.columns.size() && ImGui::IsKeyChordPressed(key))
      ui.emit(action::FocusColumn{static_cast<std::size_t>(digit)});
  }
}

/// Arrows pan by a tenth of the view, plus and minus zoom about the centre.
void handle_view_keys(const Ui& ui) {
  const Plane plane = ui.memory.active_plane;
  const View& view = ui.state.view(plane);
  if (!(view.rect.width() > 0)) return;
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, true); };
  double rows = 0, cols = 0;
  if (pressed(ImGuiKey_UpArrow)) rows -= 0.1;
  if (pressed(ImGuiKey_DownArrow)) rows += 0.1;
  if (pressed(ImGuiKey_LeftArrow)) cols -= 0.1;
  if (pressed(ImGuiKey_RightArrow)) cols += 0.1;
  double factor = 1;
  if (pressed(ImGuiKey_Equal) || pressed(ImGuiKey_KeypadAdd)) factor = 0.8;
  if (pressed(ImGuiKey_Minus) || pressed(ImGuiKey_KeypadSubtract)) factor = 1.25;
  if (rows == 0 && cols == 0 && factor == 1) return;
  const ColumnId column = zoomed_column(ui.state);
  const PlaneRect rect = column == 0 ? view.rect : view_of(ui.state, *ui.state.column(column), plane);
  const PlaneRect moved = shifted(rect, rows * rect.height(), cols * rect.width());
  const double row = (moved.top + moved.bottom) / 2, col = (moved.left + moved.right) / 2;
  ui.emit(action::SetView{plane, limited(zoomed(moved, row, col, factor), view.full), true, column});
}

/// Whether a dialog or an open menu uses Escape itself.
bool popup_open() {
  return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

}  // namespace

void handle_keys(const Ui& ui) {
  handle_space(ui);
  const ImGuiIO& io = ImGui::GetIO();
  const bool popup = popup_open();
  for (const CommandInfo& one : kCommands) {
    if (one.id == Command::reference || one.keys == 0) continue;
    const bool modified = (one.keys & (ImGuiMod_Ctrl | ImGuiMod_Alt)) != 0;
    if (io.WantTextInput && (!modified || one.id == Command::copy_picture)) continue;
    if (popup && !modified) continue;
    // Tab moves between columns while the pictures have the focus, otherwise between widgets.
    if ((one.id == Command::next_column || one.id == Command::previous_column) &&
        !ui.memory.comparison_focused)
      continue;
    const bool pressed = ImGui::IsKeyChordPressed(one.keys) ||
                         (one.other_keys != 0 && ImGui::IsKeyChordPressed(one.other_keys));
    if (pressed) run(ui, one.id);
  }
  if (io.WantTextInput || popup || io.KeyCtrl || io.KeyAlt) return;
  handle_digits(ui);
  if (ui.memory.comparison_focused) handle_view_keys(ui);
}

void ask_open(const Ui& ui) {
  ui.memory.dialog->open(
      {.title = "Open a matrix",
       .save = false,
       .suggestion = "",
       .endings = readable_endings(),
       .description = format_names() + " files",
       .chosen = [](const Ui& then, const std::string& path) { then.emit(action::OpenFile{path}); }});
}

void ask_folder(const Ui& ui) {
  ui.memory.dialog->open(
      {.title = "Open a folder",
       .save = false,
       .is_folder = true,
       .suggestion = "",
       .endings = readable_endings(),
       .description = "Folders",
       .chosen = [](const Ui& then, const std::string& path) { then.emit(action::OpenFolder{path}); }});
}

void ask_lesson(const Ui& ui) {
  ui.memory.dialog->open(
      {.title = "Open a lesson",
       .save = false,
       .suggestion = "",
       .endings = {std::string(kLessonEnding)},
       .description = "Lessons",
       .chosen = [](const Ui& then, const std::string& path) { then.emit(action::OpenLesson{path}); }});
}

void ask_collection(const Ui& ui) {
  ui.memory.dialog->open(
      {.title = "Open a collection",
       .save = false,
       .suggestion = "",
       .endings = {".db"},
       .description = "Collections",
       .chosen = [](const Ui& then, const std::string& path) { then.emit(action::OpenCollection{path}); }});
}

void ask_index(const Ui& ui) {
  ui.memory.dialog->open(
      {.title = "Index the matrices below a folder",
       .save = false,
       .is_folder = true,
       .suggestion = "",
       .endings = readable_endings(),
       .description = "Folders",
       .chosen = [](const Ui& then, const std::string& path) { then.emit(action::IndexFolder{path}); }});
}

void ask_save_picture(const Ui& ui, ColumnId column, Row row) {
  ui.memory.dialog->open({.title = "Save this picture",
                          .save = true,
                          .suggestion = std::string(name_of(row)) + ".png",
                          .endings = {".png"},
                          .description = "PNG pictures",
                          .chosen = [column, row](const Ui& then, const std::string& path) {
                            then.emit(action::ExportPicture{column, row, path});
                          }});
}

void ask_figure(const Ui& ui, std::optional<action::ExportFigure::One> one, bool dark) {
  ui.memory.dialog->open(
      {.title = "Save a figure",
       .save = true,
       .suggestion = one ? std::string(name_of(one->row)) + ".pdf" : "comparison.pdf",
       .endings = {".pdf", ".svg", ".png"},
       .description = "Figures",
       .chosen = [one, dark, pixels = ui.memory.figure_pixels](const Ui& then, const std::string& path) {
         then.emit(action::ExportFigure{one, path, dark, static_cast<double>(pixels)});
       }});
}

void figure_menu(const Ui& ui, std::optional<action::ExportFigure::One> one) {
  if (!ImGui::BeginMenu(one ? "Save as a figure" : "Save the comparison as a figure",
                        ui.state.matrix() != nullptr))
    return;
  for (const bool dark : {false, true})
    if (ImGui::MenuItem(dark ? "Dark…" : "Light…")) ask_figure(ui, one, dark);
  if (ImGui::MenuItem("Copy, light")) copy_figure(ui, one, false);
  if (ImGui::MenuItem("Copy, dark")) copy_figure(ui, one, true);
  ImGui::SetNextItemWidth(px(120));
  ImGui::SliderInt("pixels of a PNG per point", &ui.memory.figure_pixels, 1, 12, "%d",
                   ImGuiSliderFlags_AlwaysClamp);
  ImGui::EndMenu();
}

void ask_export_values(const Ui& ui, ColumnId column) {
  ui.memory.dialog->open({.title = "Export the samples of this column",
                          .save = true,
                          .suggestion = "samples.npz",
                          .endings = {".npz", ".npy"},
                          .description = "NumPy arrays",
                          .chosen = [column](const Ui& then, const std::string& path) {
                            then.emit(action::ExportValues{column, path});
                          }});
}

void ask_session(const Ui& ui, bool save) {
  ui.memory.dialog->open({.title = save ? "Save session" : "Load session",
                          .save = save,
                          .suggestion = save ? "session.json" : "",
                          .endings = {".json"},
                          .description = "Sessions",
                          .chosen = [save](const Ui& then, const std::string& path) {
                            if (save)
                              then.emit(action::SaveSession{path});
                            else
                              then.emit(action::LoadSession{path});
                          }});
}

}  // namespace spyctrum::panels
