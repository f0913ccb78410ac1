// SPDX-License-Identifier: Apache-2.0
// Dialogs over the screen: keys and mouse, about, go to coordinate, preferences (related work has a file of
// its own). AppState::interface.overlay says which is open; Escape or a click outside closes it.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/dialog.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/base/text.hpp"

namespace spyctrum::panels {
namespace {

void key_line(const std::string& keys, const char* what) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::CalcTextSize(keys.c_str());
  ImGui::GetWindowDrawList()->AddRectFilled(
      {at.x - px(5), at.y - px(1)}, {at.x + size.x + px(5), at.y + size.y + px(1)}, palette().frame, px(3));
  ImGui::TextUnformatted(keys.c_str());
  ImGui::TableNextColumn();
  dim_text(what);
}

bool begin_key_table(const char* id) {
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit, {px(390), 0})) return false;
  ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, px(124));
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, px(240));
  return true;
}

void group_table(const char* group) {
  section(group);
  ImGui::Indent(px(5));
  if (begin_key_table(group)) {
    for (const CommandInfo& one : commands()) {
      if (std::strcmp(one.group, group) != 0 || one.keys == 0) continue;
      std::string keys = chord_text(one.keys);
      if (one.other_keys != 0) keys += " or " + chord_text(one.other_keys);
      if (one.id == Command::reference) keys = "hold Space";
      key_line(keys, one.label);
    }
    ImGui::EndTable();
  }
  ImGui::Unindent(px(5));
}

void mouse_table() {
  struct Gesture {
    const char* how;
    const char* what;
  };
  static constexpr std::array<Gesture, 11> kGestures = {
      {{"left drag", "pan"},
       {"wheel", "zoom at the cursor"},
       {"right drag", "zoom to a box"},
       {"double click", "fit"},
       {"right click", "menu of the picture"},
       {"Ctrl+click", "wave of a frequency over the pattern"},
       {"Shift+right drag", "spectrum of a region of the pattern"},
       {"arrows", "pan by a tenth"},
       {"+  −", "zoom about the centre"},
       {"1 … 9", "select a column; in a lesson, answer"},
       {"Ctrl+Tab", "next panel"}}};
  section("Mouse and arrow keys");
  ImGui::Indent(px(5));
  if (begin_key_table("mouse")) {
    for (const Gesture& one : kGestures) key_line(one.how, one.what);
    ImGui::EndTable();
  }
  ImGui::Unindent(px(5));
}

void draw_keys() {
  ImGui::BeginGroup();
  group_table("File");
  group_table("Look");
  group_table("Lessons");
  ImGui::EndGroup();
  ImGui::SameLine(0, px(26));
  ImGui::BeginGroup();
  mouse_table();
  group_table("Columns");
  group_table("Settings");
  group_table("Scale");
  group_table("Compare");
  group_table("Jobs");
  group_table("Help");
  ImGui::EndGroup();
}

