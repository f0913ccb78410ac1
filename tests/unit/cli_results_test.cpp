// SPDX-License-Identifier: Apache-2.0
// Exit code 0 means that the results were written: to standard output, to the last byte, and to the file,
// under any name that the system takes. What cannot be written is found before anything is computed.
#include <fcntl.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "tests/support/cli_fixture.hpp"

namespace spyctrum::test {
namespace {

namespace fs = std::filesystem;

using CliResults = CliFixture;

constexpr const char* kMatrix = "gen:band:n=60,lower=1,upper=2";

TEST_F(CliResults, AFullStandardOutputIsNoSuccess) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const std::string matrix = kMatrix;
  const std::vector<std::string> commands{
      "info " + matrix,
      "methods",
      "features " + matrix + " --method exact",
      "spectrum " + matrix + " --method exact --out " + path("s.npy"),
      "reconstruct " + matrix + " --method elastic --block 4 --out " + path("r.npy"),
      "compare " + matrix + " --methods elastic --blocks 4",
      "theory " + matrix,
      "advise " + matrix + " --blocks 4",
      "related " + matrix,
      "explain " + matrix,
      "generate band n=60 --out " + path("g.mtx"),
      "convert " + matrix + " " + path("c.npz"),
      "reorder " + matrix + " --order degree --out " + path("o.mtx"),
      "study " + matrix + " --methods elastic --blocks 4 --no-figures --out " + path("study"),
      "index " + path("g.mtx") + " --db " + path("c.db"),
      "similar " + matrix + " --db " + path("c.db")};
  for (const std::string& command : commands) {
    for (const char* json : {"", " --json"}) {
      const Outcome outcome = run(command + json + " --quiet >/dev/full");
      EXPECT_EQ(outcome.code, 1) << command << json;
      EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << command << outcome.err;
    }
  }
  EXPECT_EQ(run("--help >/dev/full").code, 1);
  EXPECT_EQ(run("--version >/dev/full").code, 1);
}

TEST_F(CliResults, AClosedStandardOutputIsNoSuccess) {
  EXPECT_EQ(run("methods >&-").code, 1);
  EXPECT_EQ(run("methods <&- | cat").code, 0);
  EXPECT_EQ(run("info - <&-").code, 3) << "an empty file";
}

TEST_F(CliResults, FilesDoNotTakeThePlaceOfClosedDescriptors) {
  // Without its standard error a program whose journal became descriptor 2 would write its progress there.
  const Outcome outcome =
      shell("sh -c '" SPYCTRUM_BIN_DIR "/spyctrum-cli study " + std::string(kMatrix) +
            " --methods elastic,density-map --blocks 4 --no-figures --out " + path("study") + " 2>&-'");
  EXPECT_EQ(outcome.code, 0);
  std::ifstream journal(path("study/cells.jsonl"));
  std::size_t lines = 0;
  for (std::string line; std::getline(journal, line); ++lines)
    EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  EXPECT_EQ(lines, 4U) << "matrix, reference and two cells";
}

TEST_F(CliResults, NamesMayBeAsLongAsTheSystemAllows) {
  for (std::size_t bytes = 245; bytes <= 255; ++bytes) {
    const std::string name = path(std::string(bytes - 4, 'n') + ".mtx");
    EXPECT_EQ(run("generate diagonal n=5 --quiet --out " + name).code, 0) << bytes;
    EXPECT_TRUE(fs::is_regular_file(name)) << bytes;
    fs::remove(name);
  }
  const Outcome longer = run("info " + path("missing.mtx") + " --quiet");
  EXPECT_EQ(longer.code, 3);
  EXPECT_TRUE(files().empty());
}

/// FILE is missing as well (exit code 3), so exit code 1 shows that the output was looked at first.
TEST_F(CliResults, APathThatCannotBeWrittenIsFoundBeforeTheMatrixIsRead) {
  const std::string missing = path("missing.mtx");
  fs::create_directories(path("folder.npy"));
  fs::create_directories(path("folder.mtx"));
  std::ofstream(path("file")) << "x";
  for (const std::string& out :
       {path("no/folder/x"), path("folder"), path("file/x"), path(std::string(252, 'n'))}) {
    EXPECT_EQ(run("spectrum " + missing + " --method exact --out " + out + ".npy").code, 1) << out;
    EXPECT_EQ(run("reconstruct " + missing + " --method elastic --out " + out + ".npy").code, 1) << out;
    EXPECT_EQ(run("reorder " + missing + " --order degree --out " + out + ".mtx").code, 1) << out;
    EXPECT_EQ(run("compare " + missing + " --methods elastic --blocks 4 --csv " + out + ".mtx").code, 1)
        << out;
    EXPECT_EQ(run("generate band n=2e9 --memory 1M --out " + out + ".mtx").code, 1) << out;
  }
  EXPECT_EQ(run("spectrum " + missing + " --method exact --out " + path("x.npy")).code, 3);
  EXPECT_FALSE(fs::exists(path("x.npy")));
}

TEST_F(CliResults, TheLimitOnFileSizesIsAnErrorThatLeavesNothing) {
  const std::string matrix = " gen:random:n=300,nnz=2000 --quiet";
  for (const std::string& command :
       {"generate random n=300 nnz=2000 --quiet --out " + path("g.mtx"),
        "reorder" + matrix + " --order degree --out " + path("o.mtx"),
        "features" + matrix + " --method exact --state " + path("s.state"),
        "spectrum" + matrix + " --method exact --out " + path("s.npy"),
        "spectrum" + matrix + " --method exact --out " + path("s.npz"),
        "spectrum" + matrix + " --method exact --out " + path("s.png"),
        "reconstruct" + matrix + " --method elastic --block 4 --out " + path("r.npy"),
        "reconstruct" + matrix + " --method elastic --block 4 --out " + path("r.png"),
        "compare" + matrix + " --methods elastic,density-map --blocks 4,8,16 --csv " + path("c.csv"),
        "convert" + matrix + " " + path("c.mtx"), "convert" + matrix + " " + path("c.mtx.gz"),
        "convert" + matrix + " " + path("c.npz"), "convert" + matrix + " " + path("c.rb"),
        "convert" + matrix + " " + path("c.bsp.h5")}) {
    const Outcome outcome =
        shell("sh -c 'ulimit -f 1; exec " SPYCTRUM_BIN_DIR "/spyctrum-cli " + command + "'");
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_TRUE(files().empty()) << command << ": " << files().front();
  }
}

TEST_F(CliResults, ASymbolicLinkStaysAndItsFileIsReplacedOrMade) {
  std::ofstream(path("file.mtx")) << "old";
  fs::create_symlink(path("file.mtx"), path("link.mtx"));
  fs::create_directory(path("m"));
  fs::create_symlink("../m/new.mtx", path("m/second.mtx"));  // from the folder of the link
  fs::create_symlink("m/second.mtx", path("first.mtx"));
  for (const auto& [link, file] : {std::pair("link.mtx", "file.mtx"), std::pair("first.mtx", "m/new.mtx")}) {
    EXPECT_EQ(run("generate diagonal n=5 --quiet --out " + path(link)).code, 0) << link;
    EXPECT_TRUE(fs::is_symlink(path(link))) << link;
    EXPECT_EQ(run_json("info " + path(file))["nonzeros"], 5) << file;
  }
  EXPECT_TRUE(fs::is_symlink(path("m/second.mtx")));
  fs::create_symlink("round.mtx", path("round.mtx"));
  EXPECT_EQ(run("generate diagonal n=5 --quiet --out " + path("round.mtx")).code, 1);
}

TEST_F(CliResults, ValuesOfGeneratorsThatMakeNoSenseAreWrongUse) {
  for (const char* text :
       {"random:n=10,nnz=101", "random:n=nan", "random:density=inf", "random:density=2", "band:lower=-1",
        "rmat:a=0.9,b=0.9", "power-law:rows=4,cols=5", "laplacian-2d:n=1e6", "stochastic-blocks:n=3,blocks=4",
        "diagonal:n=2^64", "diagonal:n=0", "diagonal:n=1e999", "random:seed=-1", "random:seed=0.5"})
    EXPECT_EQ(run(std::string("info gen:") + text).code, 2) << text;
  EXPECT_EQ(run("generate random n=10 nnz=101 --out " + path("x.mtx")).code, 2);
}

TEST_F(CliResults, NumbersThatAreNotFiniteOrNegativeAreWrongUse) {
  const std::string matrix = kMatrix;
  for (const char* value : {"nan", "-nan", "inf", "-1", "1e999", "x", "1x"}) {
    EXPECT_EQ(run("advise " + matrix + " --blocks 4 --seconds=" + value).code, 2) << value;
    EXPECT_EQ(run("advise " + matrix + " --blocks 4 --error=" + value).code, 2) << value;
    EXPECT_EQ(run("study " + matrix + " --out " + path("s") + " --cell-seconds=" + value).code, 2) << value;
    EXPECT_EQ(run("features " + matrix + " --method exact --until=" + value).code, 2) << value;
    EXPECT_EQ(run("features " + matrix + " --method exact --memory=" + value).code, 2) << value;
  }
  for (const char* value : {"0/2", "3/2", "2", "a/b", "1/-2", ""})
    EXPECT_EQ(run("study " + matrix + " --out " + path("s") + " --shard '" + value + "'").code, 2) << value;
  EXPECT_TRUE(files().empty());
}

/// `text` with single blanks in place of line breaks.
std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

TEST_F(CliResults, ReadmeHasTheExitCodesOfHelp) {
  const std::string help = on_one_line(run("--help").out);
  const std::string readme = on_one_line(text_of(SPYCTRUM_SOURCE_DIR "/README.md"));
  std::string codes = help.substr(help.find("Exit codes:"));
  codes = codes.substr(0, codes.find(" (spyctrum --offscreen)"));
  for (const char* code : {" 0 ", " 1 ", " 2 ", " 3 ", " 4 ", " 5 ", " 6 "})
    EXPECT_NE(codes.find(code), std::string::npos) << codes;
  EXPECT_NE(readme.find(codes), std::string::npos) << codes;
}

TEST_F(CliResults, HelpNamesEveryExitCode) {
  const std::string help = run("--help").out;
  const std::size_t at = help.find("Exit codes:");
  ASSERT_NE(at, std::string::npos);
  for (const char* code :
       {"0 done", "1 output", "2 wrong", "3 input", "4 does", "5 backend", "130 interrupted"})
    EXPECT_NE(help.find(code, at), std::string::npos) << code;
}

TEST_F(CliResults, AStudySaysHowManyMatricesCannotBeReadAndWaitsForNobody) {
  std::ofstream(path("bad.mtx")) << "no matrix\n";
  const std::string study = "study gen:band:n=9 " + path("bad.mtx") +
                            " --quiet --methods dense --blocks 2 --no-figures --out " + path("study");
  const Outcome outcome = run(study);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1 of 1 cells done"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 matrix could not be read"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("shards"), std::string::npos) << outcome.out;
}

