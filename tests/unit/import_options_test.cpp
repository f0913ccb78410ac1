// SPDX-License-Identifier: Apache-2.0
// What a format leaves open can be chosen, is reported, and is refused where no format has it.
#include "core/io/import_options.hpp"

#include <gtest/gtest.h>

#include "core/base/own_files.hpp"
#include "core/io/formats.hpp"
#include "core/io/hdf5/messages.hpp"
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
  EXPECT_EQ(places_of(*read("a.txt", "3 3 2\n1 2 0.5\n2 3 1\n", {{"header", "yes"}})->pattern),
            (Places{{1, 2}, {2, 3}}));
  const Result<Matrix> too_far = read("a.edges", table, {{"columns", "2,9"}});
  ASSERT_FALSE(too_far.has_value());
  EXPECT_NE(too_far.error().message().find("no column 9"), std::string::npos) << too_far.error().message();
  for (const std::string wrong : {"1", "0,1", "1,2,3,4", "a,b", "1,99999", "1,-2"}) {
    const Result<Matrix> refused = read("a.edges", table, {{"columns", wrong}});
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::wrong_use) << wrong;
  }
  const Result<Matrix> commas = read("a.edges", "1 ,2,3\n", {{"delimiter", "comma"}});
  EXPECT_EQ(assumed(*commas, "delimiter"), "comma (chosen)");
}

TEST(ImportOptions, BinaryDataAreNoNamesOfVertices) {
  const Result<Matrix> refused = read("a.dat", std::string("\1a\2\tb\0c\nd\te\n", 12));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("not a matrix file"), std::string::npos)
      << refused.error().message();
}

TEST(ImportOptions, OfATensorTwoIndicesCanBeChosen) {
  const std::string text = "# a tensor\n1 1 2 0.5\n2 3 1 4\n";
  const Result<Matrix> refused = read("a.tns", text);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("tensor of 3 indices"), std::string::npos)
      << refused.error().message();
  EXPECT_NE(refused.error().message().find("columns=1,2,4"), std::string::npos) << refused.error().message();
  const Result<Matrix> chosen = read("a.tns", text, {{"format", "edge_list"}, {"columns", "1,3,4"}});
  ASSERT_TRUE(chosen.has_value()) << chosen.error().message();
  EXPECT_EQ(places_of(*chosen->pattern), (Places{{2, 1}, {1, 2}}));
  const Result<Matrix> matrix = read("a.tns", "1 2 0.5\n2 3 4\n");
  EXPECT_TRUE(matrix.has_value()) << matrix.error().message();
}

TEST(ImportOptions, ASparseMatrixInOctavesTextIsNoListOfEdges) {
  const std::string begin = "# Created by Octave 6.4.0, Mon Jan 01 00:00:00 2024 UTC <u@h>\n# name: A\n";
  const std::string sparse =
      begin + "# type: sparse matrix\n# nnz: 1\n# rows: 5\n# columns: 7\n1 2 0.5\n\n\n";
  for (const char* file : {"a.txt", "a.mat"}) {
    const Result<Matrix> matrix = read(file, sparse);
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(matrix->pattern->rows(), 5U);
    EXPECT_EQ(matrix->pattern->cols(), 7U);
    EXPECT_EQ(places_of(*matrix->pattern), (Places{{1, 2}}));
  }
  const Result<Matrix> dense =
      read("a.txt", begin + "# type: matrix\n# rows: 1\n# columns: 5\n 1 0 0 2 0\n\n\n");
  ASSERT_TRUE(dense.has_value()) << dense.error().message();
  EXPECT_EQ(places_of(*dense->pattern), (Places{{1, 1}, {1, 4}}));
}

TEST(ImportOptions, FilesOfOtherProgramsAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases{{"+1 1:0.5 3:1\n", "LIBSVM"},
                                                               {"digraph G {\n a -> b;\n}\n", "DOT"},
                                                               {">>graph6<<Kd@_GGne@SCO\n", "graph6"},
                                                               {"<?xml version='1.0'?>\n<gexf>", "GEXF"},
                                                               {"{\"directed\": false}\n", "JSON"}};
  for (const auto& [text, name] : cases) {
    const Result<Matrix> refused = read("a.txt", text);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_NE(refused.error().message().find(name), std::string::npos) << refused.error().message();
  }
}