void draw_help(const Ui& ui) {
  const Dialog dialog(ui, "Help", 820);
  if (!dialog.is_visible()) return;
  // A page that is not selected looks like the dialog; its usual colour is darker, as if it were selected.
  ImGui::PushStyleColor(ImGuiCol_Tab, 0);
  ImGui::PushStyleColor(ImGuiCol_TabSelected, ImGui::GetColorU32(ImGuiCol_TabHovered));
  if (ImGui::BeginTabBar("pages", ImGuiTabBarFlags_DrawSelectedOverline)) {
    if (ImGui::BeginTabItem("Keys and mouse")) {
      draw_keys();
      ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Panels")) {
      draw_panel_help(ui);
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }
  ImGui::PopStyleColor(2);
  ImGui::Dummy({0, px(6)});
  if (ImGui::Button("Close")) dialog.close();
}

void draw_about(const Ui& ui) {
  const Dialog dialog(ui, "Spyctrum", 460);
  if (!dialog.is_visible()) return;
  ImGui::PushTextWrapPos(px(440));
  ImGui::TextUnformatted(
      "A sparse matrix's pattern and its two-dimensional Fourier spectrum, side by side: exactly, and as "
      "sampling methods and density maps approximate it.");
  ImGui::Dummy({0, px(4)});
  const StatusFacts& facts = ui.state.status;
  small_text("Computes on: " + facts.backend);
  if (!facts.cuda_reason.empty()) small_text("CUDA: " + facts.cuda_reason);
  small_text("Draws with: " + facts.renderer);
  small_text(
      "F[u, v] = Σ a e^(−2πi(ui/m + vj/n)) over the stored entries (i, j), forward and unnormalised. The "
      "weight a is 1, or computed from the entry's value.");
  small_text(
      "Licence: Apache-2.0. Dear ImGui, ImPlot, GLFW, DUCC0, fast_matrix_market, libarchive and others: "
      "third_party/LICENSES.md.");
  ImGui::PopTextWrapPos();
  ImGui::Dummy({0, px(6)});
  if (ImGui::Button("Close")) dialog.close();
}

std::optional<std::int64_t> whole_number(const char* typed) {
  std::string_view digits = typed;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  return parse_number<std::int64_t>(digits);
}

/// Why these numbers are no coordinate of the plane; empty when they are.
std::string out_of_plane(const Ui& ui, std::int64_t row, std::int64_t col) {
  const Plane plane = ui.memory.goto_spectrum ? Plane::spectrum : Plane::pattern;
  const PlaneRect& full = ui.state.view(plane).full;
  const double shift = plane == Plane::spectrum ? 0 : 0.5;
  const bool inside =
      static_cast<double>(row) + shift >= full.top && static_cast<double>(row) + shift < full.bottom &&
      static_cast<double>(col) + shift >= full.left && static_cast<double>(col) + shift < full.right;
  if (inside) return {};
  const auto text_of = [&](double low, double high) {
    const double edge = plane == Plane::spectrum ? 0.5 : 0;
    return signed_grouped(static_cast<std::int64_t>(low + edge)) + " … " +
           signed_grouped(static_cast<std::int64_t>(high + edge) - 1);
  };
  return std::string(ui.memory.goto_spectrum ? "u in " : "row in ") + text_of(full.top, full.bottom) +
         (ui.memory.goto_spectrum ? ", v in " : ", column in ") + text_of(full.left, full.right);
}

void draw_go_to(const Ui& ui) {
  if (ui.state.matrix() == nullptr) return;
  const Dialog dialog(ui, "Go to coordinate", 330);
  if (!dialog.is_visible()) return;
  Memory& memory = ui.memory;
  if (choice("frequency", memory.goto_spectrum)) memory.goto_spectrum = true;
  ImGui::SameLine();
  if (choice("entry", !memory.goto_spectrum)) memory.goto_spectrum = false;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  constexpr ImGuiInputTextFlags kFlags =
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
  ImGui::SetNextItemWidth(px(110));
  bool go = ImGui::InputText(memory.goto_spectrum ? "u###goto row" : "row###goto row", memory.goto_row.data(),
                             memory.goto_row.size(), kFlags);
  ImGui::SameLine(0, px(18));
  ImGui::SetNextItemWidth(px(110));
  go |= ImGui::InputText(memory.goto_spectrum ? "v###goto col" : "column###goto col", memory.goto_col.data(),
                         memory.goto_col.size(), kFlags);
  const auto row = whole_number(memory.goto_row.data()), col = whole_number(memory.goto_col.data());
  const bool is_no_number =
      (!row && memory.goto_row.front() != '\0') || (!col && memory.goto_col.front() != '\0');
  const std::string why = is_no_number ? "a whole number in each of the two fields"
                          : row && col ? out_of_plane(ui, *row, *col)
                                       : std::string();
  small_text(why.empty() ? (memory.goto_spectrum ? "signed DFT indices" : "counted from 0") : why,
             why.empty() ? 0 : palette().warning);
  ImGui::BeginDisabled(!row || !col || !why.empty());
  go |= ImGui::Button("Go");
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) dialog.close();
  if (!go || !row || !col || !why.empty()) return;
  memory.crosshair_from_mouse = false;
  ui.emit(action::GoTo{memory.goto_spectrum ? Plane::spectrum : Plane::pattern, *row, *col});
  dialog.close();
}

/// Where methods and pictures are computed; a device other than the first is listed by its number.
void backend_choice(const Ui& ui, Settings& settings) {
  static constexpr std::array<const char*, 4> kValues = {"auto", "cpu", "cuda", "cuda:all"};
  static constexpr std::array<const char*, 4> kLabels = {"CUDA where there is a device", "CPU", "CUDA",
                                                         "CUDA, all devices for the exact plane"};
  const auto known = std::find(kValues.begin(), kValues.end(), settings.backend);
  const auto now = static_cast<std::size_t>(known - kValues.begin());
  if (ImGui::BeginCombo("computed by", known == kValues.end() ? settings.backend.c_str() : kLabels[now])) {
    for (std::size_t i = 0; i < kValues.size(); ++i)
      if (ImGui::Selectable(kLabels[i], i == now)) settings.backend = kValues[i];
    ImGui::EndCombo();
  }
  const StatusFacts& facts = ui.state.status;
  tooltip("Now: " + facts.backend + (facts.cuda_reason.empty() ? "" : "\nno CUDA: " + facts.cuda_reason));
}

