// SPDX-License-Identifier: Apache-2.0
// Algorithm 2 of the paper: TileTransform of Algorithm 1 over the sampled rows U, then the gather of the
// columns V. No use is made of conjugate symmetry or of the spacing of U and V, as there.
#include "core/methods/elastic_paper/elastic_paper_cpu.hpp"

namespace spyctrum {

std::vector<std::complex<float>> elastic_paper_cpu(const SparsePattern& pattern, const FrequencyGrid& grid,
                                                   const RowPlan& plan, JobContext& context) {
  return gather_grid(pattern, LengthRule::paper, grid, plan, context);
}

}  // namespace spyctrum
