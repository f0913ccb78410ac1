// SPDX-License-Identifier: Apache-2.0
// The undirected graph of a pattern, from which orders of its rows and columns are computed. Square pattern:
// vertices 0 … n−1, an edge {i, j} for each entry (i, j) with i ≠ j. Otherwise bipartite: a vertex i for each
// row and m + j for each column, an edge {i, m + j} for each entry (i, j).
#pragma once

#include <cstdint>
#include <span>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

class Adjacency {
 public:
  /// Books at most 8·(vertices + 2·K) bytes for K entries. Throws Failure{cancelled}; Failure{out_of_memory},
  /// also for more than 2^32 − 1 vertices.
  Adjacency(const SparsePattern& pattern, JobContext& context);

  /// Number of vertices.
  [[nodiscard]] std::size_t size() const { return starts_.data.size() - 1; }
  [[nodiscard]] std::span<const Index> neighbours(Index vertex) const {
    return std::span(neighbours_.data).subspan(starts_.data[vertex], degree(vertex));
  }
  [[nodiscard]] std::size_t degree(Index vertex) const {
    return starts_.data[vertex + std::size_t{1}] - starts_.data[vertex];
  }

 private:
  BookedVector<std::uint64_t> starts_;
  BookedVector<Index> neighbours_;
};

}  // namespace spyctrum
