// SPDX-License-Identifier: Apache-2.0
// The frequencies that Elastic BS-FFT samples for block size b, about ⌈m/b⌉ × ⌈n/b⌉: either the nearly
// uniform fftshifted indices of the BS-FFT paper (§3.2), or an arithmetic progression per axis that excludes
// u = 0 and v = 0. The values on the axes, F[u,0] and F[0,v], are known exactly (DFTs of the row and column
// sums) and hold far more power than their neighbours; in a lattice that contains an axis, each of them would
// count b times too much. Samples on progressions are one type-1 non-uniform FFT of the size of the output
// (core/fft/lattice.hpp).
#pragma once

#include <cstdint>

#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

/// ⌈size/b⌉.
[[nodiscard]] constexpr std::uint64_t block_count(std::uint64_t size, std::uint64_t block) {
  return (size + block - 1) / block;
}

/// The m0 = ⌈size/b⌉ fftshifted positions round(p(size−1)/(m0−1)), p = 0 … m0−1, as signed frequencies in
/// ascending order. For m0 = 1 the first position alone, for b = 1 all positions.
[[nodiscard]] FrequencyAxis paper_axis(std::uint64_t size, std::uint64_t block);

/// The signed frequencies congruent to max(1, ⌊(b+2)/4⌋) modulo b, ascending: ⌊size/b⌋ or ⌈size/b⌉ of them.
/// None is 0 and, for b > 2, none is the negative of another, so that the conjugates F[−u,−v] of samples are
/// no samples. For b = 1 or size = 1 all frequencies.
[[nodiscard]] FrequencyAxis off_axis_progression(std::uint64_t size, std::uint64_t block);

[[nodiscard]] inline FrequencyGrid paper_grid(std::uint64_t m, std::uint64_t n, std::uint64_t block) {
  return {paper_axis(m, block), paper_axis(n, block)};
}
/// Rows as off_axis_progression(); columns, for b ≥ 4, the frequencies congruent to ⌊b/2⌋ modulo b. The grid
/// contains no coefficient with u = 0, v = 0 or u = v, and for a symmetric pattern the transposes F[v,u] =
/// F[u,v] of samples are no samples.
[[nodiscard]] FrequencyGrid off_axis_grid(std::uint64_t m, std::uint64_t n, std::uint64_t block);

}  // namespace spyctrum
