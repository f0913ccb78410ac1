// SPDX-License-Identifier: Apache-2.0
// Windows of the exact spectrum: K·w² + H·W·log(H·W) operations for H×W coefficients, independent of m and n
// (design/algorithms.md §0).
#include "core/methods/exact/exact_cpu.hpp"

namespace spyctrum {

std::vector<std::complex<float>> exact_window_cpu(const SparsePattern& pattern, const GridPlan& plan,
                                                  JobContext& context) {
  return compute_grid(pattern, plan, context);
}

}  // namespace spyctrum
