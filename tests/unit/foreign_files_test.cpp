// SPDX-License-Identifier: Apache-2.0
// Values and names in files as other programs write them. The places of their entries are tested by the files
// of tests/data (io_formats_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>

#include "core/base/own_files.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/hdf5/messages.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

using test::Places;
using test::places_of;
using Floats = std::vector<float>;

Result<Matrix> load(const std::string& file, LoadOptions options = {}) {
  options.values = ValueUse::keep;
  return test::load(file, options);
}

Result<Matrix> load_data(const std::string& file, const LoadOptions& options = {}) {
  return load(SPYCTRUM_SOURCE_DIR "/tests/data/" + file, options);
}

Result<Matrix> load_text(const std::string& text,
                         const std::vector<std::pair<std::string, std::string>>& choices) {
  const std::string file = ::testing::TempDir() + "spyctrum_foreign.edges";
  std::ofstream(file) << text;
  LoadOptions options;
  options.import = choices;
  return load(file, options);
}

bool has_note(const Matrix& matrix, const std::string& words) {
  return std::ranges::any_of(matrix.report.notes,
                             [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

TEST(ForeignFiles, WeightsStandInDictionariesOfNetworkX) {
  const Result<Matrix> matrix = load_data("edge_list/good/networkx_weights.edgelist");
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(*matrix->values, (Floats{2, 0}));
  const Result<Matrix> without = load_text("0 1 {'weight': 2}\n1 2 {}\n", {{"columns", "1,2"}});
  ASSERT_TRUE(without.has_value()) << without.error().message();
  EXPECT_EQ(without->report.field, "pattern");
  const Result<Matrix> commas = load_text("0,1,{'a': 'b', 'weight': -3, 'c': 1}\n", {});
  ASSERT_TRUE(commas.has_value()) << commas.error().message();
  EXPECT_EQ(*commas->values, (Floats{-3}));
}

TEST(ForeignFiles, NamesOfVerticesAreNumberedAsTheyFirstOccur) {
  const std::string text = "carol alice 2\nalice bob 3\ncarol carol 4\n";
  const Result<Matrix> refused = load_text(text, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("vertices=names"), std::string::npos) << refused.error().message();
  const Result<Matrix> matrix = load_text(text, {{"vertices", "names"}});
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(places_of(*matrix->pattern), (Places{{1, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(*matrix->values, (Floats{4, 2, 3}));
  const Result<Matrix> two_kinds = load_text(text, {{"vertices", "names"}, {"square", "no"}});
  ASSERT_TRUE(two_kinds.has_value()) << two_kinds.error().message();
  EXPECT_EQ(places_of(*two_kinds->pattern), (Places{{1, 1}, {2, 2}, {1, 3}}));
}

TEST(ForeignFiles, EdgesOfGephiHaveADirectionInAColumn) {
  const std::string header = "Source,Target,Type,Id,Label,Weight\n";
  const auto pattern_of = [&](const std::string& edges, const std::string& directed = "") {
    std::vector<std::pair<std::string, std::string>> choices;
    if (!directed.empty()) choices.emplace_back("directed", directed);
    const Result<Matrix> matrix = load_text(header + edges, choices);
    EXPECT_TRUE(matrix.has_value()) << matrix.error().message();
    return matrix ? places_of(*matrix->pattern) : Places{};
  };
  const std::string undirected = "1,2,Undirected,0,,1.5\n2,3,Undirected,1,,2\n";
  EXPECT_EQ(pattern_of(undirected), (Places{{2, 1}, {1, 2}, {3, 2}, {2, 3}}));
  EXPECT_EQ(pattern_of(undirected, "yes"), (Places{{1, 2}, {2, 3}}));
  EXPECT_EQ(pattern_of("1,2,Directed,0,,1.5\n2,3,Directed,1,,2\n"), (Places{{1, 2}, {2, 3}}));
  const std::string mixed = "1,2,Directed,0,,1.5\n2,3,Undirected,1,,2\n";
  EXPECT_EQ(pattern_of(mixed, "yes"), (Places{{1, 2}, {2, 3}}));
  const Result<Matrix> refused = load_text(header + mixed, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("line 3: the edge is of type undirected"), std::string::npos)
      << refused.error().message();
}

TEST(ForeignFiles, EdgesMayFollowManyComments) {
  std::string comments;
  while (comments.size() < 5000) comments += "# A sentence of the licence.\n";
  const std::string file = ::testing::TempDir() + "spyctrum_foreign.txt";
  std::ofstream(file) << comments << "1 2\n2 3\n";
  const Result<Matrix> matrix = load(file);
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(places_of(*matrix->pattern), (Places{{1, 2}, {2, 3}}));
}

TEST(ForeignFiles, NamesOfVerticesMayHoldBlanksAndDelimiters) {
  for (const std::string text : {"source\ttarget\nNew York\tLos Angeles\nLos Angeles\tNew York\n",
                                 "source,target\n\"York, New\",Los Angeles\nLos Angeles,\"York, New\"\n",
                                 "Los Angeles,New York\nNew York,Los Angeles\n",
                                 "9000000000000000000000 5\n5 9000000000000000000000\n"}) {
    const Result<Matrix> matrix = load_text(text, {{"vertices", "names"}});
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(places_of(*matrix->pattern), (Places{{2, 1}, {1, 2}})) << text;
  }
}

TEST(ForeignFiles, FortranFieldsWithoutAPointHaveItBeforeTheirLastDigits) {
  const Result<Matrix> matrix = load_data("rutherford_boeing/good/implied_point.rua");
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(*matrix->values, (Floats{1.5F, -2, 0}));
}

TEST(ForeignFiles, FortranFormatsMayHaveBlanksAnywhere) {
  struct Case {
    const char* format;
    const char* values;  // 1.5e10, −2 and 3e−5, in two lines
  };
  const std::vector<Case> cases{
      {"(2(1X,E9.2))", "  1.50E+10 -2.00E+00\n  3.00E-05\n"},
      {"(2(E9.2,1X))", " 1.50E+10 -2.00E+00 \n 3.00E-05 \n"},
      {"( 2( E9.2 , 1X ) )", " 1.50E+10 -2.00E+00 \n 3.00E-05 \n"},
      {"(E9.2,2X,E9.2,2X)", " 1.50E+10  -2.00E+00  \n 3.00E-05\n"},
      {"(3X,2E10.2)", "     1.50E+10 -2.00E+00\n     3.00E-05\n"},
      {"(2X,2E9.2)", "   1.50E+10-2.00E+00\n   3.00E-05\n"},
      {"(E9.2,2X,E12.2)", " 1.50E+10     -2.00E+00\n 3.00E-05\n"},
      {"(E9.2,E10.3)", " 1.50E+10-2.000E+00\n 3.00E-05\n"},
      {"(2E9.2,5X)", " 1.50E+10-2.00E+00     \n 3.00E-05\n"},
      {"(1P,2(ES10.2E3,X))", " 1.50E+010 -2.00E+000\n 3.00E-005\n"},
      {"(2EN11.2)", "  15.00E+09  -2.00E+00\n  30.00E-06\n"},
      {"(2Q9.2)", " 1.50Q+10-2.00Q+00\n 3.00Q-05\n"},
  };
  for (const auto& [format, values] : cases) {
    const std::string file = ::testing::TempDir() + "spyctrum_foreign.rua";
    std::ofstream(file) << "title\n 4 1 1 2\nRUA  2 3 3 0\n(26I3) (40I2) " << format << "\n"
                        << "  1  2  3  4\n 1 2 1\n"
                        << values;
    const Result<Matrix> matrix = load(file);
    ASSERT_TRUE(matrix.has_value()) << format << ": " << matrix.error().message();
    EXPECT_EQ(*matrix->values, (Floats{1.5e10F, -2, 3e-5F})) << format;
  }
}

TEST(ForeignFiles, FortranFormatsAreOfAnyLengthThatAFormatMayHave) {
  const auto loaded = [](const std::string& formats, const std::string& rows) {
    const std::string file = ::testing::TempDir() + "spyctrum_foreign.pua";
    std::ofstream(file) << "title\n 2 1 1 0\nPUA 1500 1 1500 0\n"
                        << formats << "\n    1 1501\n"
                        << rows << "\n";
    return load(file);
  };
  std::string rows;
  for (int row = 1; row <= 1500; ++row) rows += ' ' + std::to_string(10000 + row).substr(1);
  const Result<Matrix> matrix = loaded("(2I5) (1500I5)", rows);
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(matrix->pattern->nonzeros(), 1500);
  const Result<Matrix> refused = loaded(std::string(2000000, '('), rows);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("line 4"), std::string::npos) << refused.error().message();
}

TEST(ForeignFiles, MissingNumbersOfATableAreNotANumber) {
  const Result<Matrix> matrix = load_data("table/good/missing_numbers.csv");
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(matrix->report.values->nan, 2U);
  const std::string file = ::testing::TempDir() + "spyctrum_foreign.csv";
  std::ofstream(file) << "a,b,c\n1.5,N/A,None\nnull,True,FALSE\n";
  const Result<Matrix> words = load(file);
  ASSERT_TRUE(words.has_value()) << words.error().message();
  EXPECT_EQ(places_of(*words->pattern), (Places{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {1, 3}}));
  EXPECT_EQ(words->report.values->nan, 3U);
}

TEST(ForeignFiles, NumbersOfATableMayBeComplex) {
  for (const std::string file : {"complex_of_numpy.txt", "complex.csv"}) {
    const Result<Matrix> matrix = load_data("table/good/" + file);
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(matrix->report.field, "complex");
    EXPECT_EQ(*matrix->values, (Floats{1, -0.001F, 0}));
    EXPECT_EQ(*matrix->imaginary, (Floats{0, -40, -2.5F}));
  }
  // Julia's writedlm(), spreadsheets, Mathematica, C++ and Fortran
  for (const std::string text :
       {"1.0 + 0.0im\t0.0 + 0.0im\t0.0 - 2.5im\n0.0 + 0.0im\t-0.001 - 40.0im\t0.0 + 0.0im\n",
        "1.0 + 0.0im 0.0 + 0.0im 0.0 - 2.5im\n0.0 + 0.0im -0.001 - 40.0im 0.0 + 0.0im\n",
        "1+0j;0+0j;0-2.5j\n0+0j;-0.001-40j;0+0j\n", "1.,0.,0. - 2.5*I\n0.,-1.e-3 - 40.*I,0.\n",
        "(1,0) (0,0) (0,-2.5)\n(0,0) (-1e-3,-40) (0,0)\n", "(1,0),(0,0),(0,-2.5)\n(0,0),(-1e-3,-40),(0,0)\n",
        " ( 1.0E+00, 0.0) ( 0.0, 0.0) ( 0.0,-2.5)\n ( 0.0, 0.0) (-1.0E-03,-40.) ( 0.0, 0.0)\n"}) {
    const std::string file = ::testing::TempDir() + "spyctrum_foreign.txt";
    std::ofstream(file) << text;
    const Result<Matrix> matrix = load(file);
    ASSERT_TRUE(matrix.has_value()) << text << matrix.error().message();
    EXPECT_EQ(places_of(*matrix->pattern), (Places{{1, 1}, {2, 2}, {1, 3}})) << text;
    EXPECT_EQ(*matrix->values, (Floats{1, -0.001F, 0})) << text;
    EXPECT_EQ(*matrix->imaginary, (Floats{0, -40, -2.5F})) << text;
  }
}

TEST(ForeignFiles, AComplexNumberAtTheEndOfAFilesHeadIsNotTakenForTwo) {
  for (const std::string number : {"1.0 + 2.0im", "(1, 2)"}) {
    std::string line;
    while (line.size() < 8 * kHeadBytes) line += number + ' ';
    const auto cols = static_cast<Index>(line.size() / (number.size() + 1));
    const std::string file = ::testing::TempDir() + "spyctrum_foreign.txt";
    for (std::size_t blanks = 0; blanks < number.size() + 1; ++blanks) {
      std::ofstream(file) << std::string(blanks, ' ') << line << '\n' << line << '\n';
      const Result<Matrix> matrix = load(file);
      ASSERT_TRUE(matrix.has_value()) << blanks << matrix.error().message();
      EXPECT_EQ(matrix->pattern->cols(), cols);
    }
  }
}

TEST(ForeignFiles, WeightsOfEdgesMayBeComplex) {
  for (const std::string text :
       {"1 2 1.0 + 2.0im\n3 1 0.0 - 4.0im\n", "1 2 (1,2)\n3 1 (0,-4)\n", "1,2,1+2i\n3,1,0-4i\n",
        "1 2 {'weight': (1+2j)}\n3 1 {'weight': -4j}\n", "1;2;1+2i\n3;1;0-4i\n"}) {
    const Result<Matrix> matrix = load_text(text, {});
    ASSERT_TRUE(matrix.has_value()) << text << matrix.error().message();
    EXPECT_EQ(matrix->report.field, "complex") << text;
    EXPECT_EQ(places_of(*matrix->pattern), (Places{{3, 1}, {1, 2}})) << text;
    EXPECT_EQ(*matrix->values, (Floats{0, 1})) << text;
    EXPECT_EQ(*matrix->imaginary, (Floats{-4, 2})) << text;
  }
  const Result<Matrix> later = load_text("1 2 5\n3 1 0 - 4im\n", {});
  ASSERT_TRUE(later.has_value()) << later.error().message();
  EXPECT_EQ(*later->imaginary, (Floats{-4, 0}));
}

TEST(ForeignFiles, ArchivesOfNumPyWithoutDataArePatterns) {
  for (const std::string file :
       {"coo_without_data.npz", "csr_without_data.npz", "coordinates_without_data.npz"}) {
    const Result<Matrix> matrix = load_data("npz/good/" + file);
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(matrix->report.field, "pattern");
    EXPECT_EQ(matrix->values, nullptr);
  }
}

TEST(ForeignFiles, ValuesInArchivesOfNumPyHaveManyNames) {
  const auto values_of = [](const std::string& file) {
    const Result<Matrix> matrix = load_data("npz/good/" + file);
    EXPECT_TRUE(matrix.has_value()) << matrix.error().message();
    return matrix && matrix->values ? *matrix->values : Floats();
  };
  // By columns.
  EXPECT_EQ(values_of("rows_cols_values.npz"), (Floats{1.5F, 0, -2}));
  EXPECT_EQ(values_of("i_j_v.npz"), (Floats{1.5F, 0, -2}));
  EXPECT_EQ(values_of("row_col_values_too_few.npz"), Floats());
  EXPECT_EQ(values_of("edge_index_weights.npz"), (Floats{3, 1, 2, 0}));
}

TEST(ForeignFiles, TwoColonsSeparateTheColumnsOfMovieLens) {
  const std::string text = "1::2::5::978300760\n3::1::0.5::978302109\n";
  for (const bool chooses : {false, true}) {
    const Result<Matrix> matrix =
        load_text(text, {{"square", "no"}, {"delimiter", chooses ? "colons" : "auto"}});
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(places_of(*matrix->pattern), (Places{{3, 1}, {1, 2}}));
    EXPECT_EQ(*matrix->values, (Floats{0.5F, 5}));
  }
  const Result<Matrix> plain = load_text("10::20\n30::10\n", {});
  ASSERT_TRUE(plain.has_value()) << plain.error().message();
  EXPECT_EQ(places_of(*plain->pattern), (Places{{30, 10}, {10, 20}}));
  EXPECT_FALSE(load_text("1:2:5\n3:1:4\n", {}).has_value());
  EXPECT_FALSE(load_text("1::2::5\n3:1::4\n", {}).has_value());
}

TEST(ForeignFiles, NumbersOfVerticesAndEdgesMayPrecedeAListOfEdges) {
  const auto side_of = [](const std::string& text, const std::string& header = "auto") {
    const Result<Matrix> matrix = load_text(text, {{"header", header}});
    EXPECT_TRUE(matrix.has_value()) << matrix.error().message();
    if (!matrix) return std::uint64_t{0};
    EXPECT_EQ(places_of(*matrix->pattern), (Places{{2, 1}, {1, 2}})) << text;
    return matrix->pattern->rows();
  };
  EXPECT_EQ(side_of("5\n0 1\n1 0\n"), 5U);
  EXPECT_EQ(side_of("5\n2\n0 1\n1 0\n"), 5U);
  EXPECT_EQ(side_of("# vertices\n\n 5 \n1 2 0.5\n2 1 3\n"), 5U);
  EXPECT_EQ(side_of("5\n1 2\n2 1\n", "yes"), 2U);  // the line is left out
  EXPECT_EQ(side_of("2\n1 2\n2 1\n"), 2U);         // as many vertices as edges
  EXPECT_EQ(side_of("3\n0 1\n1 0\n1 0\n"), 2U);    // the number of edges
  const Result<Matrix> noted = load_text("5\n0 1\n1 0\n", {});
  ASSERT_TRUE(noted.has_value()) << noted.error().message();
  EXPECT_TRUE(has_note(*noted, "header=yes"));
  EXPECT_FALSE(load_text("1\n0 1\n1 0\n", {}).has_value());  // fewer vertices than there are
  EXPECT_FALSE(load_text("5\n2\n7\n0 1\n", {}).has_value());
  EXPECT_FALSE(load_text("5\n0 1\n1\n", {}).has_value());
}

TEST(ForeignFiles, TablesOfFewWholeNumbersAreToldFromEdges) {
  const auto loaded = [](const std::string& text) {
    const std::string file = ::testing::TempDir() + "spyctrum_foreign.csv";
    std::ofstream(file) << text;
    Result<Matrix> matrix = load(file);
    EXPECT_TRUE(matrix.has_value()) << matrix.error().message();
    return matrix ? *std::move(matrix) : Matrix();
  };
  // Two rows begin with zeros, as no vertex is joined with itself twice; numbers below 0 in several columns;
  // names before more columns than an edge has.
  for (const std::string text : {"0,0,3\n2,0,0\n0,0,1\n", "2,-1,0\n-1,2,-1\n0,-1,2\n", "g1,2,0,3\ng2,0,0,2\n",
                                 "a,b,c,d\n0,0,0,2\n1,0,0,3\n0,0,4,0\n"}) {
    const Matrix matrix = loaded(text);
    EXPECT_EQ(matrix.report.format, "table of numbers") << text;
  }
  for (const std::string text : {"1,2,3\n4,5,6\n7,8,9\n", "0,0,3\n2,0,0\n", "a,b,c\n1,2,3\n",
                                 "x,y\n1,2\n3,4\n", "1.0 2.0 3.0\n4.0 5.0 6.0\n", "1,2,5,9\n"}) {
    const Matrix matrix = loaded(text);
    EXPECT_EQ(matrix.report.format, "edge list") << text;
    EXPECT_TRUE(has_note(matrix, "format=table")) << text;
  }
  for (const std::string text :
       {"source,target,weight\n1,2,3\n4,5,6\n", "1,2\n3,4\n", "1,2,0.5\n3,4,1\n", "0,0\n0,0\n2,1\n"}) {
    const Matrix matrix = loaded(text);
    EXPECT_EQ(matrix.report.format, "edge list") << text;
    EXPECT_FALSE(has_note(matrix, "table")) << text;
  }
}

TEST(ForeignFiles, BlanksMayGroupTheDigitsOfATable) {
  for (const std::string blank : {" ", "\xC2\xA0", "\xE2\x80\xAF"}) {
    const std::string file = ::testing::TempDir() + "spyctrum_foreign.csv";
    std::ofstream(file) << "1" + blank + "000,5;0;2\n-3;12" + blank + "345" + blank + "678;0,5\n";
    const Result<Matrix> matrix = load(file);
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(places_of(*matrix->pattern), (Places{{1, 1}, {2, 1}, {2, 2}, {1, 3}, {2, 3}}));
    EXPECT_EQ(*matrix->values, (Floats{1000.5F, -3, 12345678, 2, 0.5F}));
  }
}

TEST(ForeignFiles, TheFirstLineOfAListOfNamesMayNameItsColumns) {
  const std::vector<std::pair<std::string, std::string>> names{{"vertices", "names"}};
  const auto is_noted = [&](const std::string& text) {
    const Result<Matrix> matrix = load_text(text, names);
    EXPECT_TRUE(matrix.has_value()) << matrix.error().message();
    return matrix && has_note(*matrix, "header=yes");
  };
  EXPECT_TRUE(is_noted("person,friend\nalice,bob\nbob,carol\n"));
  EXPECT_FALSE(is_noted("carol,alice\nalice,bob\nbob,dan\n"));
}

TEST(ForeignFiles, NumbersOfEdgesAreNoVertices) {
  const Result<Matrix> matrix = load_text("edge_id,id_1,id_2\n7,1,2\n8,2,3\n", {});
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(places_of(*matrix->pattern), (Places{{1, 2}, {2, 3}}));
  const Result<Matrix> weighted = load_text("n,row,col,data\n7,1,2,0.5\n8,2,3,4\n", {});
  ASSERT_TRUE(weighted.has_value()) << weighted.error().message();
  EXPECT_EQ(*weighted->values, (Floats{0.5F, 4}));
}

TEST(ForeignFiles, RWritesNamesOfRowsUnderNoNameOfAColumn) {
  for (const std::string text :
       {"from to weight\n1 1 2 0.5\n2 2 1 3\n", "\"from\" \"to\" \"weight\"\n\"a\" 1 2 0.5\n\"b\" 2 1 3\n",
        "id,from_node,to_node,weight\n0,1,2,0.5\n1,2,1,3\n"}) {
    const Result<Matrix> matrix = load_text(text, {});
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(places_of(*matrix->pattern), (Places{{2, 1}, {1, 2}})) << text;
    EXPECT_EQ(*matrix->values, (Floats{3, 0.5F})) << text;
  }
  const Result<Matrix> two = load_text("\"from\" \"to\"\n\"1\" 1 2\n\"2\" 2 1\n", {});
  ASSERT_TRUE(two.has_value()) << two.error().message();
  EXPECT_EQ(places_of(*two->pattern), (Places{{2, 1}, {1, 2}}));
  const Result<Matrix> weighted = load_text("from to\n1 2 5\n2 1 6\n", {});  // a weight without a name
  ASSERT_TRUE(weighted.has_value()) << weighted.error().message();
  EXPECT_EQ(places_of(*weighted->pattern), (Places{{2, 1}, {1, 2}}));
  const std::string file = ::testing::TempDir() + "spyctrum_foreign.txt";
  std::ofstream(file) << "a\tb\nx\t0\t1\ny\t2\t0\n";
  const Result<Matrix> table = load(file);
  ASSERT_TRUE(table.has_value()) << table.error().message();
  EXPECT_EQ(places_of(*table->pattern), (Places{{2, 1}, {1, 2}}));
}

TEST(ForeignFiles, VariablesOfOctavesTextHaveTheirValuesAndNames) {
  const auto load_octave = [](const std::string& file, const std::string& name = "") {
    LoadOptions options;
    options.matrix = name;
    Result<Matrix> matrix = load_data("octave/good/" + file, options);
    EXPECT_TRUE(matrix.has_value()) << matrix.error().message();
    return std::move(matrix).value();
  };
  // By columns.
  for (const std::string file : {"sparse.txt", "dense.txt", "dense_single.txt"})
    EXPECT_EQ(*load_octave(file).values, (Floats{1.5F, 3, -2})) << file;
  EXPECT_EQ(*load_octave("dense_integers.txt").values, (Floats{2, 3, -2}));
  EXPECT_EQ(*load_octave("dense_bool.txt").values, (Floats{1, 1}));
  for (const std::string file : {"sparse_complex.txt", "dense_complex.txt"}) {
    const Matrix complex = load_octave(file);
    EXPECT_EQ(*complex.values, (Floats{1.5F, 3, -2})) << file;
    EXPECT_EQ(*complex.imaginary, (Floats{3, 6, -4})) << file;
  }
  EXPECT_EQ(load_octave("several.txt").report.format, "Octave text coo");
  EXPECT_EQ(load_octave("several.txt", "D").report.format, "Octave text dense");
  EXPECT_EQ(load_octave("renamed_twice.txt").report.values->nan, 1);
  EXPECT_EQ(load_octave("renamed_twice.txt", "A").pattern->cols(), 1);
}

TEST(ForeignFiles, TextsOfGraphsThatAreNoListsOfEdgesAreRefusedByTheirNames) {
  for (const std::string ending : {".adjlist", ".lgl", ".tgf", ".hgr", ".hgr.gz"}) {
    const std::string file = ::testing::TempDir() + "spyctrum_foreign" + ending;
    std::ofstream(file) << "0 1\n1 2\n";
    const Result<Matrix> matrix = load(file);
    ASSERT_FALSE(matrix.has_value()) << ending;
    EXPECT_NE(matrix.error().message().find("format=edge_list"), std::string::npos);
    LoadOptions options;
    options.import = {{"format", "edge_list"}};
    EXPECT_TRUE(load(file, options).has_value());
  }
}

TEST(ForeignFiles, GroupedDigitsAreNoNameOfARow) {
  const std::string file = ::testing::TempDir() + "spyctrum_foreign.csv";
  for (const auto& [text, word] : std::vector<std::pair<std::string, std::string>>{
           {"\"1,000\",0,3,4,5\n\"2,500\",0,0,1,2\n", "\"1,000\""},
           {"\"1,000\",2,3,4,5\n\"2,500\",0,0,1,2\n", "\"1,000\""},
           {"1'000;0;1;2;3\n0;2;0;0;1\n", "1'000"}}) {
    std::ofstream(file) << text;
    const Result<Matrix> matrix = load(file);
    ASSERT_FALSE(matrix.has_value());
    EXPECT_NE(matrix.error().message().find(word), std::string::npos) << matrix.error().message();
  }
}

TEST(ForeignFiles, NumbersOfVerticesBeyond32BitsMayBeNames) {
  const Result<Matrix> refused = load_text("10000000000,2\n2,10000000000\n", {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("vertices=names"), std::string::npos) << refused.error().message();
}

/// A variable of MATLAB 4 with one entry, in the last row and column.
std::string variable_of_matlab_4(const std::string& name, double side, double value) {
  const std::array<std::int32_t, 5> header{2, 2, 3, 0, static_cast<std::int32_t>(name.size() + 1)};
  const std::array<double, 6> table{side, side, side, side, value, 0};
  return std::string(reinterpret_cast<const char*>(header.data()), sizeof header) + name + '\0' +
         std::string(reinterpret_cast<const char*>(table.data()), sizeof table);
}

TEST(ForeignFiles, VariablesOfMatlab4MayHaveTheSameName) {
  const std::string file = ::testing::TempDir() + "spyctrum_foreign.mat";
  std::ofstream(file, std::ios::binary) << variable_of_matlab_4("A", 2, 5) << variable_of_matlab_4("A", 3, 7);
  LoadOptions named;
  named.matrix = "A";
  for (const LoadOptions& options : {LoadOptions(), named}) {
    const Result<Matrix> matrix = load(file, options);
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(matrix->values->size(), 1U);
  }
}

TEST(ForeignFiles, DenseVariablesOfMatlabAreReadByName) {
  const auto load_named = [](const std::string& file, const std::string& name) {
    LoadOptions options;
    options.matrix = name;
    return load_data(file, options);
  };
  for (const std::string file : {"dense_beside_sparse.mat", "dense_beside_sparse4.mat"}) {
    const Result<Matrix> dense = load_named("matlab/good/" + file, "D");
    ASSERT_TRUE(dense.has_value()) << dense.error().message();
    EXPECT_EQ(places_of(*dense->pattern), (Places{{1, 1}, {2, 2}, {1, 3}})) << file;
    EXPECT_EQ(*dense->values, (Floats{1.5F, 3, -2})) << file;
    EXPECT_EQ(dense->report.field, "real");
    const Result<Matrix> complex = load_named("matlab/good/" + file, "C");
    ASSERT_TRUE(complex.has_value()) << complex.error().message();
    EXPECT_EQ(*complex->values, (Floats{0, 0, 0})) << file;
    EXPECT_EQ(*complex->imaginary, (Floats{1.5F, 3, -2})) << file;
    EXPECT_FALSE(load_named("matlab/good/" + file, "X").has_value());
  }
  const Result<Matrix> logical = load_named("matlab/good/dense_beside_sparse.mat", "/B");
  ASSERT_TRUE(logical.has_value()) << logical.error().message();
  EXPECT_EQ(logical->report.field, "logical");
  EXPECT_EQ(places_of(*logical->pattern), (Places{{1, 1}, {2, 2}}));
  if (own_file(hdf5::kChildName).path.empty()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const Result<Matrix> of_hdf5 = load_named("hdf5/bad/dense_of_matlab73.mat", "D");
  ASSERT_TRUE(of_hdf5.has_value()) << of_hdf5.error().message();
  EXPECT_EQ(places_of(*of_hdf5->pattern), (Places{{1, 1}, {2, 2}, {1, 3}}));
  EXPECT_EQ(*of_hdf5->values, (Floats{1.5F, 3, -2}));
}

TEST(ForeignFiles, ListsOfEntriesInHdf5HaveTheirValues) {
  if (own_file(hdf5::kChildName).path.empty()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const Result<Matrix> matrix = load_data("hdf5/good/rows_cols_values.h5");
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(*matrix->values, (Floats{1.5F, 3, -2}));
  const Result<Matrix> too_few = load_data("hdf5/good/i_j_with_shape.h5");
  ASSERT_TRUE(too_few.has_value()) << too_few.error().message();
  EXPECT_EQ(too_few->report.field, "pattern");
}

TEST(ForeignFiles, PaddingOfLongDoublesIsNoPartOfTheNumber) {
  const Result<Matrix> matrix = load_data("npy/good/padded_long_double.npy");
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(*matrix->values, (Floats{1.5F, 2, 0}));  // 1e-300 is below single precision
  EXPECT_EQ(matrix->report.values->sum, 3.5);
}

TEST(ForeignFiles, CellsAndArraysOfStructuresOfMatlab73AreSearched) {
  if (own_file(hdf5::kChildName).path.empty()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const Result<Matrix> matrix = load_data("hdf5/good/cells73.mat");
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(*matrix->values, (Floats{1, 3, 2}));
  std::vector<std::string> names;
  for (const MatrixInFile& one : matrix->report.matrices) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"C{1}", "C{3}{1}", "S(2).A"}));
  LoadOptions second;
  second.matrix = "S(2).A";
  const Result<Matrix> other = load_data("hdf5/good/cells73.mat", second);
  ASSERT_TRUE(other.has_value()) << other.error().message();
  EXPECT_EQ(*other->values, (Floats{7}));
}

}  // namespace
}  // namespace spyctrum
