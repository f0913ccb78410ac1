// SPDX-License-Identifier: Apache-2.0
// Names of files are bytes: a name that is no UTF-8 is written as JSON in every command, and in a study.
#include "tests/support/cli_fixture.hpp"

namespace spyctrum::test {
namespace {

using CliNames = CliFixture;

TEST_F(CliNames, ThatAreNotUtf8StandInJson) {
  const std::string file = path("a\xFF.mtx");
  std::ofstream(file) << "%%MatrixMarket matrix coordinate pattern general\n3 4 3\n1 1\n2 3\n3 4\n";
  const std::vector<std::string> commands{"info", "features --method exact",
                                          "compare --methods dense --blocks 2 --reference exact",
                                          "spectrum --method exact --out " + path("x.npy")};
  for (const std::string& command : commands) {
    const nlohmann::json found = run_json(command + " '" + file + "'");
    EXPECT_EQ(found.at("file"), path("a\xEF\xBF\xBD.mtx")) << command;
  }
  const std::string study =
      "study '" + file + "' --no-figures --methods dense --blocks 2 --out " + path("study");
  EXPECT_EQ(run_json(study).at("done"), 1);
}

TEST_F(CliNames, ThatAreNotUtf8StandInErrors) {
  const Outcome outcome = run("features gen:diagonal:n=4 --json --method '\xFF'");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out).at("error").at("exit_code"), 2);
}

}  // namespace
}  // namespace spyctrum::test
