// SPDX-License-Identifier: Apache-2.0
// The values on the axes of the plane, F[u, 0] and F[0, v], and on its diagonals, F[u, ±u]: the DFTs of the
// sums of the rows, of the columns, and of the diagonals of each direction.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/fft/lattice_axis.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

enum class PlaneAxis {
  rows,     ///< F[u, 0] = Σ_i r_i·e^{−2πi·ui/m}, r the row sums
  columns,  ///< F[0, v] = Σ_j c_j·e^{−2πi·vj/n}, c the column sums
  diagonal,  ///< F[u, u] = Σ_k d_k·e^{−2πi·uk/n}, d_k the sum of the entries with i + j ≡ k mod n; m = n
  antidiagonal,  ///< F[u, −u] = Σ_k d_k·e^{−2πi·uk/n}, d_k the sum of the entries with i − j ≡ k mod n; m = n
};

/// The values at all frequencies 0 … m−1 (0 … n−1), by one FFT in double precision. Those of axes of up to
/// kLongestWholeAxis frequencies are kept for later calls with an equal pattern, 128 MB of them. Thread-safe.
[[nodiscard]] std::shared_ptr<const std::vector<std::complex<double>>> whole_axis(
    const SparsePattern& pattern, PlaneAxis which);
inline constexpr std::uint64_t kLongestWholeAxis = std::uint64_t{1} << 22U;

/// The values at the distinct frequencies of `along`, a progression on the axis of the rows or columns, in
/// double precision with an error of about 1e-11·Σ|sums|: from whole_axis(), or for a longer or nearly empty
/// axis by a non-uniform FFT.
[[nodiscard]] std::vector<std::complex<double>> axis_values(const SparsePattern& pattern, PlaneAxis which,
                                                            const FrequencyAxis& along);

/// The values at the outputs of one axis of a lattice, from the lattice's tables: with its aliases, in a time
/// that is small beside the lattice's.
template <class T>
[[nodiscard]] std::vector<std::complex<double>> axis_values(const SparsePattern& pattern, PlaneAxis which,
                                                            const LatticeAxis<T>& axis);

/// An upper bound of the bytes that axis_values() takes for `distinct` frequencies of an axis of `size`.
[[nodiscard]] std::uint64_t axis_value_bytes(std::uint64_t size, std::uint64_t distinct);

}  // namespace spyctrum
