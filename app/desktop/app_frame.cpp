// SPDX-License-Identifier: Apache-2.0
// Frames are drawn on demand. While nothing happens the loop sleeps in the window system; input, a job's
// result or a panel's request for a frame wakes it.
#include "app/desktop/app_frame.hpp"

// ImGui's backends come after GLFW, which must not bring its own OpenGL header.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/controller/controller.hpp"
#include "app/desktop/changed_parts.hpp"
#include "app/panels/panels.hpp"
#include "app/panels/widgets/fonts.hpp"
#include "app/panels/widgets/theme.hpp"
#include "render/context.hpp"
#include "render/gl_check.hpp"
#include "render/readback.hpp"

namespace spyctrum {

namespace {

// Frames after an input: ImGui needs a few to settle hover, focus and new windows.
constexpr int kFramesAfterInput = 3;
// Seconds: a panel that requests a frame sooner is still changing the screen, e.g. uploading a texture.
constexpr double kSoon = 0.05;
constexpr int kSettlingFrames = 60;              // at most, until a screen without jobs is at rest
constexpr double kOffscreenFrameInterval = 1.0;  // seconds, while jobs run
// Progress alone is drawn ten times a second: drawing in software takes time from the job itself.
constexpr double kProgressInterval = 0.1;
// At most so many frames in a row are not shown because a panel in them has no size yet.
constexpr int kMostFramesLeftOut = 3;
// After a reset of the GPU the driver may refuse a new context for a while.
constexpr int kMostRenewals = 30;
constexpr std::chrono::seconds kBetweenRenewals{1};

using Clock = std::chrono::steady_clock;

double seconds_until(Clock::time_point time) {
  return std::chrono::duration<double>(time - Clock::now()).count();
}

/// The smaller of two waits, where negative means none.
double sooner(double a, double b) {
  if (a < 0) return b;
  return b < 0 ? a : std::min(a, b);
}

/// ImGui does not check the memory that it is given, and cannot continue after an exception inside its own
/// functions: if memory is refused, the program ends (end_where_memory_is_refused()).
void* allocate(std::size_t bytes, void* /*user*/) noexcept { return ::operator new(bytes); }
void release(void* memory, void* /*user*/) { ::operator delete(memory); }

// Set by the window system when a part of the window was uncovered and must be drawn again.
bool needs_refresh = false;

}  // namespace

struct AppFrame::Impl {
  Impl(render::Context& given_context, Controller& given_controller, Options given_options)
      : context(given_context), controller(given_controller), options(std::move(given_options)) {
    ImGui::SetAllocatorFunctions(allocate, release);
    ImGui::CreateContext();
    ImPlot::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    io.IniFilename = options.ini_path.empty() ? nullptr : options.ini_path.c_str();
    io.LogFilename = nullptr;
    start_backends();
    load_fonts();
    update_style();
    panels.emplace();
    controller.set_renderer_facts(context.renderer());
  }

  ~Impl() {
    panels.reset();
    forget_fonts();
    stop_backends();
    ImPlot::DestroyContext();
    ImGui::DestroyContext();
  }

  void stop_backends() {
    if (!std::exchange(has_backends, false)) return;
    ImGui_ImplOpenGL3_Shutdown();
    if (!context.is_offscreen()) {
      glfwSetWindowRefreshCallback(context.window(), nullptr);
      ImGui_ImplGlfw_Shutdown();
    }
  }

  void start_backends() {
    if (!context.is_offscreen()) {
      if (!ImGui_ImplGlfw_InitForOpenGL(context.window(), true))
        throw Failure(ErrorCode::backend_unavailable, "Input of the window could not be set up.");
      glfwSetWindowRefreshCallback(context.window(), [](GLFWwindow*) { needs_refresh = true; });
    }
    if (!ImGui_ImplOpenGL3_Init("#version 450 core"))
      throw Failure(ErrorCode::backend_unavailable, "The renderer of the interface could not start.");
    has_backends = true;
    // Without the check the first frame would be drawn without shaders and buffers.
    if (!ImGui_ImplOpenGL3_CreateDeviceObjects())
      throw Failure(ErrorCode::backend_unavailable, "The renderer of the interface could not start.");
    render::check_gl("starting the renderer of the interface");
  }

  /// After a reset of the GPU: destroys all OpenGL objects while the lost context is still current (CUDA's
  /// registrations must end in it) and creates them again in a new context. Jobs and results are not
  /// affected. Throws Failure where the driver gives no context any more.
  void renew_context() {
    const std::string reason = context.loss();
    panels->drop_pictures();
    stop_backends();
    Result<void> renewed = context.renew();
    for (int k = 1; k < kMostRenewals && !renewed; ++k) {
      std::this_thread::sleep_for(kBetweenRenewals);
      renewed = context.renew();
    }
    or_throw(std::move(renewed));
    start_backends();
    panels->make_pictures();
    shown.forget();
    controller.note_renewed_graphics(reason, context.renderer());
  }

