// SPDX-License-Identifier: Apache-2.0
// One coefficient as the sum that it is: with φ = arg F[u, v], every entry (i, j) adds cos(2π(ui/m + vj/n) +
// φ), and all of them together give |F[u, v]|. So the wave shifted by φ has its crests where the entries
// gather.
#pragma once

#include <complex>
#include <cstdint>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

struct WaveSum {
  std::int64_t u = 0, v = 0;
  std::complex<double> coefficient;  ///< F[u, v], forward, unnormalised, in double precision
  std::int64_t on_crests = 0;        ///< entries with cos(2π(ui/m + vj/n) + φ) > 0
  std::int64_t in_troughs = 0;       ///< the others
  double crest_sum = 0;              ///< what those on crests add, ≥ 0
  double trough_sum = 0;             ///< what the others take away, ≥ 0; |F| = crest_sum − trough_sum
};

/// O(K), over the pool. Throws Failure{cancelled}.
[[nodiscard]] WaveSum wave_sum(const SparsePattern& pattern, std::int64_t u, std::int64_t v,
                               JobContext& context);

}  // namespace spyctrum
