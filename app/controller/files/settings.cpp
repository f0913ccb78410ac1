// SPDX-License-Identifier: Apache-2.0
// Settings and recent files as two small JSON files.
#include "app/controller/files/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/controller/files/json_fields.hpp"
#include "core/io/export.hpp"
#include "core/io/json_text.hpp"

namespace spyctrum {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string folder_from(const char* variable, const char* below_home) {
  // The XDG base directory specification ignores relative paths.
  if (const char* base = std::getenv(variable); base != nullptr && base[0] == '/')
    return (fs::path(base) / "spyctrum").string();
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return (fs::path(home) / below_home / "spyctrum").string();
}

std::string settings_path(const Folders& folders) {
  return (fs::path(folders.config) / "settings.json").string();
}
std::string recent_path(const Folders& folders) { return (fs::path(folders.state) / "recent.json").string(); }

/// The fields of the settings that may have any value of their type.
void settings_fields(auto& settings, const auto& field) {
  field("ui_scale", settings.ui_scale);
  field("threads", settings.threads);
  field("memory_bytes", settings.memory_bytes);
  field("seed", settings.seed);
  field("drop_zeros", settings.drop_zeros);
  field("keep_thumbnails", settings.keep_thumbnails);
  field("backend", settings.backend);
  field("good_enough", settings.good_enough);
  field("square_units", settings.square_units);
  field("grid_lines", settings.grid_lines);
}

Json to_json(const Settings& settings) {
  Json json{{"theme", settings.theme == Theme::dark ? "dark" : "light"}};
  settings_fields(settings, FieldWriter{json});
  FieldWriter{json}("grid", settings.grid_form, kGridForms);
  return json;
}

Settings settings_from(const Json& json) {
  Settings settings;
  settings_fields(settings, FieldReader{json});
  const auto form = std::ranges::find(kGridForms, json.value("grid", std::string()));
  if (form != kGridForms.end()) settings.grid_form = static_cast<GridForm>(form - kGridForms.begin());
  settings.theme = json.value("theme", std::string("dark")) == "light" ? Theme::light : Theme::dark;
  return within_limits(settings);
}

/// Calls take(json) with the parsed file, if there is one; adds to `problems` if it cannot be read.
template <class Take>
void read_json(const std::string& path, std::vector<std::string>& problems, Take&& take) {
  std::error_code none;
  if (!fs::exists(path, none)) return;
  try {
    std::ifstream file(path);
    take(parse_json<Json>(std::string(std::istreambuf_iterator<char>(file), {})));
  } catch (const std::exception& problem) {
    problems.push_back(path + " could not be read, its defaults are used: " + problem.what());
  }
}

Result<void> write_json(const std::string& path, const Json& json) {
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (failed)
    return fail(ErrorCode::output, "The folder of " + path + " could not be made: " + failed.message(), {},
                failed.value());
  return write_atomically(path, [&](std::ostream& out) { out << json_text(json, 2) << '\n'; });
}

}  // namespace

Settings within_limits(Settings settings) {
  if (!(settings.good_enough >= 0 && settings.good_enough <= 0.1)) settings.good_enough = 0;
  settings.grid_lines = std::min(settings.grid_lines, kMostGridLines);
  if (!(settings.ui_scale >= 0 && settings.ui_scale <= 8)) settings.ui_scale = 0;
  return settings;
}

Folders user_folders() {
  return {folder_from("XDG_CONFIG_HOME", ".config"), folder_from("XDG_STATE_HOME", ".local/state"),
          folder_from("XDG_CACHE_HOME", ".cache")};
}

std::string layout_path(const Folders& folders) {
  return folders.state.empty() ? std::string() : (fs::path(folders.state) / "layout.ini").string();
}

Result<Settings> parse_settings(const std::string& text) {
  try {
    return settings_from(parse_json<Json>(text));
  } catch (const std::exception& problem) {
    return fail(ErrorCode::bad_input, std::string("The settings cannot be used: ") + problem.what());
  }
}

Remembered remember(const Folders& folders) {
  Remembered found;
  if (!folders.config.empty())
    read_json(settings_path(folders), found.problems,
              [&](const Json& json) { found.settings = settings_from(json); });
  if (!folders.state.empty())
    read_json(recent_path(folders), found.problems, [&](const Json& json) {
      found.recent = json.at("files").get<std::vector<std::string>>();
      for (std::string& source : found.recent) source = source_from_text(source);
      if (found.recent.size() > kRecentFiles) found.recent.resize(kRecentFiles);
    });
  return found;
}

Result<void> keep(const Folders& folders, const Settings& settings, const std::vector<std::string>& recent) {
  if (!folders.config.empty())
    if (auto written = write_json(settings_path(folders), to_json(settings)); !written) return written;
  if (folders.state.empty()) return {};
  std::vector<std::string> texts;
  for (const std::string& source : recent) texts.push_back(text_of_source(source));
  return write_json(recent_path(folders), Json{{"files", texts}});
}

}  // namespace spyctrum
