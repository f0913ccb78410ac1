// SPDX-License-Identifier: Apache-2.0
// The lattice engine: coefficients at an arithmetic progression of frequencies on each axis, to a requested
// tolerance,
//   F[u₀+b·p, v₀+c·q] = Σ_t a_t w_m^{u₀ i_t} w_n^{v₀ j_t} e^{−i(p x_t + q y_t)},
//   x_t = 2π((b·i_t) mod m)/m,  y_t = 2π((c·j_t) mod n)/n,  w_m = e^{−2πi/m},
// over the entries t = (i_t, j_t) with weights a_t. This is a type-1 non-uniform FFT (Dutt & Rokhlin, SIAM
// J. Sci. Comput. 14, 1993); its cost grows with K and with the size of the output, not with m and n. If b |
// m, c | n and the counts are m/b and n/c, the points lie on the grid, and one FFT of the folded pattern is
// exact. Used for zoom windows (b = c = 1) and for the samples of Elastic BS-FFT.
#pragma once

#include <complex>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/fft/phase_table.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

struct LatticeOptions {
  /// Requested root-mean-square error over the output, relative to √K (with weights √Σa²), the root mean
  /// square of all coefficients. The outermost rows and columns have up to four times this error, those in
  /// the middle less; rounding adds about 3e−7 of each value. Below 1e−6, or where single precision cannot
  /// reach the tolerance, everything is computed in double precision. Tolerances below 3e−8 are treated as
  /// 3e−8. The large values on the axes, F[0, 0] = K above all, do not add to the error (axis_leaks.hpp).
  /// Other values far above √K do: a coefficient contains up to 7·tolerance times those that are its aliases.
  double tolerance = 1e-6;
};

/// Returns F on `grid` (both axes must be progressions), row-major, forward e^{−2πi…}, unnormalised. Sides up
/// to 2^32−1; indices are reduced modulo m and n in integers, never in floating point. Throws
/// Failure{wrong_use} if an axis is a list, {cancelled} and {out_of_memory}.
[[nodiscard]] std::vector<std::complex<float>> lattice_transform(const SparsePattern& pattern,
                                                                 const FrequencyGrid& grid,
                                                                 const LatticeOptions& options,
                                                                 JobContext& context);

/// Peak bytes of lattice_transform(), the result included.
[[nodiscard]] std::uint64_t lattice_bytes(const SparsePattern& pattern, const FrequencyGrid& grid,
                                          const LatticeOptions& options);

/// Returns the same coefficients by direct summation in double precision, O(K) operations for each row
/// frequency and O(occupied columns) for each coefficient. For tests and small windows; the axes may be
/// lists.
[[nodiscard]] std::vector<std::complex<double>> direct_transform(const SparsePattern& pattern,
                                                                 const FrequencyGrid& grid,
                                                                 JobContext& context);

/// Single coefficients by direct summation in double precision, O(K) operations each. The pattern must
/// outlive the object.
class DirectSum {
 public:
  explicit DirectSum(const SparsePattern& pattern)
      : pattern_(pattern), row_roots_(pattern.rows()), column_roots_(pattern.cols()) {}
  /// F[u, v]. Throws Failure{cancelled} if `context` is given and was stopped.
  [[nodiscard]] std::complex<double> at(std::int64_t u, std::int64_t v,
                                        const JobContext* context = nullptr) const;

 private:
  const SparsePattern& pattern_;
  PhaseTable row_roots_;
  PhaseTable column_roots_;
};

}  // namespace spyctrum
