// SPDX-License-Identifier: Apache-2.0
// Density Map on CUDA.
#pragma once

#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"

namespace spyctrum {

/// density_map_cpu() (density_map.cpp) on a CUDA device. Counts are exact integers below 2^32 per block.
/// Empty if samples.to_host is false. Throws also Failure{backend_unavailable}, {internal}.
[[nodiscard]] std::vector<std::complex<float>> density_map_cuda(const SparsePattern& pattern,
                                                                std::uint64_t block, Backend backend,
                                                                const DeviceSampleOutputs& samples,
                                                                JobContext& context, DeviceUse& use);

}  // namespace spyctrum
