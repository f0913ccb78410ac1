// SPDX-License-Identifier: Apache-2.0
// Fixed Point on CUDA.
#pragma once

#include "core/device/device_job.hpp"
#include "core/methods/fixed_point/fixed_point_cpu.hpp"

namespace spyctrum {

/// As fixed_point_cpu().
[[nodiscard]] FixedPointPlane fixed_point_cuda(const SparsePattern& pattern, std::uint64_t block,
                                               FixedPoints points, Backend backend, JobContext& context,
                                               DeviceUse& use);

}  // namespace spyctrum
