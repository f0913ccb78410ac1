// SPDX-License-Identifier: Apache-2.0
// Fixed-point compression: one fixed position of each b×b block (or the corner of the matrix) is kept, the
// rest ignored, and the m0×n0 matrix that remains is transformed. Its spectrum is the sum of b² aliases of
// A's; with incoherent phases that leaves mean power K', hence the gain √(K/K').
#include "core/methods/fixed_point/fixed_point_cpu.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/fft/fft.hpp"
#include "core/methods/reduced_plane.hpp"
#include "core/methods/sampling.hpp"

namespace spyctrum {

namespace {

/// Ones into the real parts of `grid` where A' has an entry; returns K'. Each kept entry has a cell of its
/// own, so that workers never meet.
std::int64_t scatter_kept(const SparsePattern& pattern, std::uint64_t block, FixedPoints points,
                          std::complex<float>* grid, JobContext& context) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  const std::uint64_t step = points == FixedPoints::decimation ? block : 1;
  const auto ids = pattern.column_ids();
  const auto starts = pattern.column_starts();
  const auto rows = pattern.row_indices();
  constexpr std::size_t kGrain = 256;  // columns
  std::vector<std::int64_t> kept(context.pool().threads(), 0);
  context.pool().parallel_for(ids.size(), kGrain, [&](std::size_t begin, std::size_t end, unsigned worker) {
    for (std::size_t k = begin; k < end; ++k) {
      if (ids[k] % step != 0 || ids[k] / step >= n0) continue;
      const std::uint64_t q = ids[k] / step;
      for (auto t = static_cast<std::size_t>(starts[k]); t < static_cast<std::size_t>(starts[k + 1]); ++t) {
        if (rows[t] % step != 0 || rows[t] / step >= m0) continue;
        grid[rows[t] / step * n0 + q] = 1.0F;
        ++kept[worker];
      }
      context.check_stop();
    }
    context.checkpoint(end, ids.size());
  });
  return std::accumulate(kept.begin(), kept.end(), std::int64_t{0});
}

}  // namespace

double fixed_point_gain(const SparsePattern& pattern, std::int64_t kept) {
  if (kept == 0) return 0.0;
  return std::sqrt(static_cast<double>(pattern.nonzeros()) / static_cast<double>(kept));
}

FixedPointPlane fixed_point_cpu(const SparsePattern& pattern, std::uint64_t block, FixedPoints points,
                                JobContext& context) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  context.begin_stage("scatter");
  BookedVector<std::complex<float>> grid(context, m0 * n0, "reduced plane");
  const std::int64_t kept = scatter_kept(pattern, block, points, grid.data.data(), context);
  if (kept == 0) {
    const auto flat = static_cast<float>(std::sqrt(static_cast<double>(pattern.nonzeros())));
    std::fill(grid.data.begin(), grid.data.end(), std::complex<float>(flat, 0.0F));
    return {std::move(grid.data), 0};
  }
  scale_and_shift(grid.data.data(), m0, n0, fixed_point_gain(pattern, kept), context);
  context.begin_stage("fft");
  fft_2d(grid.data.data(), m0, n0, context);
  return {std::move(grid.data), kept};
}

}  // namespace spyctrum
