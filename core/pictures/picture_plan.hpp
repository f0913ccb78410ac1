// SPDX-License-Identifier: Apache-2.0
// What a picture is made of, apart from who makes it: which rows and columns of which source each cell takes.
// The CPU (view_*.cpp) and a CUDA device (core/device/device_pictures.cpp) follow the same plans, so that
// both show the same.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/frequency/sample_axis.hpp"
#include "core/pictures/cell_axis.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

/// An exact picture: every coefficient in view, or the pyramid, or samples with the axes apart.
struct ExactPlan {
  enum class Source { nothing, coefficients, pyramid, samples };
  Source source = Source::nothing;
  CellAxis rows;  ///< signed frequencies that each row of cells shows
  CellAxis cols;
  FrequencyGrid grid;                  ///< coefficients, samples: what is computed
  std::vector<IndexRange> row_ranges;  ///< of the grid's rows, by row of cells
  std::vector<IndexRange> col_ranges;
  double passed = 1;  ///< pyramid: the share of the coefficients in view that has passed
};
/// Arguments as exact_image().
[[nodiscard]] ExactPlan plan_exact_picture(const SparsePattern& pattern, const DisplayPyramid* pyramid,
                                           const PlaneRect& rect, std::uint32_t height, std::uint32_t width,
                                           std::uint64_t budget);
/// An image of NaN that says what the plan will fill it with.
[[nodiscard]] CellImage blank_exact_image(const ExactPlan& plan, const DisplayPyramid* pyramid,
                                          const PlaneRect& rect);
/// The axes of the whole plane, each empty where it is longer than 2^20 coefficients.
struct AxisSpectra {
  std::vector<std::complex<float>> rows;  ///< F[u, 0], u = 0 … m−1
  std::vector<std::complex<float>> cols;  ///< F[0, v], v = 0 … n−1
};
[[nodiscard]] AxisSpectra axis_spectra(const SparsePattern& pattern);
/// Source samples: replaces the share of the axes u = 0 and v = 0 in the cells that contain them. Returns the
/// cells (row·width + column) that it wrote. `axes`: of this pattern.
std::vector<std::uint32_t> draw_axes(CellImage& image, const ExactPlan& plan, const SparsePattern& pattern,
                                     const AxisSpectra& axes, JobContext& context);

/// A picture of stored samples.
struct SamplePlan {
  std::vector<IndexRange> row_ranges;  ///< sorted nodes of each row of cells
  std::vector<IndexRange> col_ranges;
  std::vector<std::uint64_t> row_storage;  ///< of each sorted node; ≥ stored_rows: a conjugate row
  std::uint64_t stored_rows = 0;
  std::vector<std::uint64_t> upright;   ///< of each sorted node of the columns
  std::vector<std::uint64_t> mirrored;  ///< the same in a conjugate row
  std::uint64_t stride = 0;             ///< values in a stored row
  bool sampled = false;
};
/// The spectrum holds values.
[[nodiscard]] SamplePlan plan_sample_picture(const Spectrum& spectrum, ReducedPlacement placement,
                                             const PlaneRect& rect, std::uint32_t height,
                                             std::uint32_t width);

/// Evenly spread indices of each cell of an axis, at most four.
struct CellSamples {
  std::vector<std::int64_t> indices;
  std::vector<std::size_t> starts{0};  ///< [cells + 1]
};
/// A picture of a reconstruction.
struct ReconstructionPlan {
  CellAxis rows;
  CellAxis cols;
  CellSamples down;
  CellSamples across;
};
[[nodiscard]] ReconstructionPlan plan_reconstruction_picture(const Reconstruction& reconstruction,
                                                             const PlaneRect& rect, std::uint32_t height,
                                                             std::uint32_t width);
[[nodiscard]] CellImage blank_reconstruction_image(const Reconstruction& reconstruction,
                                                   const PlaneRect& rect, std::uint32_t height,
                                                   std::uint32_t width);
/// Adds DC, K², by its own area to what the cell at row `r` and column `c` holds without it.
void add_dc(CellImage& image, const ReconstructionPlan& plan, std::int64_t nonzeros, std::size_t r,
            std::size_t c);

/// What is counted: entries, each cell's mean over b×b blocks, or only the entries at the first row and
/// column of a block, over the blocks.
enum class Counting { entries, mean_of_blocks, first_of_blocks };
struct CountPlan {
  CellAxis rows;  ///< blocks
  CellAxis cols;
  std::uint64_t block = 1;
  Counting counting = Counting::entries;
};
[[nodiscard]] CountPlan plan_pattern_picture(const SparsePattern& pattern, const PlaneRect& rect,
                                             std::uint32_t height, std::uint32_t width);
[[nodiscard]] CountPlan plan_density_picture(const SparsePattern& pattern, std::uint32_t block,
                                             const PlaneRect& rect, std::uint32_t height,
                                             std::uint32_t width);
[[nodiscard]] CountPlan plan_decimated_picture(const SparsePattern& pattern, std::uint32_t block,
                                               const PlaneRect& rect, std::uint32_t height,
                                               std::uint32_t width);

}  // namespace spyctrum
