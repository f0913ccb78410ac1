// SPDX-License-Identifier: Apache-2.0
// OpenGL without any display: EGL on a device (EGL_EXT_platform_device: NVIDIA, Mesa) or Mesa's surfaceless
// platform, no surface, drawing into a framebuffer object. Hardware devices are tried first, software ones
// after them.
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>

#include "render/context.hpp"
#include "render/gl_check.hpp"
#include "render/render_target.hpp"

namespace spyctrum::render {
namespace {

/// `list` holds names separated by blanks; null: none.
bool has_extension(const char* list, const std::string& name) {
  return list != nullptr && (' ' + std::string(list) + ' ').find(' ' + name + ' ') != std::string::npos;
}

std::string egl_error() {
  char text[32];
  std::snprintf(text, sizeof text, "EGL error 0x%04x", static_cast<unsigned>(eglGetError()));
  return text;
}

template <class Function>
Function egl_function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

/// One display that may give a context.
struct Candidate {
  std::string name;
  EGLDisplay display = EGL_NO_DISPLAY;
  bool software = false;
};

std::vector<Candidate> list_candidates() {
  std::vector<Candidate> found;
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const auto get_display = egl_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  if (get_display == nullptr) return found;
  const auto query_devices = egl_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  const auto query_device = egl_function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
  if (query_devices != nullptr && query_device != nullptr &&
      has_extension(client, "EGL_EXT_platform_device")) {
    EGLint count = 0;
    query_devices(0, nullptr, &count);
    std::vector<EGLDeviceEXT> devices(static_cast<std::size_t>(std::max(count, 0)));
    query_devices(count, devices.data(), &count);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const char* extensions = query_device(devices[i], EGL_EXTENSIONS);
      found.push_back({"EGL device " + std::to_string(i),
                       get_display(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr),
                       has_extension(extensions, "EGL_MESA_device_software")});
    }
  }
  if (has_extension(client, "EGL_MESA_platform_surfaceless"))
    // May be hardware or software: tried last, accepted for either.
    found.push_back(
        {"EGL surfaceless", get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr), true});
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return !a.software && b.software; });
  return found;
}

/// An EGL context current without a surface. Its display stays initialised: a display is shared by the
/// whole process, and ending it would unload the driver, which the next context loads again.
class EglContext {
 public:
  /// Throws Failure with the reason when this display gives no OpenGL 4.5.
  explicit EglContext(const Candidate& candidate) : display_(candidate.display) {
    const auto refuse = [&](const std::string& why) {
      return Failure(ErrorCode::backend_unavailable, candidate.name + ": " + why);
    };
    if (display_ == EGL_NO_DISPLAY) throw refuse("no display, " + egl_error());
    if (eglInitialize(display_, nullptr, nullptr) != EGL_TRUE) throw refuse("not usable, " + egl_error());
    context_ = create_context(true);
    if (context_ == EGL_NO_CONTEXT) context_ = create_context(false);
    if (context_ == EGL_NO_CONTEXT) {
      const std::string error = egl_error();
      throw refuse("no OpenGL 4.5 core context, " + error);
    }
    if (!make_current()) {
      const std::string error = egl_error();
      close();
      throw refuse("no context without a surface, " + error);
    }
  }
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;
  ~EglContext() { close(); }

  [[nodiscard]] bool make_current() {
    return eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE;
  }

 private:
  /// `reports_resets`: a context that reports resets of the GPU (Context::loss()); some drivers offer none.
  EGLContext create_context(bool reports_resets) {
    if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return EGL_NO_CONTEXT;
    // No surface is ever made, so any surface type will do.
    const EGLint surfaces[] = {EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                               EGL_NONE};
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint count = 0;
    if (eglChooseConfig(display_, surfaces, &config, 1, &count) != EGL_TRUE || count == 0)
      config = EGL_NO_CONFIG_KHR;
#ifdef NDEBUG
    constexpr EGLint kDebug = EGL_FALSE;
#else
    constexpr EGLint kDebug = EGL_TRUE;
#endif
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_CONTEXT_OPENGL_DEBUG, kDebug,
                                 // The list ends at the first EGL_NONE.
                                 reports_resets ? EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY : EGL_NONE,
                                 EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE};
    return eglCreateContext(display_, config, EGL_NO_CONTEXT, attributes);
  }
  void close() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglReleaseThread();
  }

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

