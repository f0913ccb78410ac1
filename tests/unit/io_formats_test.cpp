// SPDX-License-Identifier: Apache-2.0
// The registry of formats: every reader has its test files, every file of tests/data/<id>/good is read as
// its good.tsv lists, and names of files, dialogs and messages follow from the readers' endings.
#include "core/io/formats.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/io/matrix_files.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/unpack.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

using test::ExpectedFile;
using test::load;
using test::Places;
using test::places_of;

/// "1,1 2,3" as (row, column) pairs.
Places parse_places(const std::string& text) {
  Places places;
  std::istringstream words(text);
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  char comma = 0;
  while (words >> row >> comma >> col) places.emplace(row, col);
  return places;
}

class GoodFile : public test::FileOfTable {};

TEST_P(GoodFile, IsReadAsItsTableSaysWhereverItsTextIsCut) {
  const auto& columns = GetParam().columns;
  ASSERT_EQ(columns.size(), 9U) << "columns of good.tsv beside the file's name";
  const std::string& symmetry = columns[3];
  const std::string& compression = columns[7];
  const std::string file = GetParam().path.string();
  for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{5}, std::size_t{1} << 20U}) {
    LoadOptions options;
    options.block_bytes = block_bytes;
    const Result<Matrix> matrix = load(file, options, block_bytes == 5 ? 1 : 3);
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    const SparsePattern& pattern = *matrix->pattern;
    const LoadReport& report = matrix->report;
    EXPECT_EQ(pattern.rows(), std::stoull(columns[0]));
    EXPECT_EQ(pattern.cols(), std::stoull(columns[1]));
    EXPECT_EQ(places_of(pattern), parse_places(columns[2]));
    EXPECT_EQ(report.file, file);
    EXPECT_TRUE(report.format.starts_with(find_reader(GetParam().format)->format.name)) << report.format;
    EXPECT_EQ(report.symmetry, symmetry);
    EXPECT_EQ(report.entries_in_file, std::stoll(columns[4]));
    EXPECT_EQ(report.duplicates, std::stoll(columns[5]));
    EXPECT_EQ(report.explicit_zeros, std::stoll(columns[6]));
    EXPECT_FALSE(report.zeros_dropped);
    EXPECT_NE(report.compression.find(compression), std::string::npos) << report.compression;
    EXPECT_EQ(report.compression.empty(), compression.empty()) << report.compression;
    std::string notes;
    for (const std::string& note : report.notes) notes += note + '\n';
    EXPECT_NE(notes.find(columns[8]), std::string::npos) << notes;
    EXPECT_TRUE(pattern.symmetric() || symmetry == "general");
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, GoodFile, ::testing::ValuesIn(test::expected_files("good")),
                         test::test_name);

TEST(Formats, EveryGoodFileHasALineInItsTable) { test::expect_every_file_is_listed("good"); }

TEST(Formats, EveryReaderHasAFolderOfTestFilesAndEveryFolderAReader) {
  std::set<std::string> ids;
  for (const auto& reader : readers()) {
    const FormatInfo& format = reader->format;
    ids.emplace(format.id);
    EXPECT_EQ(find_reader(format.id), reader) << format.id << " is registered twice";
  }
  const std::vector<std::string> folders = test::format_folders();
  EXPECT_EQ(ids, std::set(folders.begin(), folders.end()));
}