TEST(ImportOptions, TheDecimalSignIsFoundInTheNumbersOrChosen) {
  const auto sum_of = [](const std::string& text, const Choices& choices = {}) {
    const Result<Matrix> matrix = read("a.txt", text, choices);
    EXPECT_TRUE(matrix.has_value()) << matrix.error().message();
    return matrix && matrix->report.values ? matrix->report.values->sum : 0;
  };
  EXPECT_EQ(sum_of("1 2 1\n2 3 0,5\n3 4 1,250\n"), 2.75);
  EXPECT_EQ(sum_of("1;2;1,25\n2;3;1\n"), 2.25);
  EXPECT_EQ(sum_of("1,2,1.25\n2,3,1\n"), 2.25) << "commas separate the columns";
  EXPECT_EQ(sum_of("1,5 0 0 0 2\n0 0 -0,25 0 0\n"), 3.25);
  EXPECT_EQ(sum_of("a;b;0,5\nb;c;1,5\n", {{"vertices", "names"}}), 2.0);
  const std::string groups_or_decimals = "1\t2\t1,250\n2\t3\t2,500\n";
  EXPECT_EQ(sum_of(groups_or_decimals), 0);
  EXPECT_EQ(sum_of(groups_or_decimals, {{"decimal", "comma"}}), 3.75);
  EXPECT_EQ(read("a.txt", groups_or_decimals)->report.field, "pattern");
  EXPECT_EQ(assumed(*read("a.txt", "1 2 0,5\n"), "decimal"), "comma");
  EXPECT_EQ(assumed(*read("a.txt", "1 2 0.5\n"), "decimal"), "");
}

TEST(ImportOptions, AListOfEdgesCanBeReadAsATableAndOtherwise) {
  const Result<Matrix> edges = read("a.txt", "5 0 3\n0 2 7\n");
  ASSERT_TRUE(edges.has_value()) << edges.error().message();
  EXPECT_EQ(assumed(*edges, "format"), "edge_list");
  const Result<Matrix> table = read("a.txt", "5 0 3\n0 2 7\n", {{"format", "table"}});
  ASSERT_TRUE(table.has_value()) << table.error().message();
  EXPECT_EQ(places_of(*table->pattern), (Places{{1, 1}, {1, 3}, {2, 2}, {2, 3}}));
  const Result<Matrix> bits = read("a.txt", "0 1 1\n1 0 0\n1 1 0\n", {{"format", "edge_list"}});
  ASSERT_TRUE(bits.has_value()) << bits.error().message();
  EXPECT_EQ(bits->pattern->rows(), 2U);
  EXPECT_EQ(std::ranges::count(bits->report.assumed, "format", &Assumption::name), 1);
}

