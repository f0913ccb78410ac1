// SPDX-License-Identifier: Apache-2.0
// The block size b: a slider, logarithmic in b, and a field for the number. The slider ends where about a
// thousand nodes are left; the field accepts any block size that the matrix allows.
#include <imgui.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/view_math.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/base/text.hpp"

namespace spyctrum::panels {
namespace {

/// The slider's largest b: a power of two that leaves about a thousand nodes along the longer side, but at
/// least 128 and the present b.
std::uint32_t slider_end(const AppState& state) {
  constexpr std::uint64_t kLeast = 128;
  constexpr std::uint64_t kNodes = 1024;
  const OpenMatrix* open = state.matrix();
  const SparsePattern* pattern = open == nullptr ? nullptr : open->matrix.pattern.get();
  const std::uint64_t side = pattern == nullptr ? 0 : std::max(pattern->rows(), pattern->cols());
  return static_cast<std::uint32_t>(std::bit_ceil(
      std::min<std::uint64_t>(std::max({kLeast, side / kNodes, std::uint64_t{state.block}}), kLargestBlock)));
}

/// Position of b on the slider, 0 … 1.
float place_of(std::uint32_t block, std::uint32_t end) {
  const double place = std::log2(static_cast<double>(block)) / std::log2(static_cast<double>(end));
  return static_cast<float>(std::min(place, 1.0));
}

std::uint32_t block_at(float place, std::uint32_t end) {
  const double block = std::exp2(std::clamp(place, 0.0F, 1.0F) * std::log2(static_cast<double>(end)));
  return std::clamp(static_cast<std::uint32_t>(std::lround(block)), 1U, end);
}

/// Changes the block size by `steps`, within 1 … `end`.
std::uint32_t stepped(std::uint32_t block, int steps, std::uint32_t end) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(std::int64_t{block} + steps, 1, std::int64_t{end}));
}

/// Changes the block size by 1 for an arrow key, by 8 with Ctrl.
std::uint32_t stepped_by_keys(std::uint32_t block, std::uint32_t end) {
  const int step = ImGui::GetIO().KeyCtrl ? 8 : 1;
  const int left = ImGui::IsKeyPressed(ImGuiKey_LeftArrow) ? step : 0;
  const int right = ImGui::IsKeyPressed(ImGuiKey_RightArrow) ? step : 0;
  return stepped(block, right - left, end);
}

/// Labels under the slider: the end, then … 16, 4, 1 or … 256, 16, 1, so that there are about five.
std::vector<std::uint32_t> ticks_from(std::uint32_t end) {
  std::uint32_t ratio = 4;
  while (std::pow(ratio, 5) < end) ratio *= 4;
  std::vector<std::uint32_t> ticks;
  for (std::uint32_t tick = 1; tick <= end / 2; tick *= ratio) ticks.push_back(tick);
  ticks.push_back(end);
  std::reverse(ticks.begin(), ticks.end());
  return ticks;
}

bool block_slider(const char* id, std::uint32_t& block, std::uint32_t end, float width) {
  const float radius = px(6.5F), height = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(id, {width, height}, ImGuiButtonFlags_EnableNav);
  const float from = at.x + radius, span = width - 2 * radius, y = at.y + height / 2;
  std::uint32_t next = block;
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left))
    next = block_at((ImGui::GetIO().MousePos.x - from) / span, end);
  const bool focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  if (focused) {
    ImGui::SetItemKeyOwner(ImGuiKey_LeftArrow);
    ImGui::SetItemKeyOwner(ImGuiKey_RightArrow);
    next = stepped_by_keys(next, end);
  }
  if (ImGui::IsItemHovered() && ImGui::GetIO().MouseWheel != 0) {
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    next = stepped(next, ImGui::GetIO().MouseWheel > 0 ? 1 : -1, end);
  }
  const float knob = from + place_of(next, end) * span;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  list.AddRectFilled({from - radius / 2, y - px(1.5F)}, {from + span + radius / 2, y + px(1.5F)},
                     mix(colors.frame, colors.text, 0.1F), px(1.5F));
  list.AddRectFilled({from - radius / 2, y - px(1.5F)}, {knob, y + px(1.5F)}, colors.accent, px(1.5F));
  const bool lively = ImGui::IsItemHovered() || ImGui::IsItemActive() || focused;
  list.AddCircleFilled({knob, y}, lively ? radius * 1.12F : radius,
                       lively ? mix(colors.accent, colors.text, 0.25F) : colors.accent);
  const auto font = small_font();
  float left = at.x + width + px(4);  // left edge of the label to the right; none may touch it
  for (const std::uint32_t tick : ticks_from(end)) {
    const std::string words = std::to_string(tick);
    const float wide = ImGui::CalcTextSize(words.c_str()).x;
    const float x = placed_within(from + place_of(tick, end) * span - wide / 2, at.x, at.x + width - wide);
    if (x + wide > left - px(4)) continue;
    list.AddText({x, at.y + height}, colors.faint, words.c_str());
    left = x;
  }
  ImGui::Dummy({width, ImGui::GetFontSize()});
  const bool changed = next != block;
  block = next;
  return changed;
}

