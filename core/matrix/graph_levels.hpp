// SPDX-License-Identifier: Apache-2.0
// Components of a graph and their breadth-first levels.
#pragma once

#include <vector>

#include "core/matrix/adjacency.hpp"

namespace spyctrum {

class GraphLevels {
 public:
  /// Both must outlive it.
  GraphLevels(const Adjacency& graph, JobContext& context);

  /// Vertices of each component, the largest first, single vertices last; ties by their smallest vertex.
  /// Throws Failure{cancelled}.
  [[nodiscard]] std::vector<std::vector<Index>> components();

  /// A component in the order of Cuthill and McKee (ACM National Conference 1969): breadth first from a
  /// vertex of large eccentricity (George and Liu, ACM TOMS 5(3), 1979), neighbours by degree. Throws
  /// Failure{cancelled}.
  [[nodiscard]] std::vector<Index> cuthill_mckee(const std::vector<Index>& component);

 private:
  struct Levels {
    std::vector<Index> order;    // breadth first
    std::size_t last_level = 0;  // where the last level begins in it
    std::size_t count = 0;       // of levels
  };
  [[nodiscard]] Levels search(Index root);
  [[nodiscard]] bool is_less(Index a, Index b) const;  // by degree

  const Adjacency& graph_;
  JobContext& context_;
  std::vector<unsigned> marks_;  // number of the search that met each vertex last
  unsigned number_ = 0;
};

}  // namespace spyctrum
