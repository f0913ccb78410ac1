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
#include <chrono>
#include <complex>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/study/study.hpp"
#include "core/advisor/advice.hpp"
#include "core/base/error.hpp"
#include "core/features/feature_errors.hpp"
#include "core/features/feature_progress.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/method.hpp"
#include "core/pictures/view.hpp"
#include "core/pictures/wave_sum.hpp"
#include "core/reconstruction/reconstruction.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "core/spectrum/features.hpp"
#include "core/spectrum/spectrum.hpp"
#include "core/theory/related_work.hpp"
#include "core/theory/theory.hpp"

namespace spyctrum {

using MatrixId = std::uint32_t;
using ColumnId = std::uint32_t;
using JobId = std::uint64_t;
using SteadyTime = std::chrono::steady_clock::time_point;
using WallTime = std::chrono::system_clock::time_point;

/// The two planes that are looked at. All pictures of a plane share one view.
enum class Plane { pattern, spectrum };
inline constexpr std::size_t kPlanes = 2;

/// Rows of the comparison grid.
enum class Row { pattern, spectrum, reconstruction, error };
inline constexpr std::size_t kRows = 4;
[[nodiscard]] constexpr Plane plane_of(Row row) {
  return row == Row::pattern ? Plane::pattern : Plane::spectrum;
}
[[nodiscard]] std::string_view name_of(Row row);  ///< "pattern", "spectrum", "reconstruction", "error"

using ReconstructionPtr = std::shared_ptr<const Reconstruction>;

/// Device pixels (not points) of one picture.
struct PixelSize {
  std::uint32_t width = 0, height = 0;
  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

/// How often each of `counts.size()` equal steps of log10(value) from `low` to `high` occurs
/// among the finite, positive pixels shown (DC and axes left out as in the range).
struct Histogram {
  float low = 0, high = 0;
  std::vector<std::uint32_t> counts;
};

/// One cell of the comparison grid.
struct Picture {
  /// What to draw, at its own shown->rect; null until the first one is there. Row pattern: (count,
  /// fraction occupied) a cell; the others: (mean, maximum) of |F|².
  std::shared_ptr<const CellImage> shown;
  /// Row error only: the reference with the same rect and size as `shown` (which is then the
  /// column's reconstruction). The picture is log10(shown) − log10(against), signed, diverging map.
  std::shared_ptr<const CellImage> against;
  /// Grows by one whenever `shown` or `against` changes: upload textures when it differs from yours.
  std::uint64_t version = 0;
  bool busy = false;           ///< a newer one is being computed
  std::optional<Error> error;  ///< why the newest one failed; `shown` stays
  /// Why there is nothing to show here at all ("the reference is its own reconstruction"); may be empty.
  std::string empty_reason;
  DisplayRange range;         ///< draw with this (log10): the shared range, the own one or the manual one
  DisplayRange own_range;     ///< automatic range of this picture alone; row error: (−L, +L)
  bool range_is_own = false;  ///< `range` is not the shared one: the panel says so
  Histogram histogram;
};

/// Values of one column at the crosshair.
struct ColumnProbe {
  ColumnId column = 0;
  /// The column's own stored coefficient nearest to the crosshair, and where it lies (signed DFT
  /// indices of the m×n plane; a reduced plane's node is placed as ScaleSettings::reduced says).
  /// Absent for streamed results.
  std::optional<std::complex<double>>
      coefficient{};  ///< of its own arrangement, exactly; absent for the matrix's
  std::optional<std::complex<double>> sample{};
  double sample_u = 0, sample_v = 0;
  std::optional<double> reconstruction{};  ///< |F̂[u, v]|
  std::optional<double> difference{};      ///< |F̂| − |F|, the exact one
};

/// The linked crosshair. One plane at a time.
struct Crosshair {
  bool active = false;
  Plane plane = Plane::spectrum;
  double row = 0, col = 0;                  ///< where the cursor is, plane coordinates
  std::int64_t u = 0, v = 0;                ///< plane spectrum: the signed frequency under it
  double period_rows = 0, period_cols = 0;  ///< m/|u|, n/|v|; infinity on an axis
  double angle_degrees = 0;                 ///< atan2(u/m, v/n) mod 180
  double radius = 0;                        ///< hypot(u/m, v/n), cycles per sample
  bool pending = false;  ///< the values below belong to an earlier place or are not there yet
  std::optional<std::complex<double>> coefficient;  ///< F[u, v] exactly, double precision
  std::vector<ColumnProbe> columns;                 ///< in the order of AppState::columns
  std::int64_t i = 0, j = 0;                        ///< plane pattern: 0-based row and column under it
  std::optional<bool> stored;  ///< plane pattern: whether (i, j) is an entry; absent outside the matrix
  std::int64_t row_count = 0, col_count = 0;  ///< entries in row i and column j
};

/// How a result became what it is, for the cost table.
struct Cost {
  double seconds = 0;
  StageSeconds stages;
  std::uint64_t bytes_forecast = 0;
  std::uint64_t bytes_peak = 0;
};

/// Which entries a column is of, and in what order: the matrix as it is; the selected region of it alone; or
/// all of it with rows and columns in another order.
struct Arrangement {
  enum class Kind { matrix, region, reordered };
  Kind kind = Kind::matrix;
  std::string order;       ///< reordered: an id of orders()
  std::uint64_t seed = 1;  ///< reordered: of the random order
  friend bool operator==(const Arrangement&, const Arrangement&) = default;
};

/// One method of the comparison grid. Members stand in the order in which they are understood.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct Column {
  ColumnId id = 0;
  std::string method;              ///< registry id
  std::string label;               ///< "Exact", "Elastic BS-FFT"
  std::uint32_t color = 0x7FB2FF;  ///< 0xRRGGBB, used in every plot
  bool reference = false;          ///< the exact one the others are compared with; at most one
  bool uses_block = false;
  bool own_block = false;      ///< false: follows AppState::block
  std::uint32_t block = 16;    ///< in effect (own or global)
  ParameterValues parameters;  ///< all but the block, only those that differ from the defaults
  bool own_range = false;      ///< the user unlocked this column's range (reduced planes begin so)
  Arrangement arrangement;
  PatternPtr pattern;        ///< as arranged; null for the matrix as it is, and until it is there
  HierarchyPtr hierarchy;    ///< of `pattern`, once it is made; null for those it would not help
  std::string pattern_note;  ///< what is to be known about the order

