// SPDX-License-Identifier: Apache-2.0
// The lattice engine: exact coefficients on an arithmetic progression per axis,
//   F[u₀+b·p, v₀+c·q] = Σ_t w_m^{u₀ i_t} w_n^{v₀ j_t} e^{−i(p x_t + q y_t)},
//   x_t = 2π((b·i_t) mod m)/m,
// a type-1 non-uniform FFT of the size of the output, independent of m and n;
// where b | m and c | n and the counts are m/b and n/c, a modulated fold and
// one FFT. Serves zoom windows (step 1) and Elastic.
#pragma once

#include <complex>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

struct LatticeOptions {
  /// Requested error, root mean square over the window, relative to √K; the window's
  /// outermost rows and columns have up to four times of it, its middle less. Rounding adds some 3e−7 of the
  /// values themselves. Below 1e−6, or where single precision cannot keep it, all is
  /// computed in double; 3e−8 is the least that the result's precision can hold.
  double tolerance = 1e-6;
};

/// Values on `grid` (both axes progressions), row-major. Sizes up to 2^32−1;
/// indices are reduced in integers, never in floating point. Throws
/// Failure{wrong_use} when an axis is a list.
[[nodiscard]] std::vector<std::complex<float>> lattice_transform(const SparsePattern& pattern,
                                                                 const FrequencyGrid& grid,
                                                                 const LatticeOptions& options,
                                                                 JobContext& context);

/// Bytes that lattice_transform() holds at its peak, the result included.
[[nodiscard]] std::uint64_t lattice_bytes(const SparsePattern& pattern, const FrequencyGrid& grid,
                                          const LatticeOptions& options);

/// Reference: the same by direct summation in double precision, O(K·count). For
/// tests and small windows; axes may be lists.
[[nodiscard]] std::vector<std::complex<double>> direct_transform(const SparsePattern& pattern,
                                                                 const FrequencyGrid& grid,
                                                                 JobContext& context);

/// The axes exactly, in double precision: F[u, 0] for u = 0 … m−1 is the DFT of
/// the row counts.
[[nodiscard]] std::vector<std::complex<double>> row_axis(const SparsePattern& pattern);  // length m
[[nodiscard]] std::vector<std::complex<double>> column_axis(
    const SparsePattern& pattern);  // F[0, v], length n

}  // namespace spyctrum