/// The field for the number; refuses block sizes beyond largest_block().
void block_number(const Ui& ui, float width) {
  std::string& typed = ui.memory.block_text;
  const bool editing = ui.memory.block_editing;
  if (!editing) typed = std::to_string(ui.state.block);
  ImGui::SetNextItemWidth(width);
  const auto font = bold_font(14);
  constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_CharsDecimal |
                                         ImGuiInputTextFlags_AutoSelectAll |
                                         ImGuiInputTextFlags_EnterReturnsTrue;
  const bool entered = ImGui::InputText("##block number", &typed, kFlags);
  ui.memory.block_editing = ImGui::IsItemActive();
  if (!entered && !ImGui::IsItemDeactivatedAfterEdit()) return;
  const auto value = parse_number<std::uint32_t>(typed);
  if (!value || *value < 1 || *value > largest_block(ui.state))
    ui.notify(Level::warning, "Block size " + typed + ": type a whole number from 1 to " +
                                  std::to_string(largest_block(ui.state)) + ".");
  else if (*value != ui.state.block)
    ui.emit(action::SetBlock{*value});
}

std::string rate_words(const AppState& state) {
  const OpenMatrix* open = state.matrix();
  if (open == nullptr) return {};
  const std::uint64_t m = open->matrix.pattern->rows(), n = open->matrix.pattern->cols();
  const double samples =
      static_cast<double>(block_count(m, state.block)) * static_cast<double>(block_count(n, state.block));
  return percent_text(samples / (static_cast<double>(m) * static_cast<double>(n))) + " of the plane · " +
         count_text(samples, "node", "nodes") + " of the grid";
}

/// The budget with which a choice of `kind` begins: the largest cost of the present columns, so that at first
/// little changes.
Budget present_cost(const AppState& state, Budget::Kind kind) {
  double amount = 0;
  for (const Column& column : state.columns)
    if (column.uses_block)
      amount = std::max(amount, kind == Budget::Kind::bytes ? static_cast<double>(column.cost.bytes_forecast)
                                                            : column.cost.seconds);
  return {kind, amount > 0 ? amount : kind == Budget::Kind::bytes ? 1e7 : 0.1};
}

/// The words that choose between the slider and a budget.
void budget_choice(const Ui& ui) {
  using Kind = Budget::Kind;
  const auto one = [&](const char* label, Kind kind, const char* help) {
    if (choice(label, ui.state.budget.kind == kind, help) && ui.state.budget.kind != kind)
      ui.emit(action::SetBudget{kind == Kind::none ? Budget{} : present_cost(ui.state, kind)});
    ImGui::SameLine(0, px(2));
  };
  one("same b", Kind::none, "Every method has the block size of the slider, unless it has its own");
  one("same bytes", Kind::bytes, "Every method takes the smallest block size whose forecast memory fits");
  one("same time", Kind::seconds,
      "Every method takes the smallest block size that the advisor expects to take at most this long");
  ImGui::NewLine();
}

void budget_slider(const Ui& ui) {
  const Budget& budget = ui.state.budget;
  const bool bytes = budget.kind == Budget::Kind::bytes;
  auto amount = static_cast<float>(budget.amount);
  const std::string words =
      bytes ? bytes_text(static_cast<std::uint64_t>(budget.amount)) : seconds_text(budget.amount);
  // The amount stands beside the slider, whose handle would cover it.
  ImGui::SetNextItemWidth(-px(72));
  if (ImGui::SliderFloat(
          "##budget", &amount, bytes ? 1e4F : 1e-4F, bytes ? 1e10F : 100, "",
          ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoRoundToFormat | ImGuiSliderFlags_AlwaysClamp))
    ui.emit(action::SetBudget{{budget.kind, amount}});
  tooltip(bytes ? "Host memory that the result of each method may take" : "Time that each method may take");
  ImGui::SameLine();
  text(words, palette().text);
  if (!bytes && ui.state.advisor.known.prospects.empty())
    small_text(ui.state.advisor.busy ? "The advisor measures how long each method takes …" : "");
  for (const Column& column : ui.state.columns) {
    if (!column.uses_block) continue;
    small_text(column.label + ": b = " + std::to_string(column.block) +
                   (column.over_budget ? ", which still exceeds it" : ""),
               column.over_budget ? palette().warning : 0);
  }
}

}  // namespace

void draw_block_section(const Ui& ui) {
  section("Block size");
  budget_choice(ui);
  if (ui.state.budget.kind != Budget::Kind::none) return budget_slider(ui);
  std::uint32_t block = ui.state.block;
  const float number_width = ui.state.block < 10000 ? px(48) : px(72);
  const ImVec2 at = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x - number_width - ImGui::GetStyle().ItemSpacing.x;
  // The end stays fixed during a drag, since it may depend on the present b.
  std::uint32_t& end = ui.memory.block_end;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) end = slider_end(ui.state);
  if (block_slider("block slider", block, end, width)) ui.emit(action::SetBlock{block});
  const ImVec2 below = ImGui::GetCursorPos();
  ImGui::SetCursorPos({at.x + width + ImGui::GetStyle().ItemSpacing.x, at.y});
  block_number(ui, number_width);
  tooltip("The block size b, 1 … " + grouped(largest_block(ui.state)) + "; type a number and press Enter");
  ImGui::SetCursorPos({below.x, std::max(below.y, ImGui::GetCursorPosY())});
  small_text(rate_words(ui.state));
  if (const auto& raised = ui.state.raised_block; raised && raised->to == ui.state.block) {
    const std::string from = std::to_string(raised->from);
    small_text("raised from " + from + ", too small here", palette().warning);
    ImGui::SameLine();
    const auto font = small_font();
    if (link(("back to " + from).c_str(),
             "Methods may then need more memory than there is, or wait until they are started"))
      ui.emit(action::SetBlock{raised->from});
  }
  for (const Column& column : ui.state.columns)
    if (column.uses_block && column.own_block)
      small_text(column.label + " has its own b = " + std::to_string(column.block), palette().faint);
}

}  // namespace spyctrum::panels
