// SPDX-License-Identifier: Apache-2.0
// Reads framebuffers with the top row first, whatever their order.
#include "render/readback.hpp"

#include <algorithm>

#include "core/io/export.hpp"
#include "render/gl_check.hpp"

namespace spyctrum::render {
namespace {

Picture read_rows(unsigned framebuffer, std::uint32_t height, std::uint32_t width, RowOrder order) {
  require_gl_thread("read_framebuffer");
  if (height == 0 || width == 0) throw Failure(ErrorCode::wrong_use, "an empty picture cannot be read");
  Picture picture{height, width, {}};
  picture.rgb.resize(std::size_t{3} * height * width);
  GLint previous = 0;
  glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &previous);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glNamedFramebufferReadBuffer(framebuffer, framebuffer == 0 ? GL_BACK : GL_COLOR_ATTACHMENT0);
  // Rows of three bytes a pixel are not padded here.
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height), GL_RGB, GL_UNSIGNED_BYTE,
               picture.rgb.data());
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(previous));
  check_gl("reading a picture of " + std::to_string(height) + " x " + std::to_string(width) + " pixels");
  if (order == RowOrder::bottom_first) {
    const std::size_t row = std::size_t{3} * width;
    for (std::size_t top = 0; top < height / 2; ++top)
      std::swap_ranges(picture.rgb.begin() + static_cast<std::ptrdiff_t>(top * row),
                       picture.rgb.begin() + static_cast<std::ptrdiff_t>((top + 1) * row),
                       picture.rgb.begin() + static_cast<std::ptrdiff_t>((height - 1 - top) * row));
  }
  return picture;
}

}  // namespace

Result<Picture> read_framebuffer(unsigned framebuffer, std::uint32_t height, std::uint32_t width,
                                 RowOrder order) {
  return run_guarded([&] { return read_rows(framebuffer, height, width, order); });
}

Result<Picture> read_panel(const RenderTarget& target) {
  return read_framebuffer(target.framebuffer(), target.height(), target.width(), RowOrder::top_first);
}

Result<Picture> read_frame(const Context& context) {
  const PixelSize size = context.framebuffer_size();
  return read_framebuffer(context.framebuffer(), size.height, size.width, RowOrder::bottom_first);
}

Result<void> save_picture(const std::string& path, const Picture& picture,
                          const std::vector<std::pair<std::string, std::string>>& text) {
  return write_png(path, picture.height, picture.width, picture.rgb, text);
}

}  // namespace spyctrum::render
