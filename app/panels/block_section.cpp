// SPDX-License-Identifier: Apache-2.0
// The block size: a slider that is even in log b, so that 1 … 128 all have room, and
// the number itself, typed. Every integer can be reached with both.
#include <imgui.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "app/panels/format.hpp"
#include "app/panels/panels_list.hpp"
#include "app/panels/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr std::array<std::uint32_t, 5> kTicks = {1, 4, 16, 64, 128};

float place_of(double block) {
  return static_cast<float>(std::log2(block) / std::log2(static_cast<double>(kMaximumBlock)));
}

std::uint32_t block_at(float place) {
  const double block =
      std::exp2(std::clamp(place, 0.0F, 1.0F) * std::log2(static_cast<double>(kMaximumBlock)));
  return std::clamp(static_cast<std::uint32_t>(std::lround(block)), kMinimumBlock, kMaximumBlock);
}

/// Arrow keys while it has the focus: one block size a step, eight with Ctrl.
std::uint32_t stepped(std::uint32_t block) {
  const int step = ImGui::GetIO().KeyCtrl ? 8 : 1;
  int next = static_cast<int>(block);
  if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) next -= step;
  if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) next += step;
  return static_cast<std::uint32_t>(
      std::clamp(next, static_cast<int>(kMinimumBlock), static_cast<int>(kMaximumBlock)));
}

bool block_slider(const char* id, std::uint32_t& block, float width) {
  const float radius = px(6.5F), height = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(id, {width, height}, ImGuiButtonFlags_EnableNav);
  const float from = at.x + radius, span = width - 2 * radius, y = at.y + height / 2;
  std::uint32_t next = block;
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left))
    next = block_at((ImGui::GetIO().MousePos.x - from) / span);
  const bool focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  if (focused) {
    ImGui::SetItemKeyOwner(ImGuiKey_LeftArrow);
    ImGui::SetItemKeyOwner(ImGuiKey_RightArrow);
    next = stepped(next);
  }
  if (ImGui::IsItemHovered() && ImGui::GetIO().MouseWheel != 0) {
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    const float wheel = ImGui::GetIO().MouseWheel;
    next = static_cast<std::uint32_t>(
        std::clamp(static_cast<int>(next) + (wheel > 0 ? 1 : -1), 1, static_cast<int>(kMaximumBlock)));
  }
  const float knob = from + place_of(next) * span;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  list.AddRectFilled({from - radius / 2, y - px(1.5F)}, {from + span + radius / 2, y + px(1.5F)},
                     mix(colors.frame, colors.text, 0.1F), px(1.5F));
  list.AddRectFilled({from - radius / 2, y - px(1.5F)}, {knob, y + px(1.5F)}, colors.accent, px(1.5F));
  const bool lively = ImGui::IsItemHovered() || ImGui::IsItemActive() || focused;
  list.AddCircleFilled({knob, y}, lively ? radius * 1.12F : radius,
                       lively ? mix(colors.accent, colors.text, 0.25F) : colors.accent);
  const auto font = small_font();
  for (const std::uint32_t tick : kTicks) {
    const std::string words = std::to_string(tick);
    const float x = from + place_of(tick) * span, half = ImGui::CalcTextSize(words.c_str()).x / 2;
    list.AddText({std::clamp(x - half, at.x, at.x + width - 2 * half), at.y + height}, colors.faint,
                 words.c_str());
  }
  ImGui::Dummy({width, ImGui::GetFontSize()});
  const bool changed = next != block;
  block = next;
  return changed;
}

/// The typed number; anything that is not 1 … 128 is refused in place.
void block_number(const Ui& ui) {
  std::string& typed = ui.memory.block_text;
  const bool editing = ui.memory.block_editing;
  if (!editing) typed = std::to_string(ui.state.block);
  ImGui::SetNextItemWidth(px(48));
  const auto font = bold_font(14);
  constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_CharsDecimal |
                                         ImGuiInputTextFlags_AutoSelectAll |
                                         ImGuiInputTextFlags_EnterReturnsTrue;
  const bool entered = ImGui::InputText("##block number", &typed, kFlags);
  ui.memory.block_editing = ImGui::IsItemActive();
  if (!entered && !ImGui::IsItemDeactivatedAfterEdit()) return;
  std::uint32_t value = 0;
  const auto parsed = std::from_chars(typed.data(), typed.data() + typed.size(), value);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == typed.data() + typed.size();
  if (!whole || value < kMinimumBlock || value > kMaximumBlock)
    ui.notify(Level::warning, "Block size " + typed + ": type a whole number from 1 to 128.");
  else if (value != ui.state.block)
    ui.emit(action::SetBlock{value});
}

std::string rate_words(const AppState& state) {
  const OpenMatrix* open = state.matrix();
  if (open == nullptr) return {};
  const auto nodes = [&](std::uint64_t side) { return (side + state.block - 1) / state.block; };
  const std::uint64_t m = open->matrix.pattern->rows(), n = open->matrix.pattern->cols();
  const double samples = static_cast<double>(nodes(m)) * static_cast<double>(nodes(n));
  return percent_text(samples / (static_cast<double>(m) * static_cast<double>(n))) +
         " of the coefficients · " + count_text(samples) + " samples";
}

}  // namespace

void draw_block_section(const Ui& ui) {
  section("Block size");
  std::uint32_t block = ui.state.block;
  const float number_width = px(48) + ImGui::GetStyle().ItemSpacing.x;
  const ImVec2 at = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x - number_width;
  if (block_slider("block slider", block, width)) ui.emit(action::SetBlock{block});
  const ImVec2 below = ImGui::GetCursorPos();
  ImGui::SetCursorPos({at.x + width + ImGui::GetStyle().ItemSpacing.x, at.y});
  block_number(ui);
  tooltip("The block size b, 1 … 128: type a number and press Enter");
  ImGui::SetCursorPos({below.x, std::max(below.y, ImGui::GetCursorPosY())});
  small_text(rate_words(ui.state));
  for (const Column& column : ui.state.columns)
    if (column.uses_block && column.own_block)
      small_text(column.label + " keeps its own b = " + std::to_string(column.block), palette().faint);
}

}  // namespace spyctrum::panels
