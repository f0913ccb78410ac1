// SPDX-License-Identifier: Apache-2.0
// Orders of rows and columns: each is a permutation with the property that its name states.
#include "core/matrix/reordering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "core/matrix/fiedler.hpp"
#include "core/matrix/graph_levels.hpp"
#include "tests/support/generated_pattern.hpp"

namespace spyctrum {
namespace {

using test::generated;

class Reordering : public testing::Test {
 protected:
  SparsePattern ordered(const SparsePattern& pattern, Order order, std::uint64_t seed = 1) {
    return permuted(pattern, compute_permutation(pattern, order, seed, context_), context_);
  }
  ThreadPool pool_{2};
  JobContext context_{pool_};
};

bool is_permutation_of(const std::vector<Index>& places, std::uint64_t size) {
  std::vector<Index> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Index> all(size);
  std::iota(all.begin(), all.end(), 0U);
  return sorted == all;
}

TEST_F(Reordering, EveryOrderPermutesAndKeepsTheEntries) {
  for (const char* text :
       {"gen:power-law:n=300,nnz=1500", "gen:random:rows=120,cols=75,nnz=200",
        "gen:random:rows=1,cols=9,nnz=4", "gen:laplacian-2d:nx=9,ny=7", "gen:diagonal:n=20"}) {
    const PatternPtr pattern = generated(text);
    for (const OrderInfo& info : orders()) {
      const Permutation permutation = compute_permutation(*pattern, info.order, 7, context_);
      ASSERT_TRUE(is_permutation_of(permutation.rows, pattern->rows())) << text << ' ' << info.id;
      ASSERT_TRUE(is_permutation_of(permutation.cols, pattern->cols())) << text << ' ' << info.id;
      const SparsePattern other = permuted(*pattern, permutation, context_);
      ASSERT_EQ(other.nonzeros(), pattern->nonzeros());
      EXPECT_EQ(other.symmetric(), pattern->symmetric()) << text << ' ' << info.id;
      for (std::size_t k = 0; k < pattern->column_ids().size(); ++k)
        for (auto t = pattern->column_starts()[k]; t < pattern->column_starts()[k + 1]; ++t)
          ASSERT_TRUE(other.contains(permutation.rows[pattern->row_indices()[static_cast<std::size_t>(t)]],
                                     permutation.cols[pattern->column_ids()[k]]));
    }
  }
}

TEST_F(Reordering, RandomDependsOnItsSeedAlone) {
  const PatternPtr pattern = generated("gen:band:n=200,bandwidth=2");
  EXPECT_EQ(ordered(*pattern, Order::random, 3), ordered(*pattern, Order::random, 3));
  EXPECT_FALSE(ordered(*pattern, Order::random, 3) == ordered(*pattern, Order::random, 4));
  EXPECT_GT(statistics_of(ordered(*pattern, Order::random)).bandwidth, 100U);
}

TEST_F(Reordering, DegreePutsTheRowsWithMostEntriesFirst) {
  const SparsePattern sorted = ordered(*generated("gen:power-law:n=300,nnz=1500"), Order::degree);
  std::vector<std::int64_t> counts(300);
  for (const AxisCounts* some : {&sorted.row_counts(), &sorted.column_counts()})
    for (std::size_t k = 0; k < some->ids.size(); ++k) counts[some->ids[k]] += some->counts[k];
  EXPECT_TRUE(std::is_sorted(counts.rbegin(), counts.rend()));
  const PatternPtr pattern = generated("gen:random:rows=40,cols=9,nnz=120");
  const Permutation found = compute_permutation(*pattern, Order::degree, 1, context_);
  std::vector<std::int64_t> of_row(40);
  for (std::size_t k = 0; k < pattern->row_counts().ids.size(); ++k)
    of_row[pattern->row_counts().ids[k]] = pattern->row_counts().counts[k];
  for (Index a = 0; a < 40; ++a)
    for (Index b = 0; b < a; ++b)
      EXPECT_TRUE(of_row[a] != of_row[b] || found.rows[b] < found.rows[a]) << "equal rows keep their order";
}

TEST_F(Reordering, ReverseCuthillMcKeeRestoresTheBandwidthOfAShuffledBand) {
  const PatternPtr band = generated("gen:band:n=400,bandwidth=3");
  const SparsePattern shuffled = ordered(*band, Order::random, 5);
  ASSERT_GT(statistics_of(shuffled).bandwidth, 300U);
  EXPECT_LE(statistics_of(ordered(shuffled, Order::reverse_cuthill_mckee)).bandwidth, 6U);
  const SparsePattern mesh = ordered(*generated("gen:laplacian-2d:nx=40,ny=12"), Order::random, 5);
  EXPECT_LE(statistics_of(ordered(mesh, Order::reverse_cuthill_mckee)).bandwidth, 24U);
}

TEST_F(Reordering, TheGraphHasAnEdgeForEachPairOfMirroredEntries) {
  for (const char* text : {"gen:random:n=60,nnz=900", "gen:random:rows=30,cols=50,nnz=200", "gen:arrow:n=40",
                           "gen:rmat:n=64,nnz=500"}) {
    const PatternPtr pattern = generated(text);
    const bool square = pattern->rows() == pattern->cols();
    std::vector<std::set<Index>> expected(square ? pattern->rows() : pattern->rows() + pattern->cols());
    for (std::size_t k = 0; k < pattern->column_ids().size(); ++k)
      for (const Index row : pattern->column(k)) {
        const auto column = static_cast<Index>(pattern->column_ids()[k] + (square ? 0 : pattern->rows()));
        if (row == column) continue;
        expected[row].insert(column);
        expected[column].insert(row);
      }
    const Adjacency graph(*pattern, context_);
    ASSERT_EQ(graph.size(), expected.size()) << text;
    for (std::size_t v = 0; v < graph.size(); ++v) {
      const auto found = graph.neighbours(static_cast<Index>(v));
      EXPECT_EQ(std::set<Index>(found.begin(), found.end()), expected[v]) << text << ' ' << v;
      EXPECT_EQ(found.size(), expected[v].size()) << text << ' ' << v;
    }
  }
}

TEST_F(Reordering, SortedNeighboursChangeNoOrder) {
  for (const char* text :
       {"gen:random:n=300,nnz=900", "gen:random:rows=130,cols=150,nnz=400", "gen:arrow:n=140,head=4",
        "gen:laplacian-2d:nx=17,ny=11", "gen:power-law:n=500,nnz=2500"}) {
    const PatternPtr pattern = generated(text);
    const Adjacency stored(*pattern, context_);
    Adjacency sorted(*pattern, context_);
    sorted.sort_by_degree(context_);
    ASSERT_TRUE(sorted.is_sorted_by_degree());
    GraphLevels by_stored(stored, context_);
    GraphLevels by_sorted(sorted, context_);
    const auto components = by_stored.components();
    EXPECT_EQ(by_sorted.components(), components) << text;
    for (const std::vector<Index>& component : components)
      EXPECT_EQ(by_sorted.cuthill_mckee(component), by_stored.cuthill_mckee(component)) << text;
  }
}

TEST_F(Reordering, SpectralPutsClustersTogether) {
  // Two clusters of 60, each dense, few edges between them; shuffled.
  const PatternPtr blocks = generated("gen:stochastic-blocks:n=120,blocks=2,p_in=0.5,p_out=0.005");
  const Permutation shuffle = compute_permutation(*blocks, Order::random, 11, context_);
  const SparsePattern shuffled = permuted(*blocks, shuffle, context_);
  const Permutation found = compute_permutation(shuffled, Order::spectral, 1, context_);
  // Nearly all neighbouring positions hold vertices of the same cluster, whichever cluster comes first.
  std::vector<std::size_t> cluster_at(120);
  for (std::size_t vertex = 0; vertex < 120; ++vertex)
    cluster_at[found.rows[shuffle.rows[vertex]]] = vertex / 60;
  const auto changes = [](const std::vector<std::size_t>& clusters) {
    std::size_t count = 0;
    for (std::size_t k = 1; k < clusters.size(); ++k) count += clusters[k] != clusters[k - 1] ? 1 : 0;
    return count;
  };
  EXPECT_LE(changes(cluster_at), 5U);
  std::vector<std::size_t> before(120);
  for (std::size_t vertex = 0; vertex < 120; ++vertex) before[shuffle.rows[vertex]] = vertex / 60;
  EXPECT_GT(changes(before), 35U) << "the shuffled vertices are not in clusters";
}

TEST_F(Reordering, FiedlerVectorOfAPathIsTheCosineOfItsClosedForm) {
  // The path's normalised Laplacian: λ = 1 − cos(π/(n−1)), x_k = cos(πk/(n−1)).
  constexpr Index kSize = 60;
  std::vector<Index> row;
  std::vector<Index> col;
  for (Index k = 0; k + 1 < kSize; ++k) {
    row.insert(row.end(), {k, k + 1});
    col.insert(col.end(), {k + 1, k});
  }
  const SparsePattern path = SparsePattern::from_coordinates(kSize, kSize, row, col).value();
  const Adjacency graph(path, context_);
  std::vector<Index> component(kSize);
  std::iota(component.begin(), component.end(), 0U);
  // The vertices are shuffled, so that the start vector is not already near the solution.
  std::sort(component.begin(), component.end(),
            [](Index a, Index b) { return (a * 37) % 61 < (b * 37) % 61; });
  const FiedlerVector fiedler = fiedler_vector(graph, component, context_);
  EXPECT_NEAR(fiedler.eigenvalue, 1 - std::cos(std::numbers::pi / (kSize - 1)), 1e-5);
  const std::vector<Index> order = sorted_by_values(fiedler, component);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()) || std::is_sorted(order.rbegin(), order.rend()));
}

TEST_F(Reordering, ComponentsAreFoundAndTheLargestComesFirst) {
  const SparsePattern pattern =
      SparsePattern::from_coordinates(7, 7, {0, 1, 3, 4, 5}, {1, 0, 4, 5, 3}).value();
  const Adjacency graph(pattern, context_);
  GraphLevels levels(graph, context_);
  const auto components = levels.components();
  ASSERT_EQ(components.size(), 4U);
  EXPECT_EQ(std::set<Index>(components[0].begin(), components[0].end()), (std::set<Index>{3, 4, 5}));
  EXPECT_EQ(std::set<Index>(components[1].begin(), components[1].end()), (std::set<Index>{0, 1}));
  EXPECT_EQ(components[2], std::vector<Index>{2});
}

}  // namespace
}  // namespace spyctrum
