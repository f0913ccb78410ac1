// SPDX-License-Identifier: Apache-2.0
// The settings and the list of recent files, and when they are written. Owns the folders of the files and
// their present content. Other services notice a changed setting in their reconcile().
#pragma once

#include <string>
#include <vector>

#include "app/controller/files/settings.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class SettingsService : public Service {
 public:
  /// Writes nothing if `folders` is empty. AppState already contains the stored settings.
  SettingsService(ServiceContext& context, Folders folders);
  ~SettingsService() override;  ///< writes what has changed since refresh()
  void handle(const action::SetSettings& chosen);
  void handle(const action::ClearRecent& /*chosen*/) { state().recent.clear(); }

  /// Writes the files in the background if something has changed.
  bool refresh(SteadyTime now) override;

 private:
  Folders folders_;
  bool changed_ = false;             ///< the user changed a setting that is not written yet
  std::vector<std::string> recent_;  ///< as written
};

}  // namespace spyctrum
