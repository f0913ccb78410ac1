// SPDX-License-Identifier: Apache-2.0
// Access to the loaded CUDA module, and conversion of patterns and frequencies to the plain data that its
// interface takes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/device/interface/module.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The loaded module. Throws Failure{backend_unavailable} if there is none.
[[nodiscard]] cuda::Module& cuda_module();

/// A view of the pattern's arrays, which must outlive the view.
[[nodiscard]] cuda::PatternView view_of(const SparsePattern& pattern);

/// The axis's frequencies as DFT indices 0 … size−1.
[[nodiscard]] std::vector<std::uint32_t> indices_of(const FrequencyAxis& axis);

}  // namespace spyctrum
