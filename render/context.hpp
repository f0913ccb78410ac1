// SPDX-License-Identifier: Apache-2.0
// Where OpenGL 4.5 core draws: a window on the desktop (GLFW; X11 or Wayland) or a picture in memory with no
// display at all (EGL on a device or surfaceless; Mesa's software renderer will do). Everything above this
// file is the same for both.
//
// Dear ImGui: with a window, imgui_impl_glfw takes window(); offscreen, window() is null, the caller feeds
// ImGuiIO (display size, scale, time, input) itself and only imgui_impl_opengl3 draws, into the target of
// begin_frame().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"

struct GLFWwindow;

namespace spyctrum::render {

struct WindowOptions {
  std::string title = "Spyctrum";
  /// Screen coordinates, before HiDPI scaling; 0: 1600 × 900, or the whole screen where that is smaller.
  int width = 0, height = 0;
  bool maximized = false;
  bool visible = true;
};

/// Which EGL device an offscreen context takes.
enum class OffscreenDevice {
  any,       ///< the first that gives OpenGL 4.5; hardware before software
  hardware,  ///< no software renderer
  software,  ///< Mesa's llvmpipe: the same picture on every machine
};

struct OffscreenOptions {
  std::uint32_t width = 1920, height = 1080;  ///< pixels
  float content_scale = 1;
  OffscreenDevice device = OffscreenDevice::any;
};

struct PixelSize {
  std::uint32_t height = 0, width = 0;
  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

/// Pixels of a framebuffer; the first row is the top one.
struct PixelRect {
  int left = 0, top = 0, right = 0, bottom = 0;
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

/// The OpenGL context of the program and its event loop; one exists at a time. The thread that opened it
/// makes all calls of OpenGL and of this class, except wake() (gl_check.hpp). Objects that own OpenGL objects
/// must be destroyed before the context.
class Context {
 public:
  virtual ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Makes this context current on the calling thread, which becomes the OpenGL thread.
  virtual void make_current() = 0;
  [[nodiscard]] virtual PixelSize framebuffer_size() const = 0;
  /// Physical pixels per logical pixel for fonts and spacing (2 on a HiDPI screen).
  [[nodiscard]] virtual float content_scale() const = 0;
  /// Binds the framebuffer that the frame is drawn into, viewport over all of it, and clears it.
  void begin_frame();
  /// As begin_frame(), but clears only `parts` if the framebuffer still holds the last frame (keeps_frame()).
  void begin_frame(std::span<const PixelRect> parts);
  /// OpenGL name of the framebuffer that begin_frame() binds; 0: the window's own.
  [[nodiscard]] virtual unsigned framebuffer() const = 0;
  /// Whether the framebuffer still holds the last frame after swap(), unless its size changed. True offscreen
  /// and in a window drawn by a software renderer, which draws the changed parts of a screen much faster than
  /// all of it.
  [[nodiscard]] virtual bool keeps_frame() const = 0;
  /// Shows the frame: swaps the window's buffers (waits for vertical sync), or flushes.
  virtual void swap() = 0;

  virtual void poll_events() = 0;
  /// Sleeps until there is an event, wake() is called, or `seconds` have passed
  /// (negative: without limit). A wake() made since the last wait counts.
  virtual void wait_events(double seconds) = 0;
  /// Ends a wait_events() at once. From any thread.
  virtual void wake() = 0;

  [[nodiscard]] virtual bool should_close() const = 0;
  virtual void request_close(bool close) = 0;
  /// Paths of files dropped on the window since the last call.
  [[nodiscard]] virtual std::vector<std::string> take_dropped_paths() = 0;
  virtual void set_title(const std::string& title) = 0;
  /// Errors: wrong_use for a size that is zero or beyond what OpenGL allows.
  virtual Result<void> resize(std::uint32_t width, std::uint32_t height) = 0;

  /// Why the context was lost (a reset of the GPU, its driver or its power); empty if it was not lost, or if
  /// the driver does not report resets. To be called once a frame. After a loss all objects made in the
  /// context are invalid (gl_check.hpp): destroy their owners, then call renew().
  [[nodiscard]] const std::string& loss();
  /// Replaces a lost context by a new one, once the driver has ended its reset. The window is also replaced,
  /// with the same size, title and state. Errors: backend_unavailable if no context could be opened; renew()
  /// may then be called again.
  [[nodiscard]] Result<void> renew();

  /// The window; null offscreen.
  [[nodiscard]] virtual GLFWwindow* window() const = 0;
  [[nodiscard]] bool is_offscreen() const { return window() == nullptr; }
  /// GL_RENDERER and GL_VERSION, as in "llvmpipe (LLVM 15.0.6, 256 bits) · OpenGL 4.5 (Core Profile) Mesa
  /// 22.3.6".
  [[nodiscard]] const std::string& renderer() const { return renderer_; }

 protected:
  Context() = default;
  /// Loads the OpenGL functions and fills renderer_; throws Failure when the version is below 4.5.
  using Loader = void (*(*)(const char*))();
  /// Called at the beginning of a frame: the framebuffer takes the size of the window.
  virtual void fit_framebuffer() {}
  void load_functions(Loader loader);

 private:
  /// Opens the new context, makes it current and closes the old one. Throws Failure.
  virtual void reopen() = 0;

  std::string renderer_, loss_;
};

/// Opens the desktop window. Errors: backend_unavailable when there is no display, no driver, or OpenGL below
/// 4.5.
[[nodiscard]] Result<std::unique_ptr<Context>> open_window(const WindowOptions& options = {});

/// Opens a context that draws into memory. Errors: backend_unavailable, with the reason that each EGL device
/// gave; wrong_use for an impossible size.
[[nodiscard]] Result<std::unique_ptr<Context>> open_offscreen(const OffscreenOptions& options = {});

}  // namespace spyctrum::render
