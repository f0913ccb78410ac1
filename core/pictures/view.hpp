// SPDX-License-Identifier: Apache-2.0
// Pictures: a rectangle of a plane reduced to the pixels of a panel. The memory
// of a picture depends on its pixels, not on the size of the plane.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/pattern_hierarchy.hpp"
#include "core/matrix/pattern_preview.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/reconstruction/reconstruction.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

namespace cuda {
class DevicePicture;
}

/// A rectangle [top, bottom) × [left, right), row (u or i) downwards. For
/// spectra in signed DFT index units, coefficient (u, v) covering [u−½, u+½) ×
/// [v−½, v+½); for patterns entry (i, j) covers [i, i+1) × [j, j+1).
struct PlaneRect {
  double top = 0, left = 0, bottom = 0, right = 0;
  [[nodiscard]] double height() const { return bottom - top; }
  [[nodiscard]] double width() const { return right - left; }
  friend bool operator==(const PlaneRect&, const PlaneRect&) = default;
};

/// The whole shifted plane / the whole matrix.
[[nodiscard]] PlaneRect full_spectrum_rect(std::uint64_t m, std::uint64_t n);
[[nodiscard]] PlaneRect full_pattern_rect(std::uint64_t m, std::uint64_t n);

/// height×width cells, row-major, two channels a cell, as they go into an RG32F
/// texture. Spectra: (mean power, maximum power) of the coefficients (or
/// samples) in the cell; a cell without a coefficient centre takes the
/// coefficient it lies in. Patterns: (count, fraction occupied). Cells outside
/// the plane hold NaN.
struct CellImage {
  PlaneRect rect;
  std::uint32_t height = 0, width = 0;
  std::vector<float> cells;  ///< 2·height·width
  Exactness exactness = Exactness::exact;
  bool sampled = false;    ///< drawn from samples or a coarser pyramid, not from
                           ///< every coefficient
  bool has_zeros = false;  ///< some cells hold only coefficients that are zero to rounding (rounding_power())
  double coefficients_per_cell = 1;
  /// Relative standard error of a cell's mean power where the mean is over only N of its coefficients, a
  /// share q of them: √((1 − q)/N), for |F|² exponentially distributed. 0 where all are included.
  double relative_error = 0;
  /// The same cells on the device that computed them; null where the CPU did.
  std::shared_ptr<const cuda::DevicePicture> device;
};

/// Counts of entries. `hierarchy`: of this pattern, or null; with it the same
/// result is computed faster. Throws Failure{cancelled}, as all functions here
/// that take a JobContext.
[[nodiscard]] CellImage pattern_image(const SparsePattern& pattern, const PlaneRect& rect,
                                      std::uint32_t height, std::uint32_t width, JobContext& context,
                                      const PatternHierarchy* hierarchy = nullptr);
/// The matrix that Density Map transforms: every cell shows the number of entries
/// of the b×b block in which the cell lies (mean over blocks when a cell covers
/// several). `hierarchy` as above.
[[nodiscard]] CellImage density_image(const SparsePattern& pattern, std::uint32_t block,
                                      const PlaneRect& rect, std::uint32_t height, std::uint32_t width,
                                      JobContext& context, const PatternHierarchy* hierarchy = nullptr);

/// The matrix that Fixed Point transforms: every cell shows the entry A[b·p, b·q] of the b×b block in which
/// the cell lies (mean over blocks when a cell covers several).
[[nodiscard]] CellImage decimated_image(const SparsePattern& pattern, std::uint32_t block,
                                        const PlaneRect& rect, std::uint32_t height, std::uint32_t width,
                                        JobContext& context);

/// The part of a matrix that has been read so far; one cell per cell of the preview.
[[nodiscard]] CellImage preview_image(const PatternPreview::Snapshot& snapshot);

/// Exact coefficients in view, by the lattice engine: all of them when the view holds at most `budget`
/// coefficients, else from `pyramid` when it is given, at most twice coarser than the cells (sampled
/// = true when coarser at all) and, while rows are still streamed into it, has some in each row of cells
/// (then exactness = exact_samples), else from a lattice of at most about `budget` exact samples at prime
/// steps, with the axes u = 0 and v = 0 counted by their area (exactness = exact_samples).
[[nodiscard]] CellImage exact_image(const SparsePattern& pattern, const DisplayPyramid* pyramid,
                                    const PlaneRect& rect, std::uint32_t height, std::uint32_t width,
                                    std::uint64_t budget, JobContext& context);

/// A reduced plane is drawn stretched over the whole plane, or at its true
/// place, the centre.
enum class ReducedPlacement { stretched, centre };

/// The samples that a spectrum holds (mean and maximum of those in a cell, the
/// nearest one in a cell without).
[[nodiscard]] CellImage sample_image(const Spectrum& spectrum, ReducedPlacement placement,
                                     const PlaneRect& rect, std::uint32_t height, std::uint32_t width,
                                     JobContext& context);

/// Cells over a rectangle that a picture is made for.
struct PictureArea {
  PlaneRect rect;
  std::uint32_t height = 0, width = 0;
};
/// The cells in which `samples_per_cell` samples or more are expected each, for a picture of rect in
/// height × width pixels: equal parts of the plane that cover rect, one centred on frequency 0. Where pixels
/// are narrower than a coefficient, or hold that many samples, the pixels themselves.
[[nodiscard]] PictureArea sample_area(const Spectrum& spectrum, ReducedPlacement placement,
                                      const PlaneRect& rect, std::uint32_t height, std::uint32_t width,
                                      std::uint32_t samples_per_cell);

/// The power below which a coefficient of a pattern of `nonzeros` K entries is zero to the rounding of
/// single precision: c²·K, K being the mean of |F|² over the plane (Parseval).
[[nodiscard]] double rounding_power(std::int64_t nonzeros);

/// The reconstruction in view as expected power (Reconstruction::powers), averaged over every coefficient of
/// a cell where the view holds at most `budget` of them; else (sampled = true) over all whose magnitudes are
/// known and, of the others, over at most 4×4 evenly spread ones a cell.
[[nodiscard]] CellImage reconstruction_image(const Reconstruction& reconstruction, const PlaneRect& rect,
                                             std::uint32_t height, std::uint32_t width, std::uint64_t budget,
                                             JobContext& context);

/// Percentile range of log10 of a channel over finite, positive cells: the automatic range of the pixels
/// shown. `skip_dc`, `skip_axes` leave out cells that contain u=0,v=0 / any axis frequency. Thin lines are
/// left out unless high_percent is 100: their share of the pixels depends on the size of the window, so that
/// they would pass a percentile in one window and not in the other.
struct DisplayRange {
  float low = 0, high = 1;  ///< log10 of power
};
[[nodiscard]] DisplayRange automatic_range(const CellImage& image, double low_percent, double high_percent,
                                           bool skip_dc, bool skip_axes, int channel = 0);

/// F[u, v] (forward, unnormalised) by its direct sum in double precision, O(K):
/// the value under the cursor.
[[nodiscard]] std::complex<double> coefficient_at(const SparsePattern& pattern, std::int64_t u,
                                                  std::int64_t v);

}  // namespace spyctrum
