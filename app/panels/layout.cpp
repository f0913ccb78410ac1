// SPDX-License-Identifier: Apache-2.0
// The dock space and its default layout: settings on the left, pictures in the middle, features on the right,
// the log below the pictures. ImGui's ini file stores the user's changes; "Reset layout" restores the
// default.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/panels/panels.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/strip.hpp"
#include "app/panels/widgets/theme.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr float kLeftWidth = 274, kRightWidth = 372, kActivityHeight = 176;  // points
// Heights in points from which two panels are stacked instead of sharing tabs, at the left and at the right.
constexpr float kTallLeft = 880, kTallRight = 1250;

constexpr float kBothSides = 1150;  // narrower windows show the panels of one side at a time
constexpr float kStripWidth = 20;   // of the strip that opens the other side

enum class Place { left, left_below, centre, right, right_below, below };

struct Docked {
  const char* panel;
  Place place;            ///< in the default layout
  const char* neighbour;  ///< beside which the panel is docked in a layout that was stored without it
};
constexpr Docked kDocked[] = {{kSetup, Place::left, kActivity},
                              {kActivity, Place::left_below, kSetup},
                              {kComparison, Place::centre, kComparison},
                              {kFeatures, Place::right, kCost},
                              {kCost, Place::right_below, kFeatures},
                              {kExplain, Place::right, kFeatures},
                              {kTheory, Place::right, kFeatures},
                              {kAdvisor, Place::right, kFeatures},
                              {kStrongest, Place::right_below, kFeatures},
                              {kLog, Place::below, kStudy},
                              {kStudy, Place::below, kLog},
                              {kSandbox, Place::below, kLog},
                              {kAnimation, Place::below, kLog},
                              {kLesson, Place::below, kLog},
                              {kCollection, Place::below, kLog}};

void build_default(ImGuiID space, ImVec2 size) {
  ImGui::DockBuilderRemoveNode(space);
  ImGui::DockBuilderAddNode(
      space, ImGuiDockNodeFlags_DockSpace | static_cast<int>(ImGuiDockNodeFlags_AutoHideTabBar));
  ImGui::DockBuilderSetNodeSize(space, size);
  ImGuiID centre = space;
  const float left_share = std::min(px(kLeftWidth) / size.x, 0.25F);
  ImGuiID left = ImGui::DockBuilderSplitNode(centre, ImGuiDir_Left, left_share, nullptr, &centre);
  // In a window with room for one side, that side has its whole width.
  const bool is_narrow = ImGui::GetMainViewport()->WorkSize.x < px(kBothSides);
  if (is_narrow) ImGui::DockBuilderSetNodeSize(left, {px(kLeftWidth), size.y});
  const float right_share = std::min(px(kRightWidth) / size.x, 0.27F) / (1 - left_share);
  ImGuiID right = ImGui::DockBuilderSplitNode(centre, ImGuiDir_Right, right_share, nullptr, &centre);
  if (is_narrow) ImGui::DockBuilderSetNodeSize(right, {px(kRightWidth), size.y});
  const ImGuiID below = ImGui::DockBuilderSplitNode(
      centre, ImGuiDir_Down, std::min(px(kStripHeight) / size.y, 0.31F), nullptr, &centre);
  ImGuiID left_below = left, right_below = right;
  if (size.y >= px(kTallLeft))
    left_below =
        ImGui::DockBuilderSplitNode(left, ImGuiDir_Down, px(kActivityHeight) / size.y, nullptr, &left);
  if (size.y >= px(kTallRight))
    right_below = ImGui::DockBuilderSplitNode(right, ImGuiDir_Down, 0.26F, nullptr, &right);
  const std::array nodes{left, left_below, centre, right, right_below, below};  // in the order of Place
  for (const Docked& docked : kDocked)
    ImGui::DockBuilderDockWindow(docked.panel, nodes.at(static_cast<std::size_t>(docked.place)));
  // The pictures cannot be moved, so they need no tab.
  ImGuiDockNode* pictures = ImGui::DockBuilderGetNode(centre);
  pictures->SetLocalFlags(pictures->LocalFlags | static_cast<int>(ImGuiDockNodeFlags_NoTabBar));
  ImGui::DockBuilderFinish(space);
}

/// Docks the panels that a layout stored by an earlier version does not have beside their neighbours; ImGui
/// would open them as tiny windows above the others.
void dock_unknown_panels() {
  const auto stored = [](const char* name) { return ImGui::FindWindowSettingsByID(ImHashStr(name)); };
  for (const auto& [panel, place, neighbour] : kDocked) {
    if (ImGui::FindWindowByName(panel) != nullptr || stored(panel) != nullptr) continue;
    if (const ImGuiWindowSettings* beside = stored(neighbour); beside != nullptr && beside->DockId != 0)
      ImGui::DockBuilderDockWindow(panel, beside->DockId);
  }
}

