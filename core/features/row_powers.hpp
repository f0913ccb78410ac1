// SPDX-License-Identifier: Apache-2.0
// The exact power of every row of the plane, without computing a row: the autocorrelation of the columns
// (Wiener and Khinchin) gives Σ_v |F[u,v]|² = n·Σ_d c(d)·cos(2πud/m), c(d) = Σ_j Σ_i a_ij·a_(i+d mod m)j.
#pragma once

#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Returns the mean power of the coefficients of each row u = 0 … m−1, in units of the plane's mean Σa².
/// Takes Σ_j min(k_j²/2, 3·m·log₂(m)) operations, k_j the entries of column j, and 24·m bytes, which the
/// caller books. Returns an empty vector if more than 48·(K + m) operations were needed. Throws
/// Failure{cancelled}.
[[nodiscard]] std::vector<float> row_powers(const SparsePattern& pattern, JobContext& context);

}  // namespace spyctrum