class OffscreenContext final : public Context {
 public:
  OffscreenContext(const OffscreenOptions& options, Candidate candidate)
      : scale_(options.content_scale),
        candidate_(std::move(candidate)),
        size_{options.height, options.width} {
    open();
  }
  ~OffscreenContext() override {
    target_.reset();
    release_gl_thread();
  }

  void make_current() override {
    if (!egl_ || !egl_->make_current())
      throw Failure(ErrorCode::internal, "The offscreen context cannot be made current: " + egl_error());
    claim_gl_thread();
  }
  [[nodiscard]] PixelSize framebuffer_size() const override { return size_; }
  [[nodiscard]] float content_scale() const override { return scale_; }
  [[nodiscard]] unsigned framebuffer() const override { return target_->framebuffer(); }
  [[nodiscard]] bool keeps_frame() const override { return true; }
  void swap() override { glFlush(); }

  void poll_events() override {
    const std::scoped_lock lock(mutex_);
    woken_ = false;
  }
  void wait_events(double seconds) override {
    std::unique_lock lock(mutex_);
    if (seconds < 0)
      condition_.wait(lock, [this] { return woken_; });
    else
      condition_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return woken_; });
    woken_ = false;
  }
  void wake() override {
    {
      const std::scoped_lock lock(mutex_);
      woken_ = true;
    }
    condition_.notify_all();
  }

  [[nodiscard]] bool should_close() const override { return closing_; }
  void request_close(bool close) override { closing_ = close; }
  [[nodiscard]] std::vector<std::string> take_dropped_paths() override { return {}; }
  void set_title(const std::string& /*title*/) override {}
  Result<void> resize(std::uint32_t width, std::uint32_t height) override {
    return run_guarded([&] {
      target_->resize(height, width);
      size_ = {height, width};
    });
  }
  [[nodiscard]] GLFWwindow* window() const override { return nullptr; }

 private:
  void open() {
    egl_.emplace(candidate_);
    claim_gl_thread();
    load_functions(&eglGetProcAddress);
    target_.emplace();
    target_->resize(size_.height, size_.width);
  }
  void reopen() override {
    target_.reset();
    release_gl_thread();
    // The old context is closed before the new one is opened, so that the driver never holds two at a time.
    egl_.reset();
    open();
  }

  float scale_;
  Candidate candidate_;
  PixelSize size_;
  std::optional<EglContext> egl_;
  std::optional<RenderTarget> target_;  // destroyed before its context
  bool closing_ = false;
  std::mutex mutex_;
  std::condition_variable condition_;
  bool woken_ = false;
};

std::unique_ptr<Context> open_first(const OffscreenOptions& options) {
  std::string reasons;
  for (const Candidate& candidate : list_candidates()) {
    if ((options.device == OffscreenDevice::hardware && candidate.software) ||
        (options.device == OffscreenDevice::software && !candidate.software))
      continue;
    try {
      return std::make_unique<OffscreenContext>(options, candidate);
    } catch (const Failure& failure) {
      release_gl_thread();
      if (failure.error().code != ErrorCode::backend_unavailable) throw;
      reasons += (reasons.empty() ? " " : "; ") + failure.error().what;
    }
  }
  if (reasons.empty()) reasons = " EGL offers no device.";
  throw Failure(ErrorCode::backend_unavailable, "OpenGL 4.5 cannot be had without a display." + reasons,
                "Install Mesa's software renderer (packages libegl-mesa0 and libgl1-mesa-dri on Debian and "
                "Ubuntu) or the EGL library of the graphics driver.");
}

}  // namespace

Result<std::unique_ptr<Context>> open_offscreen(const OffscreenOptions& options) {
  return run_guarded([&] { return open_first(options); });
}

}  // namespace spyctrum::render
