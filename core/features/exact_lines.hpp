// SPDX-License-Identifier: Apache-2.0
// Exact rows u = 0 … L of the plane: L+1 sums over the nonzeros of each column, S_u[j] = Σ_{i in column j}
// w_m^{ui}, w_m = e^{−2πi/m}, and L+1 FFTs of length n; O(L(K + n log n)). The axes and the lines beside them
// form a cross of a few coefficients' width, which no lattice samples in proportion.
// lattice samples in proportion; computing it costs O(L(K + n log n)).
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

struct ExactLines {
  std::int64_t last = 0;  ///< L; the lines are u = 0 … L
  /// Columns of the values: v = 0 … n−1, or, for sides above kLongestLine, a progression of at most 2^20 of
  /// them.
  FrequencyAxis columns;
  Booking booking;
  std::vector<std::complex<float>> values;  ///< (L+1) × columns.count()

  [[nodiscard]] std::span<const std::complex<float>> line(std::int64_t u) const {
    return std::span(values).subspan(static_cast<std::size_t>(u) * columns.count(), columns.count());
  }
};

/// Longer lines are sampled by the lattice engine (core/fft/lattice.hpp), not stored.
inline constexpr std::uint64_t kLongestLine = std::uint64_t{1} << 22U;

/// Rows u = 0 … last of `pattern`'s plane; last ≤ ⌊m/2⌋.
[[nodiscard]] ExactLines exact_rows(const SparsePattern& pattern, std::int64_t last, JobContext& context);
/// Peak bytes that exact_rows() books.
[[nodiscard]] std::uint64_t exact_rows_bytes(const SparsePattern& pattern, std::int64_t last);

}  // namespace spyctrum
