// SPDX-License-Identifier: Apache-2.0
// Orders the vertices of the pattern's graph and converts the orders to permutations of rows and columns.
#include "core/matrix/reordering.hpp"

#include <algorithm>
#include <numeric>

#include "core/matrix/entry_sort.hpp"
#include "core/matrix/fiedler.hpp"
#include "core/matrix/graph_levels.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

/// The inverse: positions[order[k]] = k.
std::vector<Index> positions_of(const std::vector<Index>& order) {
  std::vector<Index> places(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) places[order[k]] = static_cast<Index>(k);
  return places;
}

/// 0 … count−1 in random order, by the shuffle of Fisher and Yates.
std::vector<Index> shuffled(std::uint64_t count, std::uint64_t seed, std::uint64_t stream) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), 0U);
  const CounterRandom random(seed, stream);
  for (std::uint64_t k = count; k > 1; --k) std::swap(order[k - 1], order[random.below(k, k)]);
  return order;
}

/// Ids of an axis by descending number of entries, summed over all counts given; equal numbers by id.
std::vector<Index> by_count(std::uint64_t size, const std::vector<const AxisCounts*>& all) {
  std::vector<std::int64_t> counts(size);
  for (const AxisCounts* some : all)
    for (std::size_t k = 0; k < some->ids.size(); ++k) counts[some->ids[k]] += some->counts[k];
  std::vector<Index> order(size);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<Index> scratch;
  radix_sort(order.data(), order.size(), scratch, nullptr,
             [&](Index id) { return ~static_cast<std::uint64_t>(counts[id]); });
  return order;
}

/// Converts an order of the graph's vertices (see Adjacency): a square pattern has the same order of rows and
/// columns, another the orders of the row vertices and of the column vertices.
Permutation permutation_of(const SparsePattern& pattern, const std::vector<Index>& order) {
  Permutation permutation;
  if (pattern.rows() == pattern.cols()) {
    permutation.rows = permutation.cols = positions_of(order);
    return permutation;
  }
  const auto m = static_cast<Index>(pattern.rows());
  std::vector<Index> rows;
  std::vector<Index> cols;
  for (const Index vertex : order) vertex < m ? rows.push_back(vertex) : cols.push_back(vertex - m);
  permutation.rows = positions_of(rows);
  permutation.cols = positions_of(cols);
  return permutation;
}

/// Components with at most this many vertices keep their Cuthill–McKee order.
constexpr std::size_t kNoSpectralOrder = 3;

Permutation permutation_by_graph(const SparsePattern& pattern, Order order, JobContext& context) {
  Adjacency graph(pattern, context);
  // The last bits of a Fiedler vector depend on the order of the neighbours.
  if (order == Order::reverse_cuthill_mckee) graph.sort_by_degree(context);
  GraphLevels levels(graph, context);
  std::vector<Index> vertices;
  vertices.reserve(graph.size());
  std::size_t components = 0;
  double residual = 0;
  for (const std::vector<Index>& component : levels.components()) {
    std::vector<Index> ordered = component;
    if (component.size() > 1) {
      ordered = levels.cuthill_mckee(component);
      std::reverse(ordered.begin(), ordered.end());
      ++components;
    }
    if (order == Order::spectral && ordered.size() > kNoSpectralOrder) {
      const FiedlerVector fiedler = fiedler_vector(graph, ordered, context);
      ordered = sorted_by_values(fiedler, ordered);
      residual = std::max(residual, fiedler.residual);
    }
    vertices.insert(vertices.end(), ordered.begin(), ordered.end());
  }
  Permutation permutation = permutation_of(pattern, vertices);
  if (components > 1) permutation.note = std::to_string(components) + " components, the largest first";
  if (residual > kFiedlerTolerance)
    permutation.note += (permutation.note.empty() ? "" : "; ") +
                        std::string("the Fiedler vector is approximate: its residual is ") +
                        std::to_string(residual);
  return permutation;
}

}  // namespace

const std::vector<OrderInfo>& orders() {
  static const std::vector<OrderInfo> all{
      {Order::random, "random", "random",
       "Shows what remains of the spectrum when rows and columns have no order"},
      {Order::degree, "degree", "by degree", "Rows and columns with most entries first"},
      {Order::reverse_cuthill_mckee, "rcm", "reverse Cuthill–McKee",
       "Neighbours close to each other: a small band"},
      {Order::spectral, "spectral", "spectral",
       "Along the Fiedler vector: clusters become blocks on the diagonal"}};
  return all;
}

const OrderInfo* find_order(std::string_view id) {
  const auto found = std::ranges::find(orders(), id, &OrderInfo::id);
  return found == orders().end() ? nullptr : &*found;
}

Permutation compute_permutation(const SparsePattern& pattern, Order order, std::uint64_t seed,
                                JobContext& context) {
  context.begin_stage("order");
  const bool square = pattern.rows() == pattern.cols();
  const Booking places(context.memory(), 8 * (pattern.rows() + pattern.cols()),
                       "positions of rows and columns");
  switch (order) {
    case Order::random: {
      Permutation permutation{shuffled(pattern.rows(), seed, 0x726f7773), {}, {}};
      permutation.cols = square ? permutation.rows : shuffled(pattern.cols(), seed, 0x636f6c73);
      return permutation;
    }
    case Order::degree: {
      if (square) {
        const auto both =
            positions_of(by_count(pattern.rows(), {&pattern.row_counts(), &pattern.column_counts()}));
        return {both, both, {}};
      }
      return {positions_of(by_count(pattern.rows(), {&pattern.row_counts()})),
              positions_of(by_count(pattern.cols(), {&pattern.column_counts()})),
              {}};
    }
    case Order::reverse_cuthill_mckee:
    case Order::spectral:
      break;
  }
  return permutation_by_graph(pattern, order, context);
}

SparsePattern permuted(const SparsePattern& pattern, const Permutation& permutation, JobContext& context) {
  context.begin_stage("permute");
  std::vector<std::uint64_t> entries;
  const Booking packed(context.memory(), 8 * static_cast<std::uint64_t>(pattern.nonzeros()), "entries");
  entries.reserve(static_cast<std::size_t>(pattern.nonzeros()));
  const auto ids = pattern.column_ids();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (k % 65536 == 0) context.check_stop();
    const std::uint64_t column = std::uint64_t{permutation.cols[ids[k]]} << 32U;
    for (const Index row : pattern.column(k)) entries.push_back(column | permutation.rows[row]);
  }
  return SparsePattern::moved(pattern, pattern.rows(), pattern.cols(), std::move(entries), context);
}

}  // namespace spyctrum
