// SPDX-License-Identifier: Apache-2.0
// Everything that the interface shows, as one value. Panels read it and emit Actions (action.hpp); only the
// controller writes it, on the interface thread. It contains no widget and no OpenGL object, so that tests
// can drive the whole program without a window.
//
// Each cell of the comparison grid is one Picture. The old picture stays in `shown` until a newer one
// arrives; it has its own rectangle, so that a panel draws it at the right place in the current view.
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
#include "app/controller/state/collection.hpp"
#include "app/controller/state/columns.hpp"
#include "app/controller/state/ids.hpp"
#include "app/controller/state/matrices.hpp"
#include "app/controller/state/pictures.hpp"
#include "app/controller/state/program.hpp"
#include "app/controller/state/studies.hpp"
#include "app/controller/state/teaching.hpp"
#include "core/collection/thumbnail_cache.hpp"
#include "core/pictures/wave_sum.hpp"

namespace spyctrum {

struct Study;

/// A block size that the program set for a matrix with which methods would not start otherwise.
struct RaisedBlock {
  MatrixId matrix = 0;
  std::uint32_t from = 0, to = 0;
};

struct AppState {
  std::vector<OpenMatrix> matrices;
  std::optional<std::size_t> selected;  ///< index into matrices
  std::vector<LoadingMatrix> loading;
  std::vector<GalleryItem> gallery;
  FolderList folder;
  ThumbnailMap list_thumbnails;     ///< of the matrices in the list that is open, as far as they were made
  std::vector<std::string> recent;  ///< newest first
  std::vector<std::pair<std::string, Error>> load_failures;  ///< files that could not be opened, oldest first

  Budget budget;             ///< if set, columns have their own block sizes that fit the budget
  std::uint32_t block = 16;  ///< of columns without their own, 1 … kLargestBlock
  /// For the selected matrix; the user may have changed `block` since.
  std::optional<RaisedBlock> raised_block;
  std::vector<Column> columns;
  ColumnId next_column = 1;

  std::array<View, kPlanes> views;
  ScaleSettings scale;
  CompareSettings compare;
  Crosshair crosshair;
  /// The region of the pattern (whole rows and columns of the rectangle) that columns of a region show.
  std::optional<PlaneRect> region;
  bool region_live = false;  ///< the region is still being dragged: pictures follow, runs wait
  /// The frequency (u, v) whose wave is drawn over the pattern, where cos(2π(ui/m + vj/n) + arg F[u, v]) > 0.
  std::optional<std::pair<std::int64_t, std::int64_t>> wave;
  std::optional<WaveSum> wave_sum;  ///< the coefficient of `wave`; empty until it is computed

  /// The share of a plane's rows after which a stream pauses, at the next check point; 1: after the last row.
  double stream_until = 1;

  std::vector<JobView> jobs;      ///< running and waiting, oldest first
  std::vector<SweepPoint> sweep;  ///< of the selected matrix
  bool sweep_busy = false;
  std::vector<SweepSkip> sweep_skipped;  ///< runs that StartSweep{true} would do
  std::size_t sweep_runs = 0;            ///< number of runs of the sweep, including those that have ended
  std::size_t sweep_ended = 0;
  TheoryView theory;
  AdvisorView advisor;
  AnimationView animation;
  LessonView lessons;
  ExplainView explain;
  SandboxView sandbox;
  std::shared_ptr<const Study> study;  ///< the open study; null if there is none
  CollectionView collection;
  std::deque<LogEntry> log;  ///< newest last, at most 2000
  std::vector<Toast> toasts;
  StatusFacts status;
  Settings settings;
  InterfaceState interface;

  [[nodiscard]] const OpenMatrix* matrix() const { return selected ? &matrices[*selected] : nullptr; }
  /// The pattern of the selected matrix; null if there is none.
  [[nodiscard]] PatternPtr pattern() const;
  /// The entries that a column shows; null until its arrangement was computed.
  [[nodiscard]] PatternPtr pattern_of(const Column& column) const;
  [[nodiscard]] const View& view(Plane plane) const { return views[static_cast<std::size_t>(plane)]; }
  [[nodiscard]] View& view(Plane plane) { return views[static_cast<std::size_t>(plane)]; }
  [[nodiscard]] const Column* column(ColumnId id) const;
  [[nodiscard]] Column* column(ColumnId id);
  [[nodiscard]] const Column* reference() const;  ///< null if no column is the reference
  [[nodiscard]] const Column* focused() const;    ///< the column with the focus; null if there is no column
};

/// The part of the plane that `column` shows: its own view or the linked one.
[[nodiscard]] PlaneRect view_of(const AppState& state, const Column& column, Plane plane);
/// The rectangle for which pictures of `plane` are made: the view (of `column`, else the linked one), widened
/// to the panel's aspect if units are square (Settings::square_units; not of slender planes, above 16 to 1).
[[nodiscard]] PlaneRect picture_rect(const AppState& state, Plane plane, const Column* column = nullptr);
/// The column that Space, blink and wipe show instead of the others; null if there is none.
[[nodiscard]] const Column* compared_column(const AppState& state);

/// Pictures and spectra belong to w = a/2^e; |F| for the weights a is this factor, 2^e, times as large. 1
/// without weights or matrix.
[[nodiscard]] double magnitude_unit(const AppState& state);
/// The corresponding summand for log10 of a power: 2·log10 of magnitude_unit().
[[nodiscard]] float power_shift(const AppState& state);
/// Whether the pattern's picture of `column` shows weights (by ScaleSettings::values) instead of counts.
[[nodiscard]] bool shows_values(const AppState& state, const Column& column);
/// Whether their colours are logarithmic (ScaleSettings::value_scale).
[[nodiscard]] bool has_log_values(const AppState& state);
/// The largest block size that panels offer: the longer side of the open matrix, but at least 128.
[[nodiscard]] std::uint32_t largest_block(const AppState& state);
/// The setting that action ApplyAdvice makes: the advice in the column's refusal, with a somewhat larger
/// block size, since the free memory varies. Empty if there is no such advice.
[[nodiscard]] ParameterValues advised_setting(const AppState& state, const Column& column);

struct KeptShare {
  double entries = 0;  ///< of the K stored ones
  double energy = 0;   ///< of Σa²
};
/// The share of a column that has a result of a method with MethodInput::largest_entries; else empty.
[[nodiscard]] std::optional<KeptShare> kept_share(const AppState& state, const Column& column);

}  // namespace spyctrum
