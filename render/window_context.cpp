// SPDX-License-Identifier: Apache-2.0
// The desktop window, through GLFW. GLFW chooses X11 or Wayland; its null platform, which has no screen, is
// refused here.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "render/context.hpp"
#include "render/gl_check.hpp"
#include "render/render_target.hpp"

namespace spyctrum::render {
namespace {

constexpr const char* kNoDisplayAdvice =
    "Start it in a desktop session (DISPLAY or WAYLAND_DISPLAY must be set), or draw to a file with "
    "--offscreen.";

/// The text of GLFW's last error, which it clears.
std::string glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text != nullptr ? text : "no reason given";
}

/// GLFW itself, started and stopped with the window.
class GlfwLibrary {
 public:
  GlfwLibrary() {
    if (glfwInit() != GLFW_TRUE)
      throw Failure(ErrorCode::backend_unavailable,
                    "The window system cannot be reached: " + glfw_error() + ".", kNoDisplayAdvice);
    if (glfwGetPlatform() == GLFW_PLATFORM_NULL) {
      glfwTerminate();
      throw Failure(ErrorCode::backend_unavailable, "This program was built without X11 and Wayland.",
                    "Install their headers and build again, or draw to a file with --offscreen.");
    }
  }
  GlfwLibrary(const GlfwLibrary&) = delete;
  GlfwLibrary& operator=(const GlfwLibrary&) = delete;
  ~GlfwLibrary() { glfwTerminate(); }
};

class WindowContext final : public Context {
 public:
  explicit WindowContext(const WindowOptions& options) : options_(fitted(options)) {
    window_ = open(options_);
    try {
      start();
    } catch (...) {
      close();
      throw;
    }
  }
  ~WindowContext() override { close(); }

