// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches mark the vertices they reach with the number of the search, so that no search has
// to clear the marks of an earlier one.
#include "core/matrix/graph_levels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/matrix/entry_sort.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kColumnsApart = std::size_t{1} << 16U;  // between two checks for a stop
constexpr std::size_t kVerticesApart = std::size_t{1} << 14U;

/// The edges of the graph. If (i, j) and (j, i) are both entries, the one above the diagonal represents the
/// edge.
class Edges {
 public:
  Edges(const SparsePattern& pattern, JobContext& context)
      : pattern_(pattern), context_(context), square_(pattern.rows() == pattern.cols()) {
    if (square_ && !pattern.symmetric()) find_represented();
  }

  /// Calls take(a, b) once for each edge.
  template <class Take>
  void for_each(const Take& take) const {
    const auto first_column = static_cast<Index>(square_ ? 0 : pattern_.rows());
    const auto ids = pattern_.column_ids();
    const bool symmetric = square_ && represented_.data.empty();
    std::size_t t = 0;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (k % kColumnsApart == 0) context_.check_stop();
      for (const Index row : pattern_.column(k)) {
        const std::size_t entry = t++;
        if (square_ && (row == ids[k] || (symmetric ? row > ids[k] : represented_.data[entry] != 0)))
          continue;
        take(row, first_column + ids[k]);
      }
    }
  }

 private:
  /// Marks the entries (i, j) below the diagonal for which (j, i) is an entry. Within each column i the
  /// entries (j, i) are looked up in ascending order.
  void find_represented() {
    const auto ids = pattern_.column_ids();
    const auto starts = pattern_.column_starts();
    const auto rows = pattern_.row_indices();
    represented_ = BookedVector<char>(context_, rows.size(), "edges");
    const Booking booking(context_.memory(), 16 * pattern_.cols(), "edges");
    std::vector<std::int64_t> next(pattern_.cols());
    std::vector<std::int64_t> end(pattern_.cols());
    for (std::size_t k = 0; k < ids.size(); ++k) {
      next[ids[k]] = starts[k];
      end[ids[k]] = starts[k + 1];
    }
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (k % kColumnsApart == 0) context_.check_stop();
      for (auto t = static_cast<std::size_t>(starts[k]); t < static_cast<std::size_t>(starts[k + 1]); ++t) {
        const Index i = rows[t];
        if (i <= ids[k]) continue;
        while (next[i] < end[i] && rows[static_cast<std::size_t>(next[i])] < ids[k]) ++next[i];
        represented_.data[t] = next[i] < end[i] && rows[static_cast<std::size_t>(next[i])] == ids[k] ? 1 : 0;
      }
    }
  }

  const SparsePattern& pattern_;
  JobContext& context_;
  bool square_;
  BookedVector<char> represented_;  ///< by entry; empty for a symmetric pattern
};

}  // namespace

Adjacency::Adjacency(const SparsePattern& pattern, JobContext& context) {
  const bool square = pattern.rows() == pattern.cols();
  const std::uint64_t vertices = square ? pattern.rows() : pattern.rows() + pattern.cols();
  if (vertices > kLargestSide)
    throw Failure(ErrorCode::out_of_memory, "Rows and columns together are too many to be ordered.",
                  "Order a square matrix, or one of at most 2^32 − 1 rows and columns.");
  const Edges edges(pattern, context);
  starts_ = BookedVector<std::uint64_t>(context, vertices + 1, "degrees");
  edges.for_each([&](Index a, Index b) {
    ++starts_.data[a + std::size_t{1}];
    ++starts_.data[b + std::size_t{1}];
  });
  std::partial_sum(starts_.data.begin(), starts_.data.end(), starts_.data.begin());
  neighbours_ = BookedVector<Index>(context, starts_.data.back(), "neighbours");
  std::vector<std::uint64_t> next(starts_.data.begin(), starts_.data.end() - 1);
  edges.for_each([&](Index a, Index b) {
    neighbours_.data[next[a]++] = b;
    neighbours_.data[next[b]++] = a;
  });
}

void Adjacency::sort_by_degree(JobContext& context) {
  const Booking booking(context.memory(), 3 * size() * sizeof(Index), "vertices by degree");
  std::vector<Index> vertices(size());
  std::iota(vertices.begin(), vertices.end(), 0U);
  std::vector<Index> ranks;
  radix_sort(vertices.data(), vertices.size(), ranks, &context,
             [this](Index vertex) { return std::uint64_t{degree(vertex)}; });
  ranks.resize(size());
  for (std::size_t k = 0; k < size(); ++k) ranks[vertices[k]] = static_cast<Index>(k);
  for (std::size_t v = 0; v < size(); ++v) {
    if (v % kVerticesApart == 0) context.check_stop();
    const auto first = neighbours_.data.begin() + static_cast<std::ptrdiff_t>(starts_.data[v]);
    const auto last = neighbours_.data.begin() + static_cast<std::ptrdiff_t>(starts_.data[v + 1]);
    std::transform(first, last, first, [&](Index next) { return ranks[next]; });
    std::sort(first, last);
    std::transform(first, last, first, [&](Index rank) { return vertices[rank]; });
  }
  sorted_ = true;
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
      if (k % kVerticesApart == 0) context_.check_stop();
      const auto first = static_cast<std::ptrdiff_t>(levels.order.size());
      for (const Index next : graph_.neighbours(levels.order[k]))
        if (std::exchange(last_search_[next], searches_) != searches_) levels.order.push_back(next);
      if (!graph_.is_sorted_by_degree())
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
