// SPDX-License-Identifier: Apache-2.0
// `features`, `compare` and `study` give the same numbers for the same seed, to the last bit: every feature,
// error and count, for every method that runs here, with another number of threads for each command. JSON and
// CSV are written with all digits, so that equal texts are equal values. Generated matrices and the small
// ones of the shared data are compared always; all of up to 6,000 rows where SPYCTRUM_SHARED_DATA names their
// folder.
#include <algorithm>
#include <set>
#include <sstream>

#include "core/features/feature_table.hpp"
#include "tests/support/cli_fixture.hpp"

namespace spyctrum {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kBlocks = "4,16";
constexpr const char* kSeed = " --seed 7 --backend cpu";

/// A table as its cells, from a file without quoted fields that hold commas.
std::vector<std::vector<std::string>> table_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream cells(line + ',');
    for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
    rows.push_back(std::move(fields));
  }
  return rows;
}

class CliAgreement : public test::CliFixture {
 protected:
  /// The methods that run on this machine, separated by commas. FINUFFT may be missing, and its last bits
  /// depend on the order of its threads.
  [[nodiscard]] std::string method_ids() const {
    std::string ids;
    for (const json& method : run_json("methods"))
      if (method.at("id") != "nufft") ids += (ids.empty() ? "" : ",") + method.at("id").get<std::string>();
    return ids;
  }

  /// The study's records of `matrix`, in the folder "study", and its results.csv.
  std::string study_of(const std::string& matrix) {
    const std::string folder = path("study");
    fs::remove_all(folder);
    const test::Outcome ran =
        run("study " + matrix + " --out " + folder + " --methods " + method_ids() + " --blocks " + kBlocks +
            kSeed + " --threads 2 --repeats 1 --no-figures --quiet");
    EXPECT_EQ(ran.code, 0) << ran.err;
    cells_.clear();
    std::istringstream lines(text_of(folder + "/cells.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const json record = json_of(line);
      if (record.at("kind") == "reference") reference_ = record;
      if (record.at("kind") == "cell") cells_.push_back(record);
    }
    return text_of(folder + "/results.csv");
  }
  [[nodiscard]] const json& cell(const json& method, const json& block) const {
    for (const json& one : cells_)
      if (one.at("method") == method && one.at("block") == block) return one;
    static const json kNone;
    return kNone;
  }

  void expect_agreement(const std::string& matrix) {
    SCOPED_TRACE(matrix);
    const std::string results = study_of(matrix);
    const std::string csv = path("compare.csv");
    const json compared = run_json("compare " + matrix + " --methods " + method_ids() + " --blocks " +
                                   kBlocks + kSeed + " --threads 1 --csv " + csv);
    const json reference = run_json("features " + matrix + " --method exact" + kSeed + " --threads 5");
    for (const FeatureDefinition& feature : kFeatureTable) {
      EXPECT_EQ(reference.at(feature.id), compared.at("reference").at(feature.id)) << feature.id;
      EXPECT_EQ(reference.at(feature.id), reference_.at("features").at(feature.id)) << feature.id;
    }
    ASSERT_EQ(compared.at("results").size(), cells_.size());
    std::set<std::uint64_t> above_rounding;
    for (const json& row : compared.at("results")) {
      const json& block = row.at("block");
      const std::string name = row.at("method").get<std::string>() + " " + block.dump();
      SCOPED_TRACE(name);
      const json features =
          run_json("features " + matrix + " --method " + row.at("method").get<std::string>() +
                   (block.is_null() ? "" : " --block " + block.dump()) + kSeed + " --threads 3");
      const json& studied = cell(row.at("method"), block);
      ASSERT_EQ(studied.at("status"), "done") << studied.at("reason");
      EXPECT_EQ(features.at("samples"), row.at("samples"));
      EXPECT_EQ(features.at("entropy"), row.at("entropy"));
      for (const char* count : {"samples", "zero_share"})
        EXPECT_EQ(features.at(count), studied.at("features").at(count)) << count;
      for (const FeatureDefinition& feature : kFeatureTable) {
        EXPECT_EQ(features.at(feature.id), studied.at("features").at(feature.id)) << feature.id;
        EXPECT_EQ(row.at(feature.error_column()),
                  studied.at("errors").at(feature.is_distribution() ? feature.error_column() : feature.stem))
            << feature.error_column();
      }
      const json& errors = studied.at("reconstruction");
      for (const char* value : {"hellinger", "recall_top10", "above_rounding"})
        EXPECT_EQ(row.at(value), errors.is_null() ? json() : errors.at(value)) << value;
      if (!errors.is_null()) above_rounding.insert(row.at("above_rounding").get<std::uint64_t>());
    }
    EXPECT_LE(above_rounding.size(), 1U) << "a property of the matrix";
    expect_equal_columns(table_of(text_of(csv)), table_of(results));
  }

  /// The columns of both tables agree as texts, for each method and block of the first.
  static void expect_equal_columns(const std::vector<std::vector<std::string>>& compared,
                                   const std::vector<std::vector<std::string>>& studied) {
    const auto place = [](const std::vector<std::string>& heads, const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(heads, name) - heads.begin());
    };
    std::vector<std::string> columns{"samples", "entropy", "hellinger", "recall_top10", "above_rounding"};
    for (const FeatureDefinition& feature : kFeatureTable) columns.push_back(feature.error_column());
    ASSERT_GT(compared.size(), 1U);
    ASSERT_EQ(compared.size(), studied.size());
    // Names of generated matrices hold commas: columns of the study are counted from the end of the row.
    const auto in_study = [&](std::size_t row, const std::string& name) {
      return studied[row][studied[row].size() - studied[0].size() + place(studied[0], name)];
    };
    for (std::size_t k = 1; k < compared.size(); ++k) {
      const auto in_compare = [&](const std::string& name) { return compared[k][place(compared[0], name)]; };
      std::size_t same = 1;
      while (same < studied.size() && (in_study(same, "method") != in_compare("method") ||
                                       in_study(same, "block") != in_compare("block")))
        ++same;
      ASSERT_LT(same, studied.size()) << in_compare("method") << " " << in_compare("block");
      for (const std::string& column : columns)
        EXPECT_EQ(in_compare(column), in_study(same, column))
            << in_compare("method") << " " << in_compare("block") << " " << column;
    }
  }

