// SPDX-License-Identifier: Apache-2.0
// Kernels that reduce a tile of rows. Each thread block has a slot for its sums, to which the same block of
// the next launch on that stream adds, so that results do not depend on timing. Pointers are the device's;
// launches return cudaGetLastError().
#pragma once

#include "core/cuda/tiles/tile_view.hpp"
#include "core/device/interface/radial_edges.hpp"
#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

inline constexpr std::uint32_t kNoCell = 0xFFFFFFFFU;

static_assert(kFeatureBandRows <= kBandRows && kCellBandRows <= kBandRows);

/// Several neighbouring rows of a tile that are reduced together: they count equally often and are in the
/// same row of a display pyramid's cells.
struct Band {
  std::uint32_t first = 0;   ///< first row, within the tile
  std::uint32_t rows = 0;    ///< at most kBandRows
  std::uint32_t weight = 0;  ///< how often a row counts in features (RowClassesView::weights)
  std::uint32_t up = 0;      ///< row of cells that contains u
  std::uint32_t down = 0;    ///< row of cells that contains −u; kNoCell if −u ≡ u (mod m)
  std::uint32_t u = 0;       ///< frequency of the first row; consecutive within a band of symmetric halves
};

/// The bands that one launch reduces.
struct Bands {
  Band band[kFeatureBandsAtOnce];
  std::uint32_t count = 0;
  bool symmetric_half = false;  ///< only |v| ≤ u of each row
  std::uint32_t reach = 0;      ///< the largest u

  void add(const Band& one) {
    band[count++] = one;
    if (reach < one.u + one.rows - 1) reach = one.u + one.rows - 1;
  }
};

/// The one of `cells` equal cells that contains the position 0 … size−1 of the shifted plane.
[[nodiscard]] inline std::uint32_t cell_of(std::uint64_t position, std::uint64_t size, std::uint64_t cells) {
  return static_cast<std::uint32_t>(((position + 1) * cells - 1) / size);
}

/// A band of the single row u ≤ ⌊m/2⌋, row `in_tile` of its tile, with the rows of cells of u and −u among
/// `cell_rows` rows of cells, unless that is 0.
[[nodiscard]] inline Band band_of_row(std::uint64_t u, std::uint64_t in_tile, std::uint32_t weight,
                                      std::uint64_t m, std::uint32_t cell_rows) {
  Band band{static_cast<std::uint32_t>(in_tile), 1, weight, 0, kNoCell, static_cast<std::uint32_t>(u)};
  if (cell_rows == 0) return band;
  band.up = cell_of((m / 2 + u) % m, m, cell_rows);
  if (u != 0 && 2 * u != m) band.down = cell_of(m / 2 - u, m, cell_rows);
  return band;
}

struct BandLimits {
  std::uint32_t most_rows = kCellBandRows;  ///< rows of a band at most
  std::uint32_t most_bands = kBandsAtOnce;
  bool symmetric_half = false;
  bool skips_weight_0 = false;  ///< bands of weight 0 are omitted
};

/// The next bands of a tile of `count` rows from row `next` on; sets `next` to the first row after them.
/// band_of(row): the band of that single row of the tile.
template <class BandOf>
[[nodiscard]] Bands collect_bands(std::uint64_t& next, std::uint64_t count, const BandLimits& limits,
                                  BandOf band_of) {
  Bands bands;
  bands.symmetric_half = limits.symmetric_half;
  while (next < count && bands.count < limits.most_bands) {
    Band band = band_of(next);
    while (++next < count && band.rows < limits.most_rows) {
      const Band row = band_of(next);
      const bool is_next_u = !limits.symmetric_half || row.u == band.u + band.rows;
      if (row.weight != band.weight || row.up != band.up || row.down != band.down || !is_next_u) break;
      ++band.rows;
    }
    if (band.weight != 0 || !limits.skips_weight_0) bands.add(band);
  }
  return bands;
}

/// Powers below which a coefficient is noise, and zero (RowSumsReduction).
struct Floors {
  double noise = 0;
  double log2_of_noise = 0;
  double zero = 0;
};

/// A RowClassesView on the device; `begins` null: no features.
struct DeviceClasses {
  const std::uint32_t* begins = nullptr;
  const std::uint16_t* classes = nullptr;
};

