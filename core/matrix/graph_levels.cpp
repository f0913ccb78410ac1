// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches over one array of marks.
#include "core/matrix/graph_levels.hpp"

#include <algorithm>
#include <utility>

namespace spyctrum {

namespace {
constexpr std::size_t kBetweenStops = std::size_t{1} << 14U;
}

GraphLevels::GraphLevels(const Adjacency& graph, JobContext& context)
    : graph_(graph), context_(context), marks_(graph.size(), 0) {}

bool GraphLevels::is_less(Index a, Index b) const {
  return std::pair(graph_.degree(a), a) < std::pair(graph_.degree(b), b);
}

GraphLevels::Levels GraphLevels::search(Index root) {
  ++number_;
  Levels levels;
  marks_[root] = number_;
  levels.order.push_back(root);
  std::size_t end = 1;
  for (std::size_t begin = 0; begin < levels.order.size(); begin = end, end = levels.order.size()) {
    levels.last_level = begin;
    ++levels.count;
    for (std::size_t k = begin; k < end; ++k) {
      if (k % kBetweenStops == 0) context_.check_stop();
      const auto first = static_cast<std::ptrdiff_t>(levels.order.size());
      for (const Index next : graph_.neighbours(levels.order[k]))
        if (std::exchange(marks_[next], number_) != number_) levels.order.push_back(next);
      std::sort(levels.order.begin() + first, levels.order.end(),
                [this](Index a, Index b) { return is_less(a, b); });
    }
  }
  return levels;
}

std::vector<std::vector<Index>> GraphLevels::components() {
  std::vector<std::vector<Index>> components;
  std::fill(marks_.begin(), marks_.end(), 0);
  number_ = 0;
  for (std::size_t v = 0; v < graph_.size(); ++v)
    if (marks_[v] == 0) components.push_back(search(static_cast<Index>(v)).order);
  std::stable_sort(components.begin(), components.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return components;
}

std::vector<Index> GraphLevels::cuthill_mckee(const std::vector<Index>& component) {
  constexpr int kMostSearches = 8;
  const auto least = [this](Index a, Index b) { return is_less(a, b); };
  Levels best = search(*std::min_element(component.begin(), component.end(), least));
  for (int k = 0; k < kMostSearches; ++k) {
    const auto last = best.order.begin() + static_cast<std::ptrdiff_t>(best.last_level);
    Levels further = search(*std::min_element(last, best.order.end(), least));
    const bool is_deeper = further.count > best.count;
    best = std::move(further);
    if (!is_deeper) break;
  }
  return std::move(best.order);
}

}  // namespace spyctrum
