// SPDX-License-Identifier: Apache-2.0
// What is remembered between two starts, and where: settings in the XDG
// configuration folder, recent files and the dock layout in the XDG state folder
// (https://specifications.freedesktop.org/basedir-spec). A file that cannot be
// read means the defaults and a log line, never a refusal to start.
#pragma once

#include <string>
#include <vector>

#include "app/controller/state/program.hpp"
#include "core/base/error.hpp"

namespace spyctrum {

/// Empty strings: nothing is read or written.
struct Folders {
  std::string config;  ///< $XDG_CONFIG_HOME/spyctrum, else ~/.config/spyctrum
  std::string state;   ///< $XDG_STATE_HOME/spyctrum, else ~/.local/state/spyctrum
};
/// From the environment; empty members where there is no home folder. Creates nothing.
[[nodiscard]] Folders user_folders();
[[nodiscard]] std::string layout_path(const Folders& folders);  ///< of imgui.ini; empty when nothing is kept

inline constexpr std::size_t kRecentFiles = 12;

struct Remembered {
  Settings settings;
  std::vector<std::string> recent;
  std::vector<std::string> problems;  ///< files that were there but could not be read, in words
};
/// The settings with the default in place of each number that is out of its limits.
[[nodiscard]] Settings within_limits(Settings settings);
/// Settings from the text of their file, within_limits(); a missing field has its default. Errors: bad_input
/// where the text is not JSON or a field is of another kind.
[[nodiscard]] Result<Settings> parse_settings(const std::string& text);
[[nodiscard]] Remembered remember(const Folders& folders);
/// Creates the folders. Errors: output.
[[nodiscard]] Result<void> keep(const Folders& folders, const Settings& settings,
                                const std::vector<std::string>& recent);

}  // namespace spyctrum
