// SPDX-License-Identifier: Apache-2.0
// Copies a picture to the clipboard. GLFW's clipboard holds text only, so the picture goes to a temporary PNG
// and from there through wl-copy or xclip, whichever is installed.
#include <fcntl.h>
#include <imgui.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "app/panels/widgets/commands.hpp"
#include "app/process/process.hpp"

namespace spyctrum::panels {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 20;  // seconds after which a picture that is not written is given up

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return false;
  std::string folders = path;
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    if (access((folders.substr(at, end - at) + "/" + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

/// The command that copies a PNG from its standard input to the clipboard; empty when none is installed.
std::vector<std::string> clipboard_program() {
  if (std::getenv("WAYLAND_DISPLAY") != nullptr && on_path("wl-copy"))
    return {"wl-copy", "--type", "image/png"};
  if (std::getenv("DISPLAY") != nullptr && on_path("xclip"))
    return {"xclip", "-selection", "clipboard", "-target", "image/png"};
  return {};
}

/// Runs the command with the file as its input; returns whether it succeeded. Both programs move to the
/// background at once, so the wait is short.
bool hand_over(const std::vector<std::string>& program, const std::string& file) {
  const int input = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (input < 0) return false;
  const auto code = run_guarded([&] { return StartedProgram(program, input, -1).wait(); });
  ::close(input);
  return code && *code == 0;
}

/// Emits the action write(path), which writes a PNG; follow_copy() passes it to the clipboard program.
template <class Write>
void copy_file(const Ui& ui, Write&& write) {
  std::error_code none;
  const fs::path file =
      fs::temp_directory_path(none) / ("spyctrum-copy-" + std::to_string(getpid()) + ".png");
  if (clipboard_program().empty())
    return ui.notify(Level::warning,
                     "Pictures are copied through wl-copy or xclip, and neither is installed. Install one, "
                     "or save the picture (right click).");
  fs::remove(file, none);
  ui.memory.copied_picture = file.string();
  ui.memory.copied_deadline = ImGui::GetTime() + kPatience;
  ui.emit(write(file.string()));
}

}  // namespace

void copy_picture(const Ui& ui, ColumnId column, Row row) {
  copy_file(ui, [&](const std::string& path) { return action::ExportPicture{column, row, path, false}; });
}

void copy_figure(const Ui& ui, std::optional<action::ExportFigure::One> one, bool dark) {
  copy_file(ui, [&](const std::string& path) {
    return action::ExportFigure{one, path, dark, static_cast<double>(ui.memory.figure_pixels), false};
  });
}

void follow_copy(const Ui& ui) {
  std::string& file = ui.memory.copied_picture;
  if (file.empty()) return;
  std::error_code none;
  if (!fs::exists(file, none)) {
    if (ImGui::GetTime() > ui.memory.copied_deadline)
      file.clear();
    else
      ui.wake_in(0.05);
    return;
  }
  const bool done = hand_over(clipboard_program(), file);
  fs::remove(file, none);
  file.clear();
  ui.notify(done ? Level::info : Level::error,
            done ? "Copied the picture." : "The clipboard program failed; save the picture instead.");
}

}  // namespace spyctrum::panels