  void make_current() override {
    glfwMakeContextCurrent(window_);
    claim_gl_thread();
  }
  [[nodiscard]] PixelSize framebuffer_size() const override {
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    return {static_cast<std::uint32_t>(height), static_cast<std::uint32_t>(width)};
  }
  [[nodiscard]] float content_scale() const override {
    float x = 1;
    float y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return x > 0 ? x : 1;
  }
  [[nodiscard]] unsigned framebuffer() const override { return kept_ ? kept_->framebuffer() : 0; }
  [[nodiscard]] bool keeps_frame() const override { return kept_.has_value(); }
  void swap() override {
    if (kept_) {
      const auto height = static_cast<GLint>(kept_->height()), width = static_cast<GLint>(kept_->width());
      // Mesa gives a window's buffer the size of the window when it is bound.
      glBindFramebuffer(GL_READ_FRAMEBUFFER, kept_->framebuffer());
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
      glDisable(GL_SCISSOR_TEST);
      glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glfwSwapBuffers(window_);
  }

  void poll_events() override { glfwPollEvents(); }
  void wait_events(double seconds) override {
    if (seconds < 0)
      glfwWaitEvents();
    else if (seconds == 0)
      glfwPollEvents();
    else
      glfwWaitEventsTimeout(seconds);
  }
  void wake() override { glfwPostEmptyEvent(); }

  [[nodiscard]] bool should_close() const override { return glfwWindowShouldClose(window_) == GLFW_TRUE; }
  void request_close(bool close) override {
    glfwSetWindowShouldClose(window_, close ? GLFW_TRUE : GLFW_FALSE);
  }
  [[nodiscard]] std::vector<std::string> take_dropped_paths() override { return std::exchange(dropped_, {}); }
  void set_title(const std::string& title) override {
    options_.title = title;
    glfwSetWindowTitle(window_, title.c_str());
  }
  Result<void> resize(std::uint32_t width, std::uint32_t height) override {
    if (width == 0 || height == 0 || width > 65535 || height > 65535)
      return fail(ErrorCode::wrong_use, "A window of " + std::to_string(width) + " x " +
                                            std::to_string(height) + " is impossible.");
    glfwSetWindowSize(window_, static_cast<int>(width), static_cast<int>(height));
    return {};
  }
  [[nodiscard]] GLFWwindow* window() const override { return window_; }

 private:
  /// Sets a size in options that have none.
  static WindowOptions fitted(WindowOptions options) {
    if (options.width != 0) return options;
    constexpr int kWidth = 1600, kHeight = 900;
    options.width = kWidth;
    options.height = kHeight;
    GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
    if (monitor == nullptr) return options;
    int x = 0, y = 0, width = 0, height = 0;
    float scale = 1, scale_y = 1;
    glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
    // Only X11 has screen coordinates that are pixels.
    if (glfwGetPlatform() == GLFW_PLATFORM_X11) glfwGetMonitorContentScale(monitor, &scale, &scale_y);
    if (width <= 0 || height <= 0 || !(scale > 0)) return options;
    options.width = std::min(kWidth, static_cast<int>(static_cast<float>(width) / scale));
    options.height = std::min(kHeight, static_cast<int>(static_cast<float>(height) / scale));
    options.maximized |=
        options.width < kWidth || options.height < kHeight;  // leaves room for the window's frame
    return options;
  }
  /// With reports of GPU resets (Context::loss()) where the driver offers them.
  static GLFWwindow* open(const WindowOptions& options) {
    GLFWwindow* window = nullptr;
    for (const int robustness : {GLFW_LOSE_CONTEXT_ON_RESET, GLFW_NO_ROBUSTNESS}) {
      set_hints(options);
      glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, robustness);
      window = glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr, nullptr);
      if (window != nullptr) return window;
    }
    throw Failure(ErrorCode::backend_unavailable,
                  "A window with OpenGL 4.5 cannot be opened: " + glfw_error() + ".",
                  "Update the graphics driver, or start with LIBGL_ALWAYS_SOFTWARE=1 to draw with Mesa's "
                  "software renderer (package libgl1-mesa-dri).");
  }
  void start() {
    glfwSetWindowUserPointer(window_, this);
    glfwSetDropCallback(window_, &WindowContext::keep_drop);
    WindowContext::make_current();
    load_functions(&glfwGetProcAddress);
    glfwSwapInterval(1);
    // The content of a window's own buffers is undefined after a swap.
    if (renderer().starts_with("llvmpipe") || renderer().starts_with("softpipe")) kept_.emplace();
  }
  void fit_framebuffer() override {
    const PixelSize size = framebuffer_size();
    if (kept_ && size.height > 0 && size.width > 0) kept_->resize(size.height, size.width);
  }
  /// A context belongs to its window, so both are replaced. The old window stays until the new one is open.
  void reopen() override {
    WindowOptions options = options_;
    glfwGetWindowSize(window_, &options.width, &options.height);
    options.maximized = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) == GLFW_TRUE;
    options.visible = glfwGetWindowAttrib(window_, GLFW_VISIBLE) == GLFW_TRUE;
    int x = 0;
    int y = 0;
    glfwGetWindowPos(window_, &x, &y);  // on Wayland an error, and the position stays unknown
    const bool has_place = glfwGetError(nullptr) == GLFW_NO_ERROR && !options.maximized;
    const bool closing = should_close();
    kept_.reset();
    GLFWwindow* fresh = open(options);
    std::swap(window_, fresh);
    glfwDestroyWindow(fresh);
    // The stored size already includes the monitor's scale.
    glfwSetWindowSize(window_, options.width, options.height);
    if (has_place) glfwSetWindowPos(window_, x, y);
    request_close(closing);
    start();
  }
  static void set_hints(const WindowOptions& options) {
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CLIENT_API, GLFW_OPENGL_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHint(GLFW_MAXIMIZED, options.maximized ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHintString(GLFW_WAYLAND_APP_ID, "spyctrum");
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "spyctrum");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "spyctrum");
#ifndef NDEBUG
    glfwWindowHint(GLFW_CONTEXT_DEBUG, GLFW_TRUE);
#endif
  }
  static void keep_drop(GLFWwindow* window, int count, const char** paths) {
    auto* self = static_cast<WindowContext*>(glfwGetWindowUserPointer(window));
    self->dropped_.insert(self->dropped_.end(), paths, paths + count);
  }
  void close() {
    if (window_ == nullptr) return;
    kept_.reset();
    release_gl_thread();
    glfwDestroyWindow(window_);
    window_ = nullptr;
  }

  GlfwLibrary library_;
  WindowOptions options_;
  GLFWwindow* window_ = nullptr;
  std::optional<RenderTarget> kept_;  ///< the frame of a software renderer
  std::vector<std::string> dropped_;
};

}  // namespace

Result<std::unique_ptr<Context>> open_window(const WindowOptions& options) {
  return run_guarded([&]() -> std::unique_ptr<Context> { return std::make_unique<WindowContext>(options); });
}

}  // namespace spyctrum::render
