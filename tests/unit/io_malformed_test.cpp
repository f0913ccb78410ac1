// SPDX-License-Identifier: Apache-2.0
// Every file of tests/data/<id>/bad is refused with bad_input and a message that names the file, the line or
// byte, what was found and what was expected, as bad.tsv lists them; nothing stays booked. The message is the
// same wherever the text is cut into blocks and for any number of threads. Every file belongs to a class of
// tests/data/classes.tsv. Entries in any order and repeated ones are no mistakes: good.tsv has such files.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/io/reader.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

using test::ExpectedFile;
using test::load;

class BadFile : public test::FileOfTable {};

TEST_P(BadFile, IsRefusedWithAMessageThatHelps) {
  const ExpectedFile& expected = GetParam();
  ASSERT_GE(expected.columns.size(), 2U) << "bad.tsv: the place and at least one word of the message";
  const std::string file = expected.path.string();
  const Result<Matrix> matrix = load(file);
  ASSERT_FALSE(matrix.has_value()) << "was accepted";
  const std::string message = matrix.error().message();
  EXPECT_EQ(matrix.error().code, ErrorCode::bad_input) << message;
  EXPECT_EQ(exit_code(matrix.error().code), 3);
  EXPECT_NE(message.find(expected.name()), std::string::npos) << message;
  for (const std::string& word : expected.columns)
    EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks: " << word;
  EXPECT_FALSE(matrix.error().advice.empty()) << message;
  EXPECT_LT(matrix.error().what.size(), file.size() + 320) << "too long to be read: " << message;
  for (const char c : message)
    EXPECT_GE(static_cast<unsigned char>(c), 0x20) << "control character in " << message;
}

TEST_P(BadFile, HasTheSameMessageWhereverItsTextIsCut) {
  const std::string file = GetParam().path.string();
  const Result<Matrix> whole = load(file);
  ASSERT_FALSE(whole.has_value());
  for (const std::size_t block_bytes : {1U, 2U, 13U, 64U}) {
    for (const unsigned threads : {1U, 3U}) {
      LoadOptions options;
      options.block_bytes = block_bytes;
      const Result<Matrix> cut = load(file, options, threads);
      ASSERT_FALSE(cut.has_value());
      EXPECT_EQ(cut.error().message(), whole.error().message())
          << block_bytes << " bytes, " << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, BadFile, ::testing::ValuesIn(test::expected_files("bad")), test::test_name);

TEST(Formats, EveryBadFileHasALineInItsTable) { test::expect_every_file_is_listed("bad"); }

TEST(Formats, EveryFormatHasBadFilesOfFifteenClasses) {
  std::map<std::string, std::set<std::string>> classes;  // by format
  std::set<std::string> used;
  for (const ExpectedFile& file : test::expected_files("bad")) {
    classes[file.format].insert(file.bad_class);
    used.insert(file.bad_class);
  }
  for (const std::string& id : test::format_folders()) {
    EXPECT_GE(classes[id].size(), 15U) << id;
    RecordProperty("classes_of_" + id, static_cast<int>(classes[id].size()));
  }
  std::set<std::string> known;
  std::ifstream table(test::kFormatData / "classes.tsv");
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) known.insert(line.substr(0, line.find('\t')));
  EXPECT_EQ(used, known);
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
  const std::string folder = test::kFormatData.string();
  expect_refused(folder, {folder, "is a directory", "Name one file"});
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

TEST(LoadMatrix, RefusesAMatrixBeyondTheMemoryAllowanceWithAdvice) {
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
