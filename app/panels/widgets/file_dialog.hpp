// SPDX-License-Identifier: Apache-2.0
// Choosing a path: the desktop's own dialog (zenity, kdialog) where it is installed, otherwise a list of the
// folder inside the window, which works by keyboard. Never blocks: the system's dialog is a process that is
// polled each frame.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spyctrum::panels {

struct Ui;

class FileDialog {
 public:
  struct Request {
    std::string title;
    bool save = false;
    bool is_folder = false;            ///< a folder is chosen, not a file
    std::string suggestion{};          ///< file name or path to begin with
    std::vector<std::string> endings;  ///< {".png"}; empty: all files
    std::string description;           ///< "PNG pictures"
    std::function<void(const Ui&, const std::string&)> chosen;
  };

  FileDialog();
  ~FileDialog();
  FileDialog(const FileDialog&) = delete;
  FileDialog& operator=(const FileDialog&) = delete;

  /// Opens a dialog and replaces one that is still open. `native`: use the system's own where it works.
  void open(Request request, bool native = true);
  [[nodiscard]] bool is_open() const;
  void close();
  /// Draws the dialog inside the window, or checks whether the system's own has ended. Call it once a frame.
  void draw(const Ui& ui);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum::panels
