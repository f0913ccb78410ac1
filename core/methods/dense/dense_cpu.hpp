// SPDX-License-Identifier: Apache-2.0
// The dense transform on the CPU.
#pragma once

#include <complex>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The half spectrum F[u, v], u = 0 … ⌊m/2⌋, v = 0 … n−1, row-major, forward, unnormalised: 8·h·n bytes,
/// booked, and 4·m·n for the grid until it returns. Throws Failure{cancelled}, {out_of_memory}.
[[nodiscard]] BookedVector<std::complex<float>> dense_cpu(const SparsePattern& pattern, JobContext& context);

}  // namespace spyctrum
