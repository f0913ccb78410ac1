// SPDX-License-Identifier: Apache-2.0
// Algorithm 3 of the paper: D = γ·C/a, C the entries counted in each b×b block and a the cells of the block
// (fewer than b² where the block is clipped by the matrix's edge), γ = K/Σ(C/a), so that ΣD = K; then an FFT
// of the m0×n0 matrix D. With weights C is the sum of the block's weights, and γ that of the pattern, because
// Σ(C/a) may vanish: D is linear in the weights. Mirrors density_map_cuda.cpp.
#include "core/methods/density_map/density_map_cpu.hpp"

#include <algorithm>
#include <numeric>

#include "core/engine/reduced_plane.hpp"
#include "core/fft/fft.hpp"
#include "core/frequency/sampling_grids.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

namespace {

/// The stored columns first … last−1 of one block column. Each block column belongs to one worker, which adds
/// its counts in double precision without atomics.
struct BlockColumn {
  std::uint64_t q = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

std::vector<BlockColumn> block_columns(const SparsePattern& pattern, std::uint64_t block) {
  const auto ids = pattern.column_ids();
  std::vector<BlockColumn> columns;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::uint64_t q = ids[k] / block;
    if (columns.empty() || columns.back().q != q) columns.push_back({q, k, k});
    columns.back().last = k + 1;
  }
  return columns;
}

/// Writes C/a into the real parts of `grid`; returns Σ C/a of the pattern.
template <bool weighted, class WeightOf>
double scatter_densities(const SparsePattern& pattern, std::uint64_t block, const WeightOf& weight_of,
                         std::complex<float>* grid, JobContext& context) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  const auto columns = block_columns(pattern, block);
  const auto starts = pattern.column_starts();
  const auto rows = pattern.row_indices();
  const unsigned workers = context.pool().threads();
  BookedVector<double> counts(context, workers * m0, "block counts");
  constexpr std::size_t kGrain = 8;  // block columns
  std::vector<double> sums((columns.size() + kGrain - 1) / kGrain,
                           0.0);  // one for each range, so that the order of threads does not matter
  context.pool().parallel_for(
      columns.size(), kGrain, [&](std::size_t begin, std::size_t end, unsigned worker) {
        context.check_stop();
        double* count = counts.data.data() + worker * m0;
        for (std::size_t k = begin; k < end; ++k) {
          const BlockColumn& column = columns[k];
          const auto first = static_cast<std::size_t>(starts[column.first]);
          const auto last = static_cast<std::size_t>(starts[column.last]);
          for (std::size_t t = first; t < last; ++t) count[rows[t] / block] += weight_of(t);
          const std::uint64_t width = std::min(block, pattern.cols() - column.q * block);
          // Visits the entries again instead of all m0 counts, since most blocks are empty.
          for (std::size_t t = first; t < last; ++t) {
            const std::uint64_t p = rows[t] / block;
            const std::uint64_t height = std::min(block, pattern.rows() - p * block);
            const double cells = static_cast<double>(height) * static_cast<double>(width);
            if constexpr (weighted) sums[begin / kGrain] += 1 / cells;
            if (count[p] == 0.0) continue;
            const double density = count[p] / cells;
            grid[p * n0 + column.q] = static_cast<float>(density);
            if constexpr (!weighted) sums[begin / kGrain] += density;
            count[p] = 0.0;
          }
        }
        context.checkpoint(end, columns.size());
      });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

std::uint64_t density_map_bytes(const SparsePattern& pattern, std::uint64_t block, unsigned threads) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  return saturating_sum(saturating_product(8, m0, n0), saturating_product(8 * std::uint64_t{threads}, m0));
}

std::vector<std::complex<float>> density_map_cpu(const SparsePattern& pattern, std::uint64_t block,
                                                 JobContext& context) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  context.begin_stage("scatter");
  BookedVector<std::complex<float>> grid(context, m0 * n0, "density map");
  double sum = 0;
  if (pattern.has_weights())
    sum = scatter_densities<true>(
        pattern, block,
        [weights = pattern.weights()](std::size_t t) { return static_cast<double>(weights[t]); },
        grid.data.data(), context);
  else
    sum = scatter_densities<false>(
        pattern, block, [](std::size_t) { return 1.0; }, grid.data.data(), context);
  const double gamma = sum > 0.0 ? static_cast<double>(pattern.nonzeros()) / sum : 0.0;
  scale_and_shift(grid.data.data(), m0, n0, gamma, context);
  context.begin_stage("fft");
  fft_2d(grid.data.data(), m0, n0, context);
  return std::move(grid.data);
}

}  // namespace spyctrum
