// SPDX-License-Identifier: Apache-2.0
// The pixels of a panel's picture, whose rows begin at the top.
#pragma once

#include "render/readback.hpp"
#include "render/render_target.hpp"

namespace spyctrum::test {

/// Throws Failure if OpenGL refuses.
inline render::Picture read_panel(const render::RenderTarget& target) {
  render::Picture picture{target.height(), target.width(), {}};
  picture.rgb.resize(std::size_t{3} * picture.height * picture.width);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(target.texture(), 0, GL_RGB, GL_UNSIGNED_BYTE, static_cast<GLsizei>(picture.rgb.size()),
                    picture.rgb.data());
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  render::check_gl("reading a panel");
  return picture;
}

}  // namespace spyctrum::test
