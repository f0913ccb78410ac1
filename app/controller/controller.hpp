// SPDX-License-Identifier: Apache-2.0
// The facade through which panels and tests use the program: Actions go in, AppState is read. It owns the
// state, the jobs and the services; each Action is handled by exactly one service, which is checked when this
// is compiled. All of it runs on the thread of the interface; only the work of jobs runs elsewhere, on values
// that it captured.
//
// How work starts: actions and outcomes of jobs change what is wanted (a block size, a view, a fill rule).
// Then every service's reconcile() compares, for each result that the state could hold, what is wanted with
// what is there, in flight or known to fail, and submits or drops jobs for the difference. So no action needs
// to know what else depends on it, and a result that is not wanted any more is dropped.
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
    std::function<void()> wake;          ///< called from workers: poll() has something to do; may be empty
    Folders folders;                     ///< empty: nothing is remembered
    std::optional<unsigned> threads;     ///< instead of the settings'; 0: all processors
    cuda::Pictures* pictures = nullptr;  ///< instead of the CUDA module's, for tests; must outlive everything
    std::optional<std::string> backend;  ///< instead of the settings'; as parse_backend() reads it
    std::optional<std::int64_t> hierarchy_from;  ///< entries of a pattern; fewer in tests
    WriteFigure write_figure;                    ///< empty: no figures are written
    std::vector<std::string> lessons;            ///< folders in which lessons are looked for
  };
  explicit Controller(const Options& options);
  Controller() : Controller(Options{}) {}
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  [[nodiscard]] const AppState& state() const;
  void dispatch(const Action& action);
  void dispatch(const ActionQueue& actions);
  /// Takes in what jobs brought back; once a frame. Whether the state changed.
  bool poll();
  /// The last poll() changed nothing but the progress of jobs: the screen need not be drawn at once.
  [[nodiscard]] bool only_progress() const;
  /// No job runs or waits, and no outcome waits to be taken in.
  [[nodiscard]] bool idle() const;
  /// poll() until idle or `seconds` have passed; for tests and scripts. Whether it is idle.
  bool wait_until_idle(double seconds);
  /// Seconds until the state changes by itself (a toast expires); negative: never.
  [[nodiscard]] double next_change_in() const;
  /// Files that could not be opened, with the reason, since the start.
  [[nodiscard]] const std::vector<std::pair<std::string, Error>>& load_failures() const;

  /// From the frame: GL_RENDERER, and how pictures reach OpenGL.
  void set_renderer_facts(std::string renderer);
  /// From the frame: OpenGL was lost for `reason` and is there again.
  void note_renewed_graphics(const std::string& reason, std::string renderer);
  /// From the panels: which way pictures took last, and why not interop (may be empty).
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
};

}  // namespace spyctrum
