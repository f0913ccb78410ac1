// SPDX-License-Identifier: Apache-2.0
// The menu bar: every command with its keys, and the open matrix at the right.
#include <imgui.h>

#include <algorithm>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

void file_menu(const Ui& ui) {
  const AppState& state = ui.state;
  menu_items(ui, {Command::open, Command::open_folder});
  if (!state.folder.files.empty()) {
    if (ImGui::MenuItem("Matrices below the folder…")) ui.emit(action::SetOverlay{Overlay::folder});
    menu_items(ui, {Command::previous_matrix, Command::next_matrix});
  }
  menu_items(ui, {Command::gallery, Command::collection, Command::open_collection, Command::index_folder});
  if (ImGui::BeginMenu("Open recent", !state.recent.empty())) {
    for (const std::string& source : state.recent) {
      ImGui::PushID(source.c_str());
      if (ImGui::MenuItem(fit_text(short_name(source), px(360)).c_str())) ui.emit(action::OpenFile{source});
      tooltip(escaped(source));
      ImGui::PopID();
    }
    ImGui::Separator();
    if (ImGui::MenuItem("Clear recent files")) ui.emit(action::ClearRecent{});
    ImGui::EndMenu();
  }
  menu_items(ui, {Command::reload, Command::close});
  ImGui::Separator();
  menu_item(ui, Command::save_view);
  figure_menu(ui, std::nullopt);
  menu_items(ui, {Command::export_data, Command::export_matrix, Command::copy_picture});
  if (ImGui::MenuItem("Save session…", "", false, state.matrix() != nullptr)) ask_session(ui, true);
  if (ImGui::MenuItem("Load session…")) ask_session(ui, false);
  ImGui::Separator();
  menu_items(ui, {Command::undo, Command::redo});
  ImGui::Separator();
  menu_items(ui, {Command::preferences, Command::quit});
}

void view_menu(const Ui& ui) {
  menu_items(ui, {Command::fit, Command::one_to_one, Command::reset_views, Command::back, Command::forward,
                  Command::go_to});
  ImGui::Separator();
  menu_items(ui, {Command::automatic_range, Command::log_scale});
  if (ImGui::MenuItem("Square units", nullptr, ui.state.settings.square_units))
    ui.emit(action::SetKeepAspect{!ui.state.settings.square_units});
  tooltip(
      "A coefficient is as high as it is wide, unless one side of the matrix has 16 times the other's "
      "length");
  if (ImGui::BeginMenu("Picture grid", ui.state.matrix() != nullptr)) {
    grid_menu(ui);
    ImGui::EndMenu();
  }
  ImGui::MenuItem("Axis labels", nullptr, &ui.memory.axis_labels);
  ImGui::Separator();
  menu_items(ui, {Command::presentation, Command::side_panels, Command::log});
  if (ImGui::MenuItem("Reset layout")) ui.emit(action::ResetLayout{});
}

void row_items(const Ui& ui) {
  static constexpr std::array<const char*, kRows> kLabels = {"Row: pattern", "Row: spectrum",
                                                             "Row: reconstruction", "Row: error"};
  for (std::size_t i = 0; i < kRows; ++i) {
    const bool is_error = static_cast<Row>(i) == Row::error;
    const std::string keys = is_error ? keys_text(Command::error_row) : std::string();
    const auto count = std::count(ui.state.compare.rows.begin(), ui.state.compare.rows.end(), true);
    const bool possible = !(ui.state.compare.rows[i] && count == 1);
    if (ImGui::MenuItem(kLabels[i], keys.c_str(), ui.state.compare.rows[i], possible))
      change_compare(ui, [i](CompareSettings& compare) { compare.rows[i] = !compare.rows[i]; });
  }
}

