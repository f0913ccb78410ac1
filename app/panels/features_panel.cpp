// SPDX-License-Identifier: Apache-2.0
// The right card: radial energy, directional energy, the table.
#include <imgui.h>

#include <algorithm>

#include "app/panels/commands.hpp"
#include "app/panels/icons.hpp"
#include "app/panels/panels_list.hpp"
#include "app/panels/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr float kTableHeight = 13 * 20 + 26;  // points: lines of the table and its title

void copy_or_save(const Ui& ui) {
  ImGui::SameLine(right_edge() - px(22));
  if (icon_button(icon::kSave, "export features", "Features and costs as .csv or .json",
                  keys_text(Command::export_data)))
    run(ui, Command::export_data);
}

}  // namespace

void draw_features(const Ui& ui) {
  const PanelWindow window(kFeatures);
  if (!window.is_visible()) return;
  // The plots share what the table leaves; below a readable size the card scrolls.
  const float room = ImGui::GetContentRegionAvail().y - px(kTableHeight) - 3 * px(28);
  section("Radial energy");
  draw_radial_plot(ui, std::clamp(room * 0.46F, px(120), px(210)));
  section("Directional energy");
  draw_sector_plot(ui, std::clamp(room * 0.54F, px(150), px(260)));
  section("Features");
  copy_or_save(ui);
  draw_feature_table(ui);
}

}  // namespace spyctrum::panels
