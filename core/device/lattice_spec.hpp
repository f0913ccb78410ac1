// SPDX-License-Identifier: Apache-2.0
// A lattice as a CUDA device computes it: which spreading function, how large the fine grid is, and the
// numbers from which the device makes its tables (core/fft/lattice_axis.hpp has the mathematics).
#pragma once

#include <cstdint>
#include <optional>

#include "core/device/interface/lattice.hpp"
#include "core/device/interface/module.hpp"
#include "core/fft/lattice_axis.hpp"

namespace spyctrum {

struct DeviceLattice {
  SpreadShape shape;
  LatticeAxisSizes rows;
  LatticeAxisSizes cols;
  [[nodiscard]] double cells() const {
    return static_cast<double>(rows.fine) * static_cast<double>(cols.fine);
  }
  [[nodiscard]] cuda::LatticeAxisSpec row_spec(const FrequencyAxis& axis) const;
  [[nodiscard]] cuda::LatticeAxisSpec col_spec(const FrequencyAxis& axis) const;
};

/// The fastest lattice whose error, relative to √K (K = `entries`), is at most `tolerance` in single
/// precision; empty where no spreading function reaches it.
[[nodiscard]] std::optional<DeviceLattice> choose_device_lattice(const FrequencyGrid& grid, double entries,
                                                                 double tolerance);

/// The order of the pattern's entries that makes spreading fastest for these axes.
[[nodiscard]] cuda::LatticeOrder choose_order(const SparsePattern& pattern, const cuda::LatticeAxisSpec& rows,
                                              const cuda::LatticeAxisSpec& cols);

/// Mean number of fine-grid tiles that the taps of an entry reach, at least 1 (more near the tiles' edges).
[[nodiscard]] double visits_per_entry(const DeviceLattice& lattice);

}  // namespace spyctrum
