// SPDX-License-Identifier: Apache-2.0
// What the window context and the offscreen context share: loading OpenGL, refusing versions below 4.5, and
// asking whether the GPU was reset.
#include "render/context.hpp"

#include <chrono>
#include <string_view>
#include <thread>

#include "render/gl_check.hpp"

namespace spyctrum::render {

namespace {

/// The longest wait for the end of a reset: some drivers report one for ever.
constexpr int kMostWaits = 200;
constexpr std::chrono::milliseconds kWait{10};

const char* reason_of(GLenum status) {
  if (status == GL_NO_ERROR) return "";
  if (status == GL_GUILTY_CONTEXT_RESET) return "a fault while this program drew";
  if (status == GL_INNOCENT_CONTEXT_RESET) return "a fault while another program used the GPU";
  return "the driver does not say why";
}

/// The reset status where the context was opened without reset reports: always GL_NO_ERROR.
GLenum reset_status() {
  return glGetGraphicsResetStatus != nullptr ? glGetGraphicsResetStatus() : GLenum{GL_NO_ERROR};
}

// glGetString() and glGetStringi() return null where they fail; glad and Dear ImGui read the result without a
// check.
void (*(*given_loader)(const char*))() = nullptr;
PFNGLGETSTRINGPROC given_get_string = nullptr;
PFNGLGETSTRINGIPROC given_get_string_at = nullptr;
const GLubyte* or_empty(const GLubyte* value) {
  return value != nullptr ? value : reinterpret_cast<const GLubyte*>("");
}
const GLubyte* GLAD_API_PTR get_string(GLenum name) {
  return or_empty(given_get_string != nullptr ? given_get_string(name) : nullptr);
}
const GLubyte* GLAD_API_PTR get_string_at(GLenum name, GLuint index) {
  return or_empty(given_get_string_at(name, index));
}
GLADapiproc load(const char* name) {
  auto* const function = reinterpret_cast<GLADapiproc>(given_loader(name));
  if (function == nullptr) return function;
  if (std::string_view(name) == "glGetString") {
    given_get_string = reinterpret_cast<PFNGLGETSTRINGPROC>(function);
    return reinterpret_cast<GLADapiproc>(&get_string);
  }
  if (std::string_view(name) == "glGetStringi") {
    given_get_string_at = reinterpret_cast<PFNGLGETSTRINGIPROC>(function);
    return reinterpret_cast<GLADapiproc>(&get_string_at);
  }
  return function;
}

}  // namespace

Context::~Context() = default;

const std::string& Context::loss() {
  if (!loss_.empty()) return loss_;
  require_gl_thread("Context::loss");
  loss_ = reason_of(reset_status());
  if (!loss_.empty()) forget_gl_objects();
  return loss_;
}

Result<void> Context::renew() {
  return run_guarded([&] {
    for (int k = 0; k < kMostWaits && on_gl_thread() && reset_status() != GL_NO_ERROR; ++k)
      std::this_thread::sleep_for(kWait);
    reopen();
    loss_.clear();
  });
}

void Context::begin_frame() {
  const PixelSize size = framebuffer_size();
  const PixelRect all{0, 0, static_cast<int>(size.width), static_cast<int>(size.height)};
  begin_frame({&all, 1});
}

void Context::begin_frame(std::span<const PixelRect> parts) {
  require_gl_thread("begin_frame");
  fit_framebuffer();
  const PixelSize size = framebuffer_size();
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer());
  glViewport(0, 0, static_cast<GLsizei>(size.width), static_cast<GLsizei>(size.height));
  glEnable(GL_SCISSOR_TEST);
  glClearColor(0, 0, 0, 1);
  for (const PixelRect& part : parts) {
    glScissor(part.left, static_cast<GLint>(size.height) - part.bottom, part.right - part.left,
              part.bottom - part.top);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  glDisable(GL_SCISSOR_TEST);
}

void Context::load_functions(Loader loader) {
  given_loader = loader;
  const int loaded = gladLoadGL(load);
  const auto text = [](GLenum name) -> std::string {
    const std::string value = reinterpret_cast<const char*>(get_string(name));
    return value.empty() ? "unknown" : value;
  };
  const std::string version = text(GL_VERSION);
  renderer_ = text(GL_RENDERER) + " · OpenGL " + version;
  if (loaded < GLAD_MAKE_VERSION(4, 5))
    throw Failure(ErrorCode::backend_unavailable,
                  "OpenGL 4.5 is needed; this driver gives " + version + " (" + text(GL_RENDERER) + ").",
                  "Update the graphics driver, or start with LIBGL_ALWAYS_SOFTWARE=1 to draw with Mesa's "
                  "software renderer (package libgl1-mesa-dri).");
  check_gl("starting OpenGL");
}

}  // namespace spyctrum::render
