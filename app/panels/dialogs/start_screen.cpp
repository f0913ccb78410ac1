// SPDX-License-Identifier: Apache-2.0
// The screen before a matrix is open: open or drop a file, recent files, and a gallery of generated matrices.
// Ctrl+N shows the same gallery over an open matrix.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/panels/dialogs/sketch_textures.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/dialog.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/gallery_sketch.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/io/formats.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum::panels {
namespace {

constexpr float kCardWidth = 380, kCardHeight = 112;  // points
constexpr std::size_t kMostRecent = 7;                // fit beside the place to drop files

void draw_card(const Ui& ui, const GalleryItem& item, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const GallerySketch& sketch = gallery_sketch(item.source);
  ImGui::PushID(item.source.c_str());
  if (ImGui::InvisibleButton(("card " + item.title).c_str(), size, ImGuiButtonFlags_EnableNav))
    ui.emit(action::OpenFile{item.source, true, Reading{.weights = sketch.weights}});
  const bool hovered = ImGui::IsItemHovered() || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  std::string help = item.help;
  std::erase(help, '`');
  tooltip(help, item.source);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, hovered ? mix(colors.panel, colors.text, 0.07F) : colors.panel, px(6));
  list.AddRect(at, end, hovered ? with_alpha(colors.accent, 0.7F) : colors.border, px(6));
  const float side = size.y - px(16);
  ui.memory.sketches->draw(sketch, {at.x + px(8), at.y + px(8)}, side, px(6));
  const float left = at.x + 2 * side + px(24), width = end.x - left - px(8);
  list.AddText({left, at.y + px(9)}, colors.text, fit_text(item.title, width).c_str());
  const auto font = small_font();
  // Only words that fit are added.
  const float lines = std::floor((end.y - px(8) - (at.y + px(30))) / ImGui::GetFontSize());
  const ImVec4 clip = {left, at.y, end.x - px(4), at.y + px(30) + lines * ImGui::GetFontSize()};
  list.AddText(nullptr, 0, {left, at.y + px(30)}, colors.dim, unbroken_within(help, width).c_str(), nullptr,
               width, &clip);
  ImGui::PopID();
}

void draw_cards(const Ui& ui) {
  const float gap = ImGui::GetStyle().ItemSpacing.x, width = ImGui::GetContentRegionAvail().x;
  const int per_line = std::max(1, static_cast<int>((width + gap) / (px(kCardWidth) + gap)));
  const float card =
      std::floor((width - gap * static_cast<float>(per_line - 1)) / static_cast<float>(per_line));
  for (std::size_t i = 0; i < ui.state.gallery.size(); ++i) {
    if (i % static_cast<std::size_t>(per_line) != 0) ImGui::SameLine();
    draw_card(ui, ui.state.gallery[i], {card, px(kCardHeight)});
  }
}

void draw_recent(const Ui& ui) {
  std::size_t shown = 0;
  for (const std::string& source : ui.state.recent) {
    if (++shown > kMostRecent) break;
    ImGui::PushID(source.c_str());
    const float left = ImGui::GetCursorPosX();
    if (ImGui::Selectable("##recent", false, 0, {0, px(20)})) ui.emit(action::OpenFile{source});
    tooltip(escaped(source));
    ImGui::SameLine(left + px(4));
    text(is_generator_text(source) ? icon::kRun : icon::kFile, palette().faint);
    ImGui::SameLine(left + px(24));
    ImGui::TextUnformatted(fit_text(short_name(source), ImGui::GetContentRegionAvail().x).c_str());
    ImGui::PopID();
  }
}

/// A field for a path or gen: text, for machines without a file dialog and for keyboard use.
void draw_path(const Ui& ui) {
  std::string& typed = ui.memory.path_text;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const bool entered = ImGui::InputTextWithHint("##source", "path, or gen:band:n=2000,bandwidth=9", &typed,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  tooltip("A file to read, or a matrix to generate; Enter opens it");
  if (entered && !typed.empty()) ui.emit(action::OpenFile{typed});
}

void draw_drop_zone(const Ui& ui, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = {ImGui::GetContentRegionAvail().x, height};
  const Palette& colors = palette();
  if (ImGui::InvisibleButton("drop zone", size, ImGuiButtonFlags_EnableNav)) ask_open(ui);
  const bool hovered = ImGui::IsItemHovered() || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  tooltip(format_names() + ", plain or compressed", keys_text(Command::open));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, with_alpha(colors.accent, hovered ? 0.1F : 0.05F), px(8));
  list.AddRect(at, end, with_alpha(colors.accent, hovered ? 0.9F : 0.45F), px(8), px(1.2F));
  const auto line = [&](const char* words, float y, ImU32 color) {
    const float width = ImGui::CalcTextSize(words).x;
    list.AddText({(at.x + end.x - width) / 2, y}, color, words);
  };
  const float middle = (at.y + end.y) / 2;
  {
    const auto font = bold_font(16);
    line("Drop a matrix here", middle - px(22), colors.text);
  }
  line(("or open a file …   " + keys_text(Command::open)).c_str(), middle + px(3), colors.accent);
}

}  // namespace

void draw_start_screen(const Ui& ui) {
  begin_screen("Start", {px(24), px(22)}, 1240);
  bold_text("Spyctrum", 30, palette().text);
  dim_text("A sparse matrix's pattern and its spectrum, side by side.");
  ImGui::Dummy({0, px(10)});
  // Without a card below them, fields and buttons of the light look would not stand out.
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, px(1));
  const float width = ImGui::GetContentRegionAvail().x;
  const bool has_recent = !ui.state.recent.empty();
  const float left = has_recent ? width * 0.58F : width;
  const float top_height = px(has_recent ? 208 : 168);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::BeginChild("open", {left, top_height}, ImGuiChildFlags_NavFlattened);
  draw_drop_zone(ui, top_height - px(46) - (ui.state.loading.empty() ? 0 : px(62)));
  ImGui::Dummy({0, px(2)});
  draw_path(ui);
  for (const LoadingMatrix& loading : ui.state.loading) draw_loading(ui, loading, 0);
  ImGui::EndChild();
  if (has_recent) {
    ImGui::SameLine(0, px(28));
    ImGui::BeginChild("recent", {0, top_height}, ImGuiChildFlags_NavFlattened);
    section("Recent");
    draw_recent(ui);
    ImGui::EndChild();
  }
  ImGui::PopStyleColor();
  ImGui::Dummy({0, px(6)});
  draw_lesson_offers(ui);
  ImGui::PopStyleVar();
  section("Gallery of generated matrices");
  draw_cards(ui);
  ImGui::End();
}

void draw_gallery_overlay(const Ui& ui) {
  if (ui.state.matrix() == nullptr) return;  // the start screen shows it already
  const Dialog dialog(ui, "Gallery", 1010, 660);
  if (!dialog.is_visible()) return;
  const ImVec2 below_title = ImGui::GetCursorPos();
  ImGui::SetCursorPos({right_edge() - px(22), ImGui::GetCursorStartPos().y});
  if (icon_button(icon::kClose, "close gallery", "Close", keys_text(Command::escape))) dialog.close();
  ImGui::SetCursorPos(below_title);
  draw_path(ui);
  if (!ui.state.recent.empty()) {
    section("Recent");
    draw_recent(ui);
  }
  section("Gallery of generated matrices");
  draw_cards(ui);
}

}  // namespace spyctrum::panels
