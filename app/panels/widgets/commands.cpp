// SPDX-License-Identifier: Apache-2.0
// The table of commands, the keyboard, and what each command emits.
#include "app/panels/widgets/commands.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <complex>

#include "app/controller/lessons/lesson.hpp"
#include "app/panels/widgets/file_dialog.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/view_math.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/io/formats.hpp"
#include "core/io/writer.hpp"

namespace spyctrum::panels {
namespace {

template <class Action>
void emit_path(const Ui& ui, const std::string& path) {
  ui.emit(Action{path});
}

/// Opens a dialog for the file of an action that only needs a path.
template <class Action>
void ask_path(const Ui& ui, const char* title, const std::vector<std::string>& endings,
              const std::string& description) {
  ui.memory.dialog->open(
      {.title = title, .endings = endings, .description = description, .chosen = emit_path<Action>});
}

/// The same for a folder with matrices.
template <class Action>
void ask_folder_for(const Ui& ui, const char* title) {
  ui.memory.dialog->open({.title = title,
                          .is_folder = true,
                          .endings = readable_endings(),
                          .description = "Folders",
                          .chosen = emit_path<Action>});
}

/// ", 2.4 GB": of the stored values of a column; empty if it has none.
std::string size_of_samples(const AppState& state, ColumnId id) {
  const Column* column = state.column(id);
  if (column == nullptr || !column->spectrum || column->spectrum->values.empty()) return {};
  return ", " + bytes_text(column->spectrum->values.size() * sizeof(std::complex<float>));
}

void ask_save_view(const Ui& ui) {
  ask_save(ui, "Save view", "view.png", {".png", ".json"}, "Picture or session",
           [](const std::string& path) -> Action {
             if (path.ends_with(".json")) return action::SaveSession{path};
             return action::CaptureScreen{path};
           });
}

void ask_export(const Ui& ui) {
  const ColumnId column = ui.state.focused() != nullptr ? ui.state.focused()->id : 0;
  ask_save(ui,
           "Export features (.csv, .json) or samples (.npy, .npz" + size_of_samples(ui.state, column) + ")",
           "features.csv", {".csv", ".json", ".npy", ".npz"}, "Tables and arrays",
           [column](const std::string& path) -> Action {
             if (path.ends_with(".npy") || path.ends_with(".npz")) return action::ExportValues{column, path};
             return action::ExportFeatures{path};
           });
}

void ask_export_matrix(const Ui& ui) {
  ask_save(ui, "Export the matrix", writable_endings().front(), writable_endings(), "Matrix files",
           [](const std::string& path) { return action::ExportMatrix{path}; });
}

constexpr auto kErrorRow = static_cast<std::size_t>(Row::error);

bool is_open(const AppState& state) { return state.matrix() != nullptr; }

// CommandInfo::missing of the commands.

const char* silent_unless(bool possible) { return possible ? nullptr : ""; }
const char* matrix_missing(const AppState& state) { return is_open(state) ? nullptr : "no matrix is open."; }
const char* columns_missing(const AppState& state) {
  return is_open(state) ? silent_unless(!state.columns.empty()) : matrix_missing(state);
}
const char* reference_missing(const AppState& state) {
  if (const char* const missing = columns_missing(state)) return missing;
  return compared_column(state) != nullptr ? nullptr : "there is no exact column to compare with.";
}
const char* run_missing(const AppState& state) {
  if (const char* const missing = columns_missing(state)) return missing;
  return why_no_run(*state.focused());
}
/// For commands that need further matrices, below a folder or in the same file. A lesson uses the same keys.
const char* list_missing(const AppState& state) {
  const bool has_list =
      !state.folder.files.empty() || (is_open(state) && state.matrix()->matrix.report.matrices.size() > 1);
  return silent_unless(has_list && !state.lessons.lesson);
}

const char* next_step_missing(const AppState& state) {
  if (!state.lessons.lesson) return "";
  const bool is_last = state.lessons.step + 1 == state.lessons.lesson->steps.size();
  return is_last ? "this is the last one. F2 lists the lessons." : nullptr;
}

template <class Action>
void emits(const Ui& ui) {
  ui.emit(Action{});
}

template <Overlay overlay>
void toggles(const Ui& ui) {
  ui.emit(action::SetOverlay{ui.state.interface.overlay == overlay ? Overlay::none : overlay});
}

template <std::ptrdiff_t step>
void focuses_by(const Ui& ui) {
  const auto count = static_cast<std::ptrdiff_t>(ui.state.columns.size());
  const auto now = static_cast<std::ptrdiff_t>(ui.state.interface.focused_column);
  ui.emit(action::FocusColumn{static_cast<std::size_t>((now + step + count) % count)});
}

template <WipeLine line>
bool is_wiped(const AppState& state) {
  return state.compare.wipe && state.compare.wipe_line == line;
}

template <WipeLine line>
void wipes(const Ui& ui) {
  change_compare(ui, [on = !is_wiped<line>(ui.state)](auto& c) {
    if (c.wipe_line != line) c.wipe_position = 0.5F;
    c.wipe = on;
    c.wipe_line = line;
  });
}

void toggle_log_scale(const Ui& ui) {
  ScaleSettings scale = ui.state.scale;
  scale.curve = scale.curve == Curve::log ? Curve::linear : Curve::log;
  ui.emit(action::SetScale{scale});
}

void toggle_lessons(const Ui& ui) {
  if (ui.state.interface.overlay == Overlay::lessons) return ui.emit(action::SetOverlay{Overlay::none});
  ui.emit(action::ListLessons{});
}

void explain(const Ui& ui) {
  if (ui.state.collection.whole) ui.emit(action::ShowCollection{false});
  ui.memory.prefers_right_side = true;
  ImGui::SetWindowFocus(kExplain);
  ui.emit(action::Explain{});
}

void animate(const Ui& ui) {
  if (ui.state.animation.swept) return ui.emit(action::StopAnimation{});
  ImGui::SetWindowFocus(kAnimation);
  const bool has_block = std::ranges::any_of(ui.state.columns, &Column::uses_block);
  ui.emit(action::Animate{has_block ? Swept::block : Swept::order});
}

void cancel(const Ui& ui) {
  if (ui.memory.dialog->is_open()) return ui.memory.dialog->close();
  ui.emit(action::CancelNewest{});
}

/// The focused column if it has its own view; 0: the linked view.
ColumnId zoomed_column(const AppState& state) {
  const Column* focused = state.focused();
  return focused != nullptr && focused->look.views ? focused->id : 0;
}

constexpr std::array<CommandInfo, 51> kCommands = {{
    {Command::open, "File", "Open…", ImGuiMod_Ctrl | ImGuiKey_O, 0,
     "Opens a matrix file; files can also be dropped on the window", ask_open},
    {Command::open_folder, "File", "Open folder…", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_O, 0,
     "Lists the matrices below a folder, or shows the study that it holds; a folder can also be dropped on "
     "the window",
     ask_folder},
    {Command::previous_matrix, "File", "Previous matrix of the list", ImGuiKey_PageUp, 0,
     "Opens the previous matrix of the folder, or of the file if it holds several, with the same view",
     [](const Ui& ui) { ui.emit(action::OpenNeighbour{-1}); }, list_missing},
    {Command::next_matrix, "File", "Next matrix of the list", ImGuiKey_PageDown, 0,
     "Opens the next matrix of the folder, or of the file if it holds several, with the same view",
     [](const Ui& ui) { ui.emit(action::OpenNeighbour{1}); }, list_missing},
    {Command::gallery, "File", "Gallery…", ImGuiMod_Ctrl | ImGuiKey_N, 0,
     "Shows generated matrices and recent files", toggles<Overlay::gallery>},
    {Command::collection, "File", "Collection", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_K, 0,
     "Shows the indexed matrices: contact sheet, scatter plot and neighbours; the same keys return",
     [](const Ui& ui) { ui.emit(action::ShowCollection{!ui.state.collection.whole}); }, nothing_missing,
     [](const AppState& state) { return state.collection.whole; }},
    {Command::open_collection, "File", "Open collection…", 0, 0,
     "Opens a file of indexed matrices, made by this program or by spyctrum-cli index", ask_collection},
    {Command::index_folder, "File", "Index a folder…", 0, 0,
     "Adds the fingerprints of all matrices below a folder to the collection", ask_index},
    {Command::close, "File", "Close matrix", ImGuiMod_Ctrl | ImGuiKey_W, 0,
     "Closes the matrix and stops its jobs",
     [](const Ui& ui) { ui.emit(action::CloseMatrix{*ui.state.selected}); }, matrix_missing},
    {Command::reload, "File", "Reload", ImGuiKey_F5, 0, "Reads the file again", emits<action::ReloadMatrix>,
     matrix_missing},
    {Command::save_view, "File", "Save view…", ImGuiMod_Ctrl | ImGuiKey_S, 0,
     "Saves the screen as a picture (.png) or the view as a session (.json)", ask_save_view},
    {Command::export_data, "File", "Export data…", ImGuiMod_Ctrl | ImGuiKey_E, 0,
     "Writes the features (.csv, .json) or the samples of the selected column (.npy, .npz)", ask_export,
     columns_missing},
    {Command::export_matrix, "File", "Export matrix…", 0, 0,
     "Writes the matrix, with its weights, to a file whose ending chooses the format", ask_export_matrix,
     matrix_missing},
    {Command::copy_picture, "File", "Copy picture", ImGuiMod_Ctrl | ImGuiKey_C, 0,
     "Copies the picture that was last under the cursor to the clipboard",
     [](const Ui& ui) { copy_picture(ui, ui.state.focused()->id, ui.memory.active_row); }, columns_missing},
    {Command::preferences, "File", "Preferences…", ImGuiMod_Ctrl | ImGuiKey_Comma, 0,
     "Sets interface size, theme, backend, threads and memory",
     [](const Ui& ui) { ui.emit(action::SetOverlay{Overlay::preferences}); }},
    {Command::quit, "File", "Quit", ImGuiMod_Ctrl | ImGuiKey_Q, 0, "", emits<action::Quit>},
    {Command::undo, "Settings", "Undo", ImGuiMod_Ctrl | ImGuiKey_Z, 0,
     "Undoes the last change of columns, block sizes, scale, rows or region",
     [](const Ui& ui) {
       ui.state.sandbox.can_undo ? ui.emit(action::UndoStroke{}) : ui.emit(action::Undo{});
     },
     [](const AppState& state) { return silent_unless(state.interface.can_undo || state.sandbox.can_undo); }},
    {Command::redo, "Settings", "Redo", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z,
     ImGuiMod_Ctrl | ImGuiKey_Y, "Makes the change again",
     [](const Ui& ui) {
       ui.state.sandbox.can_redo ? ui.emit(action::RedoStroke{}) : ui.emit(action::Redo{});
     },
     [](const AppState& state) { return silent_unless(state.interface.can_redo || state.sandbox.can_redo); }},
    {Command::smaller_block, "Settings", "Block size − 1", ImGuiKey_LeftBracket, 0,
     "Changes the block size of every column without its own",
     [](const Ui& ui) { ui.emit(action::SetBlock{ui.state.block - 1}); },
     [](const AppState& state) { return silent_unless(is_open(state) && state.block > 1); }},
    {Command::larger_block, "Settings", "Block size + 1", ImGuiKey_RightBracket, 0,
     "Changes the block size of every column without its own",
     [](const Ui& ui) { ui.emit(action::SetBlock{ui.state.block + 1}); }, matrix_missing},
    {Command::palette, "Help", "Commands…", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P, 0,
     "Finds a command by a few letters of its name", toggles<Overlay::palette>},
    {Command::fit, "Look", "Fit", ImGuiKey_F, ImGuiKey_Home,
     "Shows the whole plane; a double click does the same",
     [](const Ui& ui) {
       ui.emit(action::FitView{ui.memory.active_plane, zoomed_column(ui.state)});
     },
     matrix_missing},
    {Command::one_to_one, "Look", "One to one", ImGuiMod_Ctrl | ImGuiKey_1, 0,
     "Shows one coefficient or entry per pixel",
     [](const Ui& ui) { ui.emit(action::OneToOne{ui.memory.active_plane}); }, matrix_missing},
    {Command::reset_views, "Look", "Reset views", ImGuiKey_R, 0,
     "Shows both planes whole and resets the scale", emits<action::ResetViews>, matrix_missing},
    {Command::back, "Look", "Back", ImGuiMod_Alt | ImGuiKey_LeftArrow, 0, "Returns to the previous view",
     [](const Ui& ui) { ui.emit(action::ViewBack{ui.memory.active_plane}); },
     [](const AppState& state) {
       return silent_unless(is_open(state) && (!state.views[0].back.empty() || !state.views[1].back.empty()));
     }},
    {Command::forward, "Look", "Forward", ImGuiMod_Alt | ImGuiKey_RightArrow, 0,
     "Goes to the next view again",
     [](const Ui& ui) { ui.emit(action::ViewForward{ui.memory.active_plane}); },
     [](const AppState& state) {
       return silent_unless(is_open(state) &&
                            (!state.views[0].forward.empty() || !state.views[1].forward.empty()));
     }},
    {Command::go_to, "Look", "Go to coordinate…", ImGuiMod_Ctrl | ImGuiKey_G, 0,
     "Goes to a frequency or an entry by its indices",
     [](const Ui& ui) {
       ui.memory.goto_spectrum = ui.memory.active_plane == Plane::spectrum;
       ui.emit(action::SetOverlay{Overlay::go_to});
     },
     matrix_missing},
    {Command::side_panels, "Look", "Side panels", ImGuiMod_Ctrl | ImGuiKey_B, 0,
     "Shows or hides the panels beside the pictures",
     [](const Ui& ui) { ui.emit(action::ShowSidePanels{!ui.state.interface.side_panels}); }, matrix_missing,
     [](const AppState& state) { return state.interface.side_panels; }},
    {Command::log, "Look", "Log", ImGuiMod_Ctrl | ImGuiKey_L, 0, "Shows messages and errors",
     [](const Ui& ui) { ui.emit(action::ShowLog{!ui.state.interface.log_open}); }, nothing_missing,
     [](const AppState& state) { return state.interface.log_open; }},
    {Command::next_column, "Columns", "Next column", ImGuiKey_Tab, 0,
     "Selects the column to the right; the keys 1 … 9 select a column directly", focuses_by<1>,
     columns_missing},
    {Command::previous_column, "Columns", "Previous column", ImGuiMod_Shift | ImGuiKey_Tab, 0, "",
     focuses_by<-1>, columns_missing},
    {Command::automatic_range, "Scale", "Automatic range", ImGuiKey_A, 0,
     "Sets the range of colours from the pixels shown", emits<action::AutoRange>, matrix_missing},
    {Command::log_scale, "Scale", "Logarithmic", ImGuiMod_Shift | ImGuiKey_L, 0,
     "Switches between a logarithmic and a linear scale", toggle_log_scale, matrix_missing,
     [](const AppState& state) { return state.scale.curve == Curve::log; }},
    {Command::error_row, "Compare", "Difference", ImGuiKey_D, 0,
     "Shows a row with the error of each reconstruction",
     [](const Ui& ui) { change_compare(ui, [](auto& c) { c.rows[kErrorRow] ^= true; }); }, columns_missing,
     [](const AppState& state) { return state.compare.rows[kErrorRow]; }},
    {Command::reference, "Compare", "Show the reference", ImGuiKey_Space, 0,
     "While the key is held, every column shows the reference",
     [](const Ui& ui) { change_compare(ui, [](auto& c) { c.show_reference = !c.show_reference; }); },
     reference_missing, [](const AppState& state) { return state.compare.show_reference; }},
    {Command::blink, "Compare", "Blink", ImGuiKey_B, 0,
     "Alternates between the column and the reference once a second",
     [](const Ui& ui) { change_compare(ui, [](auto& c) { c.blink = !c.blink; }); }, reference_missing,
     [](const AppState& state) { return state.compare.blink; }},
    {Command::wipe, "Compare", "Wipe", ImGuiKey_W, 0,
     "Shows the column to the left of a line and the reference to its right", wipes<WipeLine::vertical>,
     reference_missing, is_wiped<WipeLine::vertical>},
    {Command::diagonal_split, "Compare", "Split along the diagonal", ImGuiMod_Shift | ImGuiKey_W, 0,
     "Shows the column below the diagonal of the picture and the reference above it",
     wipes<WipeLine::diagonal>, reference_missing, is_wiped<WipeLine::diagonal>},
    {Command::antidiagonal_split, "Compare", "Split along the antidiagonal", ImGuiMod_Alt | ImGuiKey_W, 0,
     "Shows the column above the antidiagonal of the picture and the reference below it",
     wipes<WipeLine::antidiagonal>, reference_missing, is_wiped<WipeLine::antidiagonal>},
    {Command::folding, "Compare", "Show what folds", ImGuiKey_K, 0,
     "Marks the frequencies that fold onto the coefficient under the mouse in Density Map or Fixed Point; "
     "Ctrl and a click hold it",
     [](const Ui& ui) { change_compare(ui, [](auto& c) { c.folding = !c.folding; }); }, columns_missing,
     [](const AppState& state) { return state.compare.folding; }},
    {Command::run_column, "Columns", "Run selected column", ImGuiMod_Ctrl | ImGuiKey_Enter, 0,
     "Starts the run of the column if it was not started automatically, failed or was cancelled",
     [](const Ui& ui) { ui.emit(action::RunColumn{ui.state.focused()->id}); }, run_missing},
    {Command::escape, "Jobs", "Cancel", ImGuiKey_Escape, 0,
     "Cancels the newest job, or closes the dialog if no job is running", cancel},
    {Command::help, "Help", "Keys and mouse", ImGuiMod_Shift | ImGuiKey_Slash, ImGuiKey_F1, "This list",
     toggles<Overlay::help>},
    {Command::lessons, "Lessons", "Lessons…", ImGuiKey_F2, 0,
     "Lists the lessons, which show step by step what a spectrum reveals about its matrix", toggle_lessons},
    {Command::next_step, "Lessons", "Next step", ImGuiKey_PageDown, 0, "Shows the next step of the lesson",
     [](const Ui& ui) { ui.emit(action::ShowStep{ui.state.lessons.step + 1}); }, next_step_missing},
    {Command::previous_step, "Lessons", "Previous step", ImGuiKey_PageUp, 0,
     "Shows the step of the lesson before this one",
     [](const Ui& ui) { ui.emit(action::ShowStep{ui.state.lessons.step - 1}); },
     [](const AppState& state) { return silent_unless(state.lessons.lesson && state.lessons.step > 0); }},
    {Command::close_lesson, "Lessons", "Close the lesson", 0, 0,
     "Closes the lesson; what was on the screen before it returns", emits<action::CloseLesson>,
     [](const AppState& state) { return silent_unless(state.lessons.lesson != nullptr); }},
    {Command::explain, "Lessons", "Explain this spectrum", ImGuiKey_F3, 0,
     "Lists what stands out from noise in the spectrum, and what it means for the pattern", explain,
     matrix_missing},
    {Command::sandbox, "Lessons", "Draw a matrix", ImGuiKey_F4, 0,
     "Opens the sandbox: a matrix of 64 × 64 to draw in, and its spectrum; or goes back to what was shown "
     "before",
     emits<action::SwitchDrawing>, nothing_missing,
     [](const AppState& state) { return state.sandbox.is_drawing; }},
    {Command::animation, "Lessons", "Moving picture", ImGuiKey_F6, 0,
     "Plays pictures over block sizes, thresholds or orders, and saves them to a file", animate,
     matrix_missing, [](const AppState& state) { return state.animation.swept.has_value(); }},
    {Command::presentation, "Look", "Presentation", ImGuiKey_F11, 0,
     "Shows the pictures alone, with large type; Page Down and Page Up change the step of a lesson",
     [](const Ui& ui) { ui.emit(action::ShowPresentation{!ui.state.interface.presentation}); },
     nothing_missing, [](const AppState& state) { return state.interface.presentation; }},
}};

/// Space shows the reference while it is held; a widget with the keyboard focus gets the key instead.
void handle_space(const Ui& ui) {
  const bool widget = ImGui::GetIO().WantTextInput || (ImGui::IsAnyItemActive() && !ui.memory.space_held);
  const bool held = ImGui::IsKeyDown(ImGuiKey_Space) && !widget && is_possible(ui.state, Command::reference);
  if (held == ui.memory.space_held) return;
  ui.memory.space_held = held;
  change_compare(ui, [held](auto& c) { c.show_reference = held; });
}

/// 1 … 9 select a column or, while a lesson asks, choose an answer.
void handle_digits(const Ui& ui) {
  const LessonView& lessons = ui.state.lessons;
  const bool asks = awaits_guess(lessons);
  const std::size_t count =
      asks ? lessons.lesson->steps[lessons.step].choices.size() : ui.state.columns.size();
  for (std::size_t k = 0; k < std::min<std::size_t>(count, 9); ++k) {
    if (!ImGui::IsKeyChordPressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(k)))) continue;
    if (asks) return ui.emit(action::GuessAnswer{k});
    ui.emit(action::FocusColumn{k});
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

/// Takes Tab and the page keys from Dear ImGui while a command uses them, or a lesson is open: it would move
/// the keyboard focus to a button and show the button's tooltip. Dear ImGui takes every key that has no owner
/// when a frame begins, so this is called in each frame, before a key is pressed.
void keep_key(const AppState& state, const CommandInfo& one) {
  const bool is_page_key = one.keys == ImGuiKey_PageUp || one.keys == ImGuiKey_PageDown;
  const bool is_used = is_possible(state, one.id) || (is_page_key && state.lessons.lesson);
  if (is_used && (is_page_key || one.keys == ImGuiKey_Tab))
    ImGui::SetKeyOwner(static_cast<ImGuiKey>(one.keys), ImHashStr("commands"));
}

/// Runs a command by its key, or says what the command needs.
void run_by_key(const Ui& ui, const CommandInfo& one) {
  const char* const missing = one.missing(ui.state);
  if (missing == nullptr)
    one.run(ui);
  else if (*missing != '\0')
    ui.emit(action::Notify{Level::info, std::string(one.label) + ": " + missing});
}

/// Whether a dialog or an open menu uses Escape itself.
bool popup_open() {
  return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

}  // namespace

std::span<const CommandInfo> commands() { return kCommands; }

const CommandInfo& info(Command command) { return *std::ranges::find(kCommands, command, &CommandInfo::id); }

std::string chord_text(ImGuiKeyChord chord) {
  if (chord == 0) return {};
  std::string text;
  if ((chord & ImGuiMod_Ctrl) != 0) text += "Ctrl+";
  if ((chord & ImGuiMod_Alt) != 0) text += "Alt+";
  const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
  // Shift and slash is written as the character that it types on most keyboards.
  if (key == ImGuiKey_Slash && (chord & ImGuiMod_Shift) != 0) return text + "?";
  if ((chord & ImGuiMod_Shift) != 0) text += "Shift+";
  static constexpr std::array kSigns{
      std::pair{ImGuiKey_LeftArrow, "←"},    std::pair{ImGuiKey_RightArrow, "→"},
      std::pair{ImGuiKey_Comma, ","},        std::pair{ImGuiKey_LeftBracket, "["},
      std::pair{ImGuiKey_RightBracket, "]"}, std::pair{ImGuiKey_Escape, "Esc"}};
  const auto sign = std::ranges::find(kSigns, key, [](const auto& one) { return one.first; });
  return text + (sign != kSigns.end() ? sign->second : ImGui::GetKeyName(key));
}

const char* why_no_run(const Column& column) {
  if (!column.held_back.empty()) return nullptr;
  if (column.busy) return "the column is being computed.";
  if (column.error || column.stopped) return nullptr;
  return column.spectrum ? "the column is computed. It runs again by itself when a setting changes."
                         : "the column waits for its entries.";
}

std::string keys_text(Command command) { return chord_text(info(command).keys); }

std::string help_text(std::string_view help, const char* missing) {
  const bool is_told = missing != nullptr && *missing != '\0';
  return std::string(help) + (is_told ? std::string("\nNot now: ") + missing : "");
}

bool is_possible(const AppState& state, Command command) { return info(command).missing(state) == nullptr; }

bool is_on(const AppState& state, Command command) { return info(command).is_on(state); }

void run(const Ui& ui, Command command) {
  if (is_possible(ui.state, command)) info(command).run(ui);
}

void menu_item(const Ui& ui, Command command) {
  const CommandInfo& one = info(command);
  if (ImGui::MenuItem(one.label, keys_text(command).c_str(), is_on(ui.state, command),
                      is_possible(ui.state, command)))
    run(ui, command);
  tooltip(help_text(one.help, one.missing(ui.state)));
}

void menu_items(const Ui& ui, std::initializer_list<Command> commands) {
  for (const Command one : commands) menu_item(ui, one);
}

void handle_keys(const Ui& ui) {
  for (const ImGuiMouseButton button : {ImGuiMouseButton_Left, ImGuiMouseButton_Right}) {
    if (ImGui::IsMouseClicked(button)) ui.emit(action::BeginChange{.held = true});
    if (ImGui::IsMouseReleased(button)) ui.emit(action::EndChange{});
  }
  handle_space(ui);
  const ImGuiIO& io = ImGui::GetIO();
  // The palette's window opens a frame after its command; keys are text for it until then.
  const bool popup = popup_open() || ui.state.interface.overlay == Overlay::palette;
  for (const CommandInfo& one : kCommands) {
    if (one.id == Command::reference || one.keys == 0) continue;
    const bool modified = (one.keys & (ImGuiMod_Ctrl | ImGuiMod_Alt)) != 0;
    if (io.WantTextInput && (!modified || one.id == Command::copy_picture)) continue;
    if (popup && !modified) continue;
    // Tab moves between columns while the pictures have the focus, otherwise between widgets.
    if ((one.id == Command::next_column || one.id == Command::previous_column) &&
        !ui.memory.comparison_focused)
      continue;
    keep_key(ui.state, one);
    for (const ImGuiKeyChord keys : {one.keys, one.other_keys}) {
      if (keys == 0 || !ImGui::IsKeyChordPressed(keys)) continue;
      // A key that is held down repeats; all that it does is one change.
      if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(keys & ~ImGuiMod_Mask_), false))
        ui.emit(action::BeginChange{});
      run_by_key(ui, one);
      break;
    }
  }
  if (io.WantTextInput || popup || io.KeyCtrl || io.KeyAlt) return;
  handle_digits(ui);
  if (ui.memory.comparison_focused) handle_view_keys(ui);
}

