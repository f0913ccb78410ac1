// SPDX-License-Identifier: Apache-2.0
// Coefficients by FINUFFT on the CPU.
#pragma once

#include <complex>
#include <vector>

#include "core/methods/finufft/finufft_points.hpp"

namespace spyctrum {

/// Values on `grid`, row-major, forward, unnormalised. The library cannot be interrupted: a stop ends the job
/// at once, while the call runs to its end on a thread of its own and holds its memory until then; the next
/// call waits for that. Throws Failure{backend_unavailable} where the library is missing,
/// {out_of_memory} with its reason where it refuses, {wrong_use} where type1_lattice meets an axis that is
/// not evenly spaced.
[[nodiscard]] std::vector<std::complex<float>> finufft_cpu(const SparsePattern& pattern,
                                                           const FrequencyGrid& grid,
                                                           const FinufftOptions& options,
                                                           JobContext& context);

}  // namespace spyctrum
