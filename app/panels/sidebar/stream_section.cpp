// SPDX-License-Identifier: Apache-2.0
// An exact plane that is being computed row by row: the share of rows done, the standard error of the
// features so far, the error at which to stop, pause and resume. Absent once every row is done. For a run
// that was not started since it takes long: the reason, and a button that starts it.
#include <imgui.h>

#include <array>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

struct End {
  const char* label;
  double error;
};
constexpr std::array<End, 4> kEnds = {{{"the end", 0}, {"0.01 %", 1e-4}, {"0.1 %", 1e-3}, {"1 %", 1e-2}}};

void draw_ends(const Ui& ui) {
  const auto font = small_font();
  dim_text("until");
  for (const End& end : kEnds) {
    ImGui::SameLine(0, px(4));
    if (choice(end.label, ui.state.settings.good_enough == end.error,
               end.error == 0 ? "Computes all rows; the features are then exact"
                              : "Stops once no standard error of a feature is above this (relative for "
                                "entropy and flatness, absolute for shares)")) {
      Settings settings = ui.state.settings;
      settings.good_enough = end.error;
      ui.emit(action::SetSettings{settings});
    }
  }
}

void draw_one(const Ui& ui, const Column& column) {
  const FeatureEstimate& estimate = *column.estimate;
  ImGui::PushID(static_cast<int>(column.id));
  section(column.label + (column.stopped ? " · stopped" : " · running"));
  const float width = px(58);
  const ImVec2 at = ImGui::GetCursorPos();
  small_text(percent_text(estimate.share_done(), 2) + " of the rows · standard error " +
             percent_text(estimate.largest, 2));
  tooltip(
      "Rows are computed in an order that covers the plane evenly. The error is the largest standard error "
      "of the features; the bars below show all of them.");
  ImGui::SetCursorPos({right_edge() - width, at.y - px(4)});
  if (column.stopped) {
    if (ImGui::Button("resume", {width, 0})) ui.emit(action::RunColumn{column.id});
    tooltip("Computes the remaining rows");
  } else {
    if (ImGui::Button("pause", {width, 0})) ui.emit(action::StopStream{column.id});
    tooltip("Stops the run; the computed rows are kept, and \"resume\" computes the others");
  }
  progress_bar(estimate.share_done(), series_color(column.style.color), 4);
  draw_ends(ui);
  ImGui::Dummy({0, px(2)});
  ImGui::PopID();
}

void draw_held_back(const Ui& ui, const Column& column) {
  ImGui::PushID(static_cast<int>(column.id));
  section(column.label + " · not started");
  small_text(column.held_back);
  if (ImGui::Button("start", {px(58), 0})) ui.emit(action::RunColumn{column.id});
  tooltip("Starts this run; it can be cancelled",
          keys_text(Command::run_column) + " with its column selected");
  ImGui::Dummy({0, px(2)});
  ImGui::PopID();
}

}  // namespace

void draw_streams(const Ui& ui) {
  for (const Column& column : ui.state.columns) {
    if (column.estimate)
      draw_one(ui, column);
    else if (!column.held_back.empty() && !column.spectrum)
      draw_held_back(ui, column);
  }
}

}  // namespace spyctrum::panels
