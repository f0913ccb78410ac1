// SPDX-License-Identifier: Apache-2.0
// One axis of a lattice transform: the cell, taps and phase of each occupied row (or column) of the pattern
// on the fine grid, and which frequencies of the fine grid are outputs.
//
// A dimension of size m is evaluated at the frequencies f_p = f₀ + b·p, p < count. They repeat after m/g, g =
// gcd(b, m), so only min(count, m/g) of them are computed. On a fine grid of exactly m/g cells every index i
// lies on a cell, (b·i mod m)/g: nothing is spread, and there is no error. Otherwise index i lies at X =
// n₁·(b·i mod m)/m on n₁ cells and is spread onto w of them (core/fft/spread_shape.hpp). Each point is
// multiplied by the phase of the middle frequency f₀ + b·h, h = ⌊count/2⌋, so that the outputs are the lowest
// frequencies of the fine grid.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/fft/spread_shape.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Sizes of one axis, known before its tables are made.
struct LatticeAxisSizes {
  std::uint64_t period = 1;  ///< m/g
  std::size_t distinct = 1;  ///< distinct frequencies computed
  std::size_t fine = 1;      ///< n₁, cells of the fine grid
  bool on_grid = false;      ///< fine = period: one tap of weight 1
};

/// Returns the sizes; `shape` applies if the points do not lie on the grid.
[[nodiscard]] LatticeAxisSizes lattice_axis_sizes(const FrequencyAxis& axis, const SpreadShape& shape);

/// Factor by which the aliasing error of a lattice with few coefficients may exceed the mean error over many.
[[nodiscard]] double aliasing_scatter(const FrequencyGrid& grid);

/// The number h of the output at frequency 0 of the fine grid, and its frequency f₀ + b·h mod m; every point
/// is multiplied by the phase of that frequency.
struct LatticeCentre {
  std::size_t middle = 0;
  std::uint64_t frequency = 0;
};
[[nodiscard]] LatticeCentre lattice_centre(const FrequencyAxis& axis, const LatticeAxisSizes& sizes);

/// The outputs p ≡ r (mod cosets) of a progression as an axis of their own. All cosets have as many outputs
/// as coset 0; the last of some of them lie beyond those of `axis`.
[[nodiscard]] FrequencyAxis coset_of(const FrequencyAxis& axis, std::uint64_t cosets, std::uint64_t r);

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
