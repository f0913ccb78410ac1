// SPDX-License-Identifier: Apache-2.0
// Settings that are kept between two starts, and their files: settings in the XDG configuration folder,
// recent files and the dock layout in the XDG state folder
// (https://specifications.freedesktop.org/basedir-spec). If a file cannot be read, the defaults apply and the
// log says so; the program starts in any case.
#pragma once

#include <string>
#include <vector>

#include "app/controller/state/program.hpp"
#include "core/base/error.hpp"

namespace spyctrum {

/// Empty strings: nothing is read or written.
struct Folders {
  std::string config;   ///< $XDG_CONFIG_HOME/spyctrum, else ~/.config/spyctrum
  std::string state;    ///< $XDG_STATE_HOME/spyctrum, else ~/.local/state/spyctrum
  std::string cache{};  ///< $XDG_CACHE_HOME/spyctrum, else ~/.cache/spyctrum
};
/// The folders from the environment; members are empty if there is no home folder. Creates nothing.
[[nodiscard]] Folders user_folders();
[[nodiscard]] std::string layout_path(const Folders& folders);  ///< of imgui.ini; empty when nothing is kept

inline constexpr std::size_t kRecentFiles = 12;

struct Remembered {
  Settings settings;
  std::vector<std::string> recent;
  std::vector<std::string> problems;  ///< files that were there but could not be read, in words
};
/// The settings with every number that is out of its limits replaced by its default.
[[nodiscard]] Settings within_limits(Settings settings);
/// Reads settings from the text of their file, within_limits(); missing fields have their defaults. Errors:
/// bad_input if the text is not JSON or a field has another type.
[[nodiscard]] Result<Settings> parse_settings(const std::string& text);
[[nodiscard]] Remembered remember(const Folders& folders);
/// Creates the folders. Errors: output.
[[nodiscard]] Result<void> keep(const Folders& folders, const Settings& settings,
                                const std::vector<std::string>& recent);

}  // namespace spyctrum
