// SPDX-License-Identifier: Apache-2.0
// The graph of a pattern: of A ∪ Aᵀ without its diagonal where A is square, else the bipartite graph of its
// rows 0 … m−1 and columns m … m+n−1. What orderings are found on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

class Adjacency {
 public:
  /// Books 8·(vertices + 2·K) bytes at most. Throws Failure{cancelled}, Failure{out_of_memory}.
  Adjacency(const SparsePattern& pattern, JobContext& context);

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
