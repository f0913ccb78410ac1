// SPDX-License-Identifier: Apache-2.0
// One axis of a lattice transform: where each occupied row (or column) of the pattern lands on the fine grid,
// with which taps and phase, and how the fine grid's frequencies become the output's.
//
// Frequencies f_p = f₀ + b·p, p < count, of a dimension of size m. With g =
// gcd(b, m) they repeat after m/g, so only min(count, m/g) are computed. On a
// fine grid of exactly m/g cells every row index i lies on a cell, (b·i mod m)/g:
// no spreading, no error. Otherwise index i lies at X = n₁·(b·i mod m)/m of n₁
// cells and is spread over w of them (core/fft/spread_shape.hpp). Each point carries
// the phase of the middle frequency f₀ + b·h, h = ⌊count/2⌋, so that the outputs are
// the lowest frequencies of the fine grid.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/fft/phase_table.hpp"
#include "core/fft/spread_shape.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Sizes of one axis, before any table is made.
struct LatticeAxisSizes {
  std::uint64_t period = 1;  ///< m/g
  std::size_t distinct = 1;  ///< distinct frequencies computed
  std::size_t fine = 1;      ///< n₁, cells of the fine grid
  bool on_grid = false;      ///< fine = period, one tap of weight 1
};

/// `shape` is used where the axis is not on the grid.
[[nodiscard]] LatticeAxisSizes lattice_axis_sizes(const FrequencyAxis& axis, const SpreadShape& shape);

/// Factor by which the aliasing error of a lattice of few coefficients may exceed the mean over many.
[[nodiscard]] double aliasing_scatter(const FrequencyGrid& grid);

/// The output h at frequency 0 of the fine grid, and f₀ + b·h mod m, whose phase the points carry.
struct LatticeCentre {
  std::size_t middle = 0;
  std::uint64_t frequency = 0;
};
[[nodiscard]] LatticeCentre lattice_centre(const FrequencyAxis& axis, const LatticeAxisSizes& sizes);

template <class T>
struct LatticeAxis {
  LatticeAxis(const FrequencyAxis& axis, const LatticeAxisSizes& sizes, const SpreadShape& shape,
              std::span<const Index> ids);

  LatticeAxisSizes sizes;
  std::size_t taps;                    ///< w, or 1
  std::vector<std::uint32_t> start;    ///< per slot: first cell, 0 … fine−1
  std::vector<T> weights;              ///< per slot: `taps` values
  std::vector<std::complex<T>> phase;  ///< per slot
  std::size_t first_cell = 0;  ///< fine-grid frequency of output 0; output p is at (first_cell + p) mod fine
  std::vector<T> correction;   ///< per output: 1/φ̂
};

}  // namespace spyctrum
