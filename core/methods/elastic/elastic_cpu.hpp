// SPDX-License-Identifier: Apache-2.0
// Elastic BS-FFT on the CPU.
#pragma once

#include "core/engine/windows.hpp"

namespace spyctrum {

/// The coefficients of the planned grid, row-major.
[[nodiscard]] std::vector<std::complex<float>> elastic_cpu(const SparsePattern& pattern, const GridPlan& plan,
                                                           JobContext& context);

}  // namespace spyctrum
