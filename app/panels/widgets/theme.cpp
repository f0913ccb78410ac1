// SPDX-License-Identifier: Apache-2.0
// The dark and the light theme.
#include "app/panels/widgets/theme.hpp"

#include <implot.h>

#include <algorithm>
#include <cmath>

namespace spyctrum {
namespace panels {
namespace {

constexpr ImU32 rgb(std::uint32_t hex) {
  return IM_COL32((hex >> 16U) & 255U, (hex >> 8U) & 255U, hex & 255U, 255);
}

constexpr Palette kDark = {rgb(0x14161A), rgb(0x1C1F25), rgb(0x121418), rgb(0x272B33), rgb(0x2C3038),
                           rgb(0xE4E7EB), rgb(0x949BA6), rgb(0x656C78), rgb(0x4DA3FF), rgb(0x5BD189),
                           rgb(0xF2A65A), rgb(0xF0716A), true};
constexpr Palette kLight = {rgb(0xE9EBEE), rgb(0xFBFBFC), rgb(0xF1F2F4), rgb(0xE8EAEE), rgb(0xD3D7DD),
                            rgb(0x1D2127), rgb(0x5C6470), rgb(0x939BA7), rgb(0x1C6FD0), rgb(0x1E8A4C),
                            rgb(0xB8641A), rgb(0xC23B34), false};

struct Current {
  Palette palette = kDark;
  float scale = 1;
};

/// One for the whole program, as there is one ImGui context.
Current& current() {
  static Current value;
  return value;
}

void set_sizes(ImGuiStyle& style) {
  style.WindowPadding = {10, 8};
  style.WindowRounding = 6;
  style.WindowBorderSize = 1;
  style.ChildRounding = 6;
  style.ChildBorderSize = 1;
  style.PopupRounding = 6;
  style.FramePadding = {8, 4};
  style.FrameRounding = 4;
  style.ItemSpacing = {8, 5};
  style.ItemInnerSpacing = {6, 4};
  style.CellPadding = {6, 3};
  style.ScrollbarSize = 10;
  style.ScrollbarRounding = 5;
  style.GrabMinSize = 12;
  style.GrabRounding = 6;
  style.TabRounding = 4;
  style.TabBarOverlineSize = 2;
  style.SeparatorTextBorderSize = 1;
  style.DockingSeparatorSize = 6;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.HoverDelayNormal = 0.5F;
}

void set_colors(ImGuiStyle& style, const Palette& p) {
  const auto set = [&style](ImGuiCol which, ImU32 color) { style.Colors[which] = vec4(color); };
  set(ImGuiCol_Text, p.text);
  set(ImGuiCol_TextDisabled, p.faint);
  set(ImGuiCol_WindowBg, p.base);
  set(ImGuiCol_ChildBg, p.panel);
  set(ImGuiCol_PopupBg, mix(p.panel, p.frame, 0.35F));
  set(ImGuiCol_Border, p.border);
  set(ImGuiCol_BorderShadow, 0);
  set(ImGuiCol_FrameBg, p.frame);
  set(ImGuiCol_FrameBgHovered, mix(p.frame, p.text, 0.08F));
  set(ImGuiCol_FrameBgActive, mix(p.frame, p.text, 0.14F));
  set(ImGuiCol_TitleBg, p.base);
  set(ImGuiCol_TitleBgActive, p.base);
  set(ImGuiCol_TitleBgCollapsed, p.base);
  set(ImGuiCol_MenuBarBg, p.base);
  set(ImGuiCol_ScrollbarBg, 0);
  set(ImGuiCol_ScrollbarGrab, mix(p.panel, p.text, 0.16F));
  set(ImGuiCol_ScrollbarGrabHovered, mix(p.panel, p.text, 0.28F));
  set(ImGuiCol_ScrollbarGrabActive, mix(p.panel, p.text, 0.4F));
  set(ImGuiCol_CheckMark, p.accent);
  set(ImGuiCol_CheckboxSelectedBg, mix(p.frame, p.accent, 0.14F));
  set(ImGuiCol_SliderGrab, p.accent);
  set(ImGuiCol_SliderGrabActive, mix(p.accent, p.text, 0.3F));
  set(ImGuiCol_Button, p.frame);
  set(ImGuiCol_ButtonHovered, mix(p.frame, p.text, 0.12F));
  set(ImGuiCol_ButtonActive, mix(p.frame, p.text, 0.2F));
  set(ImGuiCol_Header, mix(p.panel, p.text, 0.09F));
  set(ImGuiCol_HeaderHovered, mix(p.panel, p.text, 0.12F));
  set(ImGuiCol_HeaderActive, mix(p.panel, p.text, 0.18F));
  set(ImGuiCol_Separator, p.border);
  set(ImGuiCol_SeparatorHovered, with_alpha(p.accent, 0.6F));
  set(ImGuiCol_SeparatorActive, p.accent);
  set(ImGuiCol_ResizeGrip, 0);
  set(ImGuiCol_ResizeGripHovered, with_alpha(p.accent, 0.6F));
  set(ImGuiCol_ResizeGripActive, p.accent);
  set(ImGuiCol_Tab, p.base);
  set(ImGuiCol_TabHovered, mix(p.panel, p.text, 0.12F));
  set(ImGuiCol_TabSelected, p.panel);
  set(ImGuiCol_TabSelectedOverline, p.accent);
  set(ImGuiCol_TabDimmed, p.base);
  set(ImGuiCol_TabDimmedSelected, p.panel);
  set(ImGuiCol_TabDimmedSelectedOverline, p.border);
  set(ImGuiCol_DockingPreview, with_alpha(p.accent, 0.4F));
  set(ImGuiCol_DockingEmptyBg, p.base);
  set(ImGuiCol_PlotHistogram, p.accent);
  set(ImGuiCol_TableHeaderBg, p.panel);
  set(ImGuiCol_TableBorderStrong, p.border);
  set(ImGuiCol_TableBorderLight, p.border);
  set(ImGuiCol_TableRowBg, 0);
  set(ImGuiCol_TableRowBgAlt, with_alpha(p.text, 0.025F));
  set(ImGuiCol_TextLink, p.accent);
  set(ImGuiCol_TextSelectedBg, with_alpha(p.accent, 0.35F));
  set(ImGuiCol_NavCursor, p.accent);
  set(ImGuiCol_ModalWindowDimBg, IM_COL32_BLACK);  // dim_screen() sets its opacity
}

void set_plot_style(const Palette& p, float scale) {
  ImPlotStyle& style = ImPlot::GetStyle();
  style = ImPlotStyle();
  style.PlotBorderSize = 1;
  style.PlotPadding = {4 * scale, 4 * scale};
  style.LabelPadding = {4 * scale, 3 * scale};
  style.LegendPadding = {6 * scale, 6 * scale};
  style.LegendInnerPadding = {6 * scale, 4 * scale};
  style.LegendSpacing = {4 * scale, 1 * scale};
  style.PlotMinSize = {60 * scale, 40 * scale};
  style.MajorTickLen = {4 * scale, 4 * scale};
  style.MinorTickLen = {2 * scale, 2 * scale};
  style.MousePosPadding = {6 * scale, 4 * scale};
  const auto set = [&style](ImPlotCol which, ImU32 color) { style.Colors[which] = vec4(color); };
  set(ImPlotCol_FrameBg, 0);
  set(ImPlotCol_PlotBg, p.well);
  set(ImPlotCol_PlotBorder, p.border);
  set(ImPlotCol_LegendBg, with_alpha(p.panel, 0.85F));
  set(ImPlotCol_LegendBorder, p.border);
  set(ImPlotCol_LegendText, p.text);
  set(ImPlotCol_TitleText, p.dim);
  set(ImPlotCol_InlayText, p.dim);
  set(ImPlotCol_AxisText, p.dim);
  set(ImPlotCol_AxisGrid, with_alpha(p.text, 0.08F));
  set(ImPlotCol_AxisTick, with_alpha(p.text, 0.3F));
}

}  // namespace

const Palette& palette() { return current().palette; }
float px(float points) { return points * current().scale; }

ImU32 with_alpha(ImU32 color, float alpha) {
  const auto bits = static_cast<ImU32>(std::lround(std::clamp(alpha, 0.0F, 1.0F) * 255.0F));
  return (color & ~IM_COL32_A_MASK) | (bits << IM_COL32_A_SHIFT);
}

ImU32 mix(ImU32 from, ImU32 to, float amount) {
  const ImVec4 a = vec4(from), b = vec4(to);
  const auto blend = [amount](float x, float y) { return x + (y - x) * amount; };
  return ImGui::ColorConvertFloat4ToU32({blend(a.x, b.x), blend(a.y, b.y), blend(a.z, b.z), blend(a.w, b.w)});
}

ImU32 series_color(std::uint32_t hex, float alpha) {
  const ImU32 color = palette().dark ? mix(rgb(hex), IM_COL32_WHITE, 0.35F) : rgb(hex);
  return with_alpha(color, alpha);
}

}  // namespace panels

void apply_theme(Theme theme, float scale) {
  panels::current() = {theme == Theme::dark ? panels::kDark : panels::kLight, scale};
  ImGuiStyle& style = ImGui::GetStyle();
  const ImGuiStyle before = style;
  style = ImGuiStyle();
  // Font sizes are set by AppFrame and are left as they are.
  style.FontSizeBase = before.FontSizeBase;
  style.FontScaleMain = before.FontScaleMain;
  style.FontScaleDpi = before.FontScaleDpi;
  panels::set_sizes(style);
  style.ScaleAllSizes(scale);
  panels::set_colors(style, panels::palette());
  panels::set_plot_style(panels::palette(), scale);
}

}  // namespace spyctrum