TEST(ImportOptions, ATableWhoseFirstLineIsLongIsKnown) {
  std::string names;
  for (int k = 0; k < 3000; ++k) names += k == 2999 ? "last\n" : "a,";
  std::string text;
  for (int k = 0; k < 6000; ++k) text += k % 3000 == 2999 ? "0.5\n" : "0,";
  const Result<Matrix> with_names = read("a.txt", names + text);
  ASSERT_TRUE(with_names.has_value()) << with_names.error().message();
  EXPECT_EQ(assumed(*with_names, "header"), "yes");
  std::string with_blanks = "# comment\n";
  for (int k = 0; k < 6000; ++k) with_blanks += k % 3000 == 2999 ? "0.5\n" : "0, ";
  EXPECT_EQ(read("a.txt", with_blanks)->pattern->cols(), 3000U);
  EXPECT_EQ(places_of(*with_names->pattern), (Places{{1, 3000}, {2, 3000}}));
  const Result<Matrix> table = read("a.txt", text);
  ASSERT_TRUE(table.has_value()) << table.error().message();
  EXPECT_EQ(places_of(*table->pattern), (Places{{1, 3000}, {2, 3000}}));
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

TEST(ImportOptions, AnArrayOfTwoRowsOrColumnsIsAMatrixOrAListOfEdges) {
  const std::string data = std::string(SPYCTRUM_SOURCE_DIR) + "/tests/data/";
  const auto read_as = [&](const std::string& file, const Choices& choices) {
    LoadOptions options;
    options.import = choices;
    return test::load(data + file, options);
  };
  const Places edges{{3, 1}, {1, 2}, {2, 3}, {3, 4}};
  const Result<Matrix> archive = read_as("npz/good/edge_index.npz", {});
  ASSERT_TRUE(archive.has_value()) << archive.error().message();
  EXPECT_EQ(places_of(*archive->pattern), edges);
  EXPECT_EQ(assumed(*archive, "array"), "edges");
  EXPECT_EQ(archive->report.matrix, "edge_index");
  const Result<Matrix> dense =
      read_as("npz/good/edge_index.npz", {{"array", "matrix"}, {"layer", "edge_index"}});
  ASSERT_TRUE(dense.has_value()) << dense.error().message();
  EXPECT_EQ(dense->pattern->rows(), 2U);
  EXPECT_EQ(dense->pattern->cols(), 4U);
  EXPECT_EQ(assumed(*dense, "array"), "matrix (chosen)");
  const Result<Matrix> pairs = read_as("npy/good/pairs.npy", {{"array", "edges"}});
  ASSERT_TRUE(pairs.has_value()) << pairs.error().message();
  EXPECT_EQ(places_of(*pairs->pattern), edges);
  EXPECT_EQ(assumed(*read_as("npy/good/pairs.npy", {}), "array"), "matrix");
  const Result<Matrix> real = read_as("npy/good/real.npy", {{"array", "edges"}});
  ASSERT_TRUE(real.has_value()) << real.error().message();
  EXPECT_EQ(real->pattern->cols(), 3U) << "real numbers are no vertices";
  EXPECT_EQ(assumed(*real, "array"), "");
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
  EXPECT_NE(matrix.error().message().find("orientation, layer, format, triangle"), std::string::npos)
      << matrix.error().message();
  EXPECT_TRUE(
      read("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", {{"base", "auto"}})
          .has_value());
}

TEST(ImportOptions, AFileThatTwoReadersAcceptNamesTheChosenOneAndCanBeReadByTheOther) {
  const Result<Matrix> graph = read("a.graph", "3 2\n2 3\n1 3\n", {{"format", "edge_list"}});
  ASSERT_TRUE(graph.has_value()) << graph.error().message();
  EXPECT_EQ(places_of(*graph->pattern), (Places{{3, 2}, {2, 3}, {1, 3}}));
  EXPECT_EQ(assumed(*graph, "format"), "edge_list (chosen)");
  const Result<Matrix> edges = read("a.edges", "3 2\n2\n1 3\n2\n");
  ASSERT_FALSE(edges.has_value());  // read as a list of edges by its name, and one line has one vertex
  const Result<Matrix> taken = read("b.graph", "3 2\n2 3\n1 3\n1 2\n");
  ASSERT_FALSE(taken.has_value());
  const Result<Matrix> both = read("c.graph", "2 1\n2 2\n1 1\n", {{"format", "auto"}});
  ASSERT_FALSE(both.has_value());  // 4 neighbours, 2 announced
  const Result<Matrix> note = read("d.graph", "2 2\n2 2\n1 1\n");
  ASSERT_TRUE(note.has_value()) << note.error().message();
  EXPECT_EQ(assumed(*note, "format"), "metis");
  EXPECT_NE(note->report.notes.back().find("because of its name; it could be edge list"), std::string::npos)
      << note->report.notes.back();
}

TEST(ImportOptions, ScalarsOfPetscCanBeChosen) {
  std::string bytes;
  const auto add = [&](std::uint64_t number, int width) {
    for (int b = width; b-- > 0;) bytes += static_cast<char>(number >> (8 * b) & 0xFFU);
  };
  for (const std::uint64_t number : {1211216, 1, 2, 1, 1, 1}) add(number, 4);
  for (const std::uint64_t part : {0x3F800000, 0x40000000}) add(part, 4);  // 1, 2 in single precision
  const Result<Matrix> chosen = read("a.petsc", bytes, {{"scalar", "complex-float32"}});
  ASSERT_TRUE(chosen.has_value()) << chosen.error().message();
  EXPECT_EQ(chosen->report.field, "complex");
  EXPECT_EQ(chosen->report.values->sum, 1.0);
  EXPECT_EQ(chosen->report.values->sum_imaginary, 2.0);
  EXPECT_EQ(assumed(*chosen, "scalar"), "complex-float32 (chosen)");
  EXPECT_EQ(assumed(*read("a.petsc", bytes), "scalar"), "real-float64");
}

TEST(ImportOptions, CountsOfAContactMapCanBeBalanced) {
  if (own_file(hdf5::kChildName).path.empty()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const std::string folder = SPYCTRUM_SOURCE_DIR "/tests/data/hdf5/good/";
  LoadOptions options;
  options.values = ValueUse::keep;
  const Result<Matrix> counts = test::load(folder + "balanced.cool", options);
  ASSERT_TRUE(counts.has_value()) << counts.error().message();
  EXPECT_EQ(counts->report.field, "integer");
  EXPECT_EQ(counts->report.values->sum, 4.0 + 2 * (3 + 5));
  EXPECT_EQ(assumed(*counts, "values"), "count");
  options.import = {{"values", "balanced"}};
  const Result<Matrix> balanced = test::load(folder + "balanced.cool", options);
  ASSERT_TRUE(balanced.has_value()) << balanced.error().message();
  EXPECT_EQ(balanced->report.field, "real");
  EXPECT_EQ(balanced->report.values->sum, 4 * 0.5 * 0.5 + 2 * 3 * 0.5 * 2.0);
  EXPECT_EQ(balanced->report.values->nan, 1U);  // the third bin has no weight
  EXPECT_EQ(assumed(*balanced, "values"), "balanced (chosen)");
  const Result<Matrix> without = test::load(folder + "contacts.cool", options);
  ASSERT_FALSE(without.has_value());
  EXPECT_EQ(without.error().code, ErrorCode::wrong_use);
}

TEST(ImportOptions, TheOtherTriangleOfAContactMapCanBeLeftOut) {
  if (own_file(hdf5::kChildName).path.empty()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const std::string folder = SPYCTRUM_SOURCE_DIR "/tests/data/hdf5/good/";
  for (const ValueUse use : {ValueUse::none, ValueUse::keep}) {
    LoadOptions options;
    options.values = use;
    const Result<Matrix> expanded = test::load(folder + "balanced.cool", options);
    ASSERT_TRUE(expanded.has_value()) << expanded.error().message();
    EXPECT_EQ(assumed(*expanded, "triangle"), "expand");
    options.import = {{"triangle", "stored"}};
    const Result<Matrix> stored = test::load(folder + "balanced.cool", options);
    ASSERT_TRUE(stored.has_value()) << stored.error().message();
    EXPECT_EQ(assumed(*stored, "triangle"), "stored (chosen)");
    EXPECT_EQ(stored->pattern->nonzeros(), stored->report.entries_in_file);
    EXPECT_EQ(stored->pattern->symmetrised(), *expanded->pattern);
    if (use == ValueUse::keep) {
      EXPECT_EQ(stored->report.values->sum, 4.0 + 3 + 5);
    }
  }
  const Result<Matrix> general = test::load(folder + "rows.bsp.h5");
  ASSERT_TRUE(general.has_value()) << general.error().message();
  EXPECT_EQ(assumed(*general, "triangle"), "");
}

TEST(ImportOptions, TheOtherTriangleOfABinsparseArchiveCanBeLeftOut) {
  const std::string path = SPYCTRUM_SOURCE_DIR "/tests/data/npz/good/binsparse_symmetric.npz";
  LoadOptions options;
  const Result<Matrix> expanded = test::load(path, options);
  ASSERT_TRUE(expanded.has_value()) << expanded.error().message();
  EXPECT_EQ(assumed(*expanded, "triangle"), "expand");
  options.import = {{"triangle", "stored"}};
  const Result<Matrix> stored = test::load(path, options);
  ASSERT_TRUE(stored.has_value()) << stored.error().message();
  EXPECT_EQ(assumed(*stored, "triangle"), "stored (chosen)");
  EXPECT_LT(stored->pattern->nonzeros(), expanded->pattern->nonzeros());
  EXPECT_EQ(stored->pattern->symmetrised(), *expanded->pattern);
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
    for (const ImportOption& option : reader->format.options)
      EXPECT_TRUE(names.contains(std::string(option.name))) << option.name;
}

}  // namespace
}  // namespace spyctrum
