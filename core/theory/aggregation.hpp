// SPDX-License-Identifier: Apache-2.0
// The aggregation loss E_b² = ‖A − Π_b A‖² of replacing a pattern A by its averages Π_b A over b×b blocks
// (BS-FFT paper, §3.3, eq. 14), computed exactly in O(K) operations from the counts of the occupied blocks.
#pragma once

#include <cstdint>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

struct Aggregation {
  /// E_b² = K − Σ C²/a: C entries in a block of a cells (fewer at the edges); of weights Σw² for K, and Σw
  /// over the block for C.
  double loss = 0;
  double relative = 0;       ///< E_b²/‖A‖², ‖A‖² = K without weights; 0 for an empty pattern
  std::uint64_t blocks = 0;  ///< Q = ⌈m/b⌉·⌈n/b⌉
  std::uint64_t occupied_blocks = 0;  ///< blocks with an entry
};

/// The loss at block size `block` ≥ 1. Throws Failure{cancelled}.
[[nodiscard]] Aggregation aggregation_of(const SparsePattern& pattern, std::uint64_t block,
                                         JobContext& context);

}  // namespace spyctrum
