// SPDX-License-Identifier: Apache-2.0
// Density Map on the CPU.
#pragma once

#include <complex>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Bytes of density_map_cpu(): the ⌈m/b⌉×⌈n/b⌉ complex grid and a column of counts for each worker.
[[nodiscard]] std::uint64_t density_map_bytes(const SparsePattern& pattern, std::uint64_t block,
                                              unsigned threads);

/// The DFT of the density map D = γ·C/a (paper, eq. 12), forward, unnormalised, on the whole m0×n0 plane in
/// fftshifted order (−⌊m0/2⌋ … ⌈m0/2⌉−1), row-major. Coefficient (0, 0) is K. Throws Failure{cancelled},
/// {out_of_memory}.
[[nodiscard]] std::vector<std::complex<float>> density_map_cpu(const SparsePattern& pattern,
                                                               std::uint64_t block, JobContext& context);

}  // namespace spyctrum
