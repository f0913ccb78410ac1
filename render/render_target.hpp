// SPDX-License-Identifier: Apache-2.0
// A picture in memory that OpenGL draws into: an RGBA8 texture with its framebuffer. Panels draw into one,
// the interface shows its texture.
#pragma once

#include <cstdint>

#include "render/gl_check.hpp"
#include "render/texture.hpp"

namespace spyctrum::render {

class RenderTarget {
 public:
  /// Throws Failure(internal) without a context on this thread.
  RenderTarget();
  /// Same size: nothing happens and the content stays. Otherwise the content is undefined. Throws Failure:
  /// wrong_use for a size of 0 or beyond GL_MAX_TEXTURE_SIZE, out_of_memory. Returns whether it changed.
  bool resize(std::uint32_t height, std::uint32_t width);

  [[nodiscard]] std::uint32_t height() const { return texture_.height(); }
  [[nodiscard]] std::uint32_t width() const { return texture_.width(); }
  [[nodiscard]] GLuint texture() const { return texture_.id(); }
  [[nodiscard]] GLuint framebuffer() const { return framebuffer_.id(); }

 private:
  Texture2D texture_{TexelFormat::rgba8};
  GlObject framebuffer_;
};

/// Draws into a framebuffer for the length of a scope: binds it with a viewport over all of it and puts back
/// the binding, viewport, blending and scissor that were there.
class ScopedDrawing {
 public:
  ScopedDrawing(GLuint framebuffer, std::uint32_t height, std::uint32_t width);
  ScopedDrawing(const ScopedDrawing&) = delete;
  ScopedDrawing& operator=(const ScopedDrawing&) = delete;
  ~ScopedDrawing();

 private:
  GLint framebuffer_ = 0;
  GLint viewport_[4] = {0, 0, 0, 0};
  GLboolean blend_ = GL_FALSE, scissor_ = GL_FALSE;
};

}  // namespace spyctrum::render