void draw_preferences(const Ui& ui) {
  const Dialog dialog(ui, "Preferences", 420);
  if (!dialog.is_visible()) return;
  Settings settings = ui.state.settings;
  ImGui::PushItemWidth(px(190));
  auto scale = static_cast<float>(settings.ui_scale);
  ImGui::SliderFloat("interface size", &scale, 0, 3, scale < 0.5F ? "as on the monitor" : "%.2f");
  // Applied when the drag ends: resizing at once would move the slider under the cursor.
  const bool is_scaled =
      ImGui::IsItemDeactivatedAfterEdit() || (ImGui::IsItemEdited() && !ImGui::IsItemActive());
  if (ImGui::IsItemEdited()) ui.memory.scale_typed = scale;
  if (is_scaled)
    settings.ui_scale = ui.memory.scale_typed.value_or(scale) < 0.5F
                            ? 0
                            : static_cast<double>(ui.memory.scale_typed.value_or(scale));
  int theme = settings.theme == Theme::dark ? 0 : 1;
  if (ImGui::Combo("theme", &theme, "dark\0light\0"))
    settings.theme = theme == 0 ? Theme::dark : Theme::light;
  backend_choice(ui, settings);
  int threads = static_cast<int>(settings.threads);
  if (ImGui::InputInt("threads (0: all)", &threads, 1, 4))
    settings.threads = static_cast<unsigned>(std::clamp(threads, 0, 1024));
  tooltip("Number of threads; 0: all processors. A change takes effect at the next start.");
  auto gigabytes = static_cast<float>(static_cast<double>(settings.memory_bytes) / 1e9);
  if (ImGui::InputFloat("memory for a job, GB (0: automatic)", &gigabytes, 0.5F, 4, "%.1f",
                        ImGuiInputTextFlags_EnterReturnsTrue))
    settings.memory_bytes =
        gigabytes <= 0 ? 0 : static_cast<std::uint64_t>(static_cast<double>(gigabytes) * 1e9);
  tooltip("Memory that the arrays of a job may take; 0: three quarters of what is available");
  auto good_enough = static_cast<float>(100 * settings.good_enough);
  if (ImGui::InputFloat("stop exact features at error, % (0: never)", &good_enough, 0, 0, "%.4g",
                        ImGuiInputTextFlags_EnterReturnsTrue))
    settings.good_enough = std::clamp(static_cast<double>(good_enough) / 100, 0.0, 0.1);
  tooltip("Exact features are complete once no standard error is above this; 0: only after the last row");
  int seed = static_cast<int>(settings.seed);
  if (ImGui::InputInt("seed", &seed)) settings.seed = static_cast<std::uint64_t>(std::max(seed, 0));
  ImGui::PopItemWidth();
  ImGui::Checkbox("drop explicit zeros when reading", &settings.drop_zeros);
  ImGui::Checkbox("keep thumbnails of listed matrices", &settings.keep_thumbnails);
  tooltip("In the file spyctrum/thumbnails.db of the cache folder, at most 64 MiB");
  if (settings != ui.state.settings) ui.emit(action::SetSettings{settings});
  ImGui::Dummy({0, px(6)});
  if (ImGui::Button("Close")) dialog.close();
}

}  // namespace

void draw_overlays(const Ui& ui) {
  switch (ui.state.interface.overlay) {
    case Overlay::none:
      return;
    case Overlay::gallery:
      return draw_gallery_overlay(ui);
    case Overlay::help:
      return draw_help(ui);
    case Overlay::about:
      return draw_about(ui);
    case Overlay::related:
      return draw_related_work(ui);
    case Overlay::go_to:
      return draw_go_to(ui);
    case Overlay::preferences:
      return draw_preferences(ui);
    case Overlay::palette:
      return draw_command_palette(ui);
    case Overlay::folder:
      return draw_folder_list(ui);
    case Overlay::matrices:
      return draw_matrix_list(ui);
    case Overlay::lessons:
      return draw_lesson_list(ui);
  }
}

}  // namespace spyctrum::panels
