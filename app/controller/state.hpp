// SPDX-License-Identifier: Apache-2.0
// Everything the interface shows, as one value. Panels read it and emit Actions
// (action.hpp); Controller alone writes it, on the interface thread. It knows no
// widget and no OpenGL, so that the whole program can be driven and asserted
// without a window.
//
// Pictures: a cell of the comparison grid is one Picture. Until a newer picture is
// there the old one stays in `shown`; it carries its own rectangle, so a panel
// draws it where it belongs in the current view.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/state/activity.hpp"
#include "app/controller/state/budget.hpp"
#include "app/controller/state/columns.hpp"
#include "app/controller/state/crosshair.hpp"
#include "app/controller/state/explain.hpp"
#include "app/controller/state/ids.hpp"
#include "app/controller/state/lessons.hpp"
#include "app/controller/state/matrices.hpp"
#include "app/controller/state/pictures.hpp"
#include "app/controller/state/program.hpp"
#include "app/controller/state/sandbox.hpp"
#include "app/controller/state/studies.hpp"
#include "core/pictures/wave_sum.hpp"

namespace spyctrum {

struct Study;

struct AppState {
  std::vector<OpenMatrix> matrices;
  std::optional<std::size_t> selected;  ///< index into matrices
  std::vector<LoadingMatrix> loading;
  std::vector<GalleryItem> gallery;
  FolderList folder;
  std::vector<std::string> recent;                           ///< newest first
  std::vector<std::pair<std::string, Error>> load_failures;  ///< files that could not be opened, oldest first

  Budget budget;             ///< where it is set, columns have block sizes of their own that fit it
  std::uint32_t block = 16;  ///< the global one, 1 … kLargestBlock
  std::vector<Column> columns;
  ColumnId next_column = 1;

  std::array<View, kPlanes> views;
  ScaleSettings scale;
  CompareSettings compare;
  Crosshair crosshair;
  /// The region of the pattern (whole rows and columns of the rectangle) that columns of a region are of.
  std::optional<PlaneRect> region;
  bool region_live = false;  ///< it is still dragged: pictures follow, runs wait
  /// The frequency (u, v) whose wave the panels draw over the pattern: cos(2π(ui/m + vj/n) + arg F[u, v]) >
  /// 0.
  std::optional<std::pair<std::int64_t, std::int64_t>> wave;
  std::optional<WaveSum> wave_sum;  ///< its coefficient; empty until it is there

  std::vector<JobView> jobs;      ///< running and waiting, oldest first
  std::vector<SweepPoint> sweep;  ///< of the selected matrix
  bool sweep_busy = false;
  std::vector<SweepSkip> sweep_skipped;  ///< StartSweep{true} runs them
  std::size_t sweep_runs = 0;            ///< of the sweep, those that have ended included
  std::size_t sweep_ended = 0;
  TheoryView theory;
  AdvisorView advisor;
  LessonView lessons;
  ExplainView explain;
  SandboxView sandbox;
  std::shared_ptr<const Study> study;  ///< the one that is open
  std::deque<LogEntry> log;            ///< newest last, at most 2000
  std::vector<Toast> toasts;
  StatusFacts status;
  Settings settings;
  InterfaceState interface;

  [[nodiscard]] const OpenMatrix* matrix() const { return selected ? &matrices[*selected] : nullptr; }
  /// Of the selected matrix; null when there is none.
  [[nodiscard]] PatternPtr pattern() const;
  /// The entries that a column is of; null until its arrangement was found.
  [[nodiscard]] PatternPtr pattern_of(const Column& column) const;
  [[nodiscard]] const View& view(Plane plane) const { return views[static_cast<std::size_t>(plane)]; }
  [[nodiscard]] View& view(Plane plane) { return views[static_cast<std::size_t>(plane)]; }
  [[nodiscard]] const Column* column(ColumnId id) const;
  [[nodiscard]] Column* column(ColumnId id);
  [[nodiscard]] const Column* reference() const;  ///< nullptr when no column is
};

/// What `column` shows of the plane: its own view or the linked one.
[[nodiscard]] PlaneRect view_of(const AppState& state, const Column& column, Plane plane);
/// The rectangle that pictures of `plane` are made for: the view (of `column`, else the linked one), widened
/// to the panel's aspect when units are square (Settings::square_units).
[[nodiscard]] PlaneRect picture_rect(const AppState& state, Plane plane, const Column* column = nullptr);
/// The column that Space, blink and wipe show in place of others; null where there is none.
[[nodiscard]] const Column* compared_column(const AppState& state);

/// The factor of |F| of spectra and pictures, which are of w = a/2^e, that makes it that of the weights a:
/// 2^e; 1 without weights or matrix.
[[nodiscard]] double magnitude_unit(const AppState& state);
/// What to add to log10 of a power for the same: 2·log10 of magnitude_unit().
[[nodiscard]] float power_shift(const AppState& state);
/// Whether the pattern's picture of `column` shows weights, by ScaleSettings::values, and not counts.
[[nodiscard]] bool shows_values(const AppState& state, const Column& column);
/// The largest block size that panels offer: the longer side of what is open, but 128 at least.
[[nodiscard]] std::uint32_t largest_block(const AppState& state);
/// What action ApplyAdvice sets of a column: what its refusal advises, a block size with some room besides,
/// since what is free changes from moment to moment. Empty where there is no such advice.
[[nodiscard]] ParameterValues advised_setting(const AppState& state, const Column& column);

}  // namespace spyctrum
