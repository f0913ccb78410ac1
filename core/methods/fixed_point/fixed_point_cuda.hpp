// SPDX-License-Identifier: Apache-2.0
// Fixed Point on CUDA.
#pragma once

#include "core/device/device_job.hpp"
#include "core/methods/fixed_point/fixed_point_cpu.hpp"

namespace spyctrum {

/// fixed_point_cpu() on a CUDA device. Throws also Failure{backend_unavailable}, {internal}.
[[nodiscard]] FixedPointPlane fixed_point_cuda(const SparsePattern& pattern, std::uint64_t block,
                                               FixedPoints points, Backend backend, JobContext& context,
                                               DeviceUse& use);

}  // namespace spyctrum
