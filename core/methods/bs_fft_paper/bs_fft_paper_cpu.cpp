// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of the paper, step by step: active columns are compacted (SparsePattern holds no others); a row
// is transformed directly if n has no prime factor above 7, else by Bluestein's algorithm with the smallest
// such L ≥ 2n−1; tiles of T rows are copied to a stored output. In place of the paper's two streams with a
// buffer each, every worker of the pool has a buffer. The paper stores m rows of q = ⌊n/2⌋+1 coefficients;
// here h = ⌊m/2⌋+1 rows of n are stored, about as many numbers.
#include "core/methods/bs_fft_paper/bs_fft_paper_cpu.hpp"

#include <algorithm>

#include "core/engine/plane_outputs.hpp"
#include "core/spectrum/half_plane.hpp"

namespace spyctrum {

BookedVector<std::complex<float>> bs_fft_paper_cpu(const SparsePattern& pattern, const RowPlan& plan,
                                                   JobContext& context) {
  const std::uint64_t n = pattern.cols();
  BookedVector<std::complex<float>> output(context, half_rows(pattern.rows()) * n, "half spectrum");
  for_each_row(pattern, LengthRule::paper, half_grid(pattern.rows(), n).rows, plan, "finalize", context,
               [&](std::size_t u, std::span<const std::complex<float>> row, unsigned /*worker*/) {
                 std::copy(row.begin(), row.end(), output.data.data() + u * n);
               });
  return output;
}

}  // namespace spyctrum
