// SPDX-License-Identifier: Apache-2.0
// Texture and framebuffer of a picture in memory.
#include "render/render_target.hpp"

#include <string>

#include "core/base/error.hpp"

namespace spyctrum::render {

RenderTarget::RenderTarget() { require_gl_thread("RenderTarget"); }

bool RenderTarget::resize(std::uint32_t height, std::uint32_t width) {
  require_gl_thread("RenderTarget::resize");
  if (height == this->height() && width == this->width()) return false;
  const std::string what =
      "making a picture of " + std::to_string(height) + " x " + std::to_string(width) + " pixels";
  // Its texels are not filtered: at one texel per pixel that would only blur fractional positions.
  Texture2D texture(TexelFormat::rgba8);
  texture.resize(height, width);
  GlObject framebuffer = make_framebuffer();
  glNamedFramebufferTexture(framebuffer.id(), GL_COLOR_ATTACHMENT0, texture.id(), 0);
  if (glCheckNamedFramebufferStatus(framebuffer.id(), GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw Failure(ErrorCode::internal, what + ": framebuffer not complete");
  check_gl(what);
  texture_ = std::move(texture);
  framebuffer_ = std::move(framebuffer);
  return true;
}

ScopedDrawing::ScopedDrawing(GLuint framebuffer, std::uint32_t height, std::uint32_t width) {
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer_);
  glGetIntegerv(GL_VIEWPORT, viewport_);
  blend_ = glIsEnabled(GL_BLEND);
  scissor_ = glIsEnabled(GL_SCISSOR_TEST);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height));
  glDisable(GL_BLEND);
  glDisable(GL_SCISSOR_TEST);
}

ScopedDrawing::~ScopedDrawing() {
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(framebuffer_));
  glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
  if (blend_ == GL_TRUE) glEnable(GL_BLEND);
  if (scissor_ == GL_TRUE) glEnable(GL_SCISSOR_TEST);
}

}  // namespace spyctrum::render
