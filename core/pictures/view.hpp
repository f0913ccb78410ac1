// SPDX-License-Identifier: Apache-2.0
// Pictures: rectangles of a plane, reduced to the pixels of a panel. The memory of a picture depends on its
// number of pixels, not on the size of the plane.
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
class LineValues;

/// A rectangle [top, bottom) × [left, right); rows (u or i) increase downwards. In spectra coordinates are
/// signed DFT indices: coefficient (u, v) covers [u−½, u+½) × [v−½, v+½). In patterns entry (i, j) covers [i,
/// i+1) × [j, j+1).
struct PlaneRect {
  double top = 0, left = 0, bottom = 0, right = 0;
  [[nodiscard]] double height() const { return bottom - top; }
  [[nodiscard]] double width() const { return right - left; }
  friend bool operator==(const PlaneRect&, const PlaneRect&) = default;
};

/// A rectangle and the number of cells into which a picture divides it.
struct PictureArea {
  PlaneRect rect;
  std::uint32_t height = 0, width = 0;
  double samples_per_cell = 0;  ///< expected number, if sample_area() made cells larger than pixels; else 0
  friend bool operator==(const PictureArea&, const PictureArea&) = default;
};
/// The rectangle of the whole shifted plane, or of the whole matrix.
[[nodiscard]] PlaneRect full_spectrum_rect(std::uint64_t m, std::uint64_t n);
[[nodiscard]] PlaneRect full_pattern_rect(std::uint64_t m, std::uint64_t n);

/// height×width cells with two channels each, row-major, as an RG32F texture takes them. Spectra: mean and
/// maximum power of the coefficients (or samples) in the cell; a cell that contains no centre of a
/// coefficient shows the coefficient in which it lies. Patterns: count and occupied fraction. Cells outside
/// of the plane are NaN.
struct CellImage {
  PlaneRect rect;
  std::uint32_t height = 0, width = 0;
  std::vector<float> cells;  ///< 2·height·width
  Exactness exactness = Exactness::exact;
  bool sampled = false;    ///< drawn from samples or a coarser pyramid instead of every coefficient
  bool has_zeros = false;  ///< some cells hold only coefficients that are zero to rounding (rounding_floor())
  /// chosen lines are drawn from all their coefficients, everything else from samples
  bool has_lines = false;
  /// Whole rows of the plane that were used besides samples and chosen lines; m if every coefficient was
  /// known.
  std::uint64_t sampled_rows = 0;
  double coefficients_per_cell = 1;
  /// Relative standard error of a cell's mean power if the mean is over N of its coefficients, a share q < 1:
  /// √((1 − q)/N) for exponentially distributed |F|². 0 if all coefficients are included.
  double relative_error = 0;
  /// The same cells on the device that computed them; null if the CPU computed them.
  std::shared_ptr<const cuda::DevicePicture> device;
};

/// Counts of entries. `hierarchy`: of this pattern, or null; it makes the same picture faster. All functions
/// with a JobContext throw Failure{cancelled}.
[[nodiscard]] CellImage pattern_image(const SparsePattern& pattern, const PictureArea& area,
                                      JobContext& context, const PatternHierarchy* hierarchy = nullptr);
/// The matrix that Density Map transforms: a cell shows the number of entries of the b×b block in which it
/// lies, or the mean over the blocks that it covers. `hierarchy`: as for pattern_image().
[[nodiscard]] CellImage density_image(const SparsePattern& pattern, std::uint32_t block,
                                      const PictureArea& area, JobContext& context,
                                      const PatternHierarchy* hierarchy = nullptr);

/// The matrix that Fixed Point transforms: a cell shows A[b·p, b·q] of the b×b block in which it lies, or the
/// mean over the blocks that it covers.
[[nodiscard]] CellImage decimated_image(const SparsePattern& pattern, std::uint32_t block,
                                        const PictureArea& area, JobContext& context);

/// The part of a matrix that was read so far: each cell of the preview becomes one cell.
[[nodiscard]] CellImage preview_image(const PatternPreview::Snapshot& snapshot);

