// SPDX-License-Identifier: Apache-2.0
// A step is a session, which is applied as actions: a lesson sets only what a user can set.
#include "app/controller/lessons/lesson_service.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/controller/files/session_service.hpp"
#include "app/controller/files/source_names.hpp"
#include "app/controller/lessons/lesson.hpp"

namespace spyctrum {

namespace {

namespace fs = std::filesystem;
constexpr auto kLookAgain = std::chrono::milliseconds(700);
constexpr std::size_t kMostListed = 500;

std::vector<std::string> lesson_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::directory_iterator one(folder, failed), end; !failed && one != end; one.increment(failed))
    if (is_lesson_file(one->path().string())) files.push_back(one->path().string());
  std::ranges::sort(files);
  if (files.size() > kMostListed) files.resize(kMostListed);
  return files;
}

}  // namespace

LessonService::LessonService(ServiceContext& context, SessionService& sessions,
                             std::vector<std::string> folders)
    : Service(context), sessions_(sessions), folders_(std::move(folders)) {
  list_lessons();
}

void LessonService::list_lessons() {
  std::vector<LessonEntry>& known = state().lessons.known;
  known.clear();
  for (const std::string& folder : folders_) {
    for (const std::string& file : lesson_files(folder)) {
      const Result<Lesson> lesson = read_lesson(file);
      if (lesson)
        known.push_back({file, lesson->title, lesson->about, {}});
      else
        known.push_back({file, short_name(file), {}, lesson.error().message()});
    }
  }
}

void LessonService::handle(const action::ListLessons& /*chosen*/) {
  list_lessons();
  send(action::SetOverlay{Overlay::lessons});
}

void LessonService::handle(const action::OpenLesson& chosen) {
  const std::string path = full_source(chosen.path);
  Result<Lesson> lesson = read_lesson(path);
  if (!lesson) return report_unreadable(path, lesson.error());
  if (!before_) before_ = session_of(state());
  LessonView& view = state().lessons;
  view.lesson = std::make_shared<const Lesson>(*std::move(lesson));
  view.step = 0;
  view.guess.reset();
  saved_ = time_of_file();
  if (state().interface.overlay == Overlay::lessons || state().interface.overlay == Overlay::gallery)
    send(action::SetOverlay{Overlay::none});
  show_step();
}

void LessonService::handle(const action::ShowStep& chosen) {
  LessonView& view = state().lessons;
  if (!view.lesson || chosen.step >= view.lesson->steps.size()) return;
  view.step = chosen.step;
  view.guess.reset();
  show_step();
}

void LessonService::handle(const action::GuessAnswer& chosen) {
  LessonView& view = state().lessons;
  if (!view.lesson || view.guess || chosen.choice >= view.lesson->steps[view.step].choices.size()) return;
  view.guess = chosen.choice;
  show_rows();
}

void LessonService::handle(const action::CloseLesson& /*chosen*/) {
  LessonView& view = state().lessons;
  if (!view.lesson) return;
  view.lesson.reset();
  view.guess.reset();
  view.problem.clear();
  awaits_matrix_ = false;
  Session before = *std::exchange(before_, std::nullopt);
  // Where nothing was open before, the start screen returns.
  const std::string kept = before.matrices.empty() ? std::string() : before.matrices[before.selected].source;
  sessions_.apply(std::move(before));
  close_matrices_of_lesson(kept);
  opened_.clear();
}

/// Closes the matrices that the lesson opened, except the one with the source `kept`.
void LessonService::close_matrices_of_lesson(const std::string& kept) {
  for (auto source = opened_.begin(); source != opened_.end();) {
    const auto found = std::ranges::find(state().matrices, *source, &OpenMatrix::source);
    // A matrix that is still being read is closed after the next step.
    if (*source == kept || found == state().matrices.end()) {
      ++source;
      continue;
    }
    source = opened_.erase(source);
    send(action::CloseMatrix{static_cast<std::size_t>(found - state().matrices.begin())});
  }
}

void LessonService::show_step() {
  LessonView& view = state().lessons;
  const LessonStep& step = view.lesson->steps[view.step];
  view.problem.clear();
  failures_seen_ = state().load_failures.size();
  Session session = step.session;
  session.square_units = state().settings.square_units;
  session.grid_form = state().settings.grid_form;
  session.grid_lines = state().settings.grid_lines;
  session.seed = state().settings.seed;
  session.drop_zeros = state().settings.drop_zeros;
  if (!step.question.empty()) session.rows = step.rows_before;
  session.aids = CompareSettings{};
  session.aids->folding = step.folding;
  const std::string& source = session.matrices.front().source;
  const bool is_open =
      std::ranges::find(state().matrices, source, &OpenMatrix::source) != state().matrices.end();
  awaits_matrix_ = true;
  if (!is_open) opened_.insert(source);
  sessions_.apply(std::move(session));
}

/// The rows of pictures that the step hides until the user has guessed.
void LessonService::show_rows() {
  const LessonView& view = state().lessons;
  CompareSettings compare = state().compare;
  compare.rows = view.lesson->steps[view.step].session.rows;
  send(action::SetCompare{compare});
}

void LessonService::reconcile() {
  LessonView& view = state().lessons;
  if (!view.lesson || !awaits_matrix_) return;
  const LessonStep& step = view.lesson->steps[view.step];
  const SessionMatrix& matrix = step.session.matrices.front();
  for (std::size_t k = failures_seen_; k < state().load_failures.size(); ++k) {
    const auto& [source, error] = state().load_failures[k];
    if (source != matrix.source) continue;
    view.problem =
        short_name(view.lesson->path) + ", line " + std::to_string(step.matrix_line) + ": " + error.message();
    awaits_matrix_ = false;
    return;
  }
  const OpenMatrix* open = state().matrix();
  if (open == nullptr || open->source != matrix.source || open->reading != matrix.reading) return;
  awaits_matrix_ = false;
  // The matrix of the last step stays on the screen until the new one is open.
  close_matrices_of_lesson(matrix.source);
  for (const Plane plane : {Plane::pattern, Plane::spectrum})
    if (const auto& rect = step.views.at(static_cast<std::size_t>(plane)))
      send(action::SetView{plane, *rect, false});
}

fs::file_time_type LessonService::time_of_file() const {
  std::error_code failed;
  const auto time = fs::last_write_time(state().lessons.lesson->path, failed);
  return failed ? saved_ : time;
}

void LessonService::reload() {
  LessonView& view = state().lessons;
  Result<Lesson> lesson = read_lesson(view.lesson->path);
  if (!lesson) {
    view.problem = lesson.error().message();
    return;
  }
  view.lesson = std::make_shared<const Lesson>(*std::move(lesson));
  view.step = std::min(view.step, view.lesson->steps.size() - 1);
  view.guess.reset();
  show_step();
  notify(Level::info, short_name(view.lesson->path) + " was saved and is read again.");
}

bool LessonService::refresh(SteadyTime now) {
  if (!state().lessons.lesson || now < look_again_) return false;
  look_again_ = now + kLookAgain;
  const fs::file_time_type time = time_of_file();
  if (time == saved_) return false;
  saved_ = time;
  reload();
  return true;
}

std::optional<SteadyTime> LessonService::next_change() const {
  if (!state().lessons.lesson) return {};
  return look_again_;
}

}  // namespace spyctrum
