// SPDX-License-Identifier: Apache-2.0
// The list of services, and the turn of a frame: deliver outcomes, reconcile, refresh.
#include "app/controller/controller.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>

#include "app/controller/collections/collection_service.hpp"
#include "app/controller/columns/block_service.hpp"
#include "app/controller/columns/budget_service.hpp"
#include "app/controller/columns/column_service.hpp"
#include "app/controller/columns/comparison_service.hpp"
#include "app/controller/columns/pattern_service.hpp"
#include "app/controller/columns/reconstruction_service.hpp"
#include "app/controller/columns/run_service.hpp"
#include "app/controller/columns/stream_service.hpp"
#include "app/controller/files/drawing_service.hpp"
#include "app/controller/files/export_service.hpp"
#include "app/controller/files/folder_service.hpp"
#include "app/controller/files/matrix_service.hpp"
#include "app/controller/files/session_service.hpp"
#include "app/controller/files/settings_service.hpp"
#include "app/controller/files/thumbnail_service.hpp"
#include "app/controller/history_service.hpp"
#include "app/controller/interface_service.hpp"
#include "app/controller/jobs.hpp"
#include "app/controller/lessons/lesson_service.hpp"
#include "app/controller/machine_service.hpp"
#include "app/controller/message_service.hpp"
#include "app/controller/pictures/animation_service.hpp"
#include "app/controller/pictures/hierarchy_service.hpp"
#include "app/controller/pictures/picture_service.hpp"
#include "app/controller/pictures/probe_service.hpp"
#include "app/controller/pictures/view_service.hpp"
#include "app/controller/studies/explain_service.hpp"
#include "app/controller/studies/study_service.hpp"
#include "app/controller/studies/sweep_service.hpp"
#include "app/controller/studies/theory_service.hpp"
#include "core/matrix/pattern_hierarchy.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

struct FileServices {
  MatrixService matrices;
  FolderService folders;
  SessionService sessions;
  DrawingService drawings;
  ExportService exports;
  SettingsService settings;
  ThumbnailService thumbnails;
};

struct ColumnServices {
  ColumnService columns;
  PatternService patterns;
  BudgetService budget;
  StreamService streams;
  RunService runs;
  BlockService blocks;
  ReconstructionService reconstructions;
  ComparisonService comparison;
};

struct PictureServices {
  HierarchyService hierarchies;
  PictureService pictures;
  ProbeService probes;
  ViewService views;
};

struct StudyServices {
  StudyService studies;
  SweepService sweep;
  TheoryService theory;
  ExplainService explain;
};

template <class One, class Chosen>
concept Handles = requires(One service, const Chosen& chosen) {
  service.handle(chosen);
};

/// Calls the one of `services` that handles `chosen`.
template <class Chosen, class... Services>
void handle_by(const std::tuple<Services&...>& services, const Chosen& chosen) {
  static constexpr std::array kHandles{Handles<Services, Chosen>...};
  static_assert(std::ranges::count(kHandles, true) == 1, "exactly one service handles an action");
  std::get<std::ranges::find(kHandles, true) - kHandles.begin()>(services).handle(chosen);
}

template <class Services, class... All>
void handle_by(const Services& services, const Action& action, TypeList<All...> /*types*/) {
  const auto offer = [&](const auto* chosen) {
    if (chosen != nullptr) handle_by(services, *chosen);
    return chosen != nullptr;
  };
  (void)(offer(action.get_if<All>()) || ...);
}

AppState first_state(Remembered& remembered) {
  AppState state;
  state.settings = remembered.settings;
  state.recent = std::move(remembered.recent);
  return state;
}

}  // namespace

struct Controller::Parts {
  /// In the order in which reconcile() is called: what a service reads of others comes before it.
  auto all() {
    return std::tie(files.sessions, lessons, machine, pictures.views, columns.columns, columns.patterns,
                    columns.budget, columns.streams, columns.runs, columns.blocks, columns.reconstructions,
                    columns.comparison, pictures.hierarchies, pictures.pictures, pictures.probes,
                    studies.studies, studies.sweep, studies.theory, studies.explain, collections,
                    files.matrices, files.drawings, files.folders, files.exports, files.settings,
                    files.thumbnails, animation, history, messages, interface);
  }

