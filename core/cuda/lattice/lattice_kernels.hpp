// SPDX-License-Identifier: Apache-2.0
// Kernels of the lattice engine. All pointers are the device's. Launches
// return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// The outputs of one axis on the device.
struct DeviceAxis {
  const float* correction = nullptr;  ///< [distinct]
  std::uint64_t fine = 1;
  std::uint64_t distinct = 1;
  std::uint64_t count = 1;
  std::uint64_t first_cell = 0;  ///< fine frequency of output 0
};

/// The numbers of a LatticeAxisSpec's arrays as an argument of kernels.
struct SpreadTables {
  explicit SpreadTables(const LatticeAxisSpec& axis);
  double polynomials[kMostPowers * kMostLatticeTaps];
  double places[kMostNodes];
  double values[kMostNodes];
};

/// The tables of one axis and what they are computed from. A record is a pair of a slot and one of the tiles
/// that its taps reach: record r·slots + slot is of its r-th tile.
struct AxisTables {
  LatticeAxisSpec axis;
  const std::uint32_t* ids = nullptr;  ///< [slots]: the row (or column) of each
  std::uint64_t slots = 0;
  float2* phases = nullptr;  ///< [reaches × slots]; null for none
  float* taps = nullptr;  ///< [reaches × slots × kTileCells], zeros before; null for none. Cell c of a tile
                          ///< is at 2·(c mod 8) + ⌊c/8⌋, as a lane that spreads has cells c and c+8
  float* correction = nullptr;  ///< [distinct]: 1/φ̂; null for none
  std::uint32_t reaches = axis.reaches();
  std::uint64_t reciprocal = ~std::uint64_t{0} / axis.size;
  double inverse = 1 / static_cast<double>(axis.size);
};
/// How many parts of a crowded tile are summed, at the place of its first part.
struct PartCounters {
  std::uint32_t* done = nullptr;
  std::uint64_t count = 0;
};
/// Both axes and the counters in one launch, since the transform of a small window takes hardly longer than a
/// launch.
cudaError_t launch_axis_tables(const AxisTables& rows, const AxisTables& cols, const PartCounters& counters,
                               cudaStream_t stream);
/// starts[slot]: the first cell that each slot reaches.
cudaError_t launch_axis_starts(const AxisTables& from, std::uint32_t* starts, cudaStream_t stream);

/// The tiles of a fine grid, in the order of memory: the columns' axis of the pattern goes down (`rows`
/// here), as lines along its rows' axis are transformed first.
struct TileGrid {
  TileGrid() = default;
  TileGrid(const LatticeAxisSpec& downwards, const LatticeAxisSpec& along, LatticeOrder order);
  LatticeOrder order = LatticeOrder::tiles;
  std::uint32_t side = kTileCells;  ///< of a tile; 1 in an order by cells
  std::uint32_t fine_rows = 1, fine_cols = 1;
  std::uint32_t row_taps = 1, col_taps = 1;
  std::uint32_t down = 1, across = 1;  ///< tiles
  [[nodiscard]] constexpr std::uint64_t tiles() const { return std::uint64_t{down} * across; }
  /// Every entry lies on one cell.
  [[nodiscard]] constexpr bool folds() const { return row_taps == 1 && col_taps == 1; }
};

/// Entries that one warp adds to a tile, and where the tile is.
struct alignas(16) TilePart {
  std::uint64_t begin = 0;  ///< of the visits
  std::uint32_t count = 0;
  std::uint32_t number = 0;  ///< of `parts` that the tile has
  std::uint32_t first_row = 0, first_col = 0;
  std::uint32_t parts = 1;
  std::uint32_t first_slot = 0;  ///< of a tile of several parts: its first among all such parts
};
static_assert(sizeof(TilePart) == 32);

/// Entries in the order in which they are added: for each tile all those that reach it, in parts of about
/// equal length (lattice_order.cu).
struct OrderView {
  const uint2* visits = nullptr;    ///< records of row and column
  const float* row_taps = nullptr;  ///< AxisTables::taps; none where all sources are on cells
  const float* col_taps = nullptr;
  const std::uint32_t* row_starts = nullptr;  ///< the first cell of each slot
  const std::uint32_t* col_starts = nullptr;
  const TilePart* part = nullptr;  ///< none in an order by cells
  std::uint64_t parts = 0;
  std::uint64_t partial_parts = 0;  ///< of tiles of several parts, which go through `partial`
  // In an order by cells:
  const std::uint32_t* cells = nullptr;        ///< of the visits
  const std::uint64_t* range_first = nullptr;  ///< [ranges + 1]: the first visit of every kRangeCells cells
};

/// Cells of the fine grid that a block sums in an order by cells.
inline constexpr std::uint32_t kRangeCells = 1024;
[[nodiscard]] constexpr std::uint64_t ranges_of(const TileGrid& tiles) {
  return (tiles.tiles() + kRangeCells - 1) / kRangeCells;
}

/// The fine grid (fine_rows × fine_cols) as the sum of the entries' taps; every cell is written, by additions
/// in the order of the visits. `partial`: [partial_parts × kTileCells × kTileCells / 2]; `counters`: zeros.
cudaError_t launch_spread(const TileGrid& tiles, const OrderView& order, const float2* row_phases,
                          const float2* col_phases, float2* grid, float4* partial,
                          const PartCounters& counters, cudaStream_t stream);

/// Transposes lines (cols.fine × rows.fine), transformed along the rows' axis, into the wanted rows
/// (rows.distinct × cols.fine), corrected for the rows' axis.
cudaError_t launch_transpose_lines(const float2* lines, const DeviceAxis& rows, const DeviceAxis& cols,
                                   float2* output, cudaStream_t stream);

/// Output rows first_row … first_row+count−1 from those rows after the FFT along the columns' axis; outputs p
/// ≥ distinct repeat p mod distinct.
cudaError_t launch_extract(const float2* lattice_rows, const DeviceAxis& rows, const DeviceAxis& cols,
                           std::uint64_t first_row, std::uint32_t count, float2* output, cudaStream_t stream);

}  // namespace spyctrum::cuda
