// SPDX-License-Identifier: Apache-2.0
// spyctrum-cli info with values and --import.
#include "tests/support/cli_fixture.hpp"

namespace spyctrum {
namespace {

using nlohmann::json;
class CliImport : public test::CliFixture {};

TEST_F(CliImport, InfoSaysWhatIsKnownOfTheValues) {
  std::ofstream(path("a.mtx"))
      << "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 -1.5\n2 1 4\n2 2 nan\n";
  const json info = run_json("info " + path("a.mtx"));
  EXPECT_EQ(info["field"], "real");
  EXPECT_EQ(info["value_sum"], 6.5);
  EXPECT_EQ(info["value_min"], -1.5);
  EXPECT_EQ(info["value_max"], 4);
  EXPECT_EQ(info["nan"], 1);
  EXPECT_EQ(info["infinite"], 0);
  const test::Outcome text = run("info --quiet " + path("a.mtx"));
  EXPECT_NE(text.out.find("real, -1.5 to 4, sum 6.5; 0 zero, 1 NaN, 0 infinite"), std::string::npos)
      << text.out;
  std::ofstream(path("c.mtx")) << "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 3 4\n";
  const json complex = run_json("info " + path("c.mtx"));
  EXPECT_EQ(complex["value_sum"], json::array({3, 4}));
  EXPECT_EQ(complex["value_max"], 5);
  std::ofstream(path("p.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n";
  EXPECT_FALSE(run_json("info " + path("p.mtx")).contains("value_sum"));
}

TEST_F(CliImport, ChoicesAreTakenAndReported) {
  std::ofstream(path("a.edges")) << "1 2\n3 2\n";
  EXPECT_EQ(run_json("info " + path("a.edges"))["rows"], 3);
  const json info = run_json("info --import base=0 --import directed=no " + path("a.edges"));
  EXPECT_EQ(info["rows"], 4);
  EXPECT_EQ(info["nonzeros"], 4);
  EXPECT_EQ(info["assumed"][0], (json{{"name", "base"}, {"value", "0"}, {"chosen", true}}));
}

TEST_F(CliImport, UnknownNamesAndValuesAreWrongUse) {
  std::ofstream(path("a.edges")) << "1 2\n";
  for (const std::string wrong : {"bass=1", "base=2", "base", "triangle=stored", "columns=x"}) {
    const test::Outcome outcome = run("info --quiet " + path("a.edges") + " --import " + wrong);
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_NE(outcome.err.find(wrong.substr(0, 4)), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  }
  EXPECT_NE(run("features --help").out.find("--import"), std::string::npos);
}

}  // namespace
}  // namespace spyctrum