void compare_menu(const Ui& ui) {
  row_items(ui);
  ImGui::Separator();
  ImGui::MenuItem("Show the reference", "hold Space", ui.state.compare.show_reference, false);
  menu_items(ui, {Command::blink, Command::wipe, Command::diagonal_split, Command::antidiagonal_split,
                  Command::folding});
  ImGui::Separator();
  menu_items(ui, {Command::next_column, Command::previous_column});
  ImGui::Separator();
  const bool open = ui.state.matrix() != nullptr && !ui.state.columns.empty();
  if (ImGui::MenuItem("Compute errors now", nullptr, false, open)) ui.emit(action::ComputeErrors{});
  tooltip("Compares each reconstruction with the exact plane");
  if (ImGui::MenuItem("Sweep over block sizes", nullptr, ui.state.sweep_busy, open && !ui.state.sweep_busy))
    ui.emit(action::StartSweep{});
  tooltip(
      "Runs every method with a block size at several block sizes in the background, for the errors and "
      "times of the panel Cost");
  if (ImGui::MenuItem("Remove the wave", nullptr, false, ui.state.wave.has_value()))
    ui.emit(action::ShowWave{});
  if (ImGui::MenuItem("Remove the region", nullptr, false, ui.state.region.has_value()))
    ui.emit(action::SelectRegion{});
}

void methods_menu(const Ui& ui) {
  menu_items(ui, {Command::smaller_block, Command::larger_block});
  ImGui::Separator();
  if (ImGui::BeginMenu("Add a column", ui.state.matrix() != nullptr)) {
    method_menu(ui);
    ImGui::EndMenu();
  }
  ImGui::Separator();
  for (std::size_t i = 0; i < ui.state.columns.size(); ++i) {
    const Column& column = ui.state.columns[i];
    const std::string keys = i < 9 ? std::to_string(i + 1) : std::string();
    std::string label = column.label;
    if (column.uses_block) label.append("  b = ").append(std::to_string(column.block));
    if (!keys.empty()) label.append("   ").append(keys);
    ImGui::PushID(static_cast<int>(column.id));
    if (ImGui::BeginMenu(label.c_str())) {
      if (ImGui::MenuItem("Select", keys.c_str())) ui.emit(action::FocusColumn{i});
      column_menu(ui, column);
      ImGui::EndMenu();
    }
    ImGui::PopID();
  }
  ImGui::Separator();
  menu_item(ui, Command::run_column);
}

void matrix_menu(const Ui& ui) {
  for (std::size_t i = 0; i < ui.state.matrices.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::MenuItem(ui.state.matrices[i].matrix.name.c_str(), nullptr, ui.state.selected == i))
      ui.emit(action::SelectMatrix{i});
    ImGui::PopID();
  }
}

/// Name and sizes at the right; a menu when several matrices are open.
void draw_facts(const Ui& ui, float left_end) {
  const OpenMatrix* open = ui.state.matrix();
  if (open == nullptr) return;
  const SparsePattern& pattern = *open->matrix.pattern;
  std::string words = open->matrix.name + "  ·  " + grouped(pattern.rows()) + " × " +
                      grouped(pattern.cols()) + "  ·  " +
                      counted(static_cast<std::uint64_t>(pattern.nonzeros()), "entry", "entries");
  const float right = ImGui::GetWindowWidth() - px(16);
  words = fit_text(words, right - left_end - px(40));
  const bool several = ui.state.matrices.size() > 1;
  const float width = ImGui::CalcTextSize(words.c_str()).x + (several ? px(24) : 0);
  ImGui::SetCursorPosX(std::max(right - width, left_end));
  if (!several) return text(words, palette().text);
  if (ImGui::BeginMenu((words + "  " + icon::kDown + "###open matrices").c_str())) {
    matrix_menu(ui);
    ImGui::EndMenu();
  }
}

}  // namespace

void draw_menu_bar(const Ui& ui) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(8), px(5)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  const bool open = ImGui::BeginMainMenuBar();
  ImGui::PopStyleVar(2);
  if (!open) return;
  bold_text("  Spyctrum  ", 15, palette().accent);
  const auto menu = [&](const char* name, void (*draw)(const Ui&)) {
    if (!ImGui::BeginMenu(name)) return;
    draw(ui);
    ImGui::EndMenu();
  };
  menu("File", file_menu);
  menu("View", view_menu);
  menu("Compare", compare_menu);
  menu("Methods", methods_menu);
  menu("Help", [](const Ui& one) {
    menu_items(one, {Command::palette, Command::help, Command::lessons, Command::explain, Command::sandbox,
                     Command::animation});
    if (ImGui::MenuItem("Related work")) one.emit(action::SetOverlay{Overlay::related});
    if (ImGui::MenuItem("About Spyctrum")) one.emit(action::SetOverlay{Overlay::about});
  });
  draw_facts(ui, ImGui::GetCursorPosX() + px(20));
  ImGui::EndMainMenuBar();
}

}  // namespace spyctrum::panels
