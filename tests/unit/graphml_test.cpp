// SPDX-License-Identifier: Apache-2.0
// GraphML is read forward: edges before their nodes, weights that turn out to be missing, and documents that
// would fill the memory. tests/data/graphml has the files that io_formats_test.cpp and io_malformed_test.cpp
// read.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/scratch_folder.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

using test::load;
using test::Places;
using test::places_of;

const std::string kKey = R"(<key id="w" for="edge" attr.name="weight" attr.type="double"/>)";

std::string node(int id) { return "<node id=\"n" + std::to_string(id) + "\"/>"; }

std::string edge(int from, int to, const std::string& weight = {}) {
  return "<edge source=\"n" + std::to_string(from) + "\" target=\"n" + std::to_string(to) + "\">" +
         (weight.empty() ? "" : "<data key=\"w\">" + weight + "</data>") + "</edge>";
}

class Graphml : public ::testing::Test {
 protected:
  /// The document with these keys, nodes and edges.
  std::string graph(const std::string& keys, const std::string& content,
                    const std::string& direction = "directed") {
    return scratch_.write("test.graphml", "<graphml>" + keys + "<graph edgedefault=\"" + direction + "\">" +
                                              content + "</graph></graphml>");
  }
  test::ScratchFolder scratch_;
};

TEST_F(Graphml, EdgesMayStandBeforeTheirNodes) {
  // Twice as many entries as an array of the list has.
  constexpr int kNodes = 100'000;
  std::string edges;
  std::string nodes;
  for (int k = 0; k < kNodes; ++k) {
    edges += edge(k, (k + 1) % kNodes, std::to_string(k) + ".5");
    nodes += node(kNodes - 1 - k);
  }
  const Result<Matrix> matrix = load(graph(kKey, edges + nodes), {.values = ValueUse::keep});
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(matrix->pattern->rows(), static_cast<std::uint64_t>(kNodes));
  // Node k is row and column kNodes − 1 − k: the edge to column j is that from node (kNodes − 2 − j).
  for (std::size_t j = 0; j < kNodes; ++j) {
    const std::size_t from = (2 * kNodes - 2 - j) % kNodes;
    ASSERT_EQ(matrix->pattern->column(j)[0], kNodes - 1 - from);
    ASSERT_EQ((*matrix->values)[j], static_cast<float>(from) + 0.5F);
  }
}

TEST_F(Graphml, WeightsAreLeftOutFromTheFirstEdgeWithoutOneWhetherZerosAreDroppedOrNot) {
  const std::string file = graph(
      kKey, node(1) + node(2) + node(3) + edge(1, 2, "0") + edge(2, 3, "7") + edge(3, 1) + edge(1, 1, "0"));
  for (const bool drops : {false, true}) {
    const Result<Matrix> matrix = load(file, {.drop_zeros = drops, .values = ValueUse::keep});
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(places_of(*matrix->pattern), (Places{{1, 2}, {2, 3}, {3, 1}, {1, 1}}));
    EXPECT_EQ(matrix->values, nullptr);
    EXPECT_EQ(matrix->report.field, "pattern");
    EXPECT_EQ(matrix->report.explicit_zeros, 0);
    EXPECT_FALSE(matrix->report.zeros_dropped);
    EXPECT_FALSE(matrix->report.values.has_value());
    ASSERT_EQ(matrix->report.notes.size(), 2U);
    EXPECT_EQ(matrix->report.notes[1], "Only 3 of 4 edges have a weight: weights were left out.");
  }
}

TEST_F(Graphml, ADefaultIsTheWeightOfEdgesWithoutOne) {
  const std::string key =
      R"(<key id="w" for="edge" attr.name="weight" attr.type="int"><desc>3</desc><default> 5 </default></key>)";
  const Result<Matrix> matrix = load(
      graph(key, node(1) + node(2) + edge(1, 2) + edge(2, 2, "2"), "undirected"), {.values = ValueUse::keep});
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(*matrix->values, (std::vector<float>{5, 5, 2}));
  EXPECT_EQ(matrix->report.field, "integer");
}

TEST_F(Graphml, OfSeveralGraphsTheOneWithMostEdgesOrTheNamedOneIsRead) {
  const auto graph_of = [](const std::string& id, const std::string& content) {
    return R"(<graph edgedefault="directed" id=")" + id + "\">" + content + "</graph>";
  };
  const std::string file =
      scratch_.write("three.graphml", "<graphml>" + graph_of("none", "") +
                                          graph_of("two", node(1) + edge(1, 1) + edge(1, 1)) +
                                          graph_of("one", node(1) + node(2) + edge(1, 2)) + "</graphml>");
  const Result<Matrix> largest = load(file);
  ASSERT_TRUE(largest.has_value()) << largest.error().message();
  EXPECT_EQ(largest->report.matrix, "two");
  EXPECT_EQ(largest->report.matrices.size(), 3U);
  EXPECT_EQ(largest->report.duplicates, 1);
  const Result<Matrix> named = load(file + "::one");
  ASSERT_TRUE(named.has_value()) << named.error().message();
  EXPECT_EQ(places_of(*named->pattern), (Places{{1, 2}}));
  const Result<Matrix> empty = load(file + "::none");
  ASSERT_FALSE(empty.has_value());
  EXPECT_NE(empty.error().message().find("no <node>"), std::string::npos) << empty.error().message();
}

TEST_F(Graphml, NamesThatWouldFillTheMemoryAreRefused) {
  std::string names;
  for (int k = 0; k < 400'000; ++k) names += "<e" + std::to_string(k) + " a" + std::to_string(k) + "=\"\"/>";
  const Result<Matrix> matrix = load(graph({}, node(1) + names));
  ASSERT_FALSE(matrix.has_value());
  EXPECT_EQ(matrix.error().code, ErrorCode::bad_input);
  EXPECT_NE(matrix.error().message().find("names of elements and attributes"), std::string::npos)
      << matrix.error().message();
}

TEST_F(Graphml, APictureGrowsWhileItIsRead) {
  const auto preview = std::make_shared<PatternPreview>();
  std::string content = node(0) + node(1);
  for (int k = 0; k < 70'000; ++k) content += edge(0, 1);
  ASSERT_TRUE(load(graph({}, content), {.preview = preview}).has_value());
  EXPECT_EQ(preview->snapshot().entries, 70'000U);
}

}  // namespace
}  // namespace spyctrum
