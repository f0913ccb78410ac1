// SPDX-License-Identifier: Apache-2.0
// Kernels of the lattice engine (mathematics: core/fft/lattice_axis.hpp). Pointers are the device's; launches
// return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/device/interface/lattice.hpp"

namespace spyctrum::cuda {

/// The outputs of one axis, as in LatticeAxisSpec.
struct DeviceAxis {
  const float* correction = nullptr;  ///< [distinct]
  std::uint64_t fine = 1;
  std::uint64_t distinct = 1;
  std::uint64_t count = 1;
  std::uint64_t first_cell = 0;  ///< fine frequency of output 0
  std::uint32_t cosets = 1;
  /// As LatticeAxisSpec::outputs().
  [[nodiscard]] constexpr std::uint64_t outputs() const { return cosets == 1 ? distinct : count; }
};

/// The arrays of a LatticeAxisSpec as a kernel argument.
struct SpreadTables {
  explicit SpreadTables(const LatticeAxisSpec& axis);
  double polynomials[kMostPowers * kMostLatticeTaps];
  double places[kMostNodes];
  double values[kMostNodes];
};

/// The tables of one axis, and the data from which they are computed. A record belongs to a slot and a tile
/// that the slot's taps reach: record r·slots + slot to the r-th of these tiles.
struct AxisTables {
  LatticeAxisSpec axis;
  const std::uint32_t* ids = nullptr;  ///< [slots]: row (or column) of each slot
  std::uint64_t slots = 0;
  float2* phases = nullptr;  ///< [reaches × slots]; null: not needed
  /// [reaches × slots × kTileCells], must be zero before; null: not needed. Cell c of a tile is at
  /// 2·(c mod 8) + ⌊c/8⌋, since a lane that spreads has cells c and c+8
  float* taps = nullptr;
  float* correction = nullptr;  ///< [distinct]: 1/φ̂; null: not needed
  std::uint32_t reaches = axis.reaches();
  std::uint64_t reciprocal = ~std::uint64_t{0} / axis.size;
  double inverse = 1 / static_cast<double>(axis.size);
};
/// For each crowded tile, the number of its parts that were summed, at the index of its first part.
struct PartCounters {
  std::uint32_t* done = nullptr;
  std::uint64_t count = 0;
};
/// Computes the tables of both axes and clears the counters, in one launch: the transform of a small window
/// takes hardly longer than a launch.
cudaError_t launch_axis_tables(const AxisTables& rows, const AxisTables& cols, const PartCounters& counters,
                               cudaStream_t stream);
/// starts[slot] = the first cell that the slot's taps reach.
cudaError_t launch_axis_starts(const AxisTables& from, std::uint32_t* starts, cudaStream_t stream);

/// The tiles of a fine grid as it is stored: transposed, with the pattern's column axis downwards, because
/// lines along the row axis are transformed first.
struct TileGrid {
  TileGrid() = default;
  TileGrid(const LatticeAxisSpec& downwards, const LatticeAxisSpec& along, LatticeOrder order);
  LatticeOrder order = LatticeOrder::tiles;
  std::uint32_t side = kTileCells;  ///< cells of a tile's side; 1 in an order by cells
  std::uint32_t fine_rows = 1, fine_cols = 1;
  std::uint32_t row_taps = 1, col_taps = 1;
  std::uint32_t down = 1, across = 1;  ///< numbers of tiles
  [[nodiscard]] constexpr std::uint64_t tiles() const { return std::uint64_t{down} * across; }
  /// True if every entry lies on exactly one cell.
  [[nodiscard]] constexpr bool folds() const { return row_taps == 1 && col_taps == 1; }
};

/// The visits that one warp adds to a tile, and the position of the tile.
struct alignas(16) TilePart {
  std::uint64_t begin = 0;  ///< index of the first visit
  std::uint32_t count = 0;
  std::uint32_t number = 0;  ///< this part among the tile's `parts`
  std::uint32_t first_row = 0, first_col = 0;
  std::uint32_t parts = 1;
  std::uint32_t first_slot = 0;  ///< index of the tile's first part among the parts of all tiles with several
};
static_assert(sizeof(TilePart) == 32);

/// The visits (pairs of an entry and a tile that its taps reach) in the order in which they are added: tile
/// by tile, each tile in parts of about equal length (resident_order.cu).
struct OrderView {
  const uint2* visits = nullptr;    ///< records of the row and of the column
  const float* weights = nullptr;   ///< of the visits' entries; null: every entry counts as 1
  const float* row_taps = nullptr;  ///< AxisTables::taps; null if all sources are on cells
  const float* col_taps = nullptr;
  const std::uint32_t* row_starts = nullptr;  ///< see launch_axis_starts()
  const std::uint32_t* col_starts = nullptr;
  const TilePart* part = nullptr;  ///< null in an order by cells
  std::uint64_t parts = 0;
  std::uint64_t partial_parts = 0;  ///< number of parts of tiles with several parts
  // In an order by cells:
  const std::uint32_t* cells = nullptr;        ///< cell of each visit
  const std::uint64_t* range_first = nullptr;  ///< [ranges + 1]: first visit of a range of kRangeCells cells
};

/// Cells of the fine grid that one thread block sums in an order by cells.
inline constexpr std::uint32_t kRangeCells = 1024;
[[nodiscard]] constexpr std::uint64_t ranges_of(const TileGrid& tiles) {
  return (tiles.tiles() + kRangeCells - 1) / kRangeCells;
}

/// Writes the fine grid (fine_rows × fine_cols), the sum of the entries' taps times their phases and weights;
/// additions are in the order of the visits. `partial`: [partial_parts × kTileCells × kTileCells / 2];
/// `counters`: zeros.
cudaError_t launch_spread(const TileGrid& tiles, const OrderView& order, const float2* row_phases,
                          const float2* col_phases, float2* grid, float4* partial,
                          const PartCounters& counters, cudaStream_t stream);

/// Transposes lines (cols.fine × rows.fine), which were transformed along the row axis, and stores the
/// requested outputs of that axis (rows.distinct × cols.fine) times their correction.
cudaError_t launch_transpose_lines(const float2* lines, const DeviceAxis& rows, const DeviceAxis& cols,
                                   float2* output, cudaStream_t stream);

/// The leaks of one axis, as in AxisCorrections.
struct DeviceLeaks {
  const OutputLeak* leaks = nullptr;
  std::uint32_t count = 0;
  const float2* values = nullptr;
};
/// Subtracts leaks of the rows or of the columns from the rows of all cosets after the FFT along the column
/// axis, before they are corrected along that axis.
cudaError_t launch_subtract_leaks(float2* lattice_rows, const DeviceAxis& rows, const DeviceAxis& cols,
                                  const DeviceLeaks& leaks, bool of_rows, cudaStream_t stream);

/// Writes output rows first_row … first_row+count−1, cut and corrected along the column axis, from
/// lattice_rows, the rows of all cosets after the FFT along that axis; in each coset, output p equals output
/// p mod distinct.
cudaError_t launch_extract(const float2* lattice_rows, const DeviceAxis& rows, const DeviceAxis& cols,
                           std::uint64_t first_row, std::uint32_t count, float2* output, cudaStream_t stream);

}  // namespace spyctrum::cuda
