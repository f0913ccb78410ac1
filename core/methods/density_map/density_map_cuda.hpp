// SPDX-License-Identifier: Apache-2.0
// Density Map on CUDA.
#pragma once

#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"

namespace spyctrum {

/// As density_map_cpu(): the DFT of the density map on the whole m0×n0 plane in fftshifted order, row-major.
/// Counts are exact integers below 2^32 a block. None of it where it stays on the device.
[[nodiscard]] std::vector<std::complex<float>> density_map_cuda(const SparsePattern& pattern,
                                                                std::uint64_t block, Backend backend,
                                                                const DeviceSamplesWanted& samples,
                                                                JobContext& context, DeviceUse& use);

}  // namespace spyctrum
