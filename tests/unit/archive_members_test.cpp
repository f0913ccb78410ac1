// SPDX-License-Identifier: Apache-2.0
// FILE::MEMBER is one member of an archive: by its path, its file name, or that without its ending; what
// else an archive holds is named and listed.
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/io/writer.hpp"
#include "core/matrix/generators.hpp"
#include "tests/support/file_bytes.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

using test::load;

std::string matrix_text(int rows) {
  return "%%MatrixMarket matrix coordinate pattern general\n" + std::to_string(rows) + " 1 1\n1 1\n";
}

/// A tar archive of the members (path, content), in the folder of temporary files. `filter`: libarchive's
/// code of its compression.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& members,
                       int filter = ARCHIVE_FILTER_NONE) {
  std::string path = ::testing::TempDir() + "spyctrum_members.tar";
  archive* const writer = archive_write_new();
  EXPECT_EQ(archive_write_add_filter(writer, filter), ARCHIVE_OK);
  archive_write_set_format_ustar(writer);
  EXPECT_EQ(archive_write_open_filename(writer, path.c_str()), ARCHIVE_OK);
  for (const auto& [name, content] : members) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK);
    EXPECT_EQ(archive_write_data(writer, content.data(), content.size()),
              static_cast<la_ssize_t>(content.size()));
    archive_entry_free(entry);
  }
  archive_write_free(writer);
  return path;
}

std::string package() {
  return archive_of({{"A/A.mtx", matrix_text(3)},
                     {"A/A_b.mtx", matrix_text(4)},
                     {"A/readme.txt", "text"},
                     {"A/c/A_b.mtx", matrix_text(5)}});
}

TEST(ArchiveMembers, TheOnlyOneIsReadWhateverItsName) {
  for (const std::string name : {"data/edges.txt", "noending", "a.b.c"}) {
    const Result<Matrix> one = load(archive_of({{name, "1 2\n3 1\n"}}));
    ASSERT_TRUE(one.has_value()) << one.error().message();
    EXPECT_EQ(one->pattern->rows(), 3U) << name;
    EXPECT_FALSE(load(archive_of({{name, "1 2\n3 1\n"}, {"notes.txt", "text"}})).has_value()) << name;
    const Result<Matrix> beside = load(archive_of({{name, "1 2\n3 1\n"}, {"a.mtx", matrix_text(4)}}));
    ASSERT_TRUE(beside.has_value()) << beside.error().message();
    EXPECT_EQ(beside->pattern->rows(), 4U) << name;
  }
  const Result<Matrix> text = load(archive_of({{"readme.txt", "no matrix\n"}}));
  ASSERT_FALSE(text.has_value());
  EXPECT_NE(text.error().message().find("not a matrix file"), std::string::npos) << text.error().message();
}

TEST(ArchiveMembers, AreNamedByPathByFileNameOrWithoutEnding) {
  const std::string file = package();
  for (const auto& [name, rows] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"A/A_b.mtx", 4}, {"/A/A_b.mtx", 4}, {"A_b.mtx", 4}, {"A_b", 4}, {"A/c/A_b.mtx", 5}, {"A", 3}}) {
    const Result<Matrix> matrix = load(file + "::" + name);
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(matrix->pattern->rows(), rows) << name;
    EXPECT_EQ(matrix->name, "spyctrum_members::" + name);
  }
}

TEST(ArchiveMembers, MayBeCompressedOrArchivesOrLackTheEndingOfAFormat) {
  const std::string packed = test::bytes_of(
      archive_of({{"A/A.mtx", matrix_text(3)}, {"A/A_b.mtx", matrix_text(4)}}, ARCHIVE_FILTER_GZIP));
  const auto expect_rows = [](const std::string& file, std::uint64_t rows) {
    const Result<Matrix> matrix = load(file);
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(matrix->pattern->rows(), rows) << file;
  };
  expect_rows(archive_of({{"readme.txt", "text"}, {"A.tar.gz", packed}}), 3);
  const std::string two = archive_of({{"f/matrix.mtx.gz", packed}, {"f/genes.tsv.gz", packed}});
  expect_rows(two, 3);
  expect_rows(two + "::matrix", 3);
  expect_rows(archive_of({{"a/README.a", "text"}, {"a/meta.a", "name: a"}, {"a/out.a", "% sym\n1 5\n"}}), 5);
  expect_rows(archive_of({{"licence", "text"}, {"data.csv", "1,2\n2,4\n"}}), 4);
  expect_rows(archive_of({{"data.csv", "1,2\n2,4\n"}, {"read.txt", "text"}}) + "::data.csv", 4);
}

