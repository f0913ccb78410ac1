// SPDX-License-Identifier: Apache-2.0
// The pruned blockwise transform on CUDA.
#pragma once

#include <complex>
#include <vector>

#include "core/device/device_job.hpp"
#include "core/methods/pruned/pruned_cpu.hpp"

namespace spyctrum {

/// Host bytes: values and the tables of both axes.
[[nodiscard]] std::uint64_t pruned_cuda_host_bytes(const PrunedPlan& plan);
/// Device bytes of pruned_cuda() at its peak.
[[nodiscard]] ByteTerms pruned_cuda_terms(const SparsePattern& pattern, const PrunedPlan& plan,
                                          Backend backend);

/// pruned_cpu() on a CUDA device. Sums have a fixed order: equal requests give bit-equal results on the same
/// device. Throws also Failure{backend_unavailable}, {internal}.
[[nodiscard]] std::vector<std::complex<float>> pruned_cuda(const SparsePattern& pattern,
                                                           const FrequencyGrid& grid, Backend backend,
                                                           JobContext& context, DeviceUse& use);

}  // namespace spyctrum