  /// The scale of type and spacing in ImGui's units, which are window coordinates. On Wayland a coordinate
  /// may have several pixels; that part of the scale is left out.
  [[nodiscard]] float target_scale() const {
    const AppState& state = controller.state();
    double target = options.scale > 0 ? options.scale : state.settings.ui_scale;
    if (target <= 0) target = context.content_scale();
    if (state.interface.presentation) target *= double{kPresentationScale};
    if (!context.is_offscreen()) {
      int width = 0;
      int height = 0;
      glfwGetWindowSize(context.window(), &width, &height);
      if (width > 0 && height > 0) target *= static_cast<double>(width) / context.framebuffer_size().width;
    }
    return static_cast<float>(std::clamp(target, 0.5, 8.0));
  }

  void update_style() {
    const float new_scale = target_scale();
    const Theme new_theme = controller.state().settings.theme;
    if (new_scale == scale && theme == new_theme) return;
    scale = new_scale;
    theme = new_theme;
    apply_theme(new_theme, scale);
    ImGuiStyle& style = ImGui::GetStyle();
    style.FontSizeBase = 14;
    style.FontScaleMain = 1;
    style.FontScaleDpi = scale;
  }

  /// Removes from ImGui's queue, and returns, the events that must wait for the next frame: the first of
  /// these and all after it.
  /// - The release of a modifier after the press of a key: ImGui gives a key the modifiers that are down at
  /// the end
  ///   of the frame's events.
  /// - The press of a mouse button after a movement: widgets that others may overlap, such as tabs, are
  /// pressed only
  ///   if the mouse was over them in the frame before.
  static std::vector<ImGuiInputEvent> events_of_later_frames() {
    ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
    bool pressed = false, moved = false;
    for (int k = 0; k < queue.Size; ++k) {
      const ImGuiInputEvent& event = queue[k];
      bool is_later = false;
      if (event.Type == ImGuiInputEventType_MousePos) {
        moved = true;
      } else if (event.Type == ImGuiInputEventType_MouseButton) {
        is_later = moved && event.MouseButton.Down;
      } else if (event.Type == ImGuiInputEventType_Key) {
        const bool modifier = (event.Key.Key & ImGuiMod_Mask_) != 0;
        pressed |= event.Key.Down && !modifier;
        is_later = pressed && modifier && !event.Key.Down;
      }
      if (!is_later) continue;
      std::vector<ImGuiInputEvent> later(queue.begin() + k, queue.end());
      queue.resize(k);
      return later;
    }
    return {};
  }

  void new_frame() const {
    ImGui_ImplOpenGL3_NewFrame();
    if (context.is_offscreen()) {
      const render::PixelSize size = context.framebuffer_size();
      ImGuiIO& io = ImGui::GetIO();
      io.DisplaySize = {static_cast<float>(size.width), static_cast<float>(size.height)};
      io.DeltaTime = 1.0F / 60;  // pictures and tests must not depend on how fast this machine draws
    } else {
      ImGui_ImplGlfw_NewFrame();
    }
    const std::vector<ImGuiInputEvent> later = events_of_later_frames();
    ImGui::NewFrame();
    for (const ImGuiInputEvent& event : later) ImGui::GetCurrentContext()->InputEventsQueue.push_back(event);
  }

  /// Draws the panels. If one throws, the frame ends with what was drawn so far, and the error is reported
  /// once.
  void draw_panels() {
    ActionQueue actions;
    ImGuiErrorRecoveryState recovery;
    ImGui::ErrorRecoveryStoreState(&recovery);
    try {
      panels->use(controller.pictures(), controller.device());
      panels->draw(controller.state(), actions);
      Panels::UploadFacts facts = panels->upload_facts();
      controller.set_upload_path(std::move(facts.path), std::move(facts.reason));
      failure_said.clear();
    } catch (const std::exception& failure) {
      ImGui::ErrorRecoveryTryToRecoverState(&recovery);
      // Every call fails after the context was lost; the next frame gets a new one.
      if (context.loss().empty() && failure_said != failure.what()) {
        failure_said = failure.what();
        actions.emplace_back(action::Notify{Level::error, "A panel could not be drawn: " + failure_said});
      }
    }
    ImGui::Render();
    controller.dispatch(actions);
    acted = !actions.empty();
  }

  /// Opens the files that were dropped on the window; returns whether there were any.
  bool take_drops() {
    bool first = true;
    for (std::string& path : context.take_dropped_paths())
      controller.dispatch(action::OpenFile{std::move(path), std::exchange(first, false)});
    return !first;
  }

