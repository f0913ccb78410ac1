// SPDX-License-Identifier: Apache-2.0
// The settings and the list of recent files, and when they are written. Owns the folders they are kept in and
// what the files say already. Other services notice a setting that changed in their reconcile().
#pragma once

#include <string>
#include <vector>

#include "app/controller/files/settings.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class SettingsService : public Service {
 public:
  /// Writes nothing where `folders` is empty. AppState holds what was remembered already.
  SettingsService(ServiceContext& context, Folders folders);
  ~SettingsService() override;  ///< writes what has changed since refresh()
  void handle(const action::SetSettings& chosen);
  void handle(const action::ClearRecent& chosen);

  /// Writes the files, in the background, where something has changed.
  bool refresh(SteadyTime now) override;

 private:
  Folders folders_;
  bool changed_ = false;             ///< the user changed a setting that is not written yet
  std::vector<std::string> recent_;  ///< as written
};

}  // namespace spyctrum
