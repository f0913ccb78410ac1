// SPDX-License-Identifier: Apache-2.0
// Coefficients by FINUFFT on the CPU.
#pragma once

#include <complex>
#include <vector>

#include "core/methods/finufft/finufft_points.hpp"

namespace spyctrum {

/// Values on `grid`, row-major, forward, unnormalised. The library cannot be interrupted: when a job is
/// stopped, the call continues on a thread of its own and holds its memory until it ends; the next call waits
/// for that. Throws Failure{cancelled}; {backend_unavailable} if the library is missing; {out_of_memory} with
/// its reason if it refuses; {wrong_use} if the mode is type1_lattice and an axis is not evenly spaced.
[[nodiscard]] std::vector<std::complex<float>> finufft_cpu(const SparsePattern& pattern,
                                                           const FrequencyGrid& grid,
                                                           const FinufftOptions& options,
                                                           JobContext& context);

}  // namespace spyctrum
