// SPDX-License-Identifier: Apache-2.0
// Real files of every format against expectations that other libraries made, in the folder that
// SPYCTRUM_SHARED_FORMATS names, else in ../shared/formats beside the checkout; without it the test is
// skipped. Sizes, counts, fields, the places of all entries and the sums of their values must be equal, and
// what must be refused is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>

#include "core/io/reader.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path folder() {
  const char* named = std::getenv("SPYCTRUM_SHARED_FORMATS");  // NOLINT(concurrency-mt-unsafe): one thread
  return named != nullptr ? fs::path(named) : fs::path(SPYCTRUM_SOURCE_DIR) / ".." / "shared" / "formats";
}

/// What the user must say of a file, because nothing in it does: that the vertices of a Graph Challenge's
/// list count from 1.
const std::map<std::string, std::pair<std::string, std::string>> kChoices{
    {"gctsv/gen_refuse_challenge_zero.tsv", {"base", "1"}},
};

/// The sums of the values, as exactly as the number of entries lets different orders of adding agree.
void expect_values(const json& expected, const Result<Matrix>& matrix) {
  if (expected["sum"].is_null()) {
    EXPECT_FALSE(matrix->report.values.has_value());
    return;
  }
  if (expected["K"] == 0 && !matrix->report.values) return;
  ASSERT_TRUE(matrix->report.values.has_value());
  const ValueStatistics& values = *matrix->report.values;
  const double tolerance = 1e-12 * expected["sum_abs"].get<double>();
  const bool is_complex = expected["sum"].is_array();
  EXPECT_NEAR(values.sum, is_complex ? expected["sum"][0].get<double>() : expected["sum"].get<double>(),
              tolerance);
  EXPECT_NEAR(values.sum_imaginary, is_complex ? expected["sum"][1].get<double>() : 0.0, tolerance);
  ASSERT_TRUE(matrix->values != nullptr);
  EXPECT_EQ(matrix->values->size(), expected["K"]);
  EXPECT_EQ(matrix->imaginary != nullptr, is_complex);
  double kept = 0;
  double size = 0;
  for (std::size_t k = 0; k < matrix->values->size(); ++k) {
    kept += double{(*matrix->values)[k]};
    size += is_complex ? std::hypot((*matrix->values)[k], (*matrix->imaginary)[k])
                       : std::abs(double{(*matrix->values)[k]});
  }
  // Single precision rounds each value by at most 2⁻²⁴ of its magnitude.
  const double rounded = std::ldexp(expected["sum_abs"].get<double>(), -23);
  EXPECT_NEAR(kept, values.sum, rounded);
  // Where duplicates are added, values of opposite signs cancel.
  if (expected["duplicates"] == 0) {
    EXPECT_NEAR(size, expected["sum_abs"].get<double>(), rounded);
  }
}

/// sha256 of the pairs (row, column) as little-endian 64-bit integers, from 0, by row and then by column;
/// made by the program sha256sum.
std::string sha256_of(const SparsePattern& pattern) {
  const SparsePattern by_rows = pattern.transposed();
  const std::string path = ::testing::TempDir() + "spyctrum_shared_formats." + std::to_string(getpid());
  {
    std::ofstream file(path, std::ios::binary);
    for (std::size_t k = 0; k < by_rows.column_ids().size(); ++k)
      for (const Index col : by_rows.column(k)) {
        const std::int64_t pair[2] = {by_rows.column_ids()[k], col};
        file.write(reinterpret_cast<const char*>(pair), sizeof pair);
      }
  }
  std::string digest(64, '\0');
  FILE* const pipe = popen(("sha256sum < " + path).c_str(), "r");
  if (pipe == nullptr || std::fread(digest.data(), 1, digest.size(), pipe) != digest.size()) digest.clear();
  if (pipe != nullptr) pclose(pipe);
  fs::remove(path);
  return digest;
}

void expect_as(const json& expected, const Result<Matrix>& matrix) {
  if (expected.contains("refuse")) {
    ASSERT_FALSE(matrix.has_value()) << "was accepted; " << expected["refuse"];
    EXPECT_EQ(matrix.error().code, ErrorCode::bad_input) << matrix.error().message();
    return;
  }
  if (!matrix && expected.contains("may_refuse")) return;
  if (expected["rows"] == 0 || expected["cols"] == 0) {
    // A matrix without rows or columns has no spectrum: it is refused, with its sides.
    ASSERT_FALSE(matrix.has_value());
    EXPECT_EQ(matrix.error().code, ErrorCode::bad_input);
    EXPECT_TRUE(std::regex_search(matrix.error().message(),
                                  std::regex(R"(\b"?0"? (as (the )?number of )?(rows|columns))")))
        << matrix.error().message();
    return;
  }
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(matrix->pattern->rows(), expected["rows"]);
  EXPECT_EQ(matrix->pattern->cols(), expected["cols"]);
  EXPECT_EQ(matrix->pattern->nonzeros(), expected["K"]);
  EXPECT_EQ(matrix->report.entries_in_file, expected["stored"]);
  EXPECT_EQ(matrix->report.duplicates, expected["duplicates"]);
  EXPECT_EQ(matrix->report.explicit_zeros, expected["explicit_zeros"]);
  EXPECT_EQ(matrix->report.field, expected["field"].get<std::string>());
  EXPECT_EQ(matrix->report.symmetry, expected["symmetry"].get<std::string>());
  EXPECT_EQ(sha256_of(*matrix->pattern), expected["pattern_sha256"].get<std::string>());
  expect_values(expected, matrix);
}

TEST(SharedFormats, EveryFileIsReadAsOtherLibrariesReadIt) {
  const fs::path root = folder();
  if (!fs::exists(root / "expected.json"))
    GTEST_SKIP() << "NOT COMPARED: there are no files of other programs in " << root;
  std::ifstream file(root / "expected.json");
  const json records = json::parse(file);
  int compared = 0;
  for (const auto& [name, expected] : records.items()) {
    SCOPED_TRACE(name);
    JobContext context(pool());
    LoadOptions options;
    if (const auto choice = kChoices.find(name); choice != kChoices.end())
      options.import.push_back(choice->second);
    options.values = ValueUse::keep;
    expect_as(expected, load_matrix((root / name).string(), options, context));
    ++compared;
  }
  std::printf("%d of %zu records compared\n", compared, records.size());
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace spyctrum::test
