// SPDX-License-Identifier: Apache-2.0
// Plans of pictures: the source of a picture (coefficients, samples, a pyramid, entries), and the rows and
// columns of the source from which each cell is computed. The CPU (view_*.cpp) and a CUDA device
// (core/device/device_pictures.cpp) follow the same plans, so that their pictures agree.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/pictures/cell_axis.hpp"
#include "core/pictures/partial_pyramid.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

/// The signed frequencies that the rows and the columns of cells of a spectrum's picture show.
struct SpectrumAxes {
  SpectrumAxes() = default;
  SpectrumAxes(const PictureArea& area, std::uint64_t m, std::uint64_t n)
      : rows(CellAxis::of_frequencies({area.rect.top, area.rect.bottom, area.height}, m)),
        cols(CellAxis::of_frequencies({area.rect.left, area.rect.right, area.width}, n)) {}
  /// The number of coefficients in view.
  [[nodiscard]] double count() const {
    return static_cast<double>(rows.in_view().count()) * static_cast<double>(cols.in_view().count());
  }
  CellAxis rows;
  CellAxis cols;
};

/// The plan of an exact picture: from every coefficient in view, from a pyramid, or from samples, in which
/// case the axes u = 0 and v = 0 are computed separately.
struct ExactPlan : SpectrumAxes {
  enum class Source { nothing, coefficients, pyramid, samples };
  Source source = Source::nothing;
  FrequencyGrid grid;                  ///< the frequencies to compute; not for a pyramid
  std::vector<IndexRange> row_ranges;  ///< rows of the grid for each row of cells
  std::vector<IndexRange> col_ranges;
  BlockNoise blocks;  ///< for a pyramid of a part of the rows
};
/// Arguments are those of exact_image(). With a budget of 0 a pyramid is used whatever share of it was
/// streamed.
[[nodiscard]] ExactPlan plan_exact_picture(const SparsePattern& pattern, const DisplayPyramid* pyramid,
                                           const PictureArea& area, std::uint64_t budget);
/// An image of NaN with the exactness and relative error of the plan's picture.
[[nodiscard]] CellImage blank_exact_image(const ExactPlan& plan, const DisplayPyramid* pyramid,
                                          const PictureArea& area);
/// The coefficients on the axes v = 0 and u = 0 and, of a square plane, on its diagonals; a line with more
/// than 2^20 coefficients is empty.
struct AxisSpectra {
  std::vector<std::complex<float>> rows;          ///< F[u, 0], u = 0 … m−1
  std::vector<std::complex<float>> cols;          ///< F[0, v], v = 0 … n−1
  std::vector<std::complex<float>> diagonal;      ///< F[u, u], u = 0 … n−1
  std::vector<std::complex<float>> antidiagonal;  ///< F[u, −u], u = 0 … n−1
};
[[nodiscard]] AxisSpectra axis_spectra(const SparsePattern& pattern);
/// For Source::samples: adds the coefficients with u = 0, v = 0 or u = ±v to the cells that contain them,
/// weighted by their area. Returns the changed cells (row·width + column), some of them twice. `axes`:
/// axis_spectra() of this pattern.
std::vector<std::uint32_t> draw_axes(CellImage& image, const ExactPlan& plan, const SparsePattern& pattern,
                                     const AxisSpectra& axes, JobContext& context);

/// The plan of a picture of stored samples. A node is a sampled frequency of an axis.
struct SamplePlan {
  std::vector<IndexRange> row_ranges;  ///< sorted nodes for each row of cells
  std::vector<IndexRange> col_ranges;
  std::vector<std::uint64_t> row_storage;  ///< stored row of each sorted node; ≥ stored_rows: a conjugate row
  std::uint64_t stored_rows = 0;
  std::vector<std::uint64_t> upright;    ///< stored column of each sorted node, in a stored row
  std::vector<std::uint64_t> mirrored;   ///< likewise, in a conjugate row
  std::uint64_t stride = 0;              ///< values per stored row
  std::optional<std::int64_t> zero_row;  ///< true frequencies: the sorted node of u = 0
  std::optional<std::int64_t> zero_col;  ///< likewise of v = 0
  bool sampled = false;

  /// The stored values of a sorted node's row, by the sorted nodes of the columns.
  struct StoredRow {
    const std::complex<float>* values = nullptr;
    const std::uint64_t* columns = nullptr;
    [[nodiscard]] std::complex<float> at(std::size_t q) const { return values[columns[q]]; }
  };
  [[nodiscard]] StoredRow row(const Spectrum& spectrum, std::size_t p) const {
    const std::uint64_t stored = row_storage[p];
    if (stored < stored_rows) return {&spectrum.values[stored * stride], upright.data()};
    return {&spectrum.values[(stored - stored_rows) * stride], mirrored.data()};
  }
};
/// `spectrum` must hold values.
[[nodiscard]] SamplePlan plan_sample_picture(const Spectrum& spectrum, ReducedPlacement placement,
                                             const PictureArea& area);

/// Whether sampled rows are drawn in cells `height` coefficients high, if one row was sampled in each of
/// `share`·m equal parts of all m rows. They are drawn if a cell is at least five parts high, so that it
/// contains four whole parts and their sampled rows: the power of fewer rows would stand for all rows of the
/// cell. A cell no higher than a row shows that row.
[[nodiscard]] bool shows_rows(double height, double share);

/// In the cells of a picture of samples that show u = 0 or v = 0, weighs the samples on these axes by the
/// area of the axes. Returns the cells (row·width + column) that were changed. Of true frequencies only.
std::vector<std::uint32_t> weigh_axes(CellImage& image, const SamplePlan& plan, const Spectrum& spectrum);

/// Sets cells in which no coefficient exceeds `floor` (Spectrum::rounding_floor) to 0. Returns these cells
/// (row·width + column).
std::vector<std::uint32_t> clear_rounding(CellImage& image, double floor, JobContext& context);

/// Indices of each cell of an axis: all of them, or at most four, evenly spread.
struct CellSamples {
  std::vector<std::int64_t> indices;
  std::vector<std::size_t> starts{0};  ///< [cells + 1]
};
/// The plan of a picture of a reconstruction: the rows (`down`) and columns (`across`) that are evaluated for
/// each cell.
struct ReconstructionPlan : SpectrumAxes {
  CellSamples down;
  CellSamples across;
  bool complete = true;  ///< all coefficients in view are evaluated
};
/// Arguments as reconstruction_image().
[[nodiscard]] ReconstructionPlan plan_reconstruction_picture(const Reconstruction& reconstruction,
                                                             const PictureArea& area, std::uint64_t budget);
[[nodiscard]] CellImage blank_reconstruction_image(const Reconstruction& reconstruction,
                                                   const ReconstructionPlan& plan, const PictureArea& area);
/// Adds the power |F[0,0]|² of DC, `dc` squared, weighted by its area, to cell (r, c), which holds the mean
/// without DC.
void add_dc(CellImage& image, const SpectrumAxes& axes, double dc, std::size_t r, std::size_t c);

/// The first channel of a cell: the number of entries in it; the mean number of entries per b×b block; or the
/// share of blocks whose first position is an entry.
enum class EntryWeighting { entries, mean_of_blocks, first_of_blocks };
/// The plan of a picture of entries.
struct CountPlan {
  CellAxis rows;  ///< blocks
  CellAxis cols;
  std::uint64_t block = 1;
  EntryWeighting weighting = EntryWeighting::entries;
};
[[nodiscard]] CountPlan plan_count_picture(const SparsePattern& pattern, EntryWeighting weighting,
                                           std::uint32_t block, const PictureArea& area);

}  // namespace spyctrum
