// SPDX-License-Identifier: Apache-2.0
// What both kinds of context share: loading OpenGL and refusing versions below
// 4.5.
#include "render/context.hpp"

#include "render/gl_check.hpp"

namespace spyctrum::render {

Context::~Context() = default;

void Context::load_functions(Loader loader) {
  const int loaded = gladLoadGL(reinterpret_cast<GLADloadfunc>(loader));
  const auto text = [](GLenum name) -> std::string {
    const GLubyte* value = glGetString != nullptr ? glGetString(name) : nullptr;
    return value != nullptr ? reinterpret_cast<const char*>(value) : "unknown";
  };
  const std::string version = text(GL_VERSION);
  renderer_ = text(GL_RENDERER) + " · OpenGL " + version;
  if (loaded < GLAD_MAKE_VERSION(4, 5))
    throw Failure(ErrorCode::backend_unavailable,
                  "OpenGL 4.5 is needed; this driver gives " + version + " (" + text(GL_RENDERER) + ").",
                  "Update the graphics driver, or start with "
                  "LIBGL_ALWAYS_SOFTWARE=1 to draw with Mesa's software "
                  "renderer (package libgl1-mesa-dri).");
  install_debug_messages();
  check_gl("starting OpenGL");
}

}  // namespace spyctrum::render
