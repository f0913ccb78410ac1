// SPDX-License-Identifier: Apache-2.0
// Pictures of the comparison and their arrangement, the linked view of each plane, how values become colours,
// and the linked crosshair.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/controller/state/ids.hpp"
#include "app/controller/state/picture_error.hpp"
#include "core/base/error.hpp"
#include "core/pictures/colormap.hpp"
#include "core/pictures/value_picture.hpp"
#include "core/pictures/view.hpp"
#include "core/reconstruction/reconstruction.hpp"

namespace spyctrum {

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

/// Numbers of pixels in `counts.size()` equal steps of log10(value) from `low` to `high`, over the finite,
/// positive pixels shown (DC and axes omitted as in the range).
struct Histogram {
  float low = 0, high = 0;
  std::vector<std::uint32_t> counts;
};

/// One cell of the comparison grid.
struct Picture {
  /// The picture to draw, at shown->rect; null until there is one. Row pattern: (count, fraction occupied)
  /// per cell; other rows: (mean, maximum) of |F|².
  std::shared_ptr<const CellImage> shown;
  /// Row error: the reference with the same rect and size as `shown`, which is the column's reconstruction;
  /// null if the measure is the phase, when `shown` contains the differences of the phases. Row pattern: the
  /// magnitudes of negative sums of weights, with those of positive ones in `shown` (ValueImages); null if no
  /// cell is negative.
  std::shared_ptr<const CellImage> against;
  /// Increases whenever `shown` or `against` changes; textures of another version must be uploaded again.
  std::uint64_t version = 0;
  bool busy = false;           ///< a newer one is being computed
  bool misses_view = false;    ///< `shown` has fewer pixels than the view needs, or not all of its part
  std::optional<Error> error;  ///< why the newest one failed; `shown` stays
  /// Why this cell never shows a picture ("the reference is its own reconstruction"); may be empty.
  std::string empty_reason;
  DisplayRange range;         ///< the range to draw with (log10): shared, own or manual
  DisplayRange own_range;     ///< automatic range of this picture alone; row error: of ScaleSettings::error
  bool range_is_own = false;  ///< `range` is not the shared one, which the panel says
  Histogram histogram;
};

/// The linked view of one plane.
struct View {
  PlaneRect rect;  ///< the visible rectangle, in plane units (view.hpp)
  PlaneRect full;  ///< the whole plane of the selected matrix
  /// size of each picture, as requested by the panels (SetPictureSize)
  PixelSize pixels;
  std::vector<PlaneRect> back, forward;  ///< history, newest last
};

enum class Channel { mean, maximum };
/// Whether colours are in proportion to values or to their logarithms; automatic: by needs_log_scale().
enum class ValueScale { automatic, linear, log };

/// How power becomes colour. Only `reduced` and `fill` require new pictures; the shader does the rest.
struct ScaleSettings {
  Curve curve = Curve::log;
  Channel channel = Channel::mean;
  double low_percent = 1, high_percent = 99.3;  ///< of the pixels shown
  std::optional<DisplayRange> manual;           ///< replaces the automatic range if set (log10 of power)
  bool skip_dc = true;                          ///< DC left out of the automatic range
  bool skip_axes = true;                        ///< u = 0 and v = 0 left out of it
  bool shared = true;     ///< one range (the reference's) for all columns without own_range
  std::string color_map;  ///< of the spectra; a name in color_maps()
  std::string pattern_color_map;
  std::string error_color_map;
  ValueQuantity values = ValueQuantity::sum;  ///< what a pixel of a pattern with weights shows
  ValueScale value_scale = ValueScale::automatic;
  bool dilate = true;  ///< lone dots of the pattern are drawn larger than one pixel
  ReducedPlacement reduced = ReducedPlacement::stretched;
  Fill fill = Fill::best;
  PictureError error = PictureError::ratio;
  bool single_samples = false;  ///< pictures of samples show single ones, not means of at least 64
  friend bool operator==(const ScaleSettings&, const ScaleSettings&) = default;
};

/// The names in files, in the order of the enumerators.
inline constexpr std::array<const char*, 3> kWipeLines{"vertical", "diagonal", "antidiagonal"};

/// Aids for comparing spectra; the panels draw them from existing pictures.
struct CompareSettings {
  bool show_reference = false;  ///< Space held: every column shows the reference
  bool blink = false;           ///< B: alternates, at most 2 Hz
  bool wipe = false;
  WipeLine wipe_line = WipeLine::vertical;
  /// Position of the line at half the height, 0 … 1 of the width: the column on its left, the reference on
  /// its right.
  float wipe_position = 0.5F;
  ColumnId against = 0;  ///< the column that takes the reference's place in these aids; 0: the reference
  bool folding = false;  ///< what folds onto one coefficient of a reduced plane is marked in the exact one
  std::array<bool, kRows> rows{true, true, true, false};  ///< which rows of the grid are open
};

enum class GridForm {
  automatic,      ///< the one of the next four that gives the pictures the largest area
  columns,        ///< each method a column; all pictures of one size
  columns_large,  ///< each method a column; spectra large, the other pictures small
  rows,           ///< each method a row; all pictures of one size
  rows_large,     ///< each method a row; spectra large, the other pictures small
  one_large,      ///< one method large (Column::large, else the first), the others as strips; never automatic
};

/// The names in files, in the order of the enumerators.
inline constexpr std::array<const char*, 6> kGridForms{"automatic", "columns",    "columns-large",
                                                       "rows",      "rows-large", "one-large"};
/// The largest number of lines of methods that can be pinned.
inline constexpr unsigned kMostGridLines = 4;

/// Values of one column at the crosshair (u, v).
struct ColumnProbe {
  ColumnId column = 0;
  /// F[u, v] of the column's own pattern, in double precision; absent for columns of the matrix as it is,
  /// whose value is Crosshair::coefficient.
  std::optional<std::complex<double>> coefficient{};
  /// The stored coefficient nearest to (u, v); absent if no values are stored (streamed results).
  std::optional<std::complex<double>> sample{};
  /// Position of `sample`: signed DFT indices of the m×n plane; for a node of a reduced plane as
  /// ScaleSettings::reduced places it.
  double sample_u = 0, sample_v = 0;
  std::optional<double> reconstruction{};  ///< |F̂[u, v]|
  std::optional<double> difference{};      ///< |F̂[u, v]| − |F[u, v]|
};

/// The frequency whose coefficient covers place `at` of the spectrum: k covers [k − ½, k + ½), as in
/// PlaneRect. The left edge of a pixel that covers several coefficients is such an end.
[[nodiscard]] inline std::int64_t frequency_at(double at) {
  return static_cast<std::int64_t>(std::floor(at + 0.5));
}

/// The linked crosshair. One plane at a time.
struct Crosshair {
  bool active = false;
  Plane plane = Plane::spectrum;
  double row = 0, col = 0;                  ///< position of the cursor in plane coordinates
  std::int64_t u = 0, v = 0;                ///< plane spectrum: the signed frequency under it
  double period_rows = 0, period_cols = 0;  ///< m/|u|, n/|v|; infinity on an axis
  double angle_degrees = 0;                 ///< atan2(u/m, v/n) mod 180
  double radius = 0;                        ///< hypot(u/m, v/n), cycles per sample
  bool pending = false;                     ///< the values below belong to an earlier position or are missing
  std::optional<std::complex<double>> coefficient;  ///< F[u, v] exactly, double precision
  std::vector<ColumnProbe> columns;                 ///< in the order of AppState::columns
  std::int64_t i = 0, j = 0;                        ///< plane pattern: 0-based row and column under it
  std::optional<double>
      value;  ///< the weight of the entry (i, j); absent where nothing is stored, or without weights
  std::optional<bool> stored;  ///< plane pattern: whether (i, j) is an entry; absent outside the matrix
  std::int64_t row_count = 0, col_count = 0;  ///< entries in row i and column j
};

}  // namespace spyctrum
