// SPDX-License-Identifier: Apache-2.0
// The numbers by which a CUDA device computes a lattice: the spreading function, the size of the fine grid,
// and those from which the device makes its tables (mathematics: core/fft/lattice_axis.hpp).
#pragma once

#include <optional>

#include "core/device/interface/lattice.hpp"
#include "core/fft/lattice_axis.hpp"

namespace spyctrum {

/// A lattice with the spreading function and fine grid that were chosen for it. Long axes are computed in
/// cosets (cuda::LatticeAxisSpec).
struct DeviceLattice {
  SpreadShape shape;      ///< for axes whose sources do not lie on cells (LatticeAxisSizes::on_grid)
  LatticeAxisSizes rows;  ///< of one coset
  LatticeAxisSizes cols;
  std::uint64_t row_cosets = 1;
  std::uint64_t col_cosets = 1;
  /// Cells of the fine grid, on which one pair of cosets after the other is computed.
  [[nodiscard]] double cells() const {
    return static_cast<double>(rows.fine) * static_cast<double>(cols.fine);
  }
  [[nodiscard]] cuda::LatticeRows lattice_rows() const {
    return {row_cosets, col_cosets, rows.distinct, cols.fine};
  }
  [[nodiscard]] cuda::LatticeAxisSpec row_spec(const FrequencyAxis& axis) const;
  [[nodiscard]] cuda::LatticeAxisSpec col_spec(const FrequencyAxis& axis) const;
};

/// The lattice of `grid` with this spreading function and these numbers of cosets.
[[nodiscard]] DeviceLattice device_lattice(const FrequencyGrid& grid, const SpreadShape& shape,
                                           std::uint64_t row_cosets, std::uint64_t col_cosets);

/// The fastest lattice whose error, relative to √K (K = `entries`), is at most `tolerance` in single
/// precision; empty if no spreading function has so small an error. `most_cosets`: of either axis, a power of
/// two.
[[nodiscard]] std::optional<DeviceLattice> choose_device_lattice(const FrequencyGrid& grid, double entries,
                                                                 double tolerance,
                                                                 std::uint64_t most_cosets = 1);

/// The largest number of cosets in which the coefficients of `grid` can be computed: kMostCosets, or 1 where
/// outputs repeat.
inline constexpr std::uint64_t kMostCosets = 8;
[[nodiscard]] std::uint64_t most_cosets_of(const FrequencyGrid& grid);

/// The order of the pattern's entries in which spreading is fastest for these axes.
[[nodiscard]] cuda::LatticeOrder choose_order(const SparsePattern& pattern, const cuda::LatticeAxisSpec& rows,
                                              const cuda::LatticeAxisSpec& cols);

/// Mean number of tiles of the fine grid that the taps of an entry reach; at least 1.
[[nodiscard]] double visits_per_entry(const DeviceLattice& lattice);

}  // namespace spyctrum
