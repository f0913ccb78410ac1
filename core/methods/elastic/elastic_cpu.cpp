// SPDX-License-Identifier: Apache-2.0
// Elastic BS-FFT on the CPU: a progression of frequencies is a type-1 non-uniform FFT of the size of the
// sample (design/algorithms.md §0), K·w² + m0·n0·log(m0·n0) operations in place of the paper's m0·(K + L·log
// L); the rows engine is the paper's Algorithm 2 at the library's length.
#include "core/methods/elastic/elastic_cpu.hpp"

namespace spyctrum {

std::vector<std::complex<float>> elastic_cpu(const SparsePattern& pattern, const GridPlan& plan,
                                             JobContext& context) {
  return compute_grid(pattern, plan, context);
}

}  // namespace spyctrum
