// SPDX-License-Identifier: Apache-2.0
// Draws the widgets declared in widgets.hpp.
#include "app/panels/widgets/widgets.hpp"

#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>

#include "app/panels/widgets/fonts.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::panels {
namespace {

const char* begin_of(std::string_view words) { return words.data(); }
const char* end_of(std::string_view words) { return words.data() + words.size(); }
ImVec2 size_of(std::string_view words) { return ImGui::CalcTextSize(begin_of(words), end_of(words)); }

void section_title(std::string_view title) {
  const bool first = ImGui::GetCursorPosY() <= ImGui::GetStyle().WindowPadding.y + px(6);
  if (!first) ImGui::Dummy({0, px(7)});
  const auto font = small_font();
  std::string upper(title);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
  text(upper, palette().dim);
}

}  // namespace

// Sizes are given in points at scale 1; the frame's style scale turns them into pixels.
ScopedFont::ScopedFont(ImFont* font, float points) { ImGui::PushFont(font, points); }
ScopedFont::~ScopedFont() { ImGui::PopFont(); }
ScopedFont small_font() { return ScopedFont(fonts().text, 12); }
ScopedFont bold_font(float points) { return ScopedFont(fonts().bold, points); }

PanelWindow::PanelWindow(const char* name, bool* open) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  visible_ = ImGui::Begin(name, open,
                          ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoScrollbar |
                              ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  if (!visible_) return;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(12), px(10)});
  ImGui::BeginChild("card", {0, 0}, ImGuiChildFlags_Borders | ImGuiChildFlags_NavFlattened);
  ImGui::PopStyleVar();
  // a squeezed panel, as in the first frame of a stored layout, has no room for widgets
  visible_ = ImGui::GetContentRegionAvail().x >= px(40);
  if (!visible_) ImGui::EndChild();
}

PanelWindow::~PanelWindow() {
  if (visible_) ImGui::EndChild();
  ImGui::End();
}

void begin_screen(const char* name, ImVec2 padding, std::optional<float> width) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  if (width) padding.x = std::max(padding.x, (viewport.WorkSize.x - px(*width)) / 2);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::Begin(name, nullptr, width ? kFlags & ~ImGuiWindowFlags_NoScrollbar : kFlags);
  ImGui::PopStyleVar(3);
}

void section(std::string_view title, std::string_view right) {
  section_title(title);
  if (!right.empty()) {
    const auto font = small_font();
    right_text(right, palette().faint);
  }
  ImGui::Dummy({0, px(1)});
}

bool section_with_button(std::string_view title, const char* icon, const char* id, std::string_view help,
                         std::string_view keys) {
  section_title(title);
  ImGui::SameLine();
  const ImVec2 next = ImGui::GetCursorPos();
  ImGui::SetCursorPos({right_edge() - px(22), next.y - px(4)});
  const bool pressed = icon_button(icon, id, help, keys);
  // The button is higher than the title and must not move the widgets below.
  ImGui::SetCursorPos({ImGui::GetStyle().WindowPadding.x, next.y + ImGui::GetFontSize()});
  ImGui::Dummy({0, px(1)});
  return pressed;
}

std::string unbroken_within(std::string_view words, float width) {
  return with_unbroken_pairs(words, [&](const std::string& pair) { return size_of(pair).x <= width; });
}

void text(std::string_view words, ImU32 color) {
  const float wrap_at = ImGui::GetCurrentWindowRead()->DC.TextWrapPos;
  const bool wraps = wrap_at >= 0;
  const std::string unbroken =
      wraps ? unbroken_within(words, ImGui::CalcWrapWidthForPos(ImGui::GetCursorScreenPos(), wrap_at))
            : std::string();
  if (wraps) words = unbroken;
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(begin_of(words), end_of(words));
  ImGui::PopStyleColor();
}

void dim_text(std::string_view words) { text(words, palette().dim); }

void bold_text(std::string_view words, float points, ImU32 color) {
  const auto font = bold_font(points);
  text(words, color);
}

void wrapped_text(std::string_view words, ImU32 color) {
  ImGui::PushTextWrapPos(0);
  text(words, color);
  ImGui::PopTextWrapPos();
}

void small_text(std::string_view words, ImU32 color) {
  const auto font = small_font();
  wrapped_text(words, color != 0 ? color : palette().dim);
}

float right_edge() { return ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x; }

void right_text(std::string_view words, ImU32 color) {
  ImGui::SameLine();
  const float at = right_edge() - size_of(words).x;
  ImGui::SetCursorPosX(std::max(at, ImGui::GetCursorPosX()));
  text(words, color);
}

