// SPDX-License-Identifier: Apache-2.0
// OpenGL's rows begin at the bottom, those of a Picture at the top.
#include "render/readback.hpp"

#include <algorithm>

#include "core/io/export.hpp"
#include "render/gl_check.hpp"

namespace spyctrum::render {
namespace {

Picture read_rows(unsigned framebuffer, PixelSize size) {
  require_gl_thread("read_frame");
  if (size.height == 0 || size.width == 0)
    throw Failure(ErrorCode::wrong_use, "an empty picture cannot be read");
  const std::size_t row = std::size_t{3} * size.width;
  Picture picture{size.height, size.width, std::vector<std::uint8_t>(row * size.height)};
  GLint previous = 0;
  glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &previous);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glNamedFramebufferReadBuffer(framebuffer, framebuffer == 0 ? GL_BACK : GL_COLOR_ATTACHMENT0);
  // Rows of three bytes a pixel are not padded here.
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, static_cast<GLsizei>(size.width), static_cast<GLsizei>(size.height), GL_RGB,
               GL_UNSIGNED_BYTE, picture.rgb.data());
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(previous));
  check_gl("reading a picture of " + std::to_string(size.height) + " x " + std::to_string(size.width) +
           " pixels");
  for (std::size_t top = 0; top < size.height / 2; ++top)
    std::swap_ranges(picture.rgb.begin() + static_cast<std::ptrdiff_t>(top * row),
                     picture.rgb.begin() + static_cast<std::ptrdiff_t>((top + 1) * row),
                     picture.rgb.begin() + static_cast<std::ptrdiff_t>((size.height - 1 - top) * row));
  return picture;
}

}  // namespace

Result<Picture> read_frame(const Context& context) {
  return run_guarded([&] { return read_rows(context.framebuffer(), context.framebuffer_size()); });
}

Result<void> save_picture(const std::string& path, const Picture& picture,
                          const std::vector<std::pair<std::string, std::string>>& text) {
  return write_png(path, picture.height, picture.width, picture.rgb, text);
}

}  // namespace spyctrum::render
