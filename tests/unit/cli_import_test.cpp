// SPDX-License-Identifier: Apache-2.0
// spyctrum-cli info with values and --import.
#include "tests/support/cli_fixture.hpp"

namespace spyctrum {
namespace {

using nlohmann::json;
class CliImport : public test::CliFixture {};

TEST_F(CliImport, InfoDescribesTheValues) {
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

TEST_F(CliImport, ALayerThatIsNotThereIsWrongUse) {
  std::ofstream(path("a.edges")) << "1 2\n";
  ASSERT_EQ(run("convert --quiet " + path("a.edges") + " " + path("a.npz")).code, 0);
  for (const std::string file : {"a.edges", "a.npz"}) {
    const test::Outcome outcome = run("info --quiet " + path(file) + " --import layer=x");
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("layer"), std::string::npos) << outcome.err;
    EXPECT_EQ(run("info --quiet " + path(file) + "::x").code, 3);
  }
}

TEST_F(CliImport, CommandsOverManyFilesGiveEachFormatItsOptions) {
  std::ofstream(path("a.edges")) << "1 2\n3 2\n";
  std::ofstream(path("b.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n7 7 1\n1 1\n";
  const std::string import = " --import base=0 --import layer=x";
  const json study =
      run_json("study " + path("a.edges") + " " + path("b.mtx") + " --methods bs-fft --blocks 2 --out " +
               path("study") + " --no-figures" + import);
  EXPECT_EQ(study["done"], 2) << study;
  EXPECT_NE(text_of(path("study/results.csv")).find("4,4,2"), std::string::npos)
      << text_of(path("study/results.csv"));
  const test::Outcome other = run("study --quiet " + path("a.edges") + " --methods bs-fft --blocks 2 --out " +
                                  path("study") + " --no-figures");
  EXPECT_EQ(other.code, 2) << other.err;
  EXPECT_NE(other.err.find("base=0"), std::string::npos) << other.err;
  EXPECT_EQ(run("study --quiet " + path("b.mtx") + " --out " + path("new") + " --import bass=0").code, 2);

  const std::string index = "index " + path("a.edges") + " " + path("b.mtx") + " --db " + path("a.db");
  EXPECT_EQ(run_json(index)["indexed"], 2);
  EXPECT_EQ(run_json(index)["unchanged"], 2);
  const json anew = run_json(index + import);
  EXPECT_EQ(anew["indexed"], 1) << anew;  // four vertices, not three
  EXPECT_EQ(anew["known"], 1) << anew;
  const json nearest = run_json("similar " + path("a.edges") + " --import base=0 --db " + path("a.db"));
  EXPECT_EQ(nearest[0]["rows"], 4) << nearest;
}

TEST_F(CliImport, AStudyTakesOneMatrixOfSeveral) {
  ASSERT_EQ(run("convert --quiet gen:band:n=9 " + path("a.npz")).code, 0);
  const std::string file = std::string(SPYCTRUM_SOURCE_DIR) + "/tests/data/npz/good/";
  for (const auto& entry : std::filesystem::directory_iterator(file)) {
    const json info = run_json("info " + entry.path().string());
    if (info["matrices"].size() < 2) continue;
    for (const char* field : {"name", "rows", "cols", "nonzeros"})
      EXPECT_TRUE(info["matrices"][1].contains(field)) << field << ": " << info;
    const std::string name = info["matrices"][1]["name"];
    const json study = run_json("study " + entry.path().string() + "::" + name +
                                " --methods bs-fft --blocks 2 --no-figures --out " + path("study"));
    EXPECT_EQ(study["done"], 1) << study;
    EXPECT_NE(text_of(path("study/results.csv")).find("::" + name), std::string::npos)
        << text_of(path("study/results.csv"));
    return;
  }
  FAIL() << "no file of several matrices in " << file;
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
