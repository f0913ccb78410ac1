// SPDX-License-Identifier: Apache-2.0
// Reading a texture of rg32f back from OpenGL.
#pragma once

#include <algorithm>
#include <vector>

#include "render/gl_check.hpp"
#include "render/texture.hpp"

namespace spyctrum::test {

/// The content of a level, row 0 first: 2·height·width floats. Waits for the GPU.
inline std::vector<float> read_floats(const render::Texture2D& texture, int level = 0) {
  const auto side = [level](std::uint32_t size) { return std::max<std::size_t>(size >> level, 1); };
  std::vector<float> texels(2 * side(texture.height()) * side(texture.width()));
  glGetTextureImage(texture.id(), level, GL_RG, GL_FLOAT, static_cast<GLsizei>(texels.size() * sizeof(float)),
                    texels.data());
  render::check_gl("reading a texture");
  return texels;
}

}  // namespace spyctrum::test
