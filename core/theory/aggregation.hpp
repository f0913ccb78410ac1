// SPDX-License-Identifier: Apache-2.0
// The aggregation loss of averaging a pattern A over b×b blocks, E_b² = ‖A − Π_b A‖² (BS-FFT paper, §3.3, eq.
// 14): exactly, in O(K) operations from the counts of the occupied blocks.
#pragma once

#include <cstdint>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

struct Aggregation {
  double loss = 0;           ///< E_b² = Σ a π (1 − π) = K − Σ C²/a, a the cells of a clipped block
  double relative = 0;       ///< E_b²/K = E_b²/‖A‖²; 0 for an empty pattern
  std::uint64_t blocks = 0;  ///< Q = ⌈m/b⌉·⌈n/b⌉
  std::uint64_t occupied_blocks = 0;  ///< that hold an entry
};

/// The loss at block size `block` ≥ 1. Throws Failure{cancelled}.
[[nodiscard]] Aggregation aggregation_of(const SparsePattern& pattern, std::uint64_t block,
                                         JobContext& context);

}  // namespace spyctrum
