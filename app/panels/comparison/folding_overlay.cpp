// SPDX-License-Identifier: Apache-2.0
// Folding made visible: lines from one coefficient of a reduced plane to the places of the exact plane that
// fold onto it. A place counts with a share of its power (FoldedPlace::weight); a larger share has a stronger
// line. The coefficient is the one under the mouse in either plane, otherwise that of the wave, which stays
// while b changes.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/controller/pictures/probe.hpp"
#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/frequency/folding.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::panels {
namespace {

constexpr std::size_t kMostPlaces = 1024, kMostLines = 64, kMostWeights = 25;
constexpr float kNarrow = 140;  // points: words would cover a narrower picture

/// The axes of a reduced plane.
struct Folded {
  FoldedAxis rows, cols;
};
/// Empty where `column` shows no reduced plane, or one of an earlier setting.
std::optional<Folded> folded_axes(const Column& column) {
  if (!column.spectrum || column.spectrum->placement != Placement::reduced_plane || column.outdated ||
      !column.is_of_matrix())
    return {};
  const MethodInput input = find_method(column.method)->input(column.parameters);
  if (input != MethodInput::densities && input != MethodInput::decimated) return {};
  const bool averages = input == MethodInput::densities;
  return Folded{{column.spectrum->m, column.block, averages}, {column.spectrum->n, column.block, averages}};
}

bool is_exact_plane(const Column& column) {
  return find_method(column.method)->info().full_plane && column.is_of_matrix();
}

bool is_hovered(const Ui& ui, const CellFrame& cell) {
  const Crosshair& cross = ui.state.crosshair;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return ui.memory.crosshair_from_mouse && cross.active && cross.plane == Plane::spectrum &&
         mouse.x >= cell.min.x && mouse.x < cell.max.x && mouse.y >= cell.min.y && mouse.y < cell.max.y;
}

bool contains(const CellFrame& cell, ImVec2 at) {
  return at.x >= cell.min.x && at.x <= cell.max.x && at.y >= cell.min.y && at.y <= cell.max.y;
}

/// Writes `words`, or `shorter` if `words` do not fit, at the right edge, where no tick labels are.
void label(ImDrawList& list, const CellFrame& cell, float below, const std::string& words,
           const std::string& shorter) {
  const auto font = small_font();
  const float width = cell.width() - px(16);
  const bool fits = ImGui::CalcTextSize(words.c_str()).x <= width;
  const std::string shown = fits ? words : fit_text(shorter, width);
  label_text(list,
             {cell.max.x - px(8) - ImGui::CalcTextSize(shown.c_str()).x,
              cell.max.y - px(below) - ImGui::GetFontSize()},
             shown);
}

/// Writes the weight of a place at the right of its mark, or above the mark at the picture's right edge.
void draw_weight(ImDrawList& list, const CellFrame& cell, ImVec2 mark, float radius, double weight) {
  const auto font = small_font();
  const std::string words = number_text(100 * weight, 2) + " %";
  const ImVec2 size = ImGui::CalcTextSize(words.c_str());
  ImVec2 at{mark.x + radius + px(5), mark.y - size.y / 2};
  if (at.x + size.x + px(4) > cell.max.x)
    at = {cell.max.x - size.x - px(4), mark.y - radius - size.y - px(3)};
  label_text(list, at, words);
}

/// "−12", or "3.25" where b does not divide the side and places lie between coefficients.
std::string coordinate(double at) {
  const double whole = std::round(at);
  return std::abs(at - whole) < 1e-6 ? signed_grouped(static_cast<std::int64_t>(whole)) : number_text(at, 4);
}

std::string place_text(double u, double v) { return "(" + coordinate(u) + ", " + coordinate(v) + ")"; }

std::string percent(double share) { return number_text(100 * share, 3) + " %"; }

/// Marks the coefficient (k, l) of `reduced` and its places on `exact`. `chosen`: the place of the exact
/// plane under the mouse or of the wave, if any.
void draw_links(const Ui& ui, const CellFrame& exact, const CellFrame& reduced, const Folded& axes,
                std::int64_t k, std::int64_t l, std::optional<std::pair<double, double>> chosen) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 color = series_color(reduced.column.style.color);
  const ReducedPlacement placement = ui.state.scale.reduced;
  const ImVec2 node{reduced.x_of(place_of(l, axes.cols.reduced(), axes.cols.size, placement)),
                    reduced.y_of(place_of(k, axes.rows.reduced(), axes.rows.size, placement))};
  const std::vector<FoldedPlace> places = folded_places(axes.rows, axes.cols, k, l, kMostPlaces);
  const bool has_node = contains(reduced, node);
  for (std::size_t at = places.size(); at-- > 0;) {
    const FoldedPlace& one = places[at];
    const ImVec2 to{exact.x_of(one.v), exact.y_of(one.u)};
    if (!contains(exact, to)) continue;
    const auto strength = static_cast<float>(std::sqrt(one.weight));
    if (has_node && at < kMostLines)
      list.AddLine(node, to, with_alpha(color, 0.12F + 0.7F * strength), px(1.2F));
    const float radius = px(3 + 6 * strength);
    list.AddCircleFilled(to, radius, with_alpha(color, 0.35F + 0.5F * strength));
    list.AddCircle(to, radius, IM_COL32(0, 0, 0, 220), 0, px(3));
    list.AddCircle(to, radius, IM_COL32(255, 255, 255, 230), 0, px(1.2F));
    if (places.size() <= kMostWeights && exact.width() > px(200))
      draw_weight(list, exact, to, radius, one.weight);
  }
  if (has_node) {
    list.AddCircle(node, px(7), IM_COL32(0, 0, 0, 200), 0, px(4));
    list.AddCircle(node, px(7), color, 0, px(2));
  }
  if (reduced.width() < px(kNarrow)) return;
  const std::string count = counted(axes.rows.block * axes.cols.block, "place", "places"),
                    onto = place_text(static_cast<double>(k), static_cast<double>(l));
  const auto [u, v] = chosen.value_or(std::pair(places.front().u, places.front().v));
  const std::string share = percent(axes.rows.weight(u, k) * axes.cols.weight(v, l)),
                    place = place_text(u, v);
  label(list, reduced, 40, count + " fold onto " + onto, count + " → " + onto);
  label(list, reduced, 22, "with " + share + " of the power at " + place, share + " of " + place);
  if (axes.rows.is_whole() && axes.cols.is_whole()) return;
  const std::string between = "places lie between coefficients";
  label(list, reduced, 58,
        "b does not divide the sides: " + between +
            (axes.rows.averages ? ", smaller blocks at the edge add more" : ""),
        between);
}

}  // namespace