  /// Whether ImGui hides docked panels in this frame because it does not know their sizes yet. In its first
  /// frame it does not know the menu bar's and whether there are scroll bars.
  static bool hides_panels() {
    if (ImGui::GetFrameCount() < 2) return true;
    return std::ranges::any_of(ImGui::GetCurrentContext()->Windows, [](const ImGuiWindow* window) {
      return window->Active && window->DockNode != nullptr && window->HiddenFramesCannotSkipItems > 0;
    });
  }

  /// The parts of the screen that this frame changes.
  std::vector<render::PixelRect> changes() {
    const ImDrawData& data = *ImGui::GetDrawData();
    for (const ImTextureData* texture : *data.Textures)
      if (texture->Status != ImTextureStatus_OK) shown.forget();
    if (!(context.framebuffer_size() == drawn_size)) shown.forget();
    return shown.compare(data);
  }

  /// Dear ImGui uploads the vertices of a list and draws them without checking OpenGL's errors; a driver that
  /// refused a buffer would then read through a null pointer. Throws Failure before that.
  void render_checked(ImDrawData& data) {
    ImDrawCmd check;
    check.UserCallbackData = &context;
    check.UserCallback = [](const ImDrawList*, const ImDrawCmd* command) {
      // A lost context reports errors; the next frame gets a new context.
      if (static_cast<render::Context*>(command->UserCallbackData)->loss().empty())
        render::check_gl("handing the interface to OpenGL");
    };
    for (ImDrawList* list : data.CmdLists) list->CmdBuffer.push_front(check);
    ImGui_ImplOpenGL3_RenderDrawData(&data);
  }

  /// Draws the parts of the screen that have changed: a software renderer takes tens of milliseconds for all
  /// of it.
  void draw_parts(const std::vector<render::PixelRect>& parts) {
    ImDrawData& data = *ImGui::GetDrawData();
    if (!context.keeps_frame() || !can_draw_parts(data)) {
      context.begin_frame();
      return render_checked(data);
    }
    draw_within(
        data, parts, [&](const std::vector<render::PixelRect>& bare) { context.begin_frame(bare); },
        [&](ImDrawData* seen) { render_checked(*seen); });
  }

  /// Throws Failure where the driver refuses twice.
  void draw_changes(const std::vector<render::PixelRect>& parts) {
    try {
      draw_parts(parts);
    } catch (const Failure&) {
      draw_parts(parts);
    }
  }

  void frame(const std::string& picture_path = {}) {
    const Clock::time_point began = Clock::now();
    if (!context.loss().empty()) renew_context();
    (void)take_drops();
    controller.poll();
    update_style();
    new_frame();
    draw_panels();
    const OpenMatrix* matrix = controller.state().matrix();
    const std::string new_title = matrix == nullptr ? "Spyctrum" : matrix->matrix.name + " – Spyctrum";
    if (title != new_title) context.set_title(title = new_title);
    if (!picture_path.empty()) shown.forget();  // the PNG is read from a buffer that must be drawn as a whole
    left_out = picture_path.empty() && hides_panels() && left_out < kMostFramesLeftOut ? left_out + 1 : 0;
    if (left_out > 0) {  // the screen keeps the last frame
      last_frame = Clock::now();
      frames_due = std::max(frames_due, 1);
      return;
    }
    if (const std::vector<render::PixelRect> parts = changes(); !parts.empty()) {
      draw_changes(parts);
      if (!picture_path.empty()) captured = save(picture_path);
      context.swap();
      ++frames_drawn;
    } else if (!picture_path.empty()) {
      captured = fail(ErrorCode::output, "No picture was written, since the window has no size.",
                      "Restore the window and save again.");
    }
    last_frame = Clock::now();
    frame_seconds = std::chrono::duration<double>(last_frame - began).count();
    drawn_size = context.framebuffer_size();
    progress_shown = true;
    const std::string& requested_picture = controller.state().interface.capture_path;
    if (picture_path.empty() && !requested_picture.empty()) capture_next = requested_picture;
  }

  [[nodiscard]] Result<void> save(const std::string& path) const {
    auto picture = render::read_frame(context);
    if (!picture) return tl::unexpected<Error>(picture.error());
    const OpenMatrix* matrix = controller.state().matrix();
    return render::save_picture(path, *picture,
                                {{"Software", "Spyctrum"},
                                 {"Source", matrix == nullptr ? std::string() : matrix->matrix.report.file}});
  }

  void frame_with_captures() {
    const std::string path = std::exchange(capture_next, {});
    frame(path);
    if (!path.empty())
      controller.dispatch(action::CaptureDone{path, captured ? std::string() : captured.error().message()});
  }