void ask_open(const Ui& ui) {
  ask_path<action::OpenFile>(ui, "Open a matrix", readable_endings(), format_names() + " files");
}

void ask_folder(const Ui& ui) { ask_folder_for<action::OpenFolder>(ui, "Open a folder"); }

void ask_lesson(const Ui& ui) {
  ask_path<action::OpenLesson>(ui, "Open a lesson", {std::string(kLessonEnding)}, "Lessons");
}

void ask_collection(const Ui& ui) {
  ask_path<action::OpenCollection>(ui, "Open a collection", {".db"}, "Collections");
}

void ask_index(const Ui& ui) { ask_folder_for<action::IndexFolder>(ui, "Index the matrices below a folder"); }

std::string named_after_matrix(const AppState& state, const std::string& suggestion) {
  constexpr std::size_t kMostBytes = 120;  // file systems take 255
  std::string name = is_open(state) ? state.matrix()->matrix.name : std::string();
  for (const std::string& ending : readable_endings())
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  // UTF-8 is not cut within a character.
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; };
  if (name.size() > kMostBytes) {
    std::size_t end = kMostBytes;
    while (end > 0 && continues(name[end])) --end;
    name.resize(end);
  }
  for (char& letter : name) {
    const bool is_plain = static_cast<unsigned char>(letter) >= 0x80 || std::isalnum(letter) != 0 ||
                          std::string_view("-_.+=,()").find(letter) != std::string_view::npos;
    if (!is_plain) letter = '_';
  }
  if (name.starts_with('.')) name.front() = '_';  // dialogs do not list hidden files
  if (suggestion.starts_with('.')) return (name.empty() ? "matrix" : name) + suggestion;
  return name.empty() ? suggestion : name + "-" + suggestion;
}