TEST(Formats, EveryReaderDescribesItsFormat) {
  for (const auto& reader : readers()) {
    const FormatInfo& format = reader->format;
    EXPECT_FALSE(format.name.empty()) << format.id;
    ASSERT_FALSE(format.endings.empty()) << format.id;
    for (const std::string_view ending : format.endings) {
      EXPECT_TRUE(ending.size() > 1 && ending[0] == '.') << ending;
      EXPECT_EQ(ending.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ /"), std::string_view::npos) << ending;
      EXPECT_TRUE(ending_of(ending, packed_endings()).empty()) << ending << " is that of a packed file";
    }
  }
}

TEST(Formats, TripletsThatNameTheStoredTriangleAreKnownWithoutAName) {
  const auto format_of = [](const std::string& text) {
    const std::string file = ::testing::TempDir() + "spyctrum_without_ending";
    std::ofstream(file) << text;
    return load(file)->report.format;
  };
  EXPECT_EQ(format_of("% comment\n2 2 2 1\n1 2 4\n2 2 5\n"), "CHOLMOD triplets");
  EXPECT_EQ(format_of("2 3 2 0\n1 1\n2 3\n"), "CHOLMOD triplets");
  EXPECT_EQ(format_of("2 3 2 0\n1 1 1 1\n"), "edge list");
  EXPECT_EQ(format_of("2 3 2\n1 1 1\n"), "edge list");
  EXPECT_EQ(format_of("2 3 2 7\n1 1 1 0\n"), "edge list");
}

/// Read within seconds; where time grew with the square of the length, each would meet the limit of this
/// suite (CMakeLists.txt).
TEST(Formats, HeadersOfSixteenMillionCommentsAndOf600000TensorsAreRead) {
  const test::ScratchFolder folder;
  const auto expect_read = [&](const std::string& name, const std::string& content) {
    const std::string file = folder.file(name);
    std::ofstream(file, std::ios::binary) << content;
    const Result<Matrix> matrix = load(file);
    EXPECT_TRUE(matrix) << name << ": " << matrix.error().message();
  };
  std::string comments = "%%MatrixMarket matrix coordinate pattern general\n";
  for (int k = 0; k < 16'000'000; ++k) comments += "%\n\n";
  expect_read("many.mtx", comments + "1 1 1\n1 1\n");

  constexpr int kTensors = 600'000;
  std::string header = "{";
  for (int k = 0; k < kTensors; ++k)
    header += (k == 0 ? "\"" : ",\"") + std::to_string(k) +
              R"(":{"dtype":"U8","shape":[1,1],"data_offsets":[)" + std::to_string(k) + "," +
              std::to_string(k + 1) + "]}";
  header += "}";
  std::string length;
  for (unsigned k = 0; k < 8; ++k) length += static_cast<char>(header.size() >> 8 * k & 0xFFU);
  expect_read("many.safetensors", length + header + std::string(kTensors, '\1'));
}

TEST(SeveralMatrices, AreSortedByTheNumbersInTheirNames) {
  std::vector<MatrixInFile> matrices;
  for (const char* name : {"a/16", "b", "a/2", "a", "a/02", "a/2/x"})
    matrices.push_back({name, "csr", 1, 1, 1});
  sort_by_name(matrices);
  std::string names;
  for (const MatrixInFile& one : matrices) names += one.name + " ";
  EXPECT_EQ(names, "a a/2 a/02 a/2/x a/16 b ");
}

TEST(Formats, FilesAreKnownByTheirEndings) {
  for (const auto& reader : readers()) {
    for (const std::string_view ending : reader->format.endings) {
      const std::string name = "a" + std::string(ending);
      EXPECT_EQ(format_ending_of("/some/folder/" + name), ending);
      EXPECT_TRUE(format_ending_of(name + ".gz").empty());
      for (const std::string& file : {name, name + ".gz", name + ".tar.xz", "/b/" + name}) {
        EXPECT_TRUE(is_named_like(file, reader->format)) << file;
        EXPECT_TRUE(is_named_like_a_matrix(file)) << file;
        EXPECT_EQ(matrix_name(file), "a") << file;
      }
      for (const std::string& file :
           std::vector<std::string>{name + "_", name + "/b", name + "~", "a.gz", "a"})
        EXPECT_FALSE(is_named_like(file, reader->format)) << file;
    }
  }
  EXPECT_EQ(format_ending_of("A.MTX"), ".MTX") << "as the file name spells it";
  EXPECT_TRUE(is_named_like_a_matrix("A.Mtx.GZ"));
}

TEST(MatrixFiles, LinksInAFolderAreFollowedAndNothingIsListedTwice) {
  namespace fs = std::filesystem;
  const test::ScratchFolder folder;
  const auto path = [&](const std::string& name) { return folder.file(name); };
  for (const char* one : {"outside/more", "searched/inner"}) fs::create_directories(path(one));
  for (const char* one : {"outside/far.mtx", "outside/more/farther.mtx", "searched/own.mtx", "blob"})
    std::ofstream(path(one)) << "content";
  fs::create_directory_symlink(path("searched"), path("searched/inner/loop"));
  fs::create_directory_symlink(path("outside"), path("searched/linked"));
  fs::create_directory_symlink(path("outside/more"), path("searched/again"));
  fs::create_symlink("../searched", path("outside/back"));
  fs::create_symlink("own.mtx", path("searched/a.mtx"));
  fs::create_symlink(path("blob"), path("searched/by_its_own_name.mtx"));
  fs::create_symlink("nothing.mtx", path("searched/broken.mtx"));
  fs::create_symlink("itself.mtx", path("searched/itself.mtx"));
  ThreadPool pool(1);
  JobContext context(pool);
  const MatrixFiles found = find_matrix_files(path("searched"), context);
  std::vector<std::string> names;
  for (const MatrixFile& file : found.files) {
    names.push_back(fs::path(file.path).lexically_relative(path("searched")).string());
    EXPECT_EQ(file.bytes, 7U) << file.path;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"again/farther.mtx", "by_its_own_name.mtx", "linked/far.mtx",
                                             "own.mtx"}));
  EXPECT_TRUE(found.unreadable.empty());
}

TEST(Formats, MatricesAreNamedAfterTheirFiles) {
  EXPECT_EQ(matrix_name("a/b.tar.gz"), "b");
  EXPECT_EQ(matrix_name("a/b.tgz"), "b");
  EXPECT_EQ(matrix_name("a/b.Z"), "b");
  EXPECT_EQ(matrix_name("a.mtx/b.txt"), "b.txt");
  EXPECT_EQ(matrix_name("a.mtx.gz.gz"), "a");
  EXPECT_EQ(matrix_name(".mtx"), ".mtx") << "a name is never empty";
  EXPECT_EQ(matrix_name(".gz"), ".gz");
}

TEST(Formats, DialogsAndMessagesNameEveryEnding) {
  const std::vector<std::string> endings = readable_endings();
  const std::string words = any_format_ending("<", ">");
  for (const auto& reader : readers()) {
    EXPECT_NE(format_names().find(reader->format.name), std::string::npos);
    for (const std::string_view ending : reader->format.endings) {
      EXPECT_NE(std::find(endings.begin(), endings.end(), ending), endings.end()) << ending;
      EXPECT_NE(words.find("<" + std::string(ending) + ">"), std::string::npos) << words;
    }
  }
  for (const std::string_view ending : packed_endings())
    EXPECT_NE(std::find(endings.begin(), endings.end(), ending), endings.end()) << ending;
}

}  // namespace
}  // namespace spyctrum
