// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of the paper on the CPU.
#pragma once

#include <complex>
#include <vector>

#include "core/engine/row_tiles.hpp"

namespace spyctrum {

/// The half spectrum F[u, v], u = 0 … ⌊m/2⌋, v = 0 … n−1, row-major (8·h·n bytes, booked).
/// `plan`: plan_rows() with LengthRule::paper. Throws Failure{cancelled}, {out_of_memory}.
[[nodiscard]] BookedVector<std::complex<float>> bs_fft_paper_cpu(const SparsePattern& pattern,
                                                                 const RowPlan& plan, JobContext& context);

}  // namespace spyctrum