void ask_save(const Ui& ui, const std::string& title, const std::string& suggestion,
              const std::vector<std::string>& endings, const char* description,
              const std::function<Action(const std::string& path)>& make) {
  ui.memory.dialog->open(
      {.title = title,
       .save = true,
       .suggestion = named_after_matrix(ui.state, suggestion),
       .endings = endings,
       .description = description,
       .chosen = [make](const Ui& then, const std::string& path) { then.emit(make(path)); }});
}

namespace {

/// "exact-spectrum", "elastic-samples": the id of the column's method, and `what`.
std::string named_after_method(const AppState& state, ColumnId id, std::string_view what) {
  const Column* column = state.column(id);
  return (column == nullptr ? std::string() : column->method + "-") + std::string(what);
}

}  // namespace

void ask_save_picture(const Ui& ui, ColumnId column, Row row) {
  ask_save(ui, "Save this picture", named_after_method(ui.state, column, name_of(row)) + ".png", {".png"},
           "PNG pictures", [column, row](const std::string& path) {
             return action::ExportPicture{column, row, path};
           });
}

void ask_figure(const Ui& ui, std::optional<action::ExportFigure::One> one, bool dark) {
  ask_save(ui, "Save a figure",
           (one ? named_after_method(ui.state, one->column, name_of(one->row)) : "comparison") + ".pdf",
           {".pdf", ".svg", ".png"}, "Figures",
           [one, dark, pixels = static_cast<double>(ui.memory.figure_pixels)](const std::string& path) {
             return action::ExportFigure{one, path, dark, pixels};
           });
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
  ask_save(ui, "Export the samples of this column" + size_of_samples(ui.state, column),
           named_after_method(ui.state, column, "samples") + ".npz", {".npz", ".npy"}, "NumPy arrays",
           [column](const std::string& path) {
             return action::ExportValues{column, path};
           });
}

void ask_session(const Ui& ui, bool save) {
  if (!save) return ask_path<action::LoadSession>(ui, "Load session", {".json"}, "Sessions");
  ask_save(ui, "Save session", "session.json", {".json"}, "Sessions",
           [](const std::string& path) { return action::SaveSession{path}; });
}

}  // namespace spyctrum::panels
