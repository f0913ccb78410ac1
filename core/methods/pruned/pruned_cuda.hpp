// SPDX-License-Identifier: Apache-2.0
// The pruned blockwise transform on CUDA.
#pragma once

#include <complex>
#include <vector>

#include "core/device/device_job.hpp"
#include "core/methods/pruned/pruned_cpu.hpp"

namespace spyctrum {

/// Values and the tables of both axes.
[[nodiscard]] std::uint64_t pruned_cuda_host_bytes(const PrunedPlan& plan);
/// What core/cuda/pruned/pruned.cpp takes at its peak.
[[nodiscard]] ByteTerms pruned_cuda_terms(const SparsePattern& pattern, const PrunedPlan& plan,
                                          Backend backend);

/// As pruned_cpu(); the sums of an output are taken in a fixed order, so that equal requests give equal bits
/// on the same device.
[[nodiscard]] std::vector<std::complex<float>> pruned_cuda(const SparsePattern& pattern,
                                                           const FrequencyGrid& grid, Backend backend,
                                                           JobContext& context, DeviceUse& use);

}  // namespace spyctrum
