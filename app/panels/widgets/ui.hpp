// SPDX-License-Identifier: Apache-2.0
// The arguments of every panel: the state to read, the queue for actions, and the panels' own memory: text
// being typed, mouse gestures, open dialogs. Nothing in the memory is needed to reproduce a view.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/action.hpp"
#include "app/controller/state.hpp"

namespace spyctrum::panels {

class FileDialog;
class HelpPictures;
class PictureStore;
class SketchTextures;
class ThumbnailTextures;

/// A drag that began in a picture and is not over.
struct Gesture {
  enum class Kind { none, pan, box } kind = Kind::none;
  Plane plane = Plane::spectrum;
  bool region = false;   ///< box: selects a region of the pattern instead of zooming
  bool moved = false;    ///< pan: the first step was sent
  PlaneRect start_rect;  ///< the view when it began
  double start_row = 0, start_col = 0;
  double row = 0, col = 0;  ///< where the cursor is now
};

/// The memory of the collection's panel.
struct CollectionMemory {
  std::string conditions;  ///< the text as typed
  bool is_typing = false;
  std::string scatter_x = "pc_1", scatter_y = "pc_2";      ///< columns
  float card_side = 64;                                    ///< of a picture, in points
  std::optional<std::size_t> hovered_card, hovered_point;  ///< rows
  std::uint64_t sheet_version = 0;                         ///< CollectionView::version when it was last drawn
  /// Contents whose thumbnails were missing in this frame, and those that were requested last.
  std::vector<std::uint64_t> missing, requested;
  std::shared_ptr<const CollectionTable> requested_of;  ///< the table to which `requested` belongs
};

struct Memory {
  std::unique_ptr<PictureStore> pictures;
  std::unique_ptr<ThumbnailTextures> thumbnails;
  std::unique_ptr<HelpPictures> help_pictures;
  std::unique_ptr<SketchTextures> sketches;
  CollectionMemory collection;
  std::unique_ptr<FileDialog> dialog;  ///< never null
  Gesture gesture;
  Plane active_plane =
      Plane::spectrum;  ///< of the picture that was last under the cursor: F, 1:1, Alt+arrows
  Row active_row = Row::spectrum;
  std::size_t column_in_view = 0;  ///< the focused column for which the comparison was scrolled
  double last_wheel = -1;          ///< time of the last wheel step: a burst is one entry of the history
  bool crosshair_from_mouse = false;
  bool picture_hovered = false;  ///< the mouse is over a picture, in this frame
  std::pair<double, double> last_crosshair{-1, -1};
  std::array<PixelSize, kPlanes> requested_pixels;
  bool space_held = false;
  bool dragging_wipe = false;

  std::string block_text;  ///< typed block size, while it is typed
  bool block_editing = false;
  std::uint32_t block_end = 128;  ///< right end of the block slider
  std::string path_text;          ///< typed path of the start screen
  std::array<char, 32> goto_row{}, goto_col{};
  bool goto_spectrum = true;
  std::string palette_text;        ///< typed into the command palette
  std::size_t palette_chosen = 0;  ///< line of the palette
  std::string list_text;           ///< typed into a list of files or matrices
  std::size_t list_chosen = 0;     ///< line of the list
  int list_frame = -2;             ///< the last frame in which a list was drawn
  double list_opens_at = -1;       ///< when the line chosen by an arrow key is opened; negative: none is
  std::vector<std::size_t> list_fitting;  ///< lines of the list that contain the typed text
  std::string list_key;                   ///< the list and the text to which list_fitting belongs
  bool list_as_sheet = false;             ///< cards beside each other instead of lines
  std::vector<std::string> list_missing,
      list_requested;       ///< thumbnails: missing in this frame; requested last
  std::string import_text;  ///< value being typed for something that the file's format leaves open
  std::string log_filter;
  std::optional<float> scale_typed;                 ///< interface size while its slider is dragged
  std::optional<std::uint32_t> dragged_percentile;  ///< 0: the low handle, 1: the high one
  std::optional<std::uint32_t> dragged_magnitude;   ///< the same, of the histogram of |a|
  std::map<std::uint64_t, double> busy_since;       ///< start times; busy marks appear only after a delay
  std::size_t study_plot = 0, study_group = 0;      ///< figure shown in the study's window
  std::uint32_t study_block = 16;
  int figure_pixels = 3;  ///< of a figure saved as PNG, per point
  double advisor_milliseconds = 0, advisor_megabytes = 0, advisor_error = 0;  ///< 0: any
  bool advisor_exact = false;
  std::size_t trade_off_measure = 0;          ///< error of the trade-off plot
  Stroke pencil;                              ///< of the sandbox: tool, eraser, mirror, and the gesture
  bool draws = true;                          ///< the left button draws into a drawing, else it pans
  std::optional<ChangedCoefficient> dragged;  ///< of a drawing's spectrum, while the mouse holds it
  bool is_drawing = false;                    ///< a stroke has begun and is not over
  bool axis_labels = true;
  bool comparison_focused = false;  ///< the pictures had the keyboard in the frame before

  bool toasts_at_left = false;  ///< toasts are in the lower left corner

  bool prefers_right_side =
      false;  ///< of the panels beside the pictures, where a window has room for one side
  std::uint64_t layout_resets_done = 0;
  std::string
      copied_picture;  ///< path of a picture that will be copied to the clipboard once the file is written
  double copied_deadline = 0;

  double next_frame = -1;  ///< seconds until a panel needs another frame without input; negative: none
};

struct Ui {
  const AppState& state;
  ActionQueue& actions;
  Memory& memory;

  template <class One>
  void emit(One&& one) const {
    actions.emplace_back(std::forward<One>(one));
  }
  /// Requests a frame `seconds` from now, without input.
  void wake_in(double seconds) const {
    if (memory.next_frame < 0 || seconds < memory.next_frame) memory.next_frame = seconds;
  }
  void notify(Level level, std::string text) const { emit(action::Notify{level, std::move(text)}); }
};

}  // namespace spyctrum::panels
