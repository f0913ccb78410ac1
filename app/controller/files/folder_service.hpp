// SPDX-License-Identifier: Apache-2.0
// The list of the matrices below a folder, and going through it from matrix to matrix.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/controller/service.hpp"

namespace spyctrum {

class FolderService : public Service {
 public:
  explicit FolderService(ServiceContext& context) : Service(context) {}
  void handle(const action::OpenFolder& chosen);
  void handle(const action::OpenNeighbour& chosen);
  void handle(const action::OpenInList& chosen);
  /// When the next matrix is open, shows the same part of it and closes the matrix that it replaces.
  void reconcile() override;

 private:
  struct Replacement {
    std::string left;                   ///< source of the matrix that was selected
    std::string next;                   ///< source that takes its place
    std::array<View, kPlanes> views{};  ///< views of the matrix that was selected
    int step = 1;                       ///< the direction in which `next` was found
    bool was_open = false;              ///< `next` was open already; then `left` stays open, too
    bool has_failed = false;            ///< `next` could not be read; the next step skips it
  };
  /// The list that the user goes through: the files below the folder, or the matrices of the selected one's
  /// file if this has several and is not below the folder. Sets `shown` to the position of the selected
  /// matrix.
  [[nodiscard]] std::vector<std::string> neighbours(std::string& shown) const;
  /// Stops the opening of the matrix that would replace the selected one.
  void stop_opening();
  /// Opens `next`, which then replaces the selected matrix. `step`: its direction in the list.
  void replace_by(const std::string& next, int step);

  std::optional<Replacement> replacement_;
};

}  // namespace spyctrum