bool search_line(const char* id, const char* hint, std::string& text) {
  // A field with a callback for them keeps the keys that go up and down.
  return ImGui::InputTextWithHint(id, hint, &text,
                                  ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory,
                                  [](ImGuiInputTextCallbackData*) { return 0; });
}

EarlyTyping::EarlyTyping(std::string& text) : is_early_(!ImGui::IsAnyItemActive()) {
  if (!is_early_) return;
  ImVector<ImWchar>& typed = ImGui::GetIO().InputQueueCharacters;
  for (const ImWchar character : typed) {
    std::array<char, 5> bytes{};
    ImTextCharToUtf8(bytes.data(), character);
    if (character >= ' ') text += bytes.data();
  }
  typed.resize(0);
}

void EarlyTyping::give_to_field() const {
  if (!is_early_ || !ImGui::IsItemActivated()) return;
  if (ImGuiInputTextState* field = ImGui::GetInputTextState(ImGui::GetItemID()))
    field->ReloadUserBufAndMoveToEnd();
}

void name_and_value(std::string_view name, std::string_view value, ImU32 color) {
  ImGui::BeginGroup();
  dim_text(name);
  right_text(value, color);
  ImGui::EndGroup();
}

std::string fit_text(std::string_view words, float width) {
  if (size_of(words).x <= width) return std::string(words);
  std::string_view head = words;
  const float ellipsis = ImGui::CalcTextSize("…").x;
  while (!head.empty() && size_of(head).x + ellipsis > width) {
    head.remove_suffix(1);
    while (!head.empty() && (static_cast<unsigned char>(head.back()) & 0xC0U) == 0x80U) head.remove_suffix(1);
    if (!head.empty() && (static_cast<unsigned char>(head.back()) & 0xC0U) == 0xC0U) head.remove_suffix(1);
  }
  return std::string(head) + "…";
}

std::vector<std::string> lines_of_name(std::string_view name, float width) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> lines;
  const auto fits = [&](std::string_view words) { return size_of(words).x <= width; };
  while (lines.size() + 1 < kMost && !fits(name)) {
    std::size_t end = 0;
    for (std::size_t at = name.find_first_of(",:;_- "); at != std::string_view::npos;
         at = name.find_first_of(",:;_- ", at + 1))
      if (fits(name.substr(0, at + 1))) end = at + 1;
    if (end == 0) break;
    lines.emplace_back(name.substr(0, end));
    name.remove_prefix(end);
  }
  lines.push_back(fit_text(name, width));
  return lines;
}

std::string fit_phrases(const std::string& words, float width) {
  if (size_of(words).x <= width) return words;
  std::size_t end = 0;
  for (const char* between : {" · ", ", ", " from ", " of ", " and ", " per ", " at "})
    for (std::size_t at = words.find(between); at != std::string::npos; at = words.find(between, at + 1))
      if (at > end && size_of(words.substr(0, at)).x <= width) end = at;
  return end > 0 ? words.substr(0, end) : fit_text(words, width);
}

void same_line_if_fits(std::string_view label, float gap, float extra) {
  const ImVec2 words = ImGui::CalcTextSize(begin_of(label), end_of(label), true);
  ImGui::SameLine(0, gap);
  if (words.x + 2 * ImGui::GetStyle().FramePadding.x + extra > ImGui::GetContentRegionAvail().x)
    ImGui::NewLine();
}

void tooltip(std::string_view words, std::string_view keys) {
  if (words.empty() && keys.empty()) return;
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(10), px(7)});
  if (ImGui::BeginTooltip()) {
    ImGui::PushTextWrapPos(px(340));
    text(words, palette().text);
    ImGui::PopTextWrapPos();
    if (!keys.empty()) small_text(keys);
    ImGui::EndTooltip();
  }
  ImGui::PopStyleVar();
}

bool clicked_outside() {
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return false;
  const ImVec2 mouse = ImGui::GetIO().MousePos, from = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const bool inside =
      mouse.x >= from.x && mouse.y >= from.y && mouse.x < from.x + size.x && mouse.y < from.y + size.y;
  return !inside && ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
}

namespace {

/// A button without a frame.
bool flat_button(const char* label, ImU32 background, ImU32 words, ImVec2 padding) {
  ImGui::PushStyleColor(ImGuiCol_Button, background);
  ImGui::PushStyleColor(ImGuiCol_Text, words);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, padding);
  const bool pressed = ImGui::Button(label);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  return pressed;
}

}  // namespace

bool icon_button(const char* icon, const char* id, std::string_view help, std::string_view keys, bool active,
                 bool enabled) {
  const Palette& colors = palette();
  ImGui::PushID(id);
  ImGui::BeginDisabled(!enabled);
  const bool pressed =
      flat_button((std::string(icon) + "###" + id).c_str(), active ? with_alpha(colors.accent, 0.22F) : 0,
                  active ? colors.accent : colors.dim, {px(5), px(3)});
  ImGui::EndDisabled();
  ImGui::PopID();
  tooltip(help, keys);
  return pressed;
}

