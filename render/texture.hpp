// SPDX-License-Identifier: Apache-2.0
// Textures that the shaders read: cells of an image (two floats each) and colour maps.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/pictures/colormap.hpp"
#include "render/gl_check.hpp"

namespace spyctrum::render {

/// A number that grows whenever the texels of the texture with this OpenGL name are written, also after
/// OpenGL has given the name to another texture: while it stays, the texels stay. Only for textures of opaque
/// texels for the screen; 0 for all others.
[[nodiscard]] std::uint64_t writes_of(GLuint texture);
void count_write(GLuint texture);

/// Throws Failure(wrong_use) unless a texture of this size can be made: 1 …
/// GL_MAX_TEXTURE_SIZE on both axes.
void require_texture_size(std::uint32_t height, std::uint32_t width);

enum class TexelFormat {
  rg32f,  ///< two floats
  rgba8,  ///< four bytes, 0 … 255 read as 0 … 1
};
[[nodiscard]] std::size_t bytes_per_texel(TexelFormat format);

enum class Sampling {
  nearest,  ///< the texel at the place
  linear,   ///< between the four texels around it
};

/// A 2-D texture, row 0 first (the top row of what it shows), no wrapping. With `pyramid`, it has storage for
/// every halved level down to 1×1; each level's sides are the floor of half of those above, at least 1.
class Texture2D {
 public:
  explicit Texture2D(TexelFormat format, bool pyramid = false) : format_(format), pyramid_(pyramid) {}
  Texture2D(TexelFormat format, Sampling sampling) : format_(format), sampling_(sampling) {}
  /// Same size: nothing happens, the content stays and false is returned. Otherwise a new texture, content
  /// undefined. Throws Failure: wrong_use for an impossible size, out_of_memory.
  bool resize(std::uint32_t height, std::uint32_t width);
  /// Copies rows [first_row, first_row + rows) from `texels` (tightly packed), or from the bound pixel-unpack
  /// buffer at offset `texels` when one is bound.
  void write_rows(std::uint32_t first_row, std::uint32_t rows, const void* texels);

  [[nodiscard]] GLuint id() const { return texture_.id(); }
  [[nodiscard]] std::uint32_t height() const { return height_; }
  [[nodiscard]] std::uint32_t width() const { return width_; }
  [[nodiscard]] int levels() const { return levels_; }
  [[nodiscard]] TexelFormat format() const { return format_; }

 private:
  TexelFormat format_;
  bool pyramid_ = false;
  Sampling sampling_ = Sampling::nearest;
  GlObject texture_;
  std::uint32_t height_ = 0, width_ = 0;
  int levels_ = 0;
};

/// Colour maps as rows of one 256-wide texture: choosing a map is choosing a row.
class ColorMapTexture {
 public:
  explicit ColorMapTexture(std::span<const ColorMap> maps);
  [[nodiscard]] GLuint id() const { return texture_.id(); }
  /// Row of the map of that name; row 0 when there is none.
  [[nodiscard]] int row(std::string_view name) const;

 private:
  Texture2D texture_{TexelFormat::rgba8};
  std::vector<std::string_view> names_;
};

}  // namespace spyctrum::render
