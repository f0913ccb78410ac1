// SPDX-License-Identifier: Apache-2.0
// Whole lines of the plane – rows u = c, columns v = c, and for square patterns the diagonals u+v ≡ c and u−v
// ≡ c (mod n) – as rows of the spectrum of a re-indexed pattern: F[u, c−u] = Σ_{(i,j)} e^{−2πi(c·j +
// u·(i−j))/n} is row c of the spectrum of the pattern with the entries (j, i−j mod n). The power of each line
// is estimated by random projections: for independent signs ε_j, E|Σ_j ε_j S_c[j]|² = Σ_j |S_c[j]|², which by
// Parseval is the power of line c divided by its length. One FFT gives all lines (sketch of Alon, Matias &
// Szegedy, J. Comput. Syst. Sci. 58, 1999, §2.2).
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

/// The re-indexed pattern: row c of its spectrum is line c of the spectrum of `pattern`, in the order along
/// the line. Throws Failure{wrong_use} for diagonals of a rectangular pattern.
[[nodiscard]] SparsePattern pattern_along(const SparsePattern& pattern, LineDirection direction,
                                          JobContext& context);

/// Signs ε of the kLineProjections random projections: bit r of element k is set where ε_k = +1 in projection
/// r, else ε_k = −1.
inline constexpr std::size_t kLineProjections = 16;
[[nodiscard]] std::vector<std::uint16_t> projection_signs(std::uint64_t count);

/// Mean power of the coefficients of each line c = 0 … line_count−1, in units of the plane's mean K:
/// estimates with a relative standard deviation of 1/4 if many columns contribute to the line's power. Equal
/// patterns give equal results. Takes about 200 bytes per row and column, which the caller books.
[[nodiscard]] std::vector<float> line_powers(const SparsePattern& pattern, LineDirection direction,
                                             JobContext& context);

/// The divisor of line_powers(): line c has power (Σ |Z(c)|² + |Z(−c)|²)/line_power_unit() over the pairs of
/// projections, Z the FFT of a pair.
[[nodiscard]] double line_power_unit(const SparsePattern& pattern);

// The exact power of every row of the plane, without computing a row: the autocorrelation of the columns
// (Wiener and Khinchin) gives Σ_v |F[u,v]|² = n·Σ_d c(d)·cos(2πud/m), c(d) = Σ_j Σ_i a_ij·a_(i+d mod m)j.

/// Returns the mean power of the coefficients of each row u = 0 … m−1, in units of the plane's mean Σa².
/// Takes Σ_j min(k_j²/2, 3·m·log₂(m)) operations, k_j the entries of column j, and 24·m bytes, which the
/// caller books. Returns an empty vector if more than 48·(K + m) operations were needed. Throws
/// Failure{cancelled}.
[[nodiscard]] std::vector<float> row_powers(const SparsePattern& pattern, JobContext& context);

}  // namespace spyctrum
