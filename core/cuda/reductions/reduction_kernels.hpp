// SPDX-License-Identifier: Apache-2.0
// Kernels that reduce a tile of rows, as the host code launches them. All pointers are the device's; sums
// over blocks are left in slots, one a block, which the same block of the next launch on that stream goes on
// with, so that results do not depend on timing. Launches return cudaGetLastError().
#pragma once

#include "core/cuda/rows/row_kernels.hpp"
#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

inline constexpr std::uint32_t kNoCell = 0xFFFFFFFFU;

/// Rows of a band: many bands keep the device busy, tall ones cost less each.
inline constexpr std::uint32_t kFeatureBandRows = 8;
inline constexpr std::uint32_t kCellBandRows = 16;
static_assert(kFeatureBandRows <= kBandRows && kCellBandRows <= kBandRows);

/// Neighbouring rows of a tile that count alike and, for a pyramid, fall into the same rows of cells.
struct Band {
  std::uint32_t first = 0;   ///< row of the tile
  std::uint32_t rows = 0;    ///< at most kBandRows
  std::uint32_t weight = 0;  ///< in features
  std::uint32_t up = 0;      ///< row of cells
  std::uint32_t down = 0;    ///< that of −u, kNoCell where the row is its own mirror
  std::uint32_t u = 0;       ///< of the first row; those of symmetric_half are consecutive
};
struct Bands {
  Band band[kFeatureBandsAtOnce];
  std::uint32_t count = 0;
  bool symmetric_half = false;  ///< only |v| ≤ u
  std::uint32_t reach = 0;      ///< of symmetric_half, the largest u

  void add(const Band& one) {
    band[count++] = one;
    if (reach < one.u + one.rows - 1) reach = one.u + one.rows - 1;
  }
};

/// RowClassesView on the device; null begins: no features.
struct DeviceClasses {
  const std::uint32_t* begins = nullptr;
  const std::uint16_t* classes = nullptr;
};

/// Where features add up. Powers in units, logarithms to base 2.
struct FeatureSlots {
  double* sums = nullptr;              ///< [block][kSlotSums]
  unsigned long long* tiny = nullptr;  ///< [2][kTinyPowers]: counts, and Σ log2 P in units of 2^−20
  double* dc_power = nullptr;
};

/// Σ and maximum of |F|² down a band: [band][width].
struct ColumnSums {
  float2* values = nullptr;
};

/// `first_row`: row of the tables that the tile's first row is. With columns.values null only features, with
/// classes.begins null only column sums. Of symmetric_half columns beyond bands.reach are not written.
cudaError_t launch_reduce_bands(const TileView& tile, std::uint64_t first_row, std::uint64_t width,
                                const Bands& bands, const DeviceClasses& classes, const FeatureSlots& slots,
                                const ColumnSums& columns, cudaStream_t stream);

/// The cells of a display pyramid; adds the column sums of bands to them, in the order of the bands.
struct DeviceCells {
  std::uint32_t cols = 0;
  double* power = nullptr;
  float* maximum = nullptr;
};
cudaError_t launch_add_to_cells(const ColumnSums& columns, std::uint64_t width, const Bands& bands,
                                const DeviceCells& cells, cudaStream_t stream);

/// Sums and maxima of each band in cells of their own: [band][as it is, mirror][cols].
cudaError_t launch_cells_of_bands(const ColumnSums& columns, std::uint64_t width, const Bands& bands,
                                  std::uint32_t cols, CellSum* cells, cudaStream_t stream);

/// The row of cells of a shifted position.
[[nodiscard]] inline std::uint32_t cell_of(std::uint64_t position, std::uint64_t size, std::uint64_t cells) {
  return static_cast<std::uint32_t>(((position + 1) * cells - 1) / size);
}

/// The search for the strongest coefficients of a tile.
struct StrongSearch {
  TileView tile;
  std::uint64_t width = 0;
  const LineRequest* lines = nullptr;  ///< [tile.count], the rows' frequencies
  std::uint64_t m = 1;
  std::uint32_t first = 0;        ///< row of the task that the tile's first row is
  std::uint32_t wanted = 0;       ///< at least so many of the strongest
  float least = 0;                ///< power below which none is wanted
  float* threshold = nullptr;     ///< the same as the tiles before on this stream have shown it
  unsigned* histogram = nullptr;  ///< [kStrengthBins], zeros, and left so
  bool symmetric_half = false;    ///< only |v| ≤ u
  unsigned* counts = nullptr;     ///< [2], zeros: found, and found again with a higher threshold
  StrongValue* found = nullptr;   ///< [kMostStrong]
};
/// Lists them; where they are more than fit, raises the threshold to that of the `wanted` strongest first,
/// and lists again.
cudaError_t launch_find_strong(const StrongSearch& search, cudaStream_t stream);

/// ReconstructionReduction on the device.
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
  MagnitudeProducts* axis = nullptr;  ///< [blocks along a row]
  MagnitudeProducts* rest = nullptr;  ///< [row of the tile][blocks along a row]
};
/// Row r of the tile is frequency u = first_row + r.
cudaError_t launch_compare_magnitudes(const TileView& tile, std::uint64_t first_row, std::uint64_t width,
                                      const DeviceReconstruction& reconstruction, cudaStream_t stream);

}  // namespace spyctrum::cuda
