// SPDX-License-Identifier: Apache-2.0
// The dense two-dimensional real FFT: the m×n grid of zeros and ones is stored by columns; real transforms of
// the columns are followed by complex transforms of the h = ⌊m/2⌋+1 rows of the result. O(mn·log mn) work and
// O(mn) memory for any K. Mirrors dense_cuda.cpp.
#include "core/methods/dense/dense_cpu.hpp"

#include <algorithm>
#include <memory>

#include "core/engine/plane_outputs.hpp"
#include "core/fft/fft.hpp"
#include "core/spectrum/half_plane.hpp"

namespace spyctrum {

namespace {

/// Column-major m×n grid: 1 at the entries, 0 elsewhere. Each thread zeroes the columns that it fills.
std::unique_ptr<float[]> filled_grid(const SparsePattern& pattern, JobContext& context) {
  const std::uint64_t m = pattern.rows();
  auto grid = std::make_unique_for_overwrite<float[]>(m * pattern.cols());
  const std::size_t grain = std::max<std::uint64_t>(1, (std::uint64_t{1} << 21) / m);
  context.pool().parallel_for(
      pattern.cols(), grain, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
        context.check_stop();
        std::fill(grid.get() + begin * m, grid.get() + end * m, 0.0F);
        const auto ids = pattern.column_ids();
        const auto first = std::lower_bound(ids.begin(), ids.end(), begin) - ids.begin();
        for (auto k = static_cast<std::size_t>(first); k < ids.size() && ids[k] < end; ++k) {
          const auto starts = pattern.column_starts();
          for (std::int64_t t = starts[k]; t < starts[k + 1]; ++t)
            grid[ids[k] * m + pattern.row_indices()[static_cast<std::size_t>(t)]] = 1.0F;
        }
      });
  return grid;
}

}  // namespace

BookedVector<std::complex<float>> dense_cpu(const SparsePattern& pattern, JobContext& context) {
  const std::uint64_t m = pattern.rows();
  const std::uint64_t n = pattern.cols();
  context.begin_stage("scatter");
  BookedVector<std::complex<float>> output(context, half_rows(m) * n, "half spectrum");
  const Booking booked(context.memory(), 4 * m * n, "dense grid");
  const auto grid = filled_grid(pattern, context);
  context.begin_stage("fft");
  fft_2d_real_transposed(grid.get(), output.data.data(), n, m, context);
  return output;
}

}  // namespace spyctrum
