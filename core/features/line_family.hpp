// SPDX-License-Identifier: Apache-2.0
// Whole lines of the plane – rows u = c, columns v = c, and for square patterns
// the diagonals u+v ≡ c and u−v ≡ c (mod n) – as rows of the spectrum of a
// re-indexed pattern: F[u, c−u] = Σ e^{−2πi(c·j + u·(i−j))/n} is row c of the
// pattern with entries (j, i−j). And how much power each line holds, from a few
// random projections: for independent signs ε, E|Σ_j ε_j S_c[j]|² = Σ_j |S_c[j]|²,
// which is the line's power over its length (Parseval); one FFT does all lines
// (the sketch of Alon, Matias & Szegedy 1999, §2.2).
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

enum class LineDirection : std::uint8_t {
  rows,         ///< u = c, along v
  columns,      ///< v = c, along u
  sums,         ///< u + v ≡ c (mod n), along u; square patterns only
  differences,  ///< u − v ≡ c (mod n), along u; square patterns only
};

/// Number of lines of that direction: m, n, n, n.
[[nodiscard]] std::uint64_t line_count(const SparsePattern& pattern, LineDirection direction);

/// The pattern whose spectrum holds line c of `pattern`'s as its row c, by position along the line.
/// Throws Failure{wrong_use} for diagonals of a rectangular pattern.
[[nodiscard]] SparsePattern pattern_along(const SparsePattern& pattern, LineDirection direction,
                                          JobContext& context);

/// Signs of the random projections: bit r of element k is set where place k of a line counts +1 in
/// projection r, of kLineProjections.
inline constexpr std::size_t kLineProjections = 16;
[[nodiscard]] std::vector<std::uint16_t> projection_signs(std::uint64_t count);

/// Mean power of the coefficients of each line c = 0 … line_count−1, in units of the plane's mean K:
/// estimates with a relative standard deviation of 1/4 where a line's power comes from many sources.
/// The same for equal patterns. Holds about 200 bytes for each row and column, which are the caller's to
/// book.
[[nodiscard]] std::vector<float> line_powers(const SparsePattern& pattern, LineDirection direction,
                                             JobContext& context);

/// What the power of a line over all projections, Σ |Z(c)|² + |Z(−c)|² over their pairs, is divided by.
[[nodiscard]] double line_power_unit(const SparsePattern& pattern);

}  // namespace spyctrum
