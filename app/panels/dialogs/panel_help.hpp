// SPDX-License-Identifier: Apache-2.0
// What every panel is for.
#pragma once

#include <span>
#include <string>

namespace spyctrum::panels {

struct PanelHelp {
  const char* window;  ///< title of the panel
  const char* words;   ///< three sentences
};
[[nodiscard]] std::span<const PanelHelp> panel_helps();
/// The name of the panel's picture in assets/help, without its ending.
[[nodiscard]] std::string help_picture_name(const PanelHelp& panel, bool light);

}  // namespace spyctrum::panels
