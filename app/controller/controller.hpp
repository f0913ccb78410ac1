// SPDX-License-Identifier: Apache-2.0
// The one place where actions become jobs and outcomes become state. All of it
// runs on the thread of the interface; only the work of jobs runs elsewhere, on
// values that it captured.
//
// How work starts: dispatch() and poll() change what is wanted (a block, a view, a
// fill rule); reconcile() then compares, for every result the state could hold,
// what is wanted with what is there, in flight or known to fail, and submits or
// drops jobs for the difference. It is idempotent, so no action needs to know what
// else depends on it, and a result for something no longer wanted is dropped.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/action.hpp"
#include "app/controller/jobs.hpp"
#include "app/controller/session.hpp"
#include "app/controller/settings.hpp"
#include "app/controller/state.hpp"
#include "app/controller/tasks.hpp"
#include "core/engine/plane_progress.hpp"

namespace spyctrum {

class Controller {
 public:
  struct Options {
    std::function<void()> wake;          ///< called from workers: there is something for poll(); may be empty
    Folders folders;                     ///< empty: nothing is remembered
    std::optional<unsigned> threads;     ///< instead of the settings'; 0: all processors
    cuda::Pictures* pictures = nullptr;  ///< instead of the CUDA module's, for tests; must outlive everything
    std::optional<std::string> backend;  ///< instead of the settings'; as parse_backend() reads it
    std::int64_t hierarchy_from = PatternHierarchy::kFewestEntries;  ///< entries; fewer in tests
  };
  explicit Controller(const Options& options);
  Controller() : Controller(Options{}) {}
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  [[nodiscard]] const AppState& state() const { return state_; }
  void dispatch(const Action& action);
  void dispatch(const ActionQueue& actions);
  /// Takes in what jobs brought back; once a frame. Whether the state changed.
  bool poll();
  /// The last poll() changed nothing but the progress of jobs: no hurry to draw.
  [[nodiscard]] bool only_progress() const { return only_progress_; }
  /// Nothing is computed any more, nothing waits to be taken in.
  [[nodiscard]] bool idle() const;
  /// poll() until idle or `seconds` have passed; for tests and scripts. Whether it is idle.
  bool wait_until_idle(double seconds);
  /// Seconds until the state changes by itself (a toast expires); negative: never.
  [[nodiscard]] double next_change_in() const;
  /// What OpenGL is and how pictures reach it; from the frame.
  void set_renderer_facts(std::string renderer);
  /// OpenGL was lost and is there again; why, and what it is now. From the frame.
  void note_renewed_graphics(const std::string& reason, std::string renderer);
  /// Which way pictures took last, and why not interop (may be empty); from the panels.
  void set_upload_path(std::string path, std::string reason);
  /// What draws pictures on a device, for whoever links textures to it; null: the CPU does.
  [[nodiscard]] cuda::Pictures* pictures() const;
  [[nodiscard]] int device() const { return backend_.device; }
  /// Files that could not be opened, with the reason, since the start.
  [[nodiscard]] const std::vector<std::pair<std::string, Error>>& load_failures() const {
    return load_failures_;
  }

 private:
  Controller(const Options& options, Remembered remembered);

  /// A cell of the grid: what its picture should be and what it is.
  struct CellWork {
    PictureSpec wanted, shown;
    RangeSpec measured, measuring;  ///< of `shown`: done, and asked for
    const void* measuring_image = nullptr;
    ImagePtr wanted_pair[2];  ///< row error: asked for
  };
  struct ColumnWork {
    std::string run_key;                      ///< of the request in flight, finished or failed
    bool forced = false;                      ///< RunColumn: though it takes long
    bool to_the_end = false;                  ///< RunColumn: though it was good enough
    std::shared_ptr<PlaneProgress> progress;  ///< of a stream that can be left
    std::uint64_t passed_rows = 0;
    PatternPtr spectrum_of;  ///< pattern of Column::spectrum
    ArrangementSpec arranging;
    PatternPtr hierarchy_of;  ///< asked for
    ReconstructionPtr reconstruction;
    SpectrumPtr reconstructed_from, reconstructing_from;
    Fill reconstructed_fill = Fill::bilinear, reconstructing_fill = Fill::bilinear;
    std::array<CellWork, kRows> cells;
    [[nodiscard]] CellWork& cell(Row row) { return cells[static_cast<std::size_t>(row)]; }
  };
  struct PictureInFlight {
    std::string key;
    PictureSpec spec;
  };

