// SPDX-License-Identifier: Apache-2.0
// A band is several neighbouring rows of a tile that are reduced together: they have the same weight and lie
// in the same row of a display pyramid's cells.
#pragma once

#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

inline constexpr std::uint32_t kNoCell = 0xFFFFFFFFU;

/// Largest number of rows of a band: with many bands the device is busy, with tall bands a row costs less.
inline constexpr std::uint32_t kFeatureBandRows = 8;
inline constexpr std::uint32_t kCellBandRows = 16;
static_assert(kFeatureBandRows <= kBandRows && kCellBandRows <= kBandRows);

struct Band {
  std::uint32_t first = 0;   ///< first row, within the tile
  std::uint32_t rows = 0;    ///< at most kBandRows
  std::uint32_t weight = 0;  ///< weight in features (RowClassesView::weights)
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

/// Which of `cells` equal cells contains the position 0 … size−1 of the shifted plane.
[[nodiscard]] inline std::uint32_t cell_of(std::uint64_t position, std::uint64_t size, std::uint64_t cells) {
  return static_cast<std::uint32_t>(((position + 1) * cells - 1) / size);
}

/// A band of the single row u ≤ ⌊m/2⌋, row `in_tile` of its tile, with the rows of cells of u and −u among
/// `cell_rows` rows; without them if that is 0.
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

}  // namespace spyctrum::cuda
