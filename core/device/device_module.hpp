// SPDX-License-Identifier: Apache-2.0
// The loaded CUDA module as the rest of the program reaches it, and patterns and frequencies in the form that
// it takes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/backend.hpp"
#include "core/device/interface/module.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Every method runs on the CPU; on a CUDA device when that device is there.
[[nodiscard]] Support cpu_or_cuda(Backend backend);

/// The module. Throws Failure{backend_unavailable}.
[[nodiscard]] cuda::Module& cuda_module();

[[nodiscard]] cuda::PatternView view_of(const SparsePattern& pattern);

/// The axis's frequencies as the module takes them, 0 … size−1.
[[nodiscard]] std::vector<std::uint32_t> indices_of(const FrequencyAxis& axis);

}  // namespace spyctrum
