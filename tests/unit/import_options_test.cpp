// SPDX-License-Identifier: Apache-2.0
// What a format leaves open can be chosen, is reported, and is refused where no format has it.
#include "core/io/import_options.hpp"

#include <gtest/gtest.h>

#include "core/io/formats.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

using test::Places;
using test::places_of;
using Choices = std::vector<std::pair<std::string, std::string>>;

Result<Matrix> read(const std::string& name, const std::string& text, const Choices& choices = {}) {
  const std::string file = ::testing::TempDir() + "spyctrum_import_" + name;
  std::ofstream(file) << text;
  LoadOptions options;
  options.import = choices;
  options.values = ValueUse::keep;
  return test::load(file, options);
}

std::string assumed(const Matrix& matrix, const std::string& name) {
  for (const Assumption& one : matrix.report.assumed)
    if (one.name == name) return one.value + (one.chosen ? " (chosen)" : "");
  return {};
}

constexpr const char* kEdges = "1 2\n3 2\n";

TEST(ImportOptions, BaseMovesTheVerticesOfAListOfEdges) {
  const Result<Matrix> from_one = read("a.edges", kEdges);
  ASSERT_TRUE(from_one.has_value());
  EXPECT_EQ(from_one->pattern->rows(), 3U);
  EXPECT_EQ(assumed(*from_one, "base"), "1");
  const Result<Matrix> from_zero = read("a.edges", kEdges, {{"base", "0"}});
  ASSERT_TRUE(from_zero.has_value());
  EXPECT_EQ(from_zero->pattern->rows(), 4U);
  EXPECT_EQ(places_of(*from_zero->pattern), (Places{{2, 3}, {4, 3}}));
  EXPECT_EQ(assumed(*from_zero, "base"), "0 (chosen)");
  const Result<Matrix> refused = read("a.edges", "0 1\n", {{"base", "1"}});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::bad_input);
  EXPECT_NE(refused.error().message().find("line 1"), std::string::npos) << refused.error().message();
}

TEST(ImportOptions, EdgesCanHaveNoDirectionAndTwoKindsOfVertices) {
  const Result<Matrix> undirected = read("a.edges", kEdges, {{"directed", "no"}});
  EXPECT_EQ(places_of(*undirected->pattern), (Places{{1, 2}, {2, 1}, {2, 3}, {3, 2}}));
  EXPECT_EQ(undirected->report.symmetry, "symmetric");
  const Result<Matrix> bipartite = read("a.edges", kEdges, {{"square", "no"}});
  EXPECT_EQ(bipartite->pattern->rows(), 3U);
  EXPECT_EQ(bipartite->pattern->cols(), 2U);
  const Result<Matrix> one_way = read("a.konect", "% sym unweighted\n1 2\n", {{"directed", "yes"}});
  EXPECT_EQ(places_of(*one_way->pattern), (Places{{1, 2}}));
}

TEST(ImportOptions, ColumnsHeaderAndDelimiterOfATableCanBeChosen) {
  const std::string table = "7;1;2.5;2\n8;2;3.5;1\n";
  const Result<Matrix> chosen = read("a.edges", table, {{"columns", "2,4,3"}});
  ASSERT_TRUE(chosen.has_value()) << chosen.error().message();
  EXPECT_EQ(places_of(*chosen->pattern), (Places{{1, 2}, {2, 1}}));
  EXPECT_EQ(chosen->report.values->sum, 6.0);
  EXPECT_EQ(assumed(*chosen, "delimiter"), "semicolon");
  const Result<Matrix> without_first = read("a.edges", table, {{"columns", "2,4"}, {"header", "yes"}});
  EXPECT_EQ(places_of(*without_first->pattern), (Places{{2, 1}}));
  const Result<Matrix> too_far = read("a.edges", table, {{"columns", "2,9"}});
  ASSERT_FALSE(too_far.has_value());
  EXPECT_NE(too_far.error().message().find("no column 9"), std::string::npos) << too_far.error().message();
  for (const std::string wrong : {"1", "0,1", "1,2,3,4", "a,b", "1,99999", "1,-2"}) {
    const Result<Matrix> refused = read("a.edges", table, {{"columns", wrong}});
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::wrong_use) << wrong;
  }
  const Result<Matrix> commas = read("a.edges", "1 2,3\n", {{"delimiter", "comma"}});
  EXPECT_EQ(assumed(*commas, "delimiter"), "comma (chosen)");
}

TEST(ImportOptions, TheTriangleThatIsNotStoredCanBeLeftOut) {
  const std::string text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 5\n";
  const Result<Matrix> expanded = read("a.mtx", text);
  EXPECT_EQ(expanded->pattern->nonzeros(), 3);
  EXPECT_EQ(assumed(*expanded, "triangle"), "expand");
  const Result<Matrix> stored = read("a.mtx", text, {{"triangle", "stored"}});
  EXPECT_EQ(places_of(*stored->pattern), (Places{{1, 1}, {2, 1}}));
  EXPECT_EQ(stored->report.values->sum, 6.0);
  const Result<Matrix> tri = read("a.tri", "2 2 1 1\n1 2 5\n", {{"triangle", "stored"}});
  EXPECT_EQ(places_of(*tri->pattern), (Places{{1, 2}}));
}

TEST(ImportOptions, AnyMatrixCanBeTransposedWithItsValues) {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2\n2 2 3\n";
  const Result<Matrix> matrix = read("a.mtx", text, {{"orientation", "transposed"}});
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(matrix->pattern->rows(), 3U);
  EXPECT_EQ(places_of(*matrix->pattern), (Places{{1, 1}, {3, 1}, {2, 2}}));
  EXPECT_EQ(*matrix->values, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(assumed(*matrix, "orientation"), "transposed (chosen)");
}

TEST(ImportOptions, OfAnotherFormatAreRefusedWithThoseThatExist) {
  const Result<Matrix> matrix =
      read("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", {{"base", "0"}});
  ASSERT_FALSE(matrix.has_value());
  EXPECT_EQ(matrix.error().code, ErrorCode::wrong_use);
  EXPECT_NE(matrix.error().message().find("orientation, layer, triangle"), std::string::npos)
      << matrix.error().message();
  EXPECT_TRUE(
      read("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", {{"base", "auto"}})
          .has_value());
}

TEST(ImportOptions, AreParsedWithAListOfWhatExists) {
  const auto good = parse_import_option("base=1");
  ASSERT_TRUE(good.has_value());
  EXPECT_EQ(good->first, "base");
  EXPECT_EQ(good->second, "1");
  for (const std::string wrong : {"bass=1", "", "=1"}) {
    const auto refused = parse_import_option(wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::wrong_use);
    EXPECT_NE(refused.error().message().find("orientation, layer"), std::string::npos)
        << refused.error().message();
  }
  for (const std::string wrong : {"base=2", "base=", "base", "directed=maybe"}) {
    const auto refused = parse_import_option(wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_NE(refused.error().message().find("Values of"), std::string::npos) << refused.error().message();
  }
}

TEST(ImportOptions, OfEveryReaderAreDescribed) {
  std::set<std::string> names;
  for (const KnownImportOption& one : import_options()) {
    EXPECT_TRUE(names.emplace(one.option.name).second) << one.option.name << " is listed twice";
    EXPECT_FALSE(one.option.help.empty()) << one.option.name;
    EXPECT_FALSE(one.formats.empty()) << one.option.name;
  }
  for (const auto& reader : readers())
    for (const ImportOption& option : reader->format().options)
      EXPECT_TRUE(names.contains(std::string(option.name))) << option.name;
}

}  // namespace
}  // namespace spyctrum
