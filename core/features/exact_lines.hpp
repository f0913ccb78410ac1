// SPDX-License-Identifier: Apache-2.0
// Rows u = 0 … L of the plane, exactly: L+1 sums over the nonzeros of each
// column, S_u[j] = Σ_{i in column j} w_m^{ui}, and as many FFTs of length n.
// The lines near the axes hold what no lattice can sample (a cross one
// coefficient wide), and cost next to nothing.
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
  /// Columns of the values: all v = 0 … n−1, or, for sides above kLongestLine, a progression of 2^20 of them
  /// at most.
  FrequencyAxis columns;
  Booking booking;
  std::vector<std::complex<float>> values;  ///< (L+1) × columns.count()

  [[nodiscard]] std::span<const std::complex<float>> line(std::int64_t u) const {
    return std::span(values).subspan(static_cast<std::size_t>(u) * columns.count(), columns.count());
  }
};

/// Lines longer than this are sampled (by the lattice engine), not stored.
inline constexpr std::uint64_t kLongestLine = std::uint64_t{1} << 22U;

/// Rows u = 0 … last of `pattern`'s plane; last ≤ ⌊m/2⌋.
[[nodiscard]] ExactLines exact_rows(const SparsePattern& pattern, std::int64_t last, JobContext& context);
/// Bytes that this books at its peak.
[[nodiscard]] std::uint64_t exact_rows_bytes(const SparsePattern& pattern, std::int64_t last);

}  // namespace spyctrum
