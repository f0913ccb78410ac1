// SPDX-License-Identifier: Apache-2.0
// Lessons: the list of them, the one that is open, and its step, which is shown by applying a session. Owns
// what was on the screen before the lesson began, which returns when it is closed.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/controller/files/session.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class SessionService;

class LessonService : public Service {
 public:
  /// `folders`: where lessons are looked for, in the order of the list; those that do not exist are left out.
  LessonService(ServiceContext& context, SessionService& sessions, std::vector<std::string> folders);
  void handle(const action::OpenLesson& chosen);
  void handle(const action::ShowStep& chosen);
  void handle(const action::GuessAnswer& chosen);
  void handle(const action::CloseLesson& chosen);
  void handle(const action::ListLessons& chosen);

  /// Sets the views of a step as soon as its matrix is there.
  void reconcile() override;
  /// Reads the lesson again when its file was saved.
  bool refresh(SteadyTime now) override;
  [[nodiscard]] std::optional<SteadyTime> next_change() const override;

 private:
  void list_lessons();
  void show_step();
  void show_rows();
  void close_matrices_of_lesson(const std::string& kept);
  void reload();
  [[nodiscard]] std::filesystem::file_time_type time_of_file() const;

  SessionService& sessions_;
  std::vector<std::string> folders_;
  std::optional<Session> before_;  ///< what was on the screen before the lesson
  std::set<std::string> opened_;   ///< sources of matrices that the lesson opened, and closes again
  bool awaits_matrix_ = false;     ///< the views of the step are still to be set
  std::size_t failures_seen_ = 0;  ///< of AppState::load_failures, when the step began
  std::filesystem::file_time_type saved_;
  SteadyTime look_again_{};
};

}  // namespace spyctrum
