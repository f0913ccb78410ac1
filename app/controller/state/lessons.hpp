// SPDX-License-Identifier: Apache-2.0
// The lessons that can be opened, and the one that is.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spyctrum {

struct Lesson;

/// One line of the list of lessons.
struct LessonEntry {
  std::string path;
  std::string title;
  std::string about;    ///< one sentence
  std::string problem;  ///< why it cannot be opened; empty: it can
};

struct LessonView {
  std::vector<LessonEntry> known;        ///< those that come with the program, then the user's own
  std::shared_ptr<const Lesson> lesson;  ///< null: none is open
  std::size_t step = 0;                  ///< index into Lesson::steps
  std::optional<std::size_t> guess;      ///< the user's answer to the step's question; empty: not yet
  /// What of the lesson could not be shown: its file has an error since it was saved, or the step's matrix
  /// cannot be opened. Empty: nothing.
  std::string problem;
};

}  // namespace spyctrum