  // One for each action; controller_actions.cpp unless said otherwise.
  void handle(const action::OpenFile&);      // controller_files.cpp
  void handle(const action::SelectMatrix&);  // controller_files.cpp
  void handle(const action::CloseMatrix&);   // controller_files.cpp
  void handle(const action::ReloadMatrix&);  // controller_files.cpp
  void handle(const action::ClearRecent&);
  void handle(const action::AddColumn&);           // controller_columns.cpp
  void handle(const action::RemoveColumn&);        // controller_columns.cpp
  void handle(const action::MoveColumn&);          // controller_columns.cpp
  void handle(const action::SetColumnMethod&);     // controller_columns.cpp
  void handle(const action::SetColumnParameter&);  // controller_columns.cpp
  void handle(const action::SetColumnBlock&);      // controller_columns.cpp
  void handle(const action::SetColumnOwnRange&);
  void handle(const action::SetColumnArrangement&);  // controller_arrangements.cpp
  void handle(const action::SelectRegion&);          // controller_arrangements.cpp
  void handle(const action::ApplyAdvice&);           // controller_columns.cpp
  void handle(const action::RunColumn&);             // controller_columns.cpp
  void handle(const action::StopStream&);            // controller_streams.cpp
  void handle(const action::SetBlock&);              // controller_columns.cpp
  void handle(const action::SetPictureSize&);
  void handle(const action::SetView&);
  void handle(const action::FitView&);
  void handle(const action::OneToOne&);
  void handle(const action::ResetViews&);
  void handle(const action::ViewBack&);
  void handle(const action::ViewForward&);
  void handle(const action::GoTo&);
  void handle(const action::SetCrosshair&);
  void handle(const action::ClearCrosshair&);
  void handle(const action::SetKeepAspect&);
  void handle(const action::ShowWave&);
  void handle(const action::SetScale&);
  void handle(const action::AutoRange&);
  void handle(const action::SetCompare&);
  void handle(const action::CancelJob&);
  void handle(const action::CancelNewest&);
  void handle(const action::StartSweep&);       // controller_errors.cpp
  void handle(const action::MeasureTheory&);    // controller_study.cpp
  void handle(const action::AskAdvisor&);       // controller_study.cpp
  void handle(const action::UseSetting&);       // controller_study.cpp
  void handle(const action::OpenStudy&);        // controller_study.cpp
  void handle(const action::CloseStudy&);       // controller_study.cpp
  void handle(const action::OpenStudyCell&);    // controller_study.cpp
  void handle(const action::ShowStudyFigure&);  // controller_study.cpp
  void handle(const action::ComputeErrors&);    // controller_errors.cpp
  void handle(const action::ExportFeatures&);   // controller_files.cpp
  void handle(const action::ExportValues&);     // controller_files.cpp
  void handle(const action::ExportPicture&);    // controller_files.cpp
  void handle(const action::SaveSession&);      // controller_files.cpp
  void handle(const action::LoadSession&);      // controller_files.cpp
  void handle(const action::CaptureScreen&);
  void handle(const action::CaptureDone&);
  void handle(const action::SetOverlay&);
  void handle(const action::ShowSidePanels&);
  void handle(const action::ShowLog&);
  void handle(const action::ResetLayout&);
  void handle(const action::FocusColumn&);
  void handle(const action::SetSettings&);
  void handle(const action::DismissToast&);
  void handle(const action::Notify&);
  void handle(const action::ClearLog&);
  void handle(const action::Quit&);

  // controller.cpp
  void reconcile();
  void notify(Level level, std::string text, bool toast = true);
  void refresh_status();
  void refresh_jobs();
  bool refresh_previews();
  bool expire_toasts();
  void keep_settings();
  void choose_backend();
  void wake_device();
  void refresh_device_memory();
  void release_closed();
  void use_backend(Backend backend, std::string why_no_cuda);
  void note_fallback(const std::string& what, const Error& error);
  [[nodiscard]] JobRequest request_job(Lane lane, std::string key, std::string title) const;
  [[nodiscard]] std::string matrix_name() const;

  // controller_files.cpp: matrices, sessions, exports
  void open(const std::string& source, std::function<void(Matrix, PatternStatistics)> take);
  void select(std::size_t index);
  void forget_results();
  void reconcile_pattern();
  void note_load(const OpenMatrix& matrix);
  void remember_recent(const std::string& source);
  void apply_session(Session session);
  void apply_pending_view();
  void write_file(const std::string& path, std::function<void(JobContext&)> write);

