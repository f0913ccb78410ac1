// SPDX-License-Identifier: Apache-2.0
// Fixed Point on the CPU.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Which m0×n0 positions of A make A', m0 = ⌈m/b⌉, n0 = ⌈n/b⌉.
enum class FixedPoints {
  decimation,  ///< A'[p, q] = A[b·p, b·q]
  crop,        ///< A'[p, q] = A[p, q], the corner at the origin
};

/// The transform of A', and its number of entries.
struct FixedPointPlane {
  std::vector<std::complex<float>> values;  ///< m0×n0, fftshifted, row-major
  std::int64_t kept = 0;                    ///< K', the entries of A'; 0 also where their weights are all 0
};

/// √(K/K')·DFT(A'), forward, unnormalised, on the whole m0×n0 plane in fftshifted order (−⌊m0/2⌋ …
/// ⌈m0/2⌉−1); √(K/K'), of weights √(ΣA²/ΣA'²), gives it the mean power of the spectrum of A. If K' = 0 every
/// value is √K (√ΣA²), a flat spectrum with that mean power. Throws Failure{cancelled}, {out_of_memory}.
[[nodiscard]] FixedPointPlane fixed_point_cpu(const SparsePattern& pattern, std::uint64_t block,
                                              FixedPoints points, JobContext& context);

/// Calls visit(p, q, t) for the entries A'[p, q] from the stored columns first … last−1 of A; t is the number
/// of the entry of A.
template <class Visit>
void for_each_kept(const SparsePattern& pattern, std::uint64_t block, FixedPoints points, std::size_t first,
                   std::size_t last, const JobContext& context, Visit&& visit) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  const std::uint64_t step = points == FixedPoints::decimation ? block : 1;
  const auto ids = pattern.column_ids();
  for (std::size_t k = first; k < last; ++k) {
    if (ids[k] % step != 0 || ids[k] / step >= n0) continue;
    const auto rows = pattern.column(k);
    const auto begin = static_cast<std::size_t>(pattern.column_starts()[k]);
    for (std::size_t t = 0; t < rows.size(); ++t)
      if (rows[t] % step == 0 && rows[t] / step < m0) visit(rows[t] / step, ids[k] / step, begin + t);
    context.check_stop();
  }
}

/// √(ΣA²/ΣA'²), √(K/K') without weights. `kept_squares`: ΣA'² > 0.
[[nodiscard]] double fixed_point_gain(const SparsePattern& pattern, double kept_squares);

}  // namespace spyctrum
