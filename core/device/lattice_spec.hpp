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
  bool in_groups = false;  ///< in groups of cosets (cuda::LatticeOrder::groups)
  /// Cells of the fine grid, on which one pair of cosets after the other is computed.
  [[nodiscard]] double cells() const {
    return static_cast<double>(rows.fine) * static_cast<double>(cols.fine);
  }
  [[nodiscard]] cuda::LatticeRows lattice_rows() const {
    return {row_cosets, col_cosets, rows.distinct, cols.fine};
  }
  /// In groups: values between the transforms of both axes, and outputs in whole rows of all cosets.
  [[nodiscard]] std::uint64_t values_between() const {
    const std::uint64_t of_coset = rows.distinct * cols.fine;
    return of_coset * cuda::group_cosets_at_once(row_cosets * col_cosets, of_coset);
  }
  [[nodiscard]] std::uint64_t group_outputs(const FrequencyGrid& grid) const {
    return row_cosets * rows.distinct * grid.cols.count();
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

/// The lattice of `grid` in groups of cosets; empty if its axes have no length for that, or groups were not
/// full. `block_bytes`: shared memory that a thread block of the device can have. Outputs must not repeat
/// (most_cosets_of()).
[[nodiscard]] std::optional<DeviceLattice> lattice_in_groups(const FrequencyGrid& grid,
                                                             std::uint64_t row_cosets,
                                                             std::uint64_t col_cosets,
                                                             std::uint64_t block_bytes);

/// The fastest lattice in groups whose error is at most `tolerance`, as that of choose_device_lattice();
/// empty if none is faster than `other`.
[[nodiscard]] std::optional<DeviceLattice> choose_lattice_in_groups(const FrequencyGrid& grid, double entries,
                                                                    double tolerance,
                                                                    std::uint64_t block_bytes,
                                                                    const DeviceLattice& other);

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
