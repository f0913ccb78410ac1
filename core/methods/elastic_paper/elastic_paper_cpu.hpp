// SPDX-License-Identifier: Apache-2.0
// Algorithm 2 of the paper on the CPU.
#pragma once

#include "core/engine/row_tiles.hpp"

namespace spyctrum {

/// F on U × V, row-major, one row transform per element of U.
[[nodiscard]] std::vector<std::complex<float>> elastic_paper_cpu(const SparsePattern& pattern,
                                                                 const FrequencyGrid& grid,
                                                                 const RowPlan& plan, JobContext& context);

}  // namespace spyctrum