  json reference_;
  std::vector<json> cells_;
};

TEST_F(CliAgreement, TheCommandsGiveTheSameNumbersToTheLastBit) {
  // Symmetric and not, even and odd sides, a rectangle, and a spectrum that is zero on half of the plane.
  for (const char* matrix : {"gen:band:n=211", "gen:band:n=200,bandwidth=2", "gen:rmat:n=256,seed=12",
                             "gen:random:rows=120,cols=203,nnz=900", "gen:power-law:n=330,nnz=2000,seed=5",
                             "gen:block-diagonal:n=192"})
    expect_agreement(matrix);
}

TEST_F(CliAgreement, TheCommandsGiveTheSameNumbersOnRealMatrices) {
  const char* named = std::getenv("SPYCTRUM_SHARED_DATA");  // NOLINT(concurrency-mt-unsafe): one thread
  const fs::path folder = named != nullptr ? named : SPYCTRUM_SOURCE_DIR "/../shared/data";
  if (!fs::exists(folder)) GTEST_SKIP() << "NOT COMPARED, there is no " << folder;
  const std::uint64_t largest = named != nullptr ? 6000 : 1100;
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().string().ends_with(".mtx.gz") || fs::file_size(entry.path()) > 3'000'000) continue;
    const json info = run_json("info " + entry.path().string());
    if (std::max(info.at("rows").get<std::uint64_t>(), info.at("cols").get<std::uint64_t>()) > largest)
      continue;
    expect_agreement(entry.path().string());
    ++compared;
  }
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace spyctrum