bool choice(const char* label, bool chosen, std::string_view help, std::string_view keys) {
  const Palette& colors = palette();
  const bool pressed = flat_button(label, chosen ? mix(colors.panel, colors.text, 0.13F) : 0,
                                   chosen ? colors.text : colors.dim, {px(8), px(2)});
  tooltip(help, keys);
  return pressed;
}

bool link(const char* label, std::string_view help) {
  const bool pressed = flat_button(label, 0, palette().accent, {px(4), px(2)});
  tooltip(help);
  return pressed;
}

ImVec2 badge(ImDrawList& list, ImVec2 corner, std::string_view words, ImU32 color, bool draw) {
  const auto font = small_font();
  const ImVec2 words_size = size_of(words);
  const ImVec2 size = {words_size.x + px(14), words_size.y + px(4)};
  if (!draw) return size;
  const ImVec2 end = {corner.x + size.x, corner.y + size.y};
  list.AddRectFilled(corner, end, with_alpha(color, 0.1F), size.y / 2);
  list.AddRect(corner, end, with_alpha(color, 0.8F), size.y / 2, px(1));
  list.AddText({corner.x + px(7), corner.y + px(2)}, color, begin_of(words), end_of(words));
  return size;
}

ImU32 exactness_color(Exactness exactness) {
  if (exactness == Exactness::exact) return palette().good;
  return exactness == Exactness::exact_samples ? palette().accent : palette().warning;
}

MessageLook look_of(Level level) {
  if (level == Level::warning) return {palette().warning, icon::kWarning};
  if (level == Level::error) return {palette().bad, icon::kError};
  return {palette().accent, icon::kInfo};
}

void draw_gradient(const ColorMap& map, ImVec2 min, ImVec2 max, bool upwards) {
  constexpr int kSteps = 32;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto color = [&](int step) {
    const auto& c = map.rgb[static_cast<std::size_t>(std::min(255, step * 256 / kSteps))];
    return IM_COL32(c[0], c[1], c[2], 255);
  };
  const ImVec2 part = {(max.x - min.x) / kSteps, (max.y - min.y) / kSteps};
  for (int k = 0; k < kSteps; ++k) {
    const float x = min.x + part.x * static_cast<float>(k), y = min.y + part.y * static_cast<float>(k);
    const ImU32 above = color(kSteps - k), below = color(kSteps - k - 1), left = color(k),
                right = color(k + 1);
    if (upwards)
      list.AddRectFilledMultiColor({min.x, y}, {max.x, y + part.y}, above, above, below, below);
    else
      list.AddRectFilledMultiColor({x, min.y}, {x + part.x, max.y}, left, right, right, left);
  }
  list.AddRect(min, max, palette().border);
}

PixelSize device_pixels(float width, float height) {
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  return {static_cast<std::uint32_t>(std::max(1.0F, std::round(width * scale.x))),
          static_cast<std::uint32_t>(std::max(1.0F, std::round(height * scale.y)))};
}

void progress_bar(double share, ImU32 color, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = {ImGui::GetContentRegionAvail().x, px(height)};
  ImGui::Dummy(size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float radius = size.y / 2;
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, palette().well, radius);
  const auto filled = static_cast<float>(share < 0 ? 1.0 : std::clamp(share, 0.0, 1.0)) * size.x;
  if (filled > 0)
    list.AddRectFilled(at, {at.x + std::max(filled, size.y), at.y + size.y},
                       share < 0 ? with_alpha(color, 0.3F) : color, radius);
}

void shadow_text(ImDrawList& list, ImVec2 at, std::string_view words, ImU32 color) {
  const float shift = px(1);
  const ImU32 shadow = IM_COL32(0, 0, 0, 190);
  list.AddText({at.x + shift, at.y + shift}, shadow, begin_of(words), end_of(words));
  list.AddText({at.x - shift * 0.5F, at.y}, with_alpha(shadow, 0.4F), begin_of(words), end_of(words));
  list.AddText(at, color, begin_of(words), end_of(words));
}

void label_text(ImDrawList& list, ImVec2 at, const std::string& words, bool is_dim) {
  const ImVec2 size = size_of(words);
  list.AddRectFilled({at.x - px(5), at.y - px(1)}, {at.x + size.x + px(5), at.y + size.y + px(2)},
                     IM_COL32(10, 12, 16, 220), px(3));
  list.AddText(at, is_dim ? IM_COL32(200, 205, 212, 190) : IM_COL32(240, 243, 246, 255), words.c_str());
}

}  // namespace spyctrum::panels
