// SPDX-License-Identifier: Apache-2.0
// Textures of the gallery's sketches: as single cells they would be a hundred thousand triangles of each
// frame.
#pragma once

#include <imgui.h>

#include <map>

#include "app/panels/widgets/gallery_sketch.hpp"
#include "render/texture.hpp"

namespace spyctrum::panels {

class SketchTextures {
 public:
  /// Draws matrix and spectrum beside each other, `side` wide and high each and `gap` apart, on a dark ground
  /// with rounded corners.
  void draw(const GallerySketch& sketch, ImVec2 at, float side, float gap);

 private:
  std::map<const GallerySketch*, render::Texture2D> textures_;  ///< matrix and spectrum beside each other
};

}  // namespace spyctrum::panels