/// Multiplies the sizes of all nodes below `node`. The central one takes what is left.
void scale_nodes(const ImGuiDockNode& node, float factor) {
  for (ImGuiDockNode* child : node.ChildNodes) {
    if (child == nullptr) continue;
    child->SizeRef.x *= factor;
    child->SizeRef.y *= factor;
    scale_nodes(*child, factor);
  }
}

/// Text that is read from bottom to top.
void upward_text(ImDrawList& list, ImVec2 centre, ImU32 color, const char* words) {
  // Text outside the clip rectangle is left out, so it is written where it is visible, then turned and moved.
  const ImVec2 size = ImGui::CalcTextSize(words), from = ImGui::GetMainViewport()->GetCenter();
  const int first = list.VtxBuffer.Size;
  list.AddText({from.x - size.x / 2, from.y - size.y / 2}, color, words);
  for (int at = first; at < list.VtxBuffer.Size; ++at) {
    ImVec2& place = list.VtxBuffer[at].pos;
    place = {centre.x + place.y - from.y, centre.y - (place.x - from.x)};
  }
}

/// The panels of one side, those of its upper part first: "Setup, Activity".
std::string names_of_side(bool is_right) {
  std::string names;
  for (const Place place :
       is_right ? std::array{Place::right, Place::right_below} : std::array{Place::left, Place::left_below})
    for (const Docked& docked : kDocked)
      if (docked.place == place) names.append(names.empty() ? "" : ", ").append(docked.panel);
  return names;
}

/// A strip along the edge of a narrow window that shows the panels of that side in place of the other's.
void draw_strip(const Ui& ui, bool is_right, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), size{px(kStripWidth), height};
  if (ImGui::InvisibleButton("other side", size)) ui.memory.prefers_right_side = is_right;
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, hovered ? palette().frame : palette().panel, px(4));
  const auto font = small_font();
  upward_text(list, {at.x + size.x / 2, at.y + size.y / 2}, hovered ? palette().text : palette().dim,
              names_of_side(is_right).c_str());
  tooltip("Shows these panels in place of those at the other side");
}

void draw_dock_space(const Ui& ui, ImVec2 size) {
  const ImGuiID space = ImGui::GetID("dock space");
  // The layout is stored in points, so that panels grow with their type: at another interface size, on
  // another monitor, in a presentation.
  const float factor = px(1);
  const bool is_reset = ui.memory.layout_resets_done != ui.state.interface.layout_resets;
  if (is_reset || ImGui::DockBuilderGetNode(space) == nullptr) {
    ui.memory.layout_resets_done = ui.state.interface.layout_resets;
    build_default(space, size);
    scale_nodes(*ImGui::DockBuilderGetNode(space), 1 / factor);
    ui.wake_in(0);
  }
  dock_unknown_panels();
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::PushStyleColor(ImGuiCol_Border, palette().base);  // gaps, not lines, until hovered
  // Narrow tabs: the names of six panels fit beside each other.
  ImGui::PushStyleVarX(ImGuiStyleVar_FramePadding, px(5));
  ImGui::PushStyleVarX(ImGuiStyleVar_ItemInnerSpacing, px(1));
  const ImGuiDockNode& root = *ImGui::DockBuilderGetNode(space);
  scale_nodes(root, factor);
  ImGui::DockSpace(space, size, ImGuiDockNodeFlags_AutoHideTabBar);
  scale_nodes(root, 1 / factor);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
}

}  // namespace

ShownSides shown_sides(const Ui& ui) {
  if (!ui.state.interface.side_panels || ui.state.interface.presentation) return {};
  if (ImGui::GetMainViewport()->WorkSize.x >= px(kBothSides)) return {.left = true, .right = true};
  return {.left = !ui.memory.prefers_right_side, .right = ui.memory.prefers_right_side};
}

void draw_layout(const Ui& ui) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  ImGui::SetNextWindowViewport(viewport.ID);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(6), px(2)});
  constexpr ImGuiWindowFlags kHost = ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoTitleBar |
                                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize |
                                     ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                     ImGuiWindowFlags_NoNavFocus;
  ImGui::Begin("###dock host", nullptr, kHost);
  ImGui::PopStyleVar(3);
  const ShownSides sides = shown_sides(ui);
  ImVec2 room = ImGui::GetContentRegionAvail();
  if (sides.left != sides.right) {
    const ImVec2 from = ImGui::GetCursorPos();
    const float strip = px(kStripWidth + 4);
    ImGui::SetCursorPosX(sides.left ? from.x + room.x - px(kStripWidth) : from.x);
    draw_strip(ui, sides.left, room.y);
    ImGui::SetCursorPos({sides.left ? from.x : from.x + strip, from.y});
    room.x -= strip;
  }
  draw_dock_space(ui, room);
  ImGui::End();
}

}  // namespace spyctrum::panels