  SpectrumPtr spectrum;  ///< newest finished result; stays while a newer one is computed
  /// Features of a plane that is still streamed, or was left before its last row, with standard errors; null
  /// where there is no such stream.
  std::shared_ptr<const FeatureEstimate> estimate;
  bool stopped = false;  ///< that stream was left: RunColumn goes on with it
  SpectrumPtr passed;    ///< pyramid and strongest coefficients of the rows that have passed; may be null
  bool busy = false;
  std::optional<Error> error;  ///< why the newest run failed
  /// The run would take so long that it is not started by itself; says why. Action RunColumn starts it.
  std::string held_back;
  Exactness exactness = Exactness::exact;  ///< of the method; each picture has its own in CellImage
  Cost cost;                               ///< of `spectrum`; bytes_forecast is set before it has run
  double sampling_rate = 0;                ///< stored coefficients / (m·n); 1 for full planes
  std::uint64_t samples = 0;
  std::uint64_t line_coefficients = 0;          ///< of the reconstruction "best", beside the samples
  std::optional<FeatureErrors> feature_errors;  ///< against the reference, when both are there
  std::optional<ReconstructionErrors> reconstruction_errors;
  bool errors_busy = false;
  std::array<Picture, kRows> pictures;

  /// Those of `estimate`, else of `spectrum`; nullptr where there are none.
  [[nodiscard]] const Features* features() const;
  /// Their standard errors where they are an estimate of the plane's; nullptr for all others.
  [[nodiscard]] const Features* feature_deviations() const { return estimate ? &estimate->errors : nullptr; }
  /// Largest |F| first, of the rows that have passed; nullptr where none were collected.
  [[nodiscard]] const std::vector<StrongCoefficient>* strongest() const;
  [[nodiscard]] const Picture& picture(Row row) const { return pictures[static_cast<std::size_t>(row)]; }
  [[nodiscard]] Picture& picture(Row row) { return pictures[static_cast<std::size_t>(row)]; }
};

/// The linked view of one plane.
struct View {
  PlaneRect rect;                        ///< what is looked at, plane units (view.hpp)
  PlaneRect full;                        ///< the whole plane of the selected matrix
  PixelSize pixels;                      ///< of each picture, as the panels asked (SetPictureSize)
  std::vector<PlaneRect> back, forward;  ///< history, newest last
};

enum class Curve { log, linear, symlog, decibel };
enum class Channel { mean, maximum };

/// How power becomes colour. Only `reduced` and `fill` make new pictures; the rest is the shader's.
struct ScaleSettings {
  Curve curve = Curve::log;
  Channel channel = Channel::mean;
  double low_percent = 1, high_percent = 99.3;  ///< of the pixels shown
  std::optional<DisplayRange> manual;           ///< replaces the automatic range when set (log10 of power)
  bool skip_dc = true;                          ///< DC left out of the automatic range
  bool skip_axes = true;                        ///< u = 0 and v = 0 left out of it
  bool shared = true;     ///< one range (the reference's) for all columns without own_range
  std::string color_map;  ///< of the spectra; a name in color_maps()
  std::string pattern_color_map;
  std::string error_color_map;
  bool dilate = true;  ///< lone dots of the pattern are drawn larger than one pixel
  ReducedPlacement reduced = ReducedPlacement::stretched;
  Fill fill = Fill::bilinear;
};

/// Side-by-side aids of the spectrum row; drawn by the panels from pictures that are there already.
struct CompareSettings {
  bool show_reference = false;  ///< Space held: every column shows the reference
  bool blink = false;           ///< B: alternates, at most 2 Hz
  bool wipe = false;
  float wipe_position = 0.5F;  ///< 0 … 1 from the left: left of it the column, right of it the reference
  std::array<bool, kRows> rows{true, true, true, false};  ///< which rows of the grid are open
};

/// A matrix that is open.
struct OpenMatrix {
  MatrixId id = 0;
  std::string source;  ///< path, "-" or gen: text; opens it again
  Matrix matrix;
  PatternStatistics statistics;
  HierarchyPtr hierarchy{};  ///< of the pattern, once it is made; null for those it would not help
};

/// A matrix that is being read.
struct LoadingMatrix {
  JobId job = 0;
  std::string source;
  Progress progress;
  /// The entries read so far, (count, fraction occupied) a cell over the whole matrix; null for the first
  /// moments. Replaced by a newer one a few times a second.
  std::shared_ptr<const CellImage> preview{};
  DisplayRange range{};         ///< of the preview: log10 of counts
  std::uint64_t entries = 0;    ///< in the preview
  std::uint64_t announced = 0;  ///< by the file
};

struct GalleryItem {
  std::string title;
  std::string help;
  std::string source;  ///< what OpenFile takes
};

struct JobView {
  JobId id = 0;
  std::string title;    ///< "Exact · corafull"
  ColumnId column = 0;  ///< 0: none
  Progress progress;
  bool running = false;  ///< false: waits in its lane
  bool stopping = false;
  bool background = false;  ///< errors, sweep: not what the user waits for
  double seconds = 0;
  std::optional<double> seconds_left{};
};

enum class Level { info, warning, error };

struct LogEntry {
  WallTime time;
  Level level = Level::info;
  std::string text;
};

struct Toast {
  std::uint64_t id = 0;
  Level level = Level::info;
  std::string text;
  SteadyTime expires;  ///< MessageService removes it then
};

/// One point of the trade-off plot.
struct SweepPoint {
  std::string method;
  std::string label;
  std::uint32_t block = 1;
  double seconds = 0;
  std::uint64_t bytes_peak = 0;
  FeatureErrors errors;
};

/// The paper's bounds for what is open.
struct TheoryView {
  std::shared_ptr<const Theory> theory;  ///< of the global block; null until it is there
  std::vector<RelatedSystem> related;    ///< with it; sparsity is judged once the plane was measured
  bool busy = false;
  bool measuring = false;  ///< the pass over the plane that MeasureTheory asked for
  bool measured = false;   ///< it was done
};

/// What pilot runs expect of every setting; panels rank it under the allowances that they show.
struct AdvisorView {
  Expectations known;
  bool busy = false;
};

/// One figure of a study, by number (panels::StudyPlot) and group of matrices.
struct StudyFigure {
  std::size_t plot = 0, group = 0;
};

/// Memory of the CUDA device: what stays there between jobs, what jobs hold, what is free.
struct DeviceMemory {
  std::uint64_t patterns = 0;  ///< the entries of open matrices
  std::uint64_t orders = 0;    ///< the same, sorted for the views that were drawn
  std::uint64_t values = 0;    ///< of spectra and pyramids that were drawn
  std::uint64_t jobs = 0;      ///< now; what stays is counted while a job uses it
  std::uint64_t jobs_peak = 0;
  std::uint64_t free = 0;  ///< on the device, for any program
};

struct StatusFacts {
  std::string backend = "CPU";  ///< "CPU, 2 threads", "CUDA · NVIDIA H200"
  bool on_device = false;       ///< methods and pictures are computed by a CUDA device
  std::string cuda_reason;      ///< why no CUDA device is used; empty when one is, or when nobody wants one
  unsigned threads = 1;
  std::uint64_t host_bytes_used = 0;  ///< resident set of this process
  std::uint64_t host_bytes_total = 0;
  std::string upload_path;    ///< "pixel buffer", "interop": filled by the frame
  std::string upload_reason;  ///< why not interop though a device computes; filled by the frame
  std::string renderer;       ///< GL_RENDERER: filled by the frame
  std::string view;           ///< "whole spectrum · 27 × 27 coefficients a pixel"
  std::string exactness;      ///< of the reference picture shown: "exact", "exact samples", …
  std::optional<DeviceMemory> device_memory{};  ///< while a device draws
  /// How often OpenGL was lost and opened again.
  unsigned graphics_resets = 0;
};

enum class Theme { dark, light };

/// Remembered in the configuration folder.
struct Settings {
  double ui_scale = 0;  ///< 0: the monitor's own
  Theme theme = Theme::dark;
  unsigned threads = 0;            ///< 0: all processors; takes effect at the next start
  std::uint64_t memory_bytes = 0;  ///< allowance of a job; 0: three quarters of what is available
  std::uint64_t seed = 1;
  bool drop_zeros = false;       ///< explicit zeros are not entries (files opened from now on)
  std::string backend = "auto";  ///< as parse_backend() reads it
  double good_enough = 0;        ///< exact features stop once no standard error is above it; 0: at the end
  friend bool operator==(const Settings&, const Settings&) = default;
};

enum class Overlay { none, gallery, help, about, related, go_to, preferences };

/// Dialogs and panels; the dock layout itself is kept by the panels (imgui.ini in the state folder).
struct InterfaceState {
  Overlay overlay = Overlay::gallery;  ///< the gallery is open until a file is asked for
  bool side_panels = true;             ///< Ctrl+B
  bool log_open = false;
  std::uint64_t layout_resets = 0;  ///< grows: the panels rebuild the default dock layout
  std::size_t focused_column = 0;   ///< index into columns: Tab, 1 … 9
  bool quit = false;
  /// Non-empty: the frame writes the screen (PNG) there after the next draw and answers with CaptureDone.
  std::string capture_path;
  std::optional<StudyFigure> study_figure;  ///< fills the screen, for figures as files
};

struct AppState {
  std::vector<OpenMatrix> matrices;
  std::optional<std::size_t> selected;  ///< index into matrices
  std::vector<LoadingMatrix> loading;
  std::vector<GalleryItem> gallery;
  std::vector<std::string> recent;                           ///< newest first
  std::vector<std::pair<std::string, Error>> load_failures;  ///< files that could not be opened, oldest first

  std::uint32_t block = 16;  ///< the global one, 1 … kLargestBlock
  std::vector<Column> columns;
  ColumnId next_column = 1;

  std::array<View, kPlanes> views;
  bool keep_aspect = false;  ///< true: a unit is as high as it is wide (the rectangle is widened)
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
  TheoryView theory;
  AdvisorView advisor;
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

/// The rectangle that pictures of `plane` are made for: the view, widened to the panel's aspect when
/// keep_aspect is set.
[[nodiscard]] PlaneRect picture_rect(const AppState& state, Plane plane);

/// The largest block size that panels offer: the longer side of what is open, but 128 at least.
[[nodiscard]] std::uint32_t largest_block(const AppState& state);
/// What action ApplyAdvice sets of a column: what its refusal advises, a block size with some room besides,
/// since what is free changes from moment to moment. Empty where there is no such advice.
[[nodiscard]] ParameterValues advised_setting(const AppState& state, const Column& column);

}  // namespace spyctrum
