// SPDX-License-Identifier: Apache-2.0
// Names of files are bytes: a name that is no UTF-8 is written as JSON in every command, and in a study.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

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
  EXPECT_EQ(json_of(outcome.out).at("error").at("exit_code"), 2);
}

TEST_F(CliNames, DoNotActOnATerminal) {
  std::filesystem::create_directories(path("m"));
  const std::string file = path("m/a\x1B[2J\nb.mtx");
  std::ofstream(file) << "%%MatrixMarket matrix coordinate pattern general\n3 4 3\n1 1\n2 3\n3 4\n";
  const std::ofstream empty(path("m/\x1B[2J.mtx"));  // refused, and listed
  const std::string quoted = " '" + file + "'";
  const std::vector<std::string> commands{
      "info" + quoted,
      "features --method exact" + quoted,
      "theory --block 2" + quoted,
      "related" + quoted,
      "convert" + quoted + " '" + path("\x1B[2J.mtx") + "'",
      "features --method exact '" + path("m/\x1B[2J.mtx") + "'",
      "features --method exact '" + path("\x1B[2J") + "'",
      "index " + path("m") + " --db " + path("c.db"),
      "similar" + quoted + " --db " + path("c.db"),
      "study " + path("m") + " --no-figures --methods dense --blocks 2 --out " + path("study")};
  for (const std::string& command : commands) {
    const Outcome outcome = run(command);
    EXPECT_FALSE(outcome.out.empty() && outcome.err.empty()) << command;
    for (const std::string& text : {outcome.out, outcome.err})
      EXPECT_EQ(text.find('\x1B'), std::string::npos) << command << '\n' << text;
  }
}

TEST_F(CliNames, OfPipesInAFolderAreLeftOut) {
  std::filesystem::create_directories(path("m"));
  std::ofstream(path("m/a.mtx"))
      << "%%MatrixMarket matrix coordinate pattern general\n3 4 3\n1 1\n2 3\n3 4\n";
  ASSERT_EQ(mkfifo(path("m/pipe.mtx").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", path("m/zero.mtx"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"index", path("m"), "--db", path("c.db")},
        std::vector<std::string>{"study", path("m"), "--no-figures", "--methods", "dense", "--blocks", "2",
                                 "--out", path("study")}})
    EXPECT_EQ(end_of(start(command), std::chrono::seconds(60)), 0) << command.front();
}

}  // namespace
}  // namespace spyctrum::test