void draw_folding(const Ui& ui, const std::vector<CellFrame>& spectra) {
  if (!ui.state.compare.folding) return;
  const auto exact =
      std::ranges::find_if(spectra, [](const CellFrame& cell) { return is_exact_plane(cell.column); });
  if (exact == spectra.end()) return;
  const auto hovered =
      std::ranges::find_if(spectra, [&](const CellFrame& cell) { return is_hovered(ui, cell); });
  const Crosshair& cross = ui.state.crosshair;
  std::optional<std::pair<double, double>> chosen;
  if (hovered != spectra.end() && is_exact_plane(hovered->column))
    chosen = {static_cast<double>(cross.u), static_cast<double>(cross.v)};
  else if (hovered == spectra.end() && ui.state.wave)
    chosen = {static_cast<double>(ui.state.wave->first), static_cast<double>(ui.state.wave->second)};
  // The last child of the window is drawn above the pictures, and below menus, dialogs and toasts.
  ImGui::SetCursorPos({0, 0});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoDecoration |
                                      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings;
  ImGui::BeginChild("links", ImGui::GetWindowSize(), 0, kFlags);
  for (const CellFrame& cell : spectra) {
    const std::optional<Folded> axes = folded_axes(cell.column);
    if (!axes) continue;
    if (chosen) {
      draw_links(ui, *exact, cell, *axes, axes->rows.folded(chosen->first), axes->cols.folded(chosen->second),
                 chosen);
    } else if (hovered != spectra.end() && &*hovered == &cell) {
      const auto node = [&](const FoldedAxis& axis, std::int64_t at) {
        return node_at(at, axis.size, axis.block, ui.state.scale.reduced);
      };
      draw_links(ui, *exact, cell, *axes, node(axes->rows, cross.u), node(axes->cols, cross.v), {});
    }
  }
  ImGui::EndChild();
}

}  // namespace spyctrum::panels