  Parts(const Options& options, Remembered remembered, std::function<void(const Action&)> send)
      : context{first_state(remembered),
                JobRunner(options.threads.value_or(remembered.settings.threads), options.wake),
                std::move(send)},
        machine(context, options.backend, options.pictures),
        columns{ColumnService(context),
                PatternService(context),
                BudgetService(context),
                StreamService(context),
                RunService(context, machine, columns.streams),
                BlockService(context, columns.runs, files.sessions),
                ReconstructionService(context),
                ComparisonService(context, machine, columns.reconstructions)},
        pictures{HierarchyService(context, machine,
                                  options.hierarchy_from.value_or(PatternHierarchy::kFewestEntries)),
                 PictureService(context, machine, columns.runs, columns.reconstructions),
                 ProbeService(context, columns.reconstructions), ViewService(context)},
        studies{StudyService(context), SweepService(context, machine), TheoryService(context, machine),
                ExplainService(context)},
        collections(context, machine),
        files{MatrixService(context),
              FolderService(context),
              SessionService(context, pictures.views),
              DrawingService(context, files.sessions),
              ExportService(context, options.write_figure),
              SettingsService(context, options.folders),
              ThumbnailService(context, options.folders.cache)},
        animation(context, columns.patterns, files.exports, options.open_animation),
        lessons(context, files.sessions, options.lessons),
        history(context, files.sessions),
        messages(context),
        interface(context) {
    std::apply([&](auto&... service) { (context.services.push_back(&service), ...); }, all());
  }

  ServiceContext context;
  MachineService machine;
  ColumnServices columns;
  PictureServices pictures;
  StudyServices studies;
  CollectionService collections;
  FileServices files;
  AnimationService animation;
  LessonService lessons;
  HistoryService history;
  MessageService messages;
  InterfaceService interface;
};

Controller::Controller(const Options& options) {
  Remembered remembered = remember(options.folders);
  const std::vector<std::string> problems = std::move(remembered.problems);
  parts_ =
      std::make_unique<Parts>(options, std::move(remembered), [this](const Action& one) { handle(one); });
  for (const std::string& problem : problems) handle(action::Notify{Level::warning, problem});
  for (const MethodRole role : {MethodRole::window, MethodRole::samples, MethodRole::estimate})
    handle(action::AddColumn{usual_method(role).info().id});
  reconcile();
}

Controller::~Controller() = default;

const AppState& Controller::state() const { return parts_->context.state; }

void Controller::handle(const Action& action) { handle_by(parts_->all(), action, ActionTypes{}); }

void Controller::dispatch(const Action& action) {
  handle(action);
  reconcile();
  refresh_jobs();
}

void Controller::dispatch(const ActionQueue& actions) {
  if (actions.empty()) return;
  for (const Action& action : actions) handle(action);
  reconcile();
  refresh_jobs();
}

bool Controller::poll() {
  const bool delivered = parts_->context.jobs.poll();
  const bool progressed = parts_->context.jobs.take_progress();
  if (delivered) reconcile();
  if (delivered || progressed) refresh_jobs();
  const SteadyTime now = std::chrono::steady_clock::now();
  bool refreshed = false;
  for (Service* service : parts_->context.services) refreshed = service->refresh(now) || refreshed;
  only_progress_ = progressed && !delivered && !refreshed;
  return delivered || progressed || refreshed;
}

bool Controller::idle() const { return parts_->context.jobs.idle(); }

double Controller::next_change_in() const {
  std::optional<SteadyTime> next;
  for (const Service* service : parts_->context.services) {
    const std::optional<SteadyTime> change = service->next_change();
    if (change) next = std::min(next.value_or(*change), *change);
  }
  if (!next) return -1;
  return std::max(0.0, std::chrono::duration<double>(*next - std::chrono::steady_clock::now()).count());
}

const std::vector<std::pair<std::string, Error>>& Controller::load_failures() const {
  return parts_->context.state.load_failures;
}

void Controller::set_renderer_facts(std::string renderer) {
  parts_->context.state.status.renderer = std::move(renderer);
}

void Controller::note_renewed_graphics(const std::string& reason, std::string renderer) {
  set_renderer_facts(std::move(renderer));
  ++parts_->context.state.status.graphics_resets;
  handle(
      action::Notify{Level::warning, "The graphics driver was reset (" + reason +
                                         "). The window was drawn anew; nothing that was computed is lost."});
}

void Controller::set_upload_path(std::string path, std::string reason) {
  parts_->context.state.status.upload_path = std::move(path);
  parts_->context.state.status.upload_reason = std::move(reason);
}

cuda::Pictures* Controller::pictures() const { return parts_->machine.drawing_device(); }

int Controller::device() const { return parts_->machine.backend().device; }

void Controller::reconcile() {
  for (Service* service : parts_->context.services) service->reconcile();
}

void Controller::refresh_jobs() {
  AppState& state = parts_->context.state;
  state.jobs = parts_->context.jobs.views();
  for (LoadingMatrix& loading : state.loading) {
    for (const JobView& job : state.jobs)
      if (job.id == loading.job) loading.progress = job.progress;
  }
}

}  // namespace spyctrum