TEST_F(CliResults, FewCoefficientsAboveRoundingAreStatedBesideFlatnessAndRecall) {
  const std::string few = "gen:circulant:n=512,degree=32,stride=16";
  const std::string features = run("features " + few + " --method exact").out;
  EXPECT_NE(features.find("99.99 % of the coefficients are zero to rounding"), std::string::npos) << features;
  EXPECT_NEAR(run_json("features " + few + " --method exact")["zero_share"].get<double>(), 1, 1e-4);
  EXPECT_EQ(run("features gen:random:n=300,nnz=2000 --method exact").out.find("zero to rounding"),
            std::string::npos);
  const std::string compared = run("compare " + few + " --methods elastic --blocks 4").out;
  EXPECT_NE(compared.find("recall: of the 15 coefficients above rounding"), std::string::npos) << compared;
  EXPECT_EQ(run_json("compare " + few + " --methods elastic --blocks 4")["results"][0]["above_rounding"], 15);
  const std::string filled =
      run("reconstruct " + few + " --method elastic --block 4 --reference exact --out " + path("m.npz")).out;
  EXPECT_NE(filled.find("(of the 15 coefficients above rounding)"), std::string::npos) << filled;
}

TEST_F(CliResults, HelpOfFeaturesStatesEveryConvention) {
  const std::string help = run("features --help").out;
  for (const char* stated :
       {"512·(s(u)²n² + s(v)²m²) ≥ k²m²n²", "128·(s(u)²n² + s(v)²m²) ≤ m²n²", "u = −m/2 counts as m/2",
        "⌊p(m−1)/(m0−1) + ½⌋", "s/m0 and t/n0", "the other areas add up to mn − 1",
        "P below 5u²·log₂(mn)·(L·K·ln(mn) + K²/4) + K·ln(mn)·(4κ)²",
        "0 where more than 1/200 of the P are zero"})
    EXPECT_NE(help.find(stated), std::string::npos) << stated;
}

}  // namespace
}  // namespace spyctrum::test
