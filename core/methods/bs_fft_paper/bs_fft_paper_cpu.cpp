// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of the paper, step by step: compact active columns (SparsePattern is that already), direct FFT
// where n has no prime factor above 7, else Bluestein with the smallest such L ≥ 2n−1; tiles of T rows;
// finalize into a stored output. Two streams and two buffers are the workers of the pool and a buffer each.
// The paper stores m rows of q = ⌊n/2⌋+1 coefficients (row u and its mirror); the same coefficients are h
// rows of n here, so as many are written.
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
