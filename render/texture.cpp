// SPDX-License-Identifier: Apache-2.0
// Storage and copying of textures.
#include "render/texture.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "core/base/error.hpp"

namespace spyctrum::render {
namespace {

std::string size_text(std::uint32_t height, std::uint32_t width) {
  return std::to_string(height) + " x " + std::to_string(width);
}

/// All OpenGL is on one thread. OpenGL gives small numbers as names.
std::vector<std::uint64_t>& counts_of_writes() {
  static std::vector<std::uint64_t> counts;
  return counts;
}

}  // namespace

std::uint64_t writes_of(GLuint texture) {
  const std::vector<std::uint64_t>& counts = counts_of_writes();
  return texture < counts.size() ? counts[texture] : 0;
}

void count_write(GLuint texture) {
  std::vector<std::uint64_t>& counts = counts_of_writes();
  if (texture >= counts.size()) counts.resize(texture + std::size_t{1});
  ++counts[texture];
}

void require_texture_size(std::uint32_t height, std::uint32_t width) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  const auto limit = static_cast<std::uint32_t>(std::max(most, 1));
  if (height == 0 || width == 0 || height > limit || width > limit)
    throw Failure(ErrorCode::wrong_use,
                  "A picture of " + size_text(height, width) + " is impossible; this driver allows 1 to " +
                      std::to_string(limit) + " on each side.",
                  "Choose a smaller picture.");
}

std::size_t bytes_per_texel(TexelFormat format) { return format == TexelFormat::rg32f ? 8 : 4; }

bool Texture2D::resize(std::uint32_t height, std::uint32_t width) {
  require_gl_thread("Texture2D::resize");
  if (texture_ && height == height_ && width == width_) return false;
  require_texture_size(height, width);
  GlObject texture = make_texture_2d();
  const int levels = pyramid_ ? static_cast<int>(std::bit_width(std::max(height, width))) : 1;
  glTextureStorage2D(texture.id(), levels, format_ == TexelFormat::rg32f ? GL_RG32F : GL_RGBA8,
                     static_cast<GLsizei>(width), static_cast<GLsizei>(height));
  const GLint filter = sampling_ == Sampling::linear ? GL_LINEAR : GL_NEAREST;
  glTextureParameteri(texture.id(), GL_TEXTURE_MIN_FILTER, pyramid_ ? GL_NEAREST_MIPMAP_NEAREST : filter);
  glTextureParameteri(texture.id(), GL_TEXTURE_MAG_FILTER, filter);
  glTextureParameteri(texture.id(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTextureParameteri(texture.id(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  check_gl("making a texture of " + size_text(height, width));
  texture_ = std::move(texture);
  height_ = height;
  width_ = width;
  levels_ = levels;
  return true;
}

void Texture2D::write_rows(std::uint32_t first_row, std::uint32_t rows, const void* texels) {
  require_gl_thread("Texture2D::write_rows");
  if (rows > height_ || first_row > height_ - rows)
    throw Failure(ErrorCode::internal, "Texture2D::write_rows: rows beyond " + size_text(height_, width_));
  const bool floats = format_ == TexelFormat::rg32f;
  glTextureSubImage2D(texture_.id(), 0, 0, static_cast<GLint>(first_row), static_cast<GLsizei>(width_),
                      static_cast<GLsizei>(rows), floats ? GL_RG : GL_RGBA,
                      floats ? GL_FLOAT : GL_UNSIGNED_BYTE, texels);
  count_write(texture_.id());
}

ColorMapTexture::ColorMapTexture(std::span<const ColorMap> maps) {
  std::vector<std::uint8_t> texels;
  for (const ColorMap& map : maps) {
    names_.push_back(map.name);
    for (const auto& color : map.rgb) texels.insert(texels.end(), {color[0], color[1], color[2], 255});
  }
  if (maps.empty()) throw Failure(ErrorCode::internal, "there is no colour map");
  texture_.resize(static_cast<std::uint32_t>(maps.size()), 256);
  texture_.write_rows(0, static_cast<std::uint32_t>(maps.size()), texels.data());
  check_gl("uploading the colour maps");
}

int ColorMapTexture::row(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found != names_.end() ? static_cast<int>(found - names_.begin()) : 0;
}

}  // namespace spyctrum::render
