// SPDX-License-Identifier: Apache-2.0
// What a writer writes, the reader of its format reads back: every entry, and every value to the last bit.
// What a format cannot hold is refused with the reason.
#include "core/io/writer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include "tests/support/scratch_folder.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

namespace fs = std::filesystem;

class Writers : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return scratch_.file(name); }

  Result<void> write(const Matrix& matrix, const std::string& file, std::stop_token stop = {}) {
    JobContext context(pool_, {.stop = std::move(stop), .on_progress = {}});
    return write_matrix(matrix, *or_throw(writer_for(file)), file, "a comment\nof two lines", context);
  }
  static Result<Matrix> read(const std::string& file) { return test::load(file, {.values = ValueUse::keep}); }

  void expect_same(const Matrix& matrix, const std::string& ending) {
    SCOPED_TRACE(ending + ", " + matrix.report.field);
    const std::string file = path("a" + ending);
    const auto written = write(matrix, file);
    ASSERT_TRUE(written.has_value()) << written.error().message();
    const Result<Matrix> back = read(file);
    ASSERT_TRUE(back.has_value()) << back.error().message();
    EXPECT_TRUE(*back->pattern == *matrix.pattern);
    EXPECT_EQ(back->report.duplicates, 0);
    if (matrix.values == nullptr) {
      EXPECT_TRUE(back->report.field == "pattern" || back->report.field == "logical") << back->report.field;
      return;
    }
    EXPECT_EQ(back->report.field, matrix.report.field);
    expect_same_bits(*matrix.values, back->values);
    ASSERT_EQ(back->imaginary != nullptr, matrix.imaginary != nullptr);
    if (matrix.imaginary != nullptr) expect_same_bits(*matrix.imaginary, back->imaginary);
  }
  static void expect_same_bits(const std::vector<float>& expected,
                               const std::shared_ptr<const std::vector<float>>& found) {
    ASSERT_TRUE(found != nullptr);
    ASSERT_EQ(found->size(), expected.size());
    for (std::size_t t = 0; t < expected.size(); ++t) {
      if (std::isnan(expected[t])) {
        EXPECT_TRUE(std::isnan((*found)[t])) << t;
      } else {
        EXPECT_EQ(std::bit_cast<std::uint32_t>((*found)[t]), std::bit_cast<std::uint32_t>(expected[t]))
            << t << ": " << expected[t] << ", found " << (*found)[t];
      }
    }
  }

  test::ScratchFolder scratch_;
  ThreadPool pool_{2};
};

/// Random places, with empty rows and columns; a last column without entries.
Matrix matrix_of(std::uint64_t rows, std::uint64_t cols, std::size_t count, const std::string& field) {
  std::mt19937 random(7);
  std::vector<Index> row;
  std::vector<Index> col;
  for (std::size_t k = 0; k < count; ++k) {
    row.push_back(static_cast<Index>(random() % rows));
    col.push_back(static_cast<Index>(random() % (cols > 1 ? cols - 1 : 1)));
  }
  Matrix matrix;
  matrix.pattern = std::make_shared<const SparsePattern>(
      or_throw(SparsePattern::from_coordinates(rows, cols, std::move(row), std::move(col))));
  matrix.name = "sämple";
  matrix.report.field = field;
  if (field == "pattern") return matrix;
  const auto entries = static_cast<std::size_t>(matrix.pattern->nonzeros());
  std::vector<float> values(entries);
  std::vector<float> imaginary(entries);
  for (std::size_t t = 0; t < entries; ++t) {
    values[t] = field == "integer"
                    ? static_cast<float>(static_cast<int>(random() % 33554433) - 16777216)
                    : std::ldexp(static_cast<float>(random()), static_cast<int>(t % 200) - 150);
    imaginary[t] = -static_cast<float>(random()) / 3;
  }
  if (field != "integer") {
    using Limits = std::numeric_limits<float>;
    const std::vector<float> special{0.0F,
                                     Limits::denorm_min(),
                                     Limits::max(),
                                     -Limits::max(),
                                     Limits::infinity(),
                                     -Limits::infinity(),
                                     Limits::quiet_NaN(),
                                     0.1F};
    std::copy_n(special.begin(), std::min(special.size(), entries), values.begin());
  }
  matrix.values = std::make_shared<const std::vector<float>>(std::move(values));
  if (field == "complex") matrix.imaginary = std::make_shared<const std::vector<float>>(std::move(imaginary));
  return matrix;
}

/// The undirected graph of `edges`, counted from 0.
Matrix graph(std::uint64_t vertices, const std::vector<std::pair<Index, Index>>& edges) {
  std::vector<Index> row;
  std::vector<Index> col;
  for (const auto& [a, b] : edges) {
    row.insert(row.end(), {a, b});
    col.insert(col.end(), {b, a});
  }
  Matrix matrix;
  matrix.pattern = std::make_shared<const SparsePattern>(
      or_throw(SparsePattern::from_coordinates(vertices, vertices, std::move(row), std::move(col))));
  matrix.report.field = "pattern";
  return matrix;
}