TEST(ArchiveMembers, BesideTheMainMatrixAreListedWithTheirSizes) {
  const Result<Matrix> matrix = load(package());
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(matrix->pattern->rows(), 3U);
  EXPECT_EQ(matrix->report.matrix, "A/A.mtx");
  ASSERT_EQ(matrix->report.matrices.size(), 3U);
  EXPECT_EQ(matrix->report.matrices[1].name, "A/A_b.mtx");
  EXPECT_EQ(matrix->report.matrices[1].bytes, matrix_text(4).size());
  const std::string note = matrix->report.notes.back();
  EXPECT_NE(note.find("it also holds 'A/A_b.mtx', 'A/c/A_b.mtx'"), std::string::npos) << note;
}

TEST(ArchiveMembers, ThatAreNotThereAreRefusedWithTheNamesOfThoseThatAre) {
  for (const std::string name : {"B", "A/readme.txt", "A_b.rb", "../A/A.mtx"}) {
    const Result<Matrix> matrix = load(package() + "::" + name);
    ASSERT_FALSE(matrix.has_value()) << name;
    EXPECT_EQ(matrix.error().code, ErrorCode::bad_input);
    EXPECT_NE(matrix.error().message().find("'A/A.mtx', 'A/A_b.mtx'"), std::string::npos)
        << matrix.error().message();
  }
}

/// An archive that NumPy reads, of which one byte of the last array is wrong.
TEST(ArchiveMembers, ThatAreDamagedAreRefusedWithTheByteOnAnyNumberOfThreads) {
  ThreadPool pool(1);
  JobContext context(pool);
  const std::string file = ::testing::TempDir() + "spyctrum_damaged.npz";
  const Matrix matrix = or_throw(generate("gen:random:n=50,nnz=200,seed=1", context));
  or_throw(write_matrix(matrix, *or_throw(writer_for(file)), file, "test", context));
  const auto bytes = static_cast<std::streamoff>(std::filesystem::file_size(file));
  const std::streamoff wrong = bytes / 2;
  {
    std::fstream both(file, std::ios::in | std::ios::out | std::ios::binary);
    both.seekg(wrong);
    const auto byte = static_cast<char>(both.get() ^ 1);
    both.seekp(wrong).put(byte);
  }
  std::set<std::string> messages;
  for (const unsigned threads : {1U, 2U, 3U, 3U, 3U}) {
    const Result<Matrix> damaged = load(file, {}, threads);
    ASSERT_FALSE(damaged.has_value());
    messages.insert(damaged.error().message());
  }
  ASSERT_EQ(messages.size(), 1U) << *messages.begin() << "\n" << *messages.rbegin();
  std::string digits;
  const std::string_view words = "near byte ";
  const std::size_t begin = messages.begin()->find(words);
  ASSERT_NE(begin, std::string::npos) << *messages.begin();
  for (std::size_t k = begin + words.size(); std::strchr("0123456789,", (*messages.begin())[k]) != nullptr;
       ++k)
    if ((*messages.begin())[k] != ',') digits += (*messages.begin())[k];
  EXPECT_GE(std::stol(digits), wrong) << *messages.begin();
  EXPECT_LE(std::stol(digits), bytes) << *messages.begin();
  std::filesystem::remove(file);
}

TEST(ArchiveMembers, MayHoldSeveralMatricesThemselves) {
  const std::string graphs =
      "<graphml><graph id=\"one\" edgedefault=\"directed\"><node id=\"a\"/></graph>"
      "<graph id=\"two\" edgedefault=\"directed\"><node id=\"a\"/><node id=\"b\"/></graph></graphml>";
  const std::string file = archive_of({{"g.graphml", graphs}, {"h.mtx", matrix_text(7)}});
  const Result<Matrix> one = load(file + "::g.graphml::one");
  ASSERT_TRUE(one.has_value()) << one.error().message();
  EXPECT_EQ(one->pattern->rows(), 1U);
  EXPECT_FALSE(load(file + "::g::three").has_value());
  EXPECT_FALSE(load(file + "::h::one").has_value()) << "a Matrix Market file holds one matrix";
  const Result<Matrix> alone = load(archive_of({{"g.graphml", graphs}}) + "::one");
  ASSERT_TRUE(alone.has_value()) << "of one member a name is a name inside of it";
  EXPECT_EQ(alone->pattern->rows(), 1U);
}

}  // namespace
}  // namespace spyctrum
