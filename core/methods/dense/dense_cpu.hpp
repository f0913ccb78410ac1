// SPDX-License-Identifier: Apache-2.0
// The dense transform on the CPU.
#pragma once

#include <complex>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The half spectrum F[u, v], u = 0 … ⌊m/2⌋, v = 0 … n−1, row-major, from the full 0/1 grid: 4·m·n bytes
/// beside the result's 8·h·n while it runs.
[[nodiscard]] BookedVector<std::complex<float>> dense_cpu(const SparsePattern& pattern, JobContext& context);

}  // namespace spyctrum
