// SPDX-License-Identifier: Apache-2.0
// One coefficient as a sum over the entries: with φ = arg F[u,v],
//   |F[u,v]| = Σ_{(i,j)} cos(2π(ui/m + vj/n) + φ).
// Most entries lie on the crests of the wave cos(2π(ui/m + vj/n) + φ).
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
  double crest_sum = 0;              ///< sum of the cosines of entries on crests, ≥ 0
  double trough_sum = 0;  ///< minus the sum of the other cosines, ≥ 0; |F| = crest_sum − trough_sum
};

/// The sum for F[u,v], in O(K) operations on all threads of the job. Throws Failure{cancelled}.
[[nodiscard]] WaveSum wave_sum(const SparsePattern& pattern, std::int64_t u, std::int64_t v,
                               JobContext& context);

}  // namespace spyctrum
