// SPDX-License-Identifier: Apache-2.0
// A lesson: a text file that a teacher writes (assets/lessons/README.md has the format), as a sequence of
// steps. What a step shows is a session (files/session.hpp), so that it is set as a session of the user is.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/controller/files/session.hpp"
#include "core/base/error.hpp"

namespace spyctrum {

struct LessonStep {
  std::string title;
  std::string text;    ///< one to three sentences; paragraphs are separated by newlines
  std::string to_try;  ///< what the user may do; may be empty

  std::string question;              ///< empty: the step asks nothing
  std::vector<std::string> choices;  ///< its answers, in the order of the file
  std::size_t answer = 0;            ///< index of the right one
  std::string reveal;                ///< said once the user has guessed

  /// Matrix, columns, block size, rows, scale, region, wave. Its views are `views`.
  Session session;
  std::array<bool, kRows> rows_before{true, false, false,
                                      false};           ///< of the grid, until the user has guessed
  std::array<std::optional<PlaneRect>, kPlanes> views;  ///< empty: the whole plane
  bool folding = false;                                 ///< CompareSettings::folding
  std::size_t matrix_line = 0;                          ///< line of the file that names the matrix
};

struct Lesson {
  std::string path;
  std::string title;
  std::string about;
  std::vector<LessonStep> steps;  ///< at least one
};

/// Whether the step that is shown has a question that the user has not answered yet.
[[nodiscard]] inline bool awaits_guess(const LessonView& view) {
  return view.lesson && !view.guess && !view.lesson->steps[view.step].question.empty();
}

/// The ending of the files of lessons.
inline constexpr std::string_view kLessonEnding = ".lesson";
[[nodiscard]] bool is_lesson_file(std::string_view path);

/// `file` names the text in messages; relative paths of matrices are taken relative to its folder. Errors:
/// bad_input "FILE, line N: what was found, what is possible".
[[nodiscard]] Result<Lesson> parse_lesson(std::string_view text, const std::string& file);
/// Errors: bad_input; also where the file cannot be read or is larger than a megabyte.
[[nodiscard]] Result<Lesson> read_lesson(const std::string& file);

}  // namespace spyctrum
