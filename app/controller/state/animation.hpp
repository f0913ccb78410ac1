// SPDX-License-Identifier: Apache-2.0
// The moving picture: a setting that is swept frame by frame, in the window and into a file.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

struct AnimationView {
  std::optional<Swept> swept{};         ///< empty: there is no moving picture
  std::vector<std::string> captions{};  ///< of all frames: "b = 8"
  std::size_t frame = 0;                ///< the one that is shown, or is being computed
  bool settled = false;                 ///< all of the frame's pictures are on the screen
  bool playing = false;
  double per_second = 2;  ///< frames in a second, at most
  std::string writing{};  ///< the file that is being written; empty: none
};

}  // namespace spyctrum