/// Partial sums of features; logarithms to base 2.
struct FeatureSlots {
  double* sums = nullptr;              ///< [block][kSlotSums]
  unsigned long long* tiny = nullptr;  ///< [2][kTinyBins]: counts, and Σ log2 P in units of 2^−20
  double* dc_power = nullptr;
};

/// Σ and maximum of |F|² over the rows of each band: [band][width].
struct ColumnSums {
  float2* values = nullptr;
};

/// Sums the bands of a tile: features unless classes.begins is null, column sums unless columns.values is
/// null. `first_row`: row of the class table for the tile's first row. For symmetric halves the column sums
/// of |v| > bands.reach are not written.
cudaError_t launch_reduce_bands(const TileView& tile, std::uint64_t first_row, std::uint64_t width,
                                const Bands& bands, const DeviceClasses& classes, const FeatureSlots& slots,
                                const ColumnSums& columns, cudaStream_t stream);

/// The cells of a display pyramid, row-major.
struct DeviceCells {
  std::uint32_t cols = 0;
  double* power = nullptr;
  float* maximum = nullptr;
};
/// Adds the column sums of bands to the cells, in the order of the bands.
cudaError_t launch_add_to_cells(const ColumnSums& columns, std::uint64_t width, const Bands& bands,
                                const DeviceCells& cells, cudaStream_t stream);

/// Sums and maxima of each band by cells: [band][2][cols], for the rows u and for the rows −u.
cudaError_t launch_cells_of_bands(const ColumnSums& columns, std::uint64_t width, const Bands& bands,
                                  std::uint32_t cols, CellSum* cells, cudaStream_t stream);

/// A tile of a RowSumsReduction.
struct RowsToSum {
  TileView tile;
  const std::uint32_t* u = nullptr;  ///< [tile.count]
  std::uint32_t m = 1;
  std::uint32_t n = 1;
  RadialEdges edges;  ///< radial_edges(m, n)
  double floor = 0;
  double zero_floor = 0;
  bool symmetric_half = false;
};
/// slots[row][block]: the sums of each kRowSumColumns coefficients of a row.
cudaError_t launch_sum_rows(const RowsToSum& rows, Moments* slots, cudaStream_t stream);

/// A search for the strongest coefficients of a tile.
struct StrongSearch {
  TileView tile;
  std::uint64_t width = 0;
  const std::uint32_t* u = nullptr;  ///< [tile.count]
  std::uint64_t m = 1;
  std::uint32_t first = 0;        ///< row of the task that is the tile's first
  std::uint32_t count = 0;        ///< at least this many are listed
  float least = 0;                ///< coefficients of less power are not listed
  float* threshold = nullptr;     ///< `least` or more, raised by earlier tiles of this stream
  unsigned* histogram = nullptr;  ///< [kStrengthBins], zeros before and after
  bool symmetric_half = false;    ///< only |v| ≤ u
  unsigned* counts = nullptr;     ///< [2], zeros before: number found; number found with the raised threshold
  StrongValue* found = nullptr;   ///< [kMostStrong]
};
/// Lists the coefficients above the threshold. If there are more than kMostStrong, raises the threshold to
/// the power of the weakest of the `count` strongest ones and lists the coefficients again.
cudaError_t launch_find_strong(const StrongSearch& search, cudaStream_t stream);

/// The arrays of a ReconstructionReduction on the device.
struct DeviceReconstruction {
  std::uint64_t m = 1;
  std::uint64_t node_cols = 1;
  const float* magnitudes = nullptr;
  const NodeBracket* rows = nullptr;
  const NodeBracket* mirror = nullptr;
  const NodeBracket* cols = nullptr;
  float dc = 0;
  MagnitudeBinning reference_bins;
  MagnitudeBinning estimate_bins;
  unsigned long long* histogram = nullptr;
  MagnitudeProducts* products = nullptr;  ///< [u]
  MagnitudeProducts* slots = nullptr;     ///< [row of the tile][blocks along a row]
};
/// Row r of the tile is frequency u = first_row + r. Writes its products and adds to the histogram.
cudaError_t launch_compare_magnitudes(const TileView& tile, std::uint64_t first_row, std::uint64_t width,
                                      const DeviceReconstruction& reconstruction, cudaStream_t stream);

}  // namespace spyctrum::cuda
