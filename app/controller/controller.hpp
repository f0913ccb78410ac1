// SPDX-License-Identifier: Apache-2.0
// The facade through which panels and tests use the program: they send Actions and read AppState. The
// controller owns the state, the jobs and the services; exactly one service handles each Action, which is
// checked at compile time. Everything runs on the interface thread except the work of jobs, which runs
// elsewhere on values that it captured.
//
// How work starts: actions and results of jobs change what AppState requests (a block size, a view, a fill
// rule). Then every service's reconcile() compares, for each result that the state can contain, what is
// requested with what exists, is being computed or is known to fail, and submits or drops jobs for the
// difference. So no action needs to know what depends on it, and results that are no longer requested are
// dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/action.hpp"
#include "app/controller/files/comparison_figure.hpp"
#include "app/controller/files/settings.hpp"
#include "app/controller/state.hpp"

namespace spyctrum {

namespace cuda {
class Pictures;
}

class Controller {
 public:
  struct Options {
    std::function<void()> wake;          ///< called from workers when poll() has work to do; may be empty
    Folders folders;                     ///< empty: nothing is remembered
    std::optional<unsigned> threads;     ///< overrides the settings; 0: all processors
    cuda::Pictures* pictures = nullptr;  ///< replaces the CUDA module's, for tests; must outlive everything
    std::optional<std::string> backend;  ///< overrides the settings; as parse_backend() reads it
    /// least entries of a pattern that gets a hierarchy; smaller in tests
    std::optional<std::int64_t> hierarchy_from;
    WriteFigure write_figure;          ///< empty: no figures are written
    OpenAnimation open_animation;      ///< empty: no moving pictures are written
    std::vector<std::string> lessons;  ///< folders that are searched for lessons
  };
  explicit Controller(const Options& options);
  Controller() : Controller(Options{}) {}
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  [[nodiscard]] const AppState& state() const;
  void dispatch(const Action& action);
  void dispatch(const ActionQueue& actions);
  /// Takes in the results of jobs; to be called once a frame. Returns whether the state changed.
  bool poll();
  /// True if the last poll() changed only the progress of jobs, so that the screen need not be drawn at once.
  [[nodiscard]] bool only_progress() const { return only_progress_; }
  /// True if no job runs or waits, and no result waits to be taken in.
  [[nodiscard]] bool idle() const;
  /// Seconds until the state changes by itself (a toast expires); negative: never.
  [[nodiscard]] double next_change_in() const;
  /// Files that could not be opened, with the reason, since the start.
  [[nodiscard]] const std::vector<std::pair<std::string, Error>>& load_failures() const;

  /// Called by the frame: GL_RENDERER.
  void set_renderer_facts(std::string renderer);
  /// Called by the frame: OpenGL was lost for `reason` and has been reopened.
  void note_renewed_graphics(const std::string& reason, std::string renderer);
  /// Called by the panels: how pictures last reached OpenGL, and why not by interop (may be empty).
  void set_upload_path(std::string path, std::string reason);
  /// The device that draws pictures, for code that links textures to it; null: the CPU draws.
  [[nodiscard]] cuda::Pictures* pictures() const;
  [[nodiscard]] int device() const;  ///< index of the CUDA device that is used, if any

 private:
  struct Parts;

  void handle(const Action& action);
  void reconcile();
  void refresh_jobs();

  std::unique_ptr<Parts> parts_;
  bool only_progress_ = false;
};

}  // namespace spyctrum
