// SPDX-License-Identifier: Apache-2.0
// Where Elastic BS-FFT samples the plane: ⌈m/b⌉ × ⌈n/b⌉ frequencies, either the paper's approximately uniform
// fftshifted indices (§3.2), or an arithmetic progression that keeps off the axes (design/algorithms.md §0,
// §1): the DC value and the cross u = 0, v = 0 are known from K and the row and column counts, and a lattice
// that contains them weighs them b times too heavily.
#pragma once

#include <cstdint>

#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

/// ⌈size/b⌉.
[[nodiscard]] constexpr std::uint64_t block_count(std::uint64_t size, std::uint64_t block) {
  return (size + block - 1) / block;
}

/// m0 = ⌈size/b⌉ fftshifted positions round(p(size−1)/(m0−1)), as signed frequencies in ascending order; the
/// first position alone where m0 = 1; all of them where b = 1.
[[nodiscard]] FrequencyAxis paper_axis(std::uint64_t size, std::uint64_t block);

/// The signed frequencies congruent to about b/4 modulo b, ascending: ⌊size/b⌋ or ⌈size/b⌉ of them, never 0,
/// and where b > 2 none the negative of another. All frequencies where b = 1 or size = 1.
[[nodiscard]] FrequencyAxis off_axis_progression(std::uint64_t size, std::uint64_t block);

[[nodiscard]] inline FrequencyGrid paper_grid(std::uint64_t m, std::uint64_t n, std::uint64_t block) {
  return {paper_axis(m, block), paper_axis(n, block)};
}
/// off_axis_progression() down and, for blocks of 4 and more, the frequencies congruent to about b/2 across:
/// so neither axis nor diagonal is met, and of a symmetric pattern the transposes F[v,u] = F[u,v] are
/// coefficients that were not sampled.
[[nodiscard]] FrequencyGrid off_axis_grid(std::uint64_t m, std::uint64_t n, std::uint64_t block);

}  // namespace spyctrum