  /// Sets how many frames to draw for the events and results since the last call.
  void schedule_frames() {
    const bool dropped = take_drops();
    const bool changed = controller.poll();
    if (dropped || ImGui::GetCurrentContext()->InputEventsQueue.Size > 0) frames_due = kFramesAfterInput;
    if (changed && !controller.only_progress()) frames_due = std::max(frames_due, 2);
    progress_shown = progress_shown && !(changed && controller.only_progress());
    const double next_frame = next_panel_frame_in();
    const bool stale = !progress_shown && seconds_until(last_frame) <= -kProgressInterval;
    const render::PixelSize size = context.framebuffer_size();
    const bool uncovered = std::exchange(needs_refresh, false);
    if (uncovered) shown.forget();
    if (stale || next_frame == 0 || !capture_next.empty() || !(size == drawn_size) || uncovered)
      frames_due = std::max(frames_due, 1);
  }

  /// Seconds until the panels need a frame; negative: none.
  [[nodiscard]] double next_panel_frame_in() const {
    const double after = panels->next_frame_in();
    return after < 0 ? -1 : std::max(0.0, after + seconds_until(last_frame));
  }

  void wait() {
    double seconds = sooner(next_panel_frame_in(), controller.next_change_in());
    if (!progress_shown)
      seconds = sooner(seconds, std::max(0.0, kProgressInterval + seconds_until(last_frame)));
    context.wait_events(seconds);
  }

  render::Context& context;
  Controller& controller;
  Options options;
  std::optional<Panels> panels;
  float scale = 0;
  std::optional<Theme> theme;
  std::string title;
  std::string failure_said;
  std::string capture_next;
  Result<void> captured;
  int frames_due = kFramesAfterInput;
  int left_out = 0;  // frames since the last one that was shown
  bool has_backends = false;
  bool acted = false;
  bool progress_shown = true;
  Clock::time_point last_frame = Clock::now();
  double frame_seconds = 0;  // what the last frame took
  render::PixelSize drawn_size;
  ChangedParts shown;
  std::uint64_t frames_drawn = 0;
};

AppFrame::AppFrame(render::Context& context, Controller& controller, Options options)
    : impl_(std::make_unique<Impl>(context, controller, std::move(options))) {}
AppFrame::~AppFrame() = default;

void AppFrame::frame() { impl_->frame_with_captures(); }

void AppFrame::run() {
  Impl& impl = *impl_;
  while (!impl.context.should_close() && !impl.controller.state().interface.quit) {
    impl.schedule_frames();
    if (impl.frames_due == 0) {
      impl.wait();
      continue;
    }
    --impl.frames_due;
    frame();
    // An action changes the screen one frame later.
    if (impl.acted) impl.frames_due = std::max(impl.frames_due, 1);
    impl.context.poll_events();
  }
}

bool AppFrame::run_until_idle(Clock::time_point until) {
  Impl& impl = *impl_;
  int settling = 0;
  Clock::time_point next_frame = Clock::now();
  for (;;) {
    impl.controller.poll();
    // No frame is begun that would end too late: a software renderer may take seconds for one.
    const auto left = std::chrono::duration<double>(until - Clock::now()).count() - impl.frame_seconds;
    if (left <= 0) return false;
    // Drawing takes time from the jobs, so the screen is refreshed only once a second while they run.
    if (impl.controller.idle() || seconds_until(next_frame) <= 0 || impl.acted) {
      frame();
      next_frame = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(kOffscreenFrameInterval));
      const double next = impl.panels->next_frame_in();
      const bool unsettled = impl.acted || !impl.capture_next.empty() || (next >= 0 && next < kSoon);
      // Only drawn frames count: unchanged ones pass quickly while a picture is uploaded.
      settling = impl.controller.idle() && !impl.panels->uploading() ? settling + 1 : 0;
      if (settling > kFramesAfterInput && (!unsettled || settling > kSettlingFrames))
        return impl.controller.idle();
    } else {
      impl.context.wait_events(std::min(kOffscreenFrameInterval, left));
      if (!impl.context.is_offscreen() &&
          (impl.context.should_close() || impl.controller.state().interface.quit)) {
        return false;
      }
    }
  }
}

double AppFrame::next_frame_in() const {
  if (!impl_->capture_next.empty()) return 0;
  return sooner(impl_->panels->next_frame_in(), impl_->controller.next_change_in());
}

std::uint64_t AppFrame::frames_drawn() const { return impl_->frames_drawn; }

std::uint64_t AppFrame::picture_draws() const { return impl_->panels->picture_draws(); }

Result<void> AppFrame::capture(const std::string& path) {
  impl_->frame(path);
  return impl_->captured;
}

}  // namespace spyctrum
