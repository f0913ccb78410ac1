// SPDX-License-Identifier: Apache-2.0
// Loops over the entries of a matrix; those that use weights are compiled twice: with weights, and for
// patterns without loading or multiplying weights.
#pragma once

#include <cstddef>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Calls visit(row, column, t) for every entry t, in the order of row_indices(). Throws Failure{cancelled} if
/// `context`, which may be null, is stopped.
template <class Visit>
void for_each_entry(const SparsePattern& pattern, const JobContext* context, Visit&& visit) {
  constexpr std::size_t kEntriesBetweenChecks = std::size_t{1} << 19U;
  const auto ids = pattern.column_ids();
  std::size_t t = 0;
  for (std::size_t k = 0; k < ids.size(); ++k)
    for (const Index row : pattern.column(k)) {
      if (context != nullptr && t % kEntriesBetweenChecks == 0) context->check_stop();
      visit(row, ids[k], t++);
    }
}

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
