// SPDX-License-Identifier: Apache-2.0
// spyctrum-cli convert: files, standard output, messages and exit codes.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <tuple>

#include "tests/support/cli_fixture.hpp"

namespace spyctrum {
namespace {

using nlohmann::json;
class CliConvert : public test::CliFixture {
 protected:
  void SetUp() override {
    std::ofstream(path("a.mtx"))
        << "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.5\n2 1 -4\n3 3 0\n";
  }
};

TEST_F(CliConvert, WritesThePatternUnlessWeightsAreRequested) {
  const json info = run_json("info " + path("a.mtx"));
  for (const std::string ending : {".mtx", ".mtx.gz", ".npz", ".rb"}) {
    const std::string out = path("b" + ending);
    json converted = run_json("convert " + path("a.mtx") + " " + out);
    EXPECT_EQ(converted["out"], out);
    EXPECT_EQ(converted["weights"], "pattern");
    for (const auto& [name, value] : info.items()) {
      if (name == "seconds") continue;
      EXPECT_EQ(converted[name], value) << name;
    }
    json back = run_json("info " + out);
    EXPECT_EQ(back["nonzeros"], 4);
    EXPECT_EQ(back["rows"], 3);
    EXPECT_NE(back["value_sum"], info["value_sum"]);
    EXPECT_EQ(run_json("convert " + path("a.mtx") + " " + out + " --weights value")["weights"], "value");
    const json with_values = run_json("info " + out);
    for (const std::string name : {"nonzeros", "field", "value_sum", "value_min", "value_max"})
      EXPECT_EQ(with_values[name], info[name]) << ending << ", " << name;
  }
}

TEST_F(CliConvert, GenerateAndReorderWriteInTheFormatOfTheEndingAndToStandardOutput) {
  const std::string matrix = "gen:laplacian-2d:nx=3,ny=2";
  for (const std::string command :
       {"generate laplacian-2d nx=3 ny=2 --weights value --out ",
        "reorder gen:laplacian-2d:nx=3,ny=2 --order degree --weights value --out "}) {
    SCOPED_TRACE(command);
    const std::string text = "Matrix Market coordinate real";
    for (const auto& [name, format, compression] :
         {std::tuple<std::string, std::string, std::string>{"g.npz", "NumPy archive csc", ""},
          {"g.mtx.gz", text, "gzip"},
          {"without_ending", text, ""}}) {
      ASSERT_EQ(run(command + path(name) + " --quiet").code, 0);
      const json info = run_json("info " + path(name));
      EXPECT_EQ(info["format"], format);
      EXPECT_EQ(info["compression"], compression) << name;
      EXPECT_EQ(info["value_sum"], 10) << name;
    }
    const test::Outcome written = run(command + "- --quiet");
    EXPECT_EQ(written.code, 0) << written.err;
    EXPECT_TRUE(written.out.starts_with("%%MatrixMarket matrix coordinate real general\n")) << written.out;
    EXPECT_TRUE(written.err.empty()) << written.err;
    EXPECT_EQ(run(command + "- --json").code, 2);
  }
  EXPECT_EQ(run("compare " + matrix + " --methods elastic --blocks 2 --csv -").code, 2);
  EXPECT_FALSE(std::filesystem::exists("-")) << "no file of this name";
}

TEST_F(CliConvert, WritesTextToStandardOutput) {
  const test::Outcome plain = run("convert --quiet " + path("a.mtx") + " - --weights value");
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_TRUE(plain.err.empty()) << plain.err;
  EXPECT_TRUE(plain.out.starts_with("%%MatrixMarket matrix coordinate real general\n")) << plain.out;
  EXPECT_TRUE(plain.out.ends_with("\n3 3 4\n1 1 1.5\n2 1 -4\n1 2 -4\n3 3 0\n")) << plain.out;
  std::ofstream(path("g.mtx")) << "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n";
  const test::Outcome graph = run("convert --quiet " + path("g.mtx") + " - --format metis");
  EXPECT_TRUE(graph.out.ends_with("\n3 2\n2\n1 3\n2\n")) << graph.out << graph.err;
  const test::Outcome piped =
      shell(std::string(SPYCTRUM_BIN_DIR) + "/spyctrum-cli convert --quiet " + path("a.mtx") + " - | " +
            SPYCTRUM_BIN_DIR + "/spyctrum-cli info --json -");
  EXPECT_EQ(json_of(piped.out)["nonzeros"], 4);
  for (const std::string wrong : {" - --format npz", " - --json"}) {
    const test::Outcome refused = run("convert --quiet " + path("a.mtx") + wrong);
    EXPECT_EQ(refused.code, 2) << wrong;
    EXPECT_NE(refused.err.find("standard output"), std::string::npos) << refused.err;
  }
}

TEST_F(CliConvert, AnHdf5FileIsNotCalledDamagedWhereDescriptorsAreMissing) {
#ifdef SPYCTRUM_SANITIZED
  GTEST_SKIP() << "the undefined-behaviour sanitizer opens a pipe to test an address, and reports an error "
                  "without one";
#endif
  const std::string file = path("a.bsp.h5");
  ASSERT_EQ(run("convert --quiet " + path("a.mtx") + " " + file).code, 0);
  if (run("info " + file).code != 0) GTEST_SKIP() << "built without HDF5";
  const test::Outcome outcome =
      shell("sh -c 'exec 3>&- 4>&- 5>&- 6>&-; ulimit -n 6; exec " SPYCTRUM_BIN_DIR "/spyctrum-cli info " +
            file + "'");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("file descriptor"), std::string::npos) << outcome.err;
}

TEST_F(CliConvert, WrongUseWritesNothing) {
  for (const auto& [arguments, word] :
       std::vector<std::pair<std::string, std::string>>{{"b.xyz", ".npz"},
                                                        {"b.npz.gz", ".npz"},
                                                        {"b.graph", "diagonal"},
                                                        {"b.mtx --weights half", "pattern"},
                                                        {"b.mtx --format xyz", "matrix_market"}}) {
    const test::Outcome refused = run("convert --quiet " + path("a.mtx") + " " + path(arguments));
    EXPECT_EQ(refused.code, 2) << arguments << refused.err;
    EXPECT_NE(refused.err.find(word), std::string::npos) << refused.err;
  }
  for (const std::string ending : {".npy", ".mat", ".npz.gz"}) {
    EXPECT_EQ(run("reorder " + path("missing.mtx") + " --order rcm --out " + path("b" + ending)).code, 2);
    EXPECT_EQ(run("generate band n=9 --out " + path("b" + ending)).code, 2);
  }
  EXPECT_EQ(run("convert --quiet gen:band:n=9 " + path("b.mtx") + " --weights value").code, 2);
  EXPECT_EQ(run("convert --quiet " + path("a.mtx")).code, 2);
  EXPECT_EQ(run("convert --quiet " + path("missing.mtx") + " " + path("b.mtx")).code, 3);
  EXPECT_EQ(run("convert --quiet " + path("a.mtx") + " " + path("nowhere/b.mtx")).code, 1);
  EXPECT_EQ(files(), std::vector<std::string>{"a.mtx"});
}

TEST_F(CliConvert, WritesWeightsThatFollowFromTheValues) {
  ASSERT_EQ(run("convert --quiet " + path("a.mtx") + " " + path("b.npz") + " --weights magnitude").code, 0);
  const json info = run_json("info " + path("b.npz"));
  EXPECT_EQ(info["value_sum"], 9.5);
  EXPECT_EQ(info["value_min"], 0);
  EXPECT_EQ(info["nonzeros"], 4);
  EXPECT_EQ(run("convert --quiet " + path("a.mtx") + " " + path("c.npz") + " --weights imaginary").code, 2);
}

TEST_F(CliConvert, TakesImportOptions) {
  std::ofstream(path("a.edges")) << "1 2\n3 2\n";
  EXPECT_EQ(run_json("convert " + path("a.edges") + " " + path("b.mtx") + " --import base=0")["rows"], 4);
  EXPECT_EQ(run_json("info " + path("b.mtx"))["rows"], 4);
}

TEST_F(CliConvert, AnInterruptionLeavesNoFile) {
  const pid_t child = start({"convert", "gen:band:n=6000000", path("b.mtx.gz")});
  // Long enough to begin, far too short to end: compressing takes seconds.
  const auto has_begun = [&] {
    return std::ranges::any_of(files(),
                               [](const std::string& name) { return name.starts_with(".spyctrum-"); });
  };
  for (int tries = 0; !has_begun() && tries < 4000; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGINT);
  EXPECT_EQ(end_of(child, std::chrono::seconds(20)), 130);
  for (const std::string& name : files()) EXPECT_TRUE(name == "a.mtx" || name == "stdout") << name;
}

TEST_F(CliConvert, AFileOfBillionsOfColumnsWithoutEntriesIsRefusedBeforeItIsWritten) {
  std::ofstream(path("huge.mtx"))
      << "%%MatrixMarket matrix coordinate pattern symmetric\n4294967295 4294967295 1\n4000000000 5\n";
  for (const std::string ending : {".npz", ".rb", ".rb.gz", ".graph"}) {
    const std::string out = path("huge" + ending);
    const test::Outcome outcome = run("convert --quiet " + path("huge.mtx") + " " + out);
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    for (const char* words : {" GB", "4,294,967,295 columns, of which 2 have entries", ".mtx", "--memory "})
      EXPECT_NE(outcome.err.find(words), std::string::npos) << words << ": " << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(out));
    EXPECT_EQ(run("convert --quiet --memory 2G " + path("huge.mtx") + " " + out).code, 4);
  }
  EXPECT_EQ(run("generate random n=4294967295 nnz=5 --quiet --out " + path("g.npz")).code, 4);
  for (const std::string ending : {".mtx", ".bsp.h5"})
    EXPECT_EQ(run("convert --quiet " + path("huge.mtx") + " " + path("out" + ending)).code, 0) << ending;
  EXPECT_EQ(run("convert --quiet gen:random:n=1000000,nnz=10 " + path("small.npz")).code, 0);
}

}  // namespace
}  // namespace spyctrum