  // controller_columns.cpp: methods' runs
  ColumnId add_column(const std::string& method);
  [[nodiscard]] std::uint32_t free_color() const;
  void choose_reference();
  void adopt_method(Column& column);
  [[nodiscard]] Result<ResolvedRequest> run_request(const Column& column) const;
  void reconcile_run(Column& column);
  void start_run(Column& column, const Method& method, ResolvedRequest request, const std::string& key);
  void finish_run(ColumnId id, const std::string& key, Result<RunOutcome> result);
  void take_spectrum(Column& column, SpectrumPtr spectrum);
  void reconcile_reconstruction(Column& column);
  [[nodiscard]] SpectrumPtr cached(const std::string& key);
  void cache(const std::string& key, const SpectrumPtr& spectrum);

  // controller_streams.cpp: exact planes that are looked at while they are computed
  void prepare_stream(Column& column, const std::string& key, RequestScope& request);
  bool pause_stream(Column& column);
  void pass_stream(Column& column);
  bool refresh_streams();
  void take_passed_rows(const Column& column);
  void change_good_enough();

  // controller_arrangements.cpp: regions, other orders, waves
  [[nodiscard]] PatternPtr pattern_of(const Column& column) const;
  void reconcile_arrangement(Column& column);
  void remove_region_columns();
  void reconcile_wave();

  // controller_pictures.cpp: views, pictures, ranges
  void reconcile_hierarchies();
  void forget_hierarchy(Column& column);
  void make_hierarchy(const std::string& key, const std::string& label, const PatternPtr& pattern,
                      std::function<void(const HierarchyPtr&)> take);
  void set_view(Plane plane, PlaneRect rect, bool remember);
  void fit_views();
  [[nodiscard]] PictureSpec wanted_picture(const Column& column, Row row) const;
  void reconcile_pictures();
  void make_wanted(const PictureSpec& spec);
  void show_picture(const PictureSpec& spec, const RangeSpec& range, const MadePicture& made);
  void reconcile_ranges(Column& column, Row row);
  void mirror_own_spectrum(Column& column);
  void reconcile_error_row(Column& column);
  void resolve_ranges();

  // controller_probe.cpp: the crosshair
  void place_crosshair(Plane plane, double row, double col);
  void look_up_entry();
  void reconcile_probe();

  // controller_errors.cpp: errors against the reference, sweep
  void compare_features();
  void reconcile_errors();
  void reconcile_sweep();
  void take_sweep_point(SweepPoint point, Result<RunOutcome> result);

  // controller_study.cpp: theory and advice
  void reconcile_theory();
  void forget_theory();

  Options options_;
  AppState state_;
  Backend backend_;
  std::shared_ptr<DevicePictures> device_pictures_;  ///< null: the CPU draws
  std::map<ColumnId, ColumnWork> work_;
  PatternPtr pattern_;  ///< the selected matrix's
  WaveSpec wave_spec_;
  std::map<MatrixId, std::array<View, kPlanes>> left_views_;
  MatrixId next_matrix_ = 1;
  std::uint64_t next_toast_ = 1;
  std::vector<std::pair<std::string, Error>> load_failures_;
  std::optional<Session> pending_session_;  ///< waits for its selected matrix

  std::list<std::pair<std::string, SpectrumPtr>> cache_;                       ///< newest first
  std::list<std::pair<std::string, std::shared_ptr<PlaneProgress>>> streams_;  ///< unfinished, newest first
  SteadyTime streams_due_{};
  std::map<JobId, std::shared_ptr<const PatternPreview>> previews_;  ///< of what is being read
  /// Small files are open before the first picture of their reading is due: nothing flashes.
  static constexpr auto kPreviewInterval = std::chrono::milliseconds(200);
  SteadyTime previews_due_{};
  std::vector<PictureInFlight> pictures_in_flight_;
  std::vector<std::pair<PictureSpec, Error>> failed_pictures_;
  std::uint64_t next_picture_ = 1;
  PatternPtr hierarchy_of_;  ///< asked for
  /// What the theory shown was made from.
  struct TheorySpec {
    PatternPtr pattern;
    std::uint32_t block = 0;
    std::optional<double> entropy;
    std::shared_ptr<const TheoryMeasurements> plane;
    friend bool operator==(const TheorySpec&, const TheorySpec&) = default;
  };
  TheorySpec theory_spec_;
  std::shared_ptr<const TheoryMeasurements> plane_measured_;
  ProbeSpec probed_;
  ErrorSpec compared_;
  bool compare_every_row_ = false;
  std::vector<std::pair<std::string, std::uint32_t>> sweep_queue_;
  bool closed_since_idle_ = false;  ///< a matrix was; jobs of it may have been running
  bool settings_changed_ = false;
  bool only_progress_ = false;
  SteadyTime facts_due_{};

  JobRunner runner_;  // last: it stops before anything that its outcomes refer to goes
};

}  // namespace spyctrum
