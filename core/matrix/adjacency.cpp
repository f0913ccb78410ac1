// SPDX-License-Identifier: Apache-2.0
// Two passes over the edges: the first counts the neighbours of each vertex, the second stores them.
#include "core/matrix/adjacency.hpp"

#include <numeric>

namespace spyctrum {

namespace {

/// Calls take(a, b) once for each edge of the graph.
template <class Take>
void for_each_edge(const SparsePattern& pattern, const JobContext& context, const Take& take) {
  constexpr std::size_t kBetweenStops = std::size_t{1} << 16U;
  const bool square = pattern.rows() == pattern.cols();
  const auto first_column = static_cast<Index>(square ? 0 : pattern.rows());
  const auto ids = pattern.column_ids();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (k % kBetweenStops == 0) context.check_stop();
    for (const Index row : pattern.column(k)) {
      if (square && row == ids[k]) continue;
      // if (i, j) and (j, i) are both entries, the one above the diagonal represents the edge
      if (square && row > ids[k] && pattern.contains(ids[k], row)) continue;
      take(row, first_column + ids[k]);
    }
  }
}

}  // namespace

Adjacency::Adjacency(const SparsePattern& pattern, JobContext& context) {
  const bool square = pattern.rows() == pattern.cols();
  const std::uint64_t vertices = square ? pattern.rows() : pattern.rows() + pattern.cols();
  if (vertices > kLargestSide)
    throw Failure(ErrorCode::out_of_memory, "Rows and columns together are too many to be ordered.",
                  "Order a square matrix, or one of at most 2^32 − 1 rows and columns.");
  starts_ = BookedVector<std::uint64_t>(context, vertices + 1, "degrees");
  for_each_edge(pattern, context, [&](Index a, Index b) {
    ++starts_.data[a + std::size_t{1}];
    ++starts_.data[b + std::size_t{1}];
  });
  std::partial_sum(starts_.data.begin(), starts_.data.end(), starts_.data.begin());
  neighbours_ = BookedVector<Index>(context, starts_.data.back(), "neighbours");
  std::vector<std::uint64_t> next(starts_.data.begin(), starts_.data.end() - 1);
  for_each_edge(pattern, context, [&](Index a, Index b) {
    neighbours_.data[next[a]++] = b;
    neighbours_.data[next[b]++] = a;
  });
}

}  // namespace spyctrum
