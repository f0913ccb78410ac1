// SPDX-License-Identifier: Apache-2.0
// The panel at the right: radial energy, directional energy, the table of features, and a sentence that names
// the setting with the smallest error.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/panels/plots/plot_style.hpp"
#include "app/panels/plots/verdict.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

/// The height in points of the table with its title and the names of its columns.
float table_height() { return 19 * static_cast<float>(feature_table_lines()) + 84; }

}  // namespace

void draw_features(const Ui& ui) {
  const PanelWindow window(kFeatures);
  if (!window.is_visible()) return;
  draw_streams(ui);
  // The plots share the height that the table leaves; where that is too small to read, the panel scrolls.
  const std::string sentence = verdict(ui.state);
  if (!sentence.empty()) {
    small_text(sentence, palette().text);
    tooltip(
        "The bytes and the time are those of the selected column, errors are means over the features. What "
        "was run: the columns, the sweep over block sizes and the advisor's runs.");
  }
  const float room = ImGui::GetContentRegionAvail().y - px(table_height()) - px(114);
  section("Radial energy");
  {
    const auto font = small_font();
    std::vector<LegendEntry> legend;
    for (const Column& column : ui.state.columns) legend.emplace_back(column.label, column.style);
    draw_legend(legend);
  }
  draw_radial_plot(ui, std::clamp(room * 0.35F, px(84), px(230)));
  if (std::ranges::any_of(ui.state.columns,
                          [](const Column& one) { return one.feature_errors.has_value(); })) {
    section("Relative error of the rings");
    draw_radial_errors(ui, std::clamp(room * 0.24F, px(58), px(160)));
  }
  section("Directional energy");
  draw_sector_plot(ui, std::clamp(room * 0.4F, px(100), px(290)));
  if (section_with_button("Features", icon::kSave, "export features",
                          "Writes features and costs as .csv or .json", keys_text(Command::export_data)))
    run(ui, Command::export_data);
  draw_feature_table(ui);
}

}  // namespace spyctrum::panels