/// The exact spectrum. If at most `budget` coefficients are in view, all of them are computed by the lattice
/// engine. Otherwise `pyramid` is used if it is not null, if its cells are at most twice as wide as those of
/// the picture (sampled = true if they are wider at all), and if its blocks, while rows are missing, show as
/// much as the samples would (exactness = exact_samples, sampled = true; is_as_fine_as_samples()). Otherwise
/// the picture is drawn from a lattice of about `budget` exact samples at prime steps, with the axes u = 0
/// and v = 0 weighted by their area (exactness = exact_samples).
[[nodiscard]] CellImage exact_image(const SparsePattern& pattern, const DisplayPyramid* pyramid,
                                    const PictureArea& area, std::uint64_t budget, JobContext& context);

/// Where a reduced plane is drawn: stretched over the whole plane, or in the centre, at the frequencies that
/// it represents.
enum class ReducedPlacement { stretched, centre };

/// The stored samples of a spectrum: mean and maximum of the samples in a cell; the nearest sample for a cell
/// without one.
[[nodiscard]] CellImage sample_image(const Spectrum& spectrum, ReducedPlacement placement,
                                     const PictureArea& area, JobContext& context);

/// Cells for a picture of the pixels `area`, each expected to contain at least `samples_per_cell` samples:
/// equal parts of the plane that cover its rectangle, one of them centred on frequency 0. If fewer than
/// `least_cells` of them would cover the visible part of the plane, smaller cells are chosen, about that
/// many. If pixels are narrower than a coefficient or contain enough samples, the cells are the pixels.
/// `sampled_rows`: whole rows whose coefficients are samples, too, one in each of that many equal parts of
/// the rows. They count where each cell contains parts of at least four of them; cells are up to twice as
/// wide for that if the rows multiply the samples of a cell by more than the larger area does.
[[nodiscard]] PictureArea sample_area(const Spectrum& spectrum, ReducedPlacement placement,
                                      const PictureArea& area, std::uint32_t samples_per_cell,
                                      std::uint32_t least_cells = 0, std::uint64_t sampled_rows = 0);

/// The samples at true frequencies together with the chosen lines of `lines` (a reconstruction `best` of the
/// same pattern). Coefficients of lines that stand out count with their own area in a pixel; all others are
/// represented by means over the cells of `cells` (sample_area()) of samples and of lines that do not stand
/// out. `rows`: whole rows whose coefficients are samples, too (core/reconstruction, row_values()), or null;
/// they are left out if cells are higher than a row and have parts of fewer than four of them. If lines and
/// rows are the whole plane, the picture is exact.
[[nodiscard]] CellImage sample_image_with_lines(const Spectrum& spectrum, const Reconstruction& lines,
                                                const PictureArea& cells, const PictureArea& pixels,
                                                JobContext& context, const LineValues* rows = nullptr);

/// The reconstruction as expected power (Reconstruction::powers). If at most `budget` coefficients are in
/// view, a cell is the mean over all its coefficients; otherwise (sampled = true) the mean over those whose
/// magnitudes are known and over at most 4×4 evenly spread ones of the others.
[[nodiscard]] CellImage reconstruction_image(const Reconstruction& reconstruction, const PictureArea& area,
                                             std::uint64_t budget, JobContext& context);

/// The automatic range of a picture: percentiles of log10 of a channel over the finite, positive cells.
/// `skip_dc` omits the cells that contain u = v = 0, `skip_axes` those that contain u = 0 or v = 0. Unless
/// high_percent is 100, thin lines are omitted, too: their share of the pixels depends on the size of the
/// window, and the range must not. Where this leaves no cell, those on the axes count, then that of DC. Among
/// zeros the range begins below a lowest power that many cells have.
struct DisplayRange {
  float low = 0, high = 1;  ///< log10 of power
  friend bool operator==(const DisplayRange&, const DisplayRange&) = default;
};
[[nodiscard]] DisplayRange automatic_range(const CellImage& image, double low_percent, double high_percent,
                                           bool skip_dc, bool skip_axes, int channel = 0);

/// F[u, v], forward, unnormalised, by its direct sum in double precision; O(K) operations.
[[nodiscard]] std::complex<double> coefficient_at(const SparsePattern& pattern, std::int64_t u,
                                                  std::int64_t v);

}  // namespace spyctrum
