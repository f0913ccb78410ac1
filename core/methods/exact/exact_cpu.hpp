// SPDX-License-Identifier: Apache-2.0
// The lattice engine as a method on the CPU.
#pragma once

#include "core/engine/windows.hpp"

namespace spyctrum {

/// The window's coefficients: one non-uniform FFT of the window's size, or rows where an axis is not evenly
/// spaced or that is less work.
[[nodiscard]] std::vector<std::complex<float>> exact_window_cpu(const SparsePattern& pattern,
                                                                const GridPlan& plan, JobContext& context);

}  // namespace spyctrum
