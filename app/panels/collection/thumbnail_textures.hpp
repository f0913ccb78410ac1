// SPDX-License-Identifier: Apache-2.0
// Textures of the thumbnails on the screen. A texture is made when its card is first drawn, and dropped when
// other thumbnails need the memory.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "app/panels/widgets/ui.hpp"
#include "render/texture.hpp"

namespace spyctrum::panels {

class ThumbnailTextures {
 public:
  /// Draws pattern and spectrum beside each other, `side` wide and high each and `gap` apart; null: empty
  /// squares.
  void draw(const Ui& ui, const std::shared_ptr<const Thumbnails>& pictures, ImVec2 at, float side,
            float gap);

 private:
  struct Held {
    std::shared_ptr<const Thumbnails> pictures;  ///< held, so that no other thumbnails get their address
    render::Texture2D texture{render::TexelFormat::rgba8, render::Sampling::linear};
    std::uint64_t used = 0;
  };
  Held& held(const Ui& ui, const std::shared_ptr<const Thumbnails>& pictures);

  std::map<const Thumbnails*, Held> held_;
  std::pair<std::string, std::string> color_maps_{"", ""};  // of the textures: pattern, spectrum
  std::uint64_t clock_ = 0;
};

}  // namespace spyctrum::panels
