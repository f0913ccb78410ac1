// SPDX-License-Identifier: Apache-2.0
// Polar plot of the shares of power in 8 sectors of the half circle, drawn round the whole circle (|F[−u,
// −v]| = |F[u, v]|): filled sectors for the reference, a closed line for every other method. The radius is
// proportional to the share.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/panels/plots/plot_style.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr double kSectorAngle = std::numbers::pi / static_cast<double>(kSectors);

struct Polar {
  ImVec2 centre;
  float radius = 1;
  double full = 1;  ///< share at the outer circle
  /// u grows downwards as in the pictures, so that a line in the spectrum and its sector here have the same
  /// direction: 90° points down, and angles grow clockwise.
  [[nodiscard]] ImVec2 at(double share, double angle) const {
    const double r = radius * std::min(1.0, share / full);
    return {centre.x + static_cast<float>(r * std::cos(angle)),
            centre.y + static_cast<float>(r * std::sin(angle))};
  }
};

double largest(const AppState& state) {
  double most = 0;
  for (const Column& column : state.columns)
    if (const Features* features = column.features())
      for (const double share : features->sectors) most = std::max(most, share);
  return most;
}

/// Angles are atan2(u/m, v/n): along v (columns) at 0°, along u (rows) at 90°.
void draw_circles(const Polar& polar, ImDrawList& list) {
  const Palette& colors = palette();
  list.AddCircleFilled(polar.centre, polar.radius, colors.well, 96);
  for (const float share : {0.5F, 1.0F})
    list.AddCircle(polar.centre, polar.radius * share, colors.border, 96, px(1));
  const auto font = small_font();
  static constexpr std::array<const char*, 8> kLabels = {"0°",   "45°",  "90°",  "135°",
                                                         "180°", "225°", "270°", "315°"};
  for (std::size_t i = 0; i < kLabels.size(); ++i) {
    const double angle = static_cast<double>(i) * std::numbers::pi / 4;
    const ImVec2 size = ImGui::CalcTextSize(kLabels[i]);
    const float reach = polar.radius + px(12);
    const ImVec2 at = {polar.centre.x + reach * static_cast<float>(std::cos(angle)),
                       polar.centre.y + reach * static_cast<float>(std::sin(angle))};
    const float shift = std::abs(std::cos(angle)) > 0.9 ? (std::cos(angle) > 0 ? -0.15F : -0.85F) : -0.5F;
    list.AddText({at.x + size.x * shift, at.y - size.y / 2}, colors.faint, kLabels[i]);
    list.AddLine(polar.centre,
                 {polar.centre.x + polar.radius * static_cast<float>(std::cos(angle)),
                  polar.centre.y + polar.radius * static_cast<float>(std::sin(angle))},
                 with_alpha(colors.text, 0.05F));
  }
}

void draw_sectors(const Polar& polar, const Features& features, ImU32 color, ImDrawList& list) {
  for (std::size_t i = 0; i < 2 * kSectors; ++i) {
    const double share = features.sectors[i % kSectors];
    const double middle = static_cast<double>(i) * kSectorAngle;
    const double half = kSectorAngle / 2 * 0.9;
    list.PathLineTo(polar.centre);
    constexpr int kSteps = 8;
    for (int step = 0; step <= kSteps; ++step)
      list.PathLineTo(polar.at(share, middle - half + 2 * half * step / kSteps));
    list.PathFillConvex(with_alpha(color, 0.5F));
  }
}

void draw_outline(const Polar& polar, const Features& features, const MethodStyle& style, ImU32 color,
                  ImDrawList& list) {
  std::array<ImVec2, 2 * kSectors + 1> points;
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = polar.at(features.sectors[i % kSectors], static_cast<double>(i) * kSectorAngle);
  draw_dashed(list, points, style, px(1.8F), color);
  for (const ImVec2 point : points) draw_mark(list, point, px(2.5F), style.mark, color);
}

/// Error bars of one standard error, with a cap at each end; none at the centre, where all of them meet.
void draw_deviations(const Polar& polar, const Features& features, const Features& deviations, ImU32 color,
                     ImDrawList& list) {
  for (std::size_t i = 0; i < 2 * kSectors; ++i) {
    const double angle = static_cast<double>(i) * kSectorAngle;
    const double share = features.sectors[i % kSectors], error = deviations.sectors[i % kSectors];
    const ImVec2 across = {-static_cast<float>(std::sin(angle)) * px(2.5F),
                           static_cast<float>(std::cos(angle)) * px(2.5F)};
    const ImVec2 inner = polar.at(std::max(0.0, share - error), angle),
                 outer = polar.at(share + error, angle);
    list.AddLine(inner, outer, color, px(1));
    for (const ImVec2 end : {inner, outer})
      if (std::hypot(end.x - polar.centre.x, end.y - polar.centre.y) > px(3))
        list.AddLine({end.x - across.x, end.y - across.y}, {end.x + across.x, end.y + across.y}, color,
                     px(1));
  }
}

void hovered_sector(const AppState& state, const Polar& polar) {
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double x = mouse.x - polar.centre.x, y = mouse.y - polar.centre.y;
  if (std::hypot(x, y) > polar.radius) return;
  const auto nearest = std::lround(std::atan2(y, x) / kSectorAngle);
  const auto sector =
      static_cast<std::size_t>((nearest + 4 * static_cast<long>(kSectors)) % static_cast<long>(kSectors));
  ImGui::BeginTooltip();
  small_text("around " + number_text(static_cast<double>(sector) * 22.5, 4) + "°");
  for (const Column& column : state.columns) {
    const Features* features = column.features();
    if (features == nullptr) continue;
    const Features* deviations = column.feature_deviations();
    value_line(column, number_text(features->sectors[sector], 4),
               deviations != nullptr ? std::optional(deviations->sectors[sector]) : std::nullopt);
  }
  ImGui::EndTooltip();
}

}  // namespace

void draw_sector_plot(const Ui& ui, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::InvisibleButton("sectors", {width, height});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  Polar polar;
  polar.centre = {at.x + width / 2, at.y + height / 2};
  polar.radius = std::min(width / 2 - px(40), height / 2 - px(20));
  if (polar.radius < px(20)) return;
  draw_circles(polar, list);
  const double most = largest(ui.state);
  if (!(most > 0)) return;
  polar.full = std::min(1.0, most * 1.06);
  const Column* reference = ui.state.reference();
  if (reference != nullptr)
    if (const Features* features = reference->features())
      draw_sectors(polar, *features, series_color(reference->style.color, opacity(*reference)), list);
  for (const Column& column : ui.state.columns)
    if (const Features* features = column.features(); features != nullptr && !column.reference)
      draw_outline(polar, *features, column.style, series_color(column.style.color, opacity(column)), list);
  for (const Column& column : ui.state.columns)
    if (column.feature_deviations() != nullptr)
      draw_deviations(polar, *column.features(), *column.feature_deviations(),
                      series_color(column.style.color, opacity(column)), list);
  const auto font = small_font();
  const std::string scale = number_text(polar.full, 2);
  list.AddText({at.x, at.y + height - ImGui::GetFontSize()}, palette().faint,
               ("outer circle: " + scale).c_str());
  hovered_sector(ui.state, polar);
}

}  // namespace spyctrum::panels