TEST_F(Writers, WhatIsWrittenIsReadBackBitForBit) {
  const bool has_hdf5 = !own_file("spyctrum-hdf5").path.empty();
  for (const std::string ending : {".mtx", ".mtx.gz", ".npz", ".rb", ".rb.gz", ".bsp.h5"}) {
    if (ending == ".bsp.h5" && !has_hdf5) {
      std::printf("NOT TESTED: this build has no HDF5, which would read Binsparse back\n");
      continue;
    }
    for (const std::string field : {"pattern", "integer", "real", "complex"}) {
      expect_same(matrix_of(97, 60, 1500, field), ending);
      expect_same(matrix_of(1, 1, 1, field), ending);
      expect_same(matrix_of(3, 4000, 50, field), ending);  // few columns have entries
    }
    expect_same(matrix_of(20, 30, 0, "pattern"), ending);
    expect_same(matrix_of(1000, 1000, 300000, "real"), ending);
  }
}

TEST_F(Writers, MetisGraphsAreReadBack) {
  Matrix matrix = graph(6, {{0, 1}, {1, 4}, {0, 4}, {3, 4}});
  for (const std::string ending : {".graph", ".metis.gz"}) expect_same(matrix, ending);
  expect_same(graph(3, {}), ".graph");
  // Weights by column: 2, 3 of vertex 1; 2, 5; none; 7; 3, 5, 7.
  matrix.values = std::make_shared<const std::vector<float>>(std::vector<float>{2, 3, 2, 5, 7, 3, 5, 7});
  matrix.report.field = "integer";
  expect_same(matrix, ".graph");
}

TEST_F(Writers, MetisRefusesWhatIsNoGraph) {
  const auto expect_refused = [&](const Matrix& matrix, const std::string& reason) {
    const auto written = write(matrix, path("a.graph"));
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::wrong_use);
    EXPECT_NE(written.error().what.find(reason), std::string::npos) << written.error().what;
    EXPECT_FALSE(written.error().advice.empty());
    EXPECT_EQ(scratch_.files(), 0U) << "something was written";
  };
  expect_refused(matrix_of(4, 5, 3, "pattern"), "4 rows and 5 columns");
  expect_refused(graph(3, {{0, 1}, {2, 2}, {1, 1}}), "2 entries lie on the diagonal");
  Matrix one_way;
  one_way.pattern =
      std::make_shared<const SparsePattern>(or_throw(SparsePattern::from_coordinates(3, 3, {2}, {0})));
  expect_refused(one_way, "(3, 1) is an entry and (1, 3) is none");
  Matrix weighted = graph(3, {{0, 1}, {0, 2}});
  const auto expect_values_refused = [&](std::vector<float> values, const std::string& reason) {
    weighted.values = std::make_shared<const std::vector<float>>(std::move(values));
    expect_refused(weighted, reason);
  };
  expect_values_refused({1, 2, 3, 2}, "the values of (2, 1) and (1, 2) differ");
  expect_values_refused({0.5, 2, 0.5, 2}, "the value of (2, 1) is 0.5");
  expect_values_refused({0, 2, 0, 2}, "whole numbers from 1");
  expect_values_refused({NAN, 2, NAN, 2}, "whole numbers from 1");
  weighted.imaginary = weighted.values;
  expect_refused(weighted, "complex");
}

TEST_F(Writers, EveryWriterHasItsEndings) {
  for (const std::string name : {"a.mtx", "A.MTX", "a.mtx.gz", "a.npz", "a.graph", "a.rb", "a.bsp.h5"})
    EXPECT_TRUE(writer_for(name).has_value()) << name;
  for (const std::string name : {"a", "a.gz", "a.txt", "a.npz.gz", "a.h5", "mtx"}) {
    const auto writer = writer_for(name);
    ASSERT_FALSE(writer.has_value()) << name;
    EXPECT_EQ(writer.error().code, ErrorCode::wrong_use);
    EXPECT_NE(writer.error().advice.find(".bsp.h5"), std::string::npos) << writer.error().advice;
  }
  for (const auto& writer : writers()) {
    EXPECT_EQ(find_writer(writer->info.id), writer);
    for (const std::string_view ending : writer->info.endings)
      EXPECT_EQ(or_throw(writer_for("a" + std::string(ending))), writer);
    EXPECT_FALSE(writer->info.holds.empty());
  }
}

TEST_F(Writers, AStopLeavesNothing) {
  std::stop_source stop;
  stop.request_stop();
  for (const auto& writer : writers()) {
    const std::string file = path("a" + std::string(writer->info.endings.front()));
    const auto written = write(graph(3, {{0, 1}}), file, stop.get_token());
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::cancelled) << written.error().message();
  }
  EXPECT_EQ(scratch_.files(), 0U);
}

TEST_F(Writers, ADeviceThatIsFullIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "NOT TESTED: there is no /dev/full";
  JobContext context(pool_);
  for (const auto& writer : writers()) {
    const auto written = write_matrix(graph(2000, {{0, 1}}), *writer, "/dev/full", "", context);
    ASSERT_FALSE(written.has_value()) << writer->info.id;
    EXPECT_EQ(written.error().code, ErrorCode::output) << written.error().message();
  }
}

}  // namespace
}  // namespace spyctrum
