// SPDX-License-Identifier: Apache-2.0
// Pictures of the panels, made by the program itself (tests/gui/help_test.cpp), as textures.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "render/texture.hpp"

namespace spyctrum::panels {

class HelpPictures {
 public:
  /// The picture assets/help/NAME.png; null where there is none.
  [[nodiscard]] const render::Texture2D* find(const std::string& name);

 private:
  std::map<std::string, std::unique_ptr<render::Texture2D>> textures_;  ///< null: there is no such file
};

}  // namespace spyctrum::panels
