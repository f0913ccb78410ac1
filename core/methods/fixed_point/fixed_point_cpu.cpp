// SPDX-License-Identifier: Apache-2.0
// Fixed-point compression: the m0×n0 matrix A' of one fixed position of each b×b block (or of the corner of
// the matrix) is transformed. With one position per block, each coefficient of A' is 1/b² times the sum of b²
// coefficients of A (aliasing); with incoherent phases its mean power is K', hence the gain √(K/K').
#include "core/methods/fixed_point/fixed_point_cpu.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/engine/reduced_plane.hpp"
#include "core/fft/fft.hpp"

namespace spyctrum {

namespace {

struct Kept {
  std::int64_t entries = 0;  ///< K'
  double squares = 0;        ///< ΣA'²
};

/// Writes the entries of A' into the real parts of `grid`. Every entry has a cell of its own, so that workers
/// write to different cells.
Kept scatter_kept(const SparsePattern& pattern, std::uint64_t block, FixedPoints points,
                  std::complex<float>* grid, JobContext& context) {
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  const std::size_t columns = pattern.column_ids().size();
  constexpr std::size_t kGrain = 256;  // columns
  std::vector<std::int64_t> kept(context.pool().threads(), 0);
  const auto weights = pattern.weights();
  context.pool().parallel_for(columns, kGrain, [&](std::size_t begin, std::size_t end, unsigned worker) {
    for_each_kept(pattern, block, points, begin, end, context,
                  [&](std::uint64_t p, std::uint64_t q, std::size_t t) {
                    grid[p * n0 + q] = weights.empty() ? 1.0F : weights[t];
                    ++kept[worker];
                  });
    context.checkpoint(end, columns);
  });
  Kept found{std::accumulate(kept.begin(), kept.end(), std::int64_t{0}), 0};
  found.squares = static_cast<double>(found.entries);
  if (weights.empty()) return found;
  found.squares = 0;  // in the order of the entries: the same bits for any number of threads
  for_each_kept(pattern, block, points, 0, columns, context,
                [&](std::uint64_t, std::uint64_t, std::size_t t) {
                  found.squares += static_cast<double>(weights[t]) * static_cast<double>(weights[t]);
                });
  return found;
}

}  // namespace

double fixed_point_gain(const SparsePattern& pattern, double kept_squares) {
  return std::sqrt(pattern.weight_squares() / kept_squares);
}

FixedPointPlane fixed_point_cpu(const SparsePattern& pattern, std::uint64_t block, FixedPoints points,
                                JobContext& context) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  context.begin_stage("scatter");
  BookedVector<std::complex<float>> grid(context, m0 * n0, "reduced plane");
  const Kept kept = scatter_kept(pattern, block, points, grid.data.data(), context);
  if (!(kept.squares > 0)) {
    const auto flat = static_cast<float>(std::sqrt(pattern.weight_squares()));
    std::fill(grid.data.begin(), grid.data.end(), std::complex<float>(flat, 0.0F));
    return {std::move(grid.data), 0};
  }
  scale_and_shift(grid.data.data(), m0, n0, fixed_point_gain(pattern, kept.squares), context);
  context.begin_stage("fft");
  fft_2d(grid.data.data(), m0, n0, context);
  return {std::move(grid.data), kept.entries};
}

}  // namespace spyctrum
