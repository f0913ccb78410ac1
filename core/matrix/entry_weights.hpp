// SPDX-License-Identifier: Apache-2.0
// Loops over the entries of a matrix, compiled twice: with weights, and for patterns without loading or
// multiplying weights.
#pragma once

#include <cstddef>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Calls loop(weight_of) once; weight_of(t) returns the weight of entry t in double precision, or the
/// constant 1 without weights.
template <class Loop>
void with_entry_weights(const SparsePattern& pattern, Loop&& loop) {
  if (pattern.has_weights())
    loop([weights = pattern.weights()](std::size_t t) { return static_cast<double>(weights[t]); });
  else
    loop([](std::size_t) { return 1.0; });
}

}  // namespace spyctrum
