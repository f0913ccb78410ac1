// SPDX-License-Identifier: Apache-2.0
// One array of search numbers serves all breadth-first searches, so that none has to clear it.
#include "core/matrix/graph_levels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

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

constexpr std::size_t kStopsApart = std::size_t{1} << 14U;

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

GraphLevels::GraphLevels(const Adjacency& graph, JobContext& context)
    : graph_(graph), context_(context), last_search_(graph.size(), 0) {}

bool GraphLevels::has_lower_degree(Index a, Index b) const {
  return std::pair(graph_.degree(a), a) < std::pair(graph_.degree(b), b);
}

GraphLevels::Levels GraphLevels::breadth_first(Index root) {
  ++searches_;
  Levels levels;
  last_search_[root] = searches_;
  levels.order.push_back(root);
  std::size_t end = 1;
  for (std::size_t begin = 0; begin < levels.order.size(); begin = end, end = levels.order.size()) {
    levels.last_level = begin;
    ++levels.count;
    for (std::size_t k = begin; k < end; ++k) {
      if (k % kStopsApart == 0) context_.check_stop();
      const auto first = static_cast<std::ptrdiff_t>(levels.order.size());
      for (const Index next : graph_.neighbours(levels.order[k]))
        if (std::exchange(last_search_[next], searches_) != searches_) levels.order.push_back(next);
      std::sort(levels.order.begin() + first, levels.order.end(),
                [this](Index a, Index b) { return has_lower_degree(a, b); });
    }
  }
  return levels;
}

std::vector<std::vector<Index>> GraphLevels::components() {
  std::vector<std::vector<Index>> components;
  std::fill(last_search_.begin(), last_search_.end(), 0);
  searches_ = 0;
  for (std::size_t v = 0; v < graph_.size(); ++v)
    if (last_search_[v] == 0) components.push_back(breadth_first(static_cast<Index>(v)).order);
  std::stable_sort(components.begin(), components.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return components;
}

std::vector<Index> GraphLevels::cuthill_mckee(const std::vector<Index>& component) {
  constexpr int kMostSearches = 8;
  const auto least = [this](Index a, Index b) { return has_lower_degree(a, b); };
  Levels best = breadth_first(*std::min_element(component.begin(), component.end(), least));
  for (int k = 0; k < kMostSearches; ++k) {
    const auto last = best.order.begin() + static_cast<std::ptrdiff_t>(best.last_level);
    Levels further = breadth_first(*std::min_element(last, best.order.end(), least));
    const bool is_deeper = further.count > best.count;
    best = std::move(further);
    if (!is_deeper) break;
  }
  return std::move(best.order);
}

}  // namespace spyctrum
