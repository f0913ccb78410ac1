// SPDX-License-Identifier: Apache-2.0
// Moving pictures, lessons, explanations and drawings.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/controller/state/pictures.hpp"
#include "core/explain/explain.hpp"
#include "core/pictures/changed_spectrum.hpp"

namespace spyctrum {

/// What changes from frame to frame.
enum class Swept {
  block,      ///< the block size of all columns that follow the slider
  threshold,  ///< the number of entries that Threshold keeps
  order,      ///< the order of rows and columns of one column
  rows,       ///< the rows of exact planes that have been streamed
};
/// The names on the command line, in the order of the enumerators.
inline constexpr std::array<const char*, 4> kSweptNames{"block", "threshold", "order", "rows"};

/// The moving picture: a setting that is swept frame by frame, in the window and into a file.
struct AnimationView {
  std::optional<Swept> swept{};         ///< empty: there is no moving picture
  std::vector<std::string> captions{};  ///< of all frames: "b = 8"
  std::size_t frame = 0;                ///< the one that is shown, or is being computed
  bool settled = false;                 ///< all of the frame's pictures are on the screen
  bool playing = false;
  double per_second = 2;   ///< frames in a second, at most
  std::string writing{};   ///< the file that is being written; empty: none
  bool measuring = false;  ///< before a sweep over orders is written, its frames are shown once for `ranges`
  /// Sweep over orders: shared_range() of each frame that was shown. All frames are drawn with the range that
  /// covers these.
  std::vector<std::optional<DisplayRange>> ranges{};
};

struct Lesson;

/// One line of the list of lessons.
struct LessonEntry {
  std::string path;
  std::string title;
  std::string about;    ///< one sentence
  std::string problem;  ///< why it cannot be opened; empty: it can
};

/// The lessons that can be opened, and the one that is.
struct LessonView {
  std::vector<LessonEntry> known;        ///< those that come with the program, then the user's own
  std::shared_ptr<const Lesson> lesson;  ///< null: none is open
  std::size_t step = 0;                  ///< index into Lesson::steps
  std::optional<std::size_t> guess;      ///< the user's answer to the step's question; empty: not yet
  /// Why the lesson could not be shown: its file has an error since it was last saved, or the step's matrix
  /// cannot be opened. Empty if all is shown.
  std::string problem;
};

/// What the spectrum of the selected matrix means for its pattern.
struct ExplainView {
  bool is_on = false;  ///< every matrix that is selected is explained
  bool busy = false;
  std::shared_ptr<const Explanation> explanation{};  ///< of the selected matrix; null until it is there
  std::optional<std::size_t> shown{};                ///< index of the finding that is marked in the pictures
  std::array<std::optional<PlaneRect>, kPlanes> marks{};  ///< outlines in pattern and spectrum
};

/// Whether the selected matrix can be drawn in, and what was changed in its spectrum.
struct SandboxView {
  bool is_drawing = false;  ///< the selected matrix is a drawing
  bool can_undo = false, can_redo = false;
  std::vector<ChangedCoefficient> changed;  ///< in the order of the changes
  /// The matrix of the changed spectrum, rows × columns numbers row by row; null: nothing is changed.
  std::shared_ptr<const std::vector<float>> matrix;
};

}  // namespace spyctrum
