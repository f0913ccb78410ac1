// SPDX-License-Identifier: Apache-2.0
// The test files of the formats: tests/data/<id>/good and bad hold files, good.tsv and bad.tsv beside them
// state what is expected of each: a line of titles, then one line per file, columns separated by tabs.
// tests/data/classes.tsv lists the classes of bad files.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/own_files.hpp"
#include "core/io/reader.hpp"

namespace spyctrum::test {

inline const std::filesystem::path kFormatData = SPYCTRUM_SOURCE_DIR "/tests/data";

/// The folders of tests/data, in alphabetical order: the ids of formats.
inline std::vector<std::string> format_folders() {
  std::vector<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator(kFormatData))
    if (entry.is_directory()) ids.push_back(entry.path().filename().string());
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Names of the files of one folder.
inline std::set<std::string> files_of(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

/// A line of good.tsv or bad.tsv.
struct ExpectedFile {
  std::string format;
  std::string bad_class;  ///< in bad.tsv: what is wrong with the file (tests/data/classes.tsv)
  std::filesystem::path path;
  std::vector<std::string> columns;  ///< without the file's name and its class
  [[nodiscard]] std::string name() const { return path.filename().string(); }
  // The name is GoogleTest's. NOLINTNEXTLINE(readability-identifier-naming)
  friend void PrintTo(const ExpectedFile& file, std::ostream* out) { *out << file.path; }
};

/// All lines of tests/data/<id>/<kind>.tsv of every format; `kind`: "good", "bad".
inline std::vector<ExpectedFile> expected_files(const std::string& kind) {
  std::vector<ExpectedFile> files;
  for (const std::string& id : format_folders()) {
    std::ifstream table(kFormatData / id / (kind + ".tsv"));
    std::string line;
    std::getline(table, line);
    while (std::getline(table, line)) {
      ExpectedFile file{id, {}, {}, {}};
      std::size_t begin = 0;
      for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = line.find('\t', begin);
        file.columns.push_back(line.substr(begin, end - begin));
      }
      file.path = kFormatData / id / kind / file.columns.front();
      file.columns.erase(file.columns.begin());
      if (kind == "bad") {
        file.bad_class = file.columns.front();
        file.columns.erase(file.columns.begin());
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

/// The name of a parametrised test: "matrix_market_smallXmtx", "matrix_market_pointer_falls_smallXmtx".
inline std::string test_name(const ::testing::TestParamInfo<ExpectedFile>& info) {
  const std::string& bad_class = info.param.bad_class;
  std::string name = info.param.format + "_" + bad_class + (bad_class.empty() ? "" : "_") + info.param.name();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.'; }, 'X');
  return name;
}

/// Every file of <kind>/ has a line in <kind>.tsv and every line a file; at least one.
inline void expect_every_file_is_listed(const std::string& kind) {
  for (const std::string& id : format_folders()) {
    std::set<std::string> listed;
    for (const ExpectedFile& file : expected_files(kind))
      if (file.format == id) listed.insert(file.name());
    EXPECT_FALSE(listed.empty()) << id;
    EXPECT_EQ(files_of(kFormatData / id / kind), listed) << id;
  }
}

/// load_matrix() on `threads` threads; all memory that it booked must be given back.
inline Result<Matrix> load(const std::string& file, const LoadOptions& options = {}, unsigned threads = 2) {
  ThreadPool pool(threads);
  JobContext context(pool);
  Result<Matrix> matrix = load_matrix(file, options, context);
  EXPECT_EQ(context.memory().current(), 0U) << file;
  return matrix;
}

/// A suite for each file of a table.
class FileOfTable : public ::testing::TestWithParam<ExpectedFile> {
 protected:
  void SetUp() override {
    if (GetParam().format == "hdf5" && own_file("spyctrum-hdf5").path.empty())
      GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  }
};

/// The entries of a pattern.
using Places = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // (row, column), from 1

inline Places places_of(const SparsePattern& pattern) {
  Places places;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t)
      places.emplace(std::uint64_t{pattern.row_indices()[static_cast<std::size_t>(t)]} + 1,
                     std::uint64_t{pattern.column_ids()[k]} + 1);
  }
  return places;
}

}  // namespace spyctrum::test
