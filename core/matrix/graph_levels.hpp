// SPDX-License-Identifier: Apache-2.0
// Connected components of a graph, and orders of Cuthill and McKee by breadth-first searches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The undirected graph of a pattern, from which orders of its rows and columns are computed. Square pattern:
/// vertices 0 … n−1, an edge {i, j} for each entry (i, j) with i ≠ j. Otherwise bipartite: a vertex i for
/// each row and m + j for each column, an edge {i, m + j} for each entry (i, j).
class Adjacency {
 public:
  /// Books at most 8·(vertices + K) bytes for K entries and, while it runs, 16·n + K bytes for a square
  /// pattern that is not symmetric. Throws Failure{cancelled}; Failure{out_of_memory}, also for more than
  /// 2^32 − 1 vertices.
  Adjacency(const SparsePattern& pattern, JobContext& context);

  /// Sorts the neighbours of each vertex by degree, those of equal degree by number, so that breadth-first
  /// searches need not sort. Before, neighbours are in the order of the pattern's columns. Throws
  /// Failure{cancelled}, {out_of_memory}.
  void sort_by_degree(JobContext& context);
  [[nodiscard]] bool is_sorted_by_degree() const { return sorted_; }
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
  bool sorted_ = false;
};

class GraphLevels {
 public:
  /// `graph` and `context` must outlive the object.
  GraphLevels(const Adjacency& graph, JobContext& context);

  /// The vertices of each component; components by descending size, those of equal size by their smallest
  /// vertex. Throws Failure{cancelled}.
  [[nodiscard]] std::vector<std::vector<Index>> components();

  /// The vertices of a component in the order of E. Cuthill and J. McKee (ACM National Conference 1969):
  /// breadth first, neighbours by ascending degree, starting from a vertex of large eccentricity, found by A.
  /// George and J. Liu's search (ACM TOMS 5(3), 1979). Throws Failure{cancelled}.
  [[nodiscard]] std::vector<Index> cuthill_mckee(const std::vector<Index>& component);

 private:
  struct Levels {
    std::vector<Index> order;    // the vertices reached, breadth first
    std::size_t last_level = 0;  // where the last level begins in `order`
    std::size_t count = 0;       // number of levels
  };
  [[nodiscard]] Levels breadth_first(Index root);
  [[nodiscard]] bool has_lower_degree(Index a, Index b) const;  // equal degrees: by number

  const Adjacency& graph_;
  JobContext& context_;
  std::vector<unsigned> last_search_;  // of each vertex: the number of the last search that reached it
  unsigned searches_ = 0;              // number of searches so far
};

}  // namespace spyctrum
