// SPDX-License-Identifier: Apache-2.0
// Positions of the samples along one axis of the fftshifted plane, in ascending order, and the two samples
// around a coordinate, for linear interpolation. Used by the pictures of samples and by the reconstruction.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

/// How values continue beyond the outermost nodes.
enum class Beyond {
  periodic,  ///< frequencies repeat: after the last node comes the first
  clamped,   ///< the outermost node keeps its value
};

struct SampleAxis {
  std::uint64_t size = 0;              ///< side of the plane along this axis
  std::vector<double> positions;       ///< of the nodes: ascending, distinct, in signed DFT-index units
  std::vector<std::uint64_t> storage;  ///< index of each node on the grid's axis
  Beyond beyond = Beyond::clamped;
  /// Number of frequencies k of the grid's axis. If only rows u = 0 … ⌊m/2⌋ are stored, a storage index s ≥ k
  /// stands for the mirror of row s − k: F[−u, v] = conj F[u, −v].
  std::uint64_t stored = 0;

  /// Two nodes around a coordinate; interpolated value: (1−weight)·value[below] + weight·value[above].
  struct Bracket {
    std::size_t below = 0;
    std::size_t above = 0;
    double weight = 0;
  };
  [[nodiscard]] Bracket bracket(double position) const;
  /// Returns bracket(position); in constant time if `position` lies in the interval after that of `last`.
  [[nodiscard]] Bracket bracket_after(const Bracket& last, double position) const;
  [[nodiscard]] std::size_t nearest(double position) const;
  /// The DFT index of the frequency nearest to a node.
  [[nodiscard]] std::uint64_t index_at(std::size_t node) const {
    return dft_index(std::llround(positions[node]), size);
  }
};

/// Nodes at the frequencies of `axis`, reduced to its signed range; periodic for a progression.
[[nodiscard]] SampleAxis true_axis(const FrequencyAxis& axis, bool hermitian_half);

enum class Stretch {
  ends,     ///< fftshifted node p of m0 at position p(m−1)/(m0−1) of the m (BS-FFT paper, §3.5)
  centres,  ///< node p at the centre of its cell, (p+½)m/m0 − ½
  none,     ///< every node at its own signed index, in the middle of the plane
};
/// Nodes of the full axis of a reduced plane of m0 frequencies, spread over a plane of `size` m.
[[nodiscard]] SampleAxis reduced_axis(const FrequencyAxis& axis, bool hermitian_half, std::uint64_t size,
                                      Stretch stretch);

/// Where the value at minus the frequency of `node` is stored, if the nodes of `axis` are all frequencies of
/// `grid`.
[[nodiscard]] std::uint64_t mirrored_storage(const SampleAxis& axis, const FrequencyAxis& grid,
                                             std::size_t node);

}  // namespace spyctrum
