// SPDX-License-Identifier: Apache-2.0
// Where the samples of one axis lie in the shifted plane: sorted node positions,
// and what surrounds a coordinate. Shared by the sample pictures and the
// reconstruction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

/// Beyond the outermost nodes.
enum class Beyond {
  periodic,  ///< frequencies repeat: the last node's neighbour is the first
  clamped,   ///< the outermost value goes on
};

struct SampleAxis {
  std::uint64_t size = 0;              ///< of the plane that is shown
  std::vector<double> positions;       ///< ascending, distinct, in signed DFT-index units
  std::vector<std::uint64_t> storage;  ///< index on the grid's axis of each
  Beyond beyond = Beyond::clamped;
  /// Only u = 0 … ⌊m/2⌋ are stored: storage ≥ the grid's count k means the conjugate of row
  /// storage − k at −v.
  std::uint64_t stored = 0;

  /// The two nodes around a coordinate: (1−weight)·[below] + weight·[above].
  struct Bracket {
    std::size_t below = 0;
    std::size_t above = 0;
    double weight = 0;
  };
  [[nodiscard]] Bracket bracket(double position) const;
  /// The same, at once where `position` lies between the two nodes after those of `last`.
  [[nodiscard]] Bracket bracket_after(const Bracket& last, double position) const;
  [[nodiscard]] std::size_t nearest(double position) const;
};

/// Nodes at their true frequencies, reduced to the signed range of the axis.
[[nodiscard]] SampleAxis true_axis(const FrequencyAxis& axis, bool hermitian_half);

enum class Stretch {
  ends,     ///< shifted node p of m0 at p(m−1)/(m0−1) of the shifted plane (BS-FFT paper, §3.5)
  centres,  ///< at the centre of its cell, (p+½)m/m0 − ½
  none,     ///< at its own signed index, in the middle of the plane
};
/// Nodes of the full axis of a reduced plane, drawn over a plane of `size`.
[[nodiscard]] SampleAxis reduced_axis(const FrequencyAxis& axis, bool hermitian_half, std::uint64_t size,
                                      Stretch stretch);

}  // namespace spyctrum
