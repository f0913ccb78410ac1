// SPDX-License-Identifier: Apache-2.0
// Connected components of a graph, and orders of Cuthill and McKee by breadth-first searches.
#pragma once

#include <vector>

#include "core/matrix/adjacency.hpp"

namespace spyctrum {

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
