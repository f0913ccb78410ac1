// SPDX-License-Identifier: Apache-2.0
// The linked crosshair and the values under it.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/controller/state/ids.hpp"
#include "app/controller/state/pictures.hpp"

namespace spyctrum {

/// Values of one column at the crosshair (u, v).
struct ColumnProbe {
  ColumnId column = 0;
  /// F[u, v] of the column's own pattern, in double precision; absent for columns of the matrix as it is,
  /// whose value is Crosshair::coefficient.
  std::optional<std::complex<double>> coefficient{};
  /// The stored coefficient nearest to (u, v); absent if no values are stored (streamed results).
  std::optional<std::complex<double>> sample{};
  /// Position of `sample`: signed DFT indices of the m×n plane; for a node of a reduced plane as
  /// ScaleSettings::reduced places it.
  double sample_u = 0, sample_v = 0;
  std::optional<double> reconstruction{};  ///< |F̂[u, v]|
  std::optional<double> difference{};      ///< |F̂[u, v]| − |F[u, v]|
};

/// The linked crosshair. One plane at a time.
struct Crosshair {
  bool active = false;
  Plane plane = Plane::spectrum;
  double row = 0, col = 0;                  ///< position of the cursor in plane coordinates
  std::int64_t u = 0, v = 0;                ///< plane spectrum: the signed frequency under it
  double period_rows = 0, period_cols = 0;  ///< m/|u|, n/|v|; infinity on an axis
  double angle_degrees = 0;                 ///< atan2(u/m, v/n) mod 180
  double radius = 0;                        ///< hypot(u/m, v/n), cycles per sample
  bool pending = false;                     ///< the values below belong to an earlier position or are missing
  std::optional<std::complex<double>> coefficient;  ///< F[u, v] exactly, double precision
  std::vector<ColumnProbe> columns;                 ///< in the order of AppState::columns
  std::int64_t i = 0, j = 0;                        ///< plane pattern: 0-based row and column under it
  std::optional<double>
      value;  ///< the weight of the entry (i, j); absent where nothing is stored, or without weights
  std::optional<bool> stored;  ///< plane pattern: whether (i, j) is an entry; absent outside the matrix
  std::int64_t row_count = 0, col_count = 0;  ///< entries in row i and column j
};

}  // namespace spyctrum
