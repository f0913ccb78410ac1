// SPDX-License-Identifier: Apache-2.0
// Every file of tests/data/matrix_market/bad is refused with bad_input and a
// message that names the file, the line or byte, what was found and what was
// expected, and the same one however the text is cut and spread over threads.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "core/io/reader.hpp"

namespace spyctrum {
namespace {

const std::filesystem::path kBad = SPYCTRUM_SOURCE_DIR "/tests/data/matrix_market/bad";

Result<Matrix> load(const std::string& file, std::size_t block_bytes = std::size_t{1} << 20U,
                    unsigned threads = 2) {
  ThreadPool pool(threads);
  JobContext context(pool);
  LoadOptions options;
  options.block_bytes = block_bytes;
  Result<Matrix> matrix = load_matrix(file, options, context);
  EXPECT_EQ(context.memory().current(), 0U) << file;
  return matrix;
}

struct BadFile {
  std::string file;
  std::string place;               // "line 4", "byte …"
  std::vector<std::string> words;  // of the message, what was found and expected
};

const std::vector<BadFile> kBadFiles{
    {"empty.mtx", "0 bytes", {"empty", "matrix file was expected"}},
    {"only_line_ends.mtx", "line 1", {"expected the banner"}},
    {"no_banner.mtx", "line 1", {"\"3 3 2\"", "expected the banner \"%%MatrixMarket", "put one in"}},
    {"wrong_banner.mtx", "line 1", {"%%MatrixMarkt", "expected the banner", "Correct the first line"}},
    {"banner_object.mtx", "line 1", {"object is \"vector\"", "expected matrix"}},
    {"banner_format.mtx", "line 1", {"format is \"coordinates\"", "coordinate, array"}},
    {"banner_field.mtx", "line 1", {"field is \"quaternion\"", "pattern, integer, real, complex"}},
    {"banner_symmetry.mtx",
     "line 1",
     {"symmetry is \"antisymmetric\"", "general, symmetric, skew-symmetric, hermitian"}},
    {"banner_short.mtx", "line 1", {"lacks its symmetry"}},
    {"array_pattern.mtx", "line 1", {"array and pattern"}},
    {"size_missing.mtx", "line 3", {"ends before the size line", "ROWS COLUMNS ENTRIES"}},
    {"size_two_numbers.mtx", "line 3", {"\"3 3\"", "3 whole numbers", "should say array"}},
    {"size_four_numbers.mtx", "line 2", {"\"3 3 1 1\"", "4 words", "3 whole numbers"}},
    {"array_size_three_numbers.mtx", "line 2", {"\"2 2 4\"", "2 whole numbers", "should say coordinate"}},
    {"size_negative.mtx", "line 2", {"\"-3\"", "columns", "negative"}},
    {"size_text.mtx", "line 2", {"\"three\"", "columns", "whole number"}},
    {"size_fraction.mtx", "line 2", {"\"3.0\"", "rows", "whole number"}},
    {"size_beyond_64_bits.mtx", "line 2", {"\"99999999999999999999\"", "entries", "64 bits"}},
    {"rows_beyond_32_bits.mtx", "line 2", {"4,294,967,296", "rows", "1 to 4,294,967,295"}},
    {"rows_zero.mtx", "line 2", {"0 as number of rows", "expected 1 to"}},
    {"cols_zero.mtx", "line 2", {"0 as number of columns", "expected 1 to"}},
    {"symmetric_not_square.mtx", "line 2", {"3×4", "symmetric", "only square"}},
    {"entries_fewer.mtx", "line 6", {"2 entries", "line 2", "announces 4", "cut off"}},
    {"entries_more.mtx", "line 7", {"more entries than the 2", "line 2"}},
    {"entries_none_announced.mtx", "line 3", {"more entries than the 0"}},
    {"entries_absurd.mtx", "line 3", {"1 entry", "announces 9,000,000,000,000,000,000"}},
    {"row_zero.mtx", "line 4", {"row index is 0", "expected 1 to 3", "counts from 1", "add 1"}},
    {"col_zero.mtx", "line 4", {"column index is 0", "expected 1 to 3"}},
    {"row_negative.mtx", "line 4", {"row index is negative", "\"-1\"", "expected 1 to 3"}},
    {"row_large.mtx", "line 4", {"row index is \"4\"", "expected 1 to 3"}},
    {"col_large.mtx", "line 4", {"column index is \"5\"", "expected 1 to 4"}},
    {"row_beyond_64_bits.mtx",
     "line 4",
     {"row index is \"18446744073709551617\"", "64 bits", "expected 1 to 3"}},
    {"col_text.mtx", "line 4", {"column index is \"two\"", "whole number from 1 to 3"}},
    {"row_fraction.mtx", "line 4", {"row index is \"1.5\"", "whole number"}},
    {"value_text.mtx", "line 4", {"value is \"abc\"", "expected a number"}},
    {"value_missing.mtx", "line 4", {"\"2 2\"", "expected \"ROW COLUMN VALUE\"", "write pattern"}},
    {"value_extra.mtx", "line 4", {"\"2 2 1.5 9\"", "4 words", "\"ROW COLUMN VALUE\""}},
    {"value_half.mtx", "line 4", {"value is \"1e\"", "expected a number"}},
    {"value_hexadecimal.mtx", "line 3", {"value is \"0x10\""}},
    {"value_comma.mtx", "line 3", {"value is \"1,5\""}},
    {"pattern_with_values.mtx", "line 3", {"\"1 1 7\"", "\"ROW COLUMN\"", "write real"}},
    {"row_alone.mtx", "line 3", {"\"1\" (1 word)", "\"ROW COLUMN\""}},
    {"integer_fraction.mtx", "line 4", {"value is \"2.5\"", "expected an integer", "Write real"}},
    {"integer_beyond_64_bits.mtx", "line 4", {"value is \"99999999999999999999\"", "64 bits"}},
    {"complex_one_value.mtx", "line 4", {"\"2 2 2.5\"", "REAL IMAGINARY"}},
    {"array_fewer.mtx", "line 5", {"3 values", "implies 4"}},
    {"array_more.mtx", "line 7", {"more values than the 4"}},
    {"array_two_on_a_line.mtx", "line 3", {"\"1 2\"", "one value on each line"}},
    {"array_text.mtx", "line 4", {"value is \"x\"", "expected an integer"}},
    {"crlf_wrong_index.mtx", "line 4", {"row index is \"9\""}},
    {"no_last_line_end.mtx", "line 4", {"row index is \"9\""}},
    {"control_characters.mtx", "line 3", {"\\x1B[31mred\\x07"}},
    {"nul_in_entry.mtx", "line 3", {R"("1\x00")"}},
    {"long_word.mtx", "line 3", {"\"zzzz", "…\""}},
    {"web_page.mtx", "line 1", {"web page", "expected the banner"}},
    {"git_lfs_pointer.mtx", "line 1", {"Git LFS pointer"}},
    {"utf16.mtx", "line 1", {"UTF-16"}},
    {"old_mac_line_ends.mtx", "line 1", {"CR alone", "Convert the line ends"}},
    {"notes.txt", "line 1", {"no matrix file", R"("Dear diary,\n")", "%%MatrixMarket"}},
    {"picture.mtx", "line 1", {"PNG picture", "\\x89PNG", "expected the banner"}},
    {"picture.mtx.gz", "line 1", {"PNG picture"}},
    {"truncated.mtx.gz", "byte 550 (end of the compressed file)", {"gzip", "stop in the middle", "cut off"}},
    {"truncated_trailer.mtx.gz", "byte 1,098", {"stop in the middle"}},
    {"truncated_header.mtx.gz", "byte 5 ", {"stop in the middle"}},
    {"wrong_crc.mtx.gz", "byte 1,0", {"gzip", "damaged", "incorrect data check"}},
    {"damaged.mtx.gz", "byte 60", {"gzip", "damaged"}},
    {"of_nothing.mtx.gz", "0 bytes", {"empty once unpacked (gzip)"}},
    {"truncated.mtx.bz2", "byte 300", {"damaged or cut off", "bzip2"}},
    {"truncated.mtx.xz", "byte 300", {"damaged or cut off"}},
    {"truncated.zip", "byte 700", {"damaged or cut off"}},
    {"wrong_crc.zip", "byte ", {"damaged", "CRC"}},
    {"without_matrix.zip", "archive", {"no .mtx file", "exactly one"}},
    {"two_matrices.zip", "archive", {"2 .mtx files", "'a.mtx', 'b.mtx'", "exactly one"}},
    {"two_matrices.tar.gz", "archive", {"2 .mtx files", "'x/a.mtx', 'x/b.mtx'"}},
};

class Malformed : public ::testing::TestWithParam<BadFile> {};

TEST_P(Malformed, IsRefusedWithAMessageThatHelps) {
  const BadFile& expected = GetParam();
  const std::string file = (kBad / expected.file).string();
  const Result<Matrix> matrix = load(file);
  ASSERT_FALSE(matrix.has_value()) << "was accepted";
  const std::string message = matrix.error().message();
  EXPECT_EQ(matrix.error().code, ErrorCode::bad_input) << message;
  EXPECT_EQ(exit_code(matrix.error().code), 3);
  EXPECT_NE(message.find(expected.file), std::string::npos) << message;
  EXPECT_NE(message.find(expected.place), std::string::npos)
      << message << "\nlacks its place: " << expected.place;
  for (const std::string& word : expected.words)
    EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks: " << word;
  EXPECT_FALSE(matrix.error().advice.empty()) << message;
  EXPECT_LT(matrix.error().what.size(), file.size() + 320) << "too long to be read: " << message;
  for (const char c : message)
    EXPECT_GE(static_cast<unsigned char>(c), 0x20) << "control character in " << message;
}

TEST_P(Malformed, GivesTheSameMessageHoweverTheTextIsCut) {
  const std::string file = (kBad / GetParam().file).string();
  const Result<Matrix> whole = load(file);
  ASSERT_FALSE(whole.has_value());
  for (const std::size_t block_bytes : {1U, 2U, 13U, 64U}) {
    for (const unsigned threads : {1U, 3U}) {
      const Result<Matrix> cut = load(file, block_bytes, threads);
      ASSERT_FALSE(cut.has_value());
      EXPECT_EQ(cut.error().message(), whole.error().message())
          << block_bytes << " bytes, " << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Malformed, ::testing::ValuesIn(kBadFiles), [](const auto& one) {
  std::string name = one.param.file;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '_'; }, 'X');
  return name;
});

TEST(MalformedCorpus, HasAnExpectationForEveryFile) {
  std::set<std::string> expected;
  for (const BadFile& one : kBadFiles) expected.insert(one.file);
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kBad))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

void expect_refused(const std::string& file, const std::vector<std::string>& words) {
  const Result<Matrix> matrix = load(file);
  ASSERT_FALSE(matrix.has_value());
  EXPECT_EQ(matrix.error().code, ErrorCode::bad_input);
  for (const std::string& word : words)
    EXPECT_NE(matrix.error().message().find(word), std::string::npos) << matrix.error().message();
}

TEST(LoadMatrix, NamesAFileThatIsNotThere) {
  expect_refused("/nowhere/at all.mtx", {"'/nowhere/at all.mtx'", "No such file", "Check the path"});
  const Result<Matrix> nameless = load("");
  ASSERT_FALSE(nameless.has_value());
  EXPECT_EQ(nameless.error().code, ErrorCode::wrong_use);
}

TEST(LoadMatrix, NamesADirectory) {
  expect_refused(kBad.string(), {kBad.string(), "is a directory", "Name one file"});
}

TEST(LoadMatrix, NamesAFileThatMayNotBeRead) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("spyctrum_locked_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::filesystem::path file = folder / "locked.mtx";
  std::ofstream(file) << "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n";
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  ASSERT_EQ(chmod(file.c_str(), 0000), 0);
  // The superuser may read everything: step down for the attempt.
  const bool superuser = geteuid() == 0;
  constexpr uid_t kNobody = 65534;
  ASSERT_TRUE(!superuser || seteuid(kNobody) == 0);
  expect_refused(file.string(), {"locked.mtx", "Permission denied", "chmod"});
  ASSERT_TRUE(!superuser || seteuid(0) == 0);
  std::filesystem::remove_all(folder);
}

TEST(LoadMatrix, RefusesAMatrixBeyondTheMemoryAllowanceAndSaysWhatToDo) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("spyctrum_large_" + std::to_string(getpid()) + ".mtx");
  {
    std::ofstream out(file);
    out << "%%MatrixMarket matrix coordinate pattern general\n100 100 10000\n";
    for (int j = 1; j <= 100; ++j) {
      for (int i = 1; i <= 100; ++i) out << i << ' ' << j << '\n';
    }
  }
  ThreadPool pool(2);
  JobContext::Options options;
  options.memory_bytes = 60000;
  JobContext context(pool, options);
  const Result<Matrix> matrix = load_matrix(file.string(), {}, context);
  std::filesystem::remove(file);
  ASSERT_FALSE(matrix.has_value());
  EXPECT_EQ(matrix.error().code, ErrorCode::out_of_memory);
  EXPECT_NE(matrix.error().message().find("--memory"), std::string::npos) << matrix.error().message();
  EXPECT_NE(matrix.error().message().find(file.filename().string()), std::string::npos)
      << matrix.error().message();
  EXPECT_EQ(context.memory().current(), 0U);
}

}  // namespace
}  // namespace spyctrum
