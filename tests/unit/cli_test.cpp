// SPDX-License-Identifier: Apache-2.0
// The command line as a script uses it: exit codes, one JSON value on standard output, files that NumPy
// reads. The names of options and fields are part of the interface.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/cli_fixture.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using spyctrum::test::Outcome;

class Cli : public spyctrum::test::CliFixture {
 protected:
  /// The data of a .npy file of version 1.0 and its header text.
  struct Npy {
    std::string header;
    std::vector<char> bytes;
  };
  static Npy read_npy(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::array<unsigned char, 10> head{};
    in.read(reinterpret_cast<char*>(head.data()), head.size());
    EXPECT_EQ(std::memcmp(head.data(), "\x93NUMPY", 6), 0);
    Npy npy;
    npy.header.resize(head[8] + 256U * head[9]);
    in.read(npy.header.data(), static_cast<std::streamsize>(npy.header.size()));
    npy.bytes.assign(std::istreambuf_iterator<char>(in), {});
    return npy;
  }
  template <class T>
  static std::vector<T> values_of(const Npy& npy) {
    std::vector<T> values(npy.bytes.size() / sizeof(T));
    std::memcpy(values.data(), npy.bytes.data(), values.size() * sizeof(T));
    return values;
  }
};

/// Entries of the 3×4 matrix kSmall.
constexpr std::array<std::array<int, 2>, 4> kEntries{{{0, 0}, {1, 2}, {2, 3}, {2, 1}}};
constexpr const char* kSmall =
    "%%MatrixMarket matrix coordinate pattern general\n3 4 4\n1 1\n2 3\n3 4\n3 2\n";

std::complex<double> coefficient(std::int64_t u, std::int64_t v) {
  std::complex<double> sum;
  for (const auto& [i, j] : kEntries) {
    sum += std::polar(
        1.0, -2.0 * std::numbers::pi * (static_cast<double>(u * i) / 3.0 + static_cast<double>(v * j) / 4.0));
  }
  return sum;
}

TEST_F(Cli, RunsTheBenchmarksThatAreBesideIt) {
  fs::copy_file(SPYCTRUM_BIN_DIR "/spyctrum-cli", path("spyctrum-cli"));
  const auto program = [&](const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(path(name), fs::perms::owner_all);
  };
  const std::string bench = path("spyctrum-cli") + " bench --quiet ";
  EXPECT_EQ(shell(bench).code, 2) << "nothing was built";
  program("bench_good", "echo 'a | 1'; echo 'b | 2'");
  program("bench_bad", "exit 3");
  EXPECT_EQ(json_of(shell(bench + "--json").out)["benchmarks"], json({"bad", "good"}));
  EXPECT_EQ(shell(bench + "--what good").out, "a | 1\nb | 2\n");
  const json result = json_of(shell(bench + "--what good --json").out)["results"];
  EXPECT_EQ(result[0]["table"], "a | 1\nb | 2\n");
  const Outcome failed = shell(bench + "--what all");
  EXPECT_EQ(failed.code, 1);
  EXPECT_NE(failed.err.find("bad"), std::string::npos) << failed.err;
  const Outcome unknown = shell(bench + "--what worse");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("bad, good"), std::string::npos) << unknown.err;
}

TEST_F(Cli, ReportsWhatWasLoaded) {
  std::ofstream(path("a.mtx")) << kSmall;
  const json info = run_json("info " + path("a.mtx"));
  EXPECT_EQ(info["rows"], 3);
  EXPECT_EQ(info["cols"], 4);
  EXPECT_EQ(info["nonzeros"], 4);
  EXPECT_EQ(info["entries_in_file"], 4);
  EXPECT_EQ(info["symmetry"], "general");
  EXPECT_EQ(info["max_row"], 2);
  EXPECT_EQ(info["empty_rows"], 0);
  for (const char* field :
       {"file", "format", "duplicates", "explicit_zeros", "empty_cols", "max_col", "density", "seconds"}) {
    EXPECT_TRUE(info.contains(field)) << field;
  }
}

TEST_F(Cli, ListsTheFilesBelowAFolder) {
  fs::create_directory(path("inner"));
  for (const char* name : {"b.mtx", "inner/a.npz", "notes.md"}) std::ofstream(path(name)) << kSmall;
  const json info = run_json("info " + folder_.string());
  ASSERT_EQ(info["files"].size(), 2U);
  EXPECT_EQ(info["files"][0]["file"], path("b.mtx"));
  EXPECT_EQ(info["files"][0]["bytes"], std::string_view(kSmall).size());
  EXPECT_EQ(info["files"][1]["file"], path("inner/a.npz"));
  const Outcome lines = run("info --quiet " + path("inner"));
  EXPECT_EQ(lines.code, 0);
  EXPECT_TRUE(lines.out.starts_with(path("inner/a.npz") + ", ")) << lines.out;
}

TEST_F(Cli, AFolderThatMayNotBeListedIsNamed) {
  const std::string inner = path("inner");
  fs::create_directory(inner);
  ASSERT_EQ(chmod(inner.c_str(), 0), 0);
  ASSERT_EQ(chmod(path("").c_str(), 0777), 0);
  const pid_t child = fork();
  if (child == 0) {
    // The superuser may read everything.
    if ((geteuid() == 0 && setuid(54321) != 0) || access(inner.c_str(), R_OK) == 0) _exit(100);
    const Outcome outcome = shell(SPYCTRUM_BIN_DIR "/spyctrum-cli info --quiet " + inner);
    const bool is_named = outcome.err.find("inner' cannot be listed") != std::string::npos;
    _exit(outcome.code == 3 && is_named ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(chmod(inner.c_str(), 0755), 0);
  if (WEXITSTATUS(status) == 100) GTEST_SKIP() << "this user may read everything";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Cli, ReadsStandardInput) {
  std::ofstream(path("a.mtx")) << kSmall;
  const Outcome outcome = run("info - --json --quiet", "cat " + path("a.mtx") + " | ");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json_of(outcome.out)["nonzeros"], 4);
}

TEST_F(Cli, ListsTheRegistry) {
  const json methods = run_json("methods");
  ASSERT_TRUE(methods.is_array());
  std::vector<std::string> ids;
  for (const json& method : methods) {
    ids.push_back(method["id"]);
    for (const char* field : {"label", "citation", "exactness", "backends", "parameters"}) {
      EXPECT_TRUE(method.contains(field)) << method["id"] << " " << field;
    }
  }
  for (const char* id : {"dense", "bs-fft", "bs-fft-paper", "elastic", "elastic-paper", "density-map",
                         "fixed-point", "fps-sft", "pruned", "nufft", "exact"}) {
    EXPECT_NE(std::find(ids.begin(), ids.end(), id), ids.end()) << id;
  }
}

TEST_F(Cli, FeaturesHaveTheDocumentedFields) {
  const json features =
      run_json("features gen:band:n=60,lower=1,upper=2 --method elastic --block 4 --seed 7");
  for (const char* field :
       {"file",     "rows",      "cols",    "nonzeros", "method", "block",   "backend",
        "device",   "exactness", "samples", "entropy",  "radial", "sectors", "low_frequency_ratio",
        "flatness", "imbalance", "seconds", "bytes",    "seed",   "version"}) {
    EXPECT_TRUE(features.contains(field)) << field;
  }
  EXPECT_EQ(features["radial"].size(), 16U);
  EXPECT_EQ(features["sectors"].size(), 8U);
  EXPECT_EQ(features["block"], 4);
  EXPECT_EQ(features["seed"], 7);
  EXPECT_TRUE(features["seconds"].contains("load"));
  EXPECT_TRUE(features["bytes"].contains("peak"));
}

TEST_F(Cli, SpectrumEqualsTheDirectSumInDftOrder) {
  std::ofstream(path("a.mtx")) << kSmall;
  for (const char* method : {"dense", "bs-fft", "bs-fft-paper"}) {
    const json report =
        run_json("spectrum " + path("a.mtx") + " --method " + method + " --out " + path("f.npy"));
    EXPECT_EQ(report["rows"], 3);
    EXPECT_EQ(report["cols"], 4);
    const Npy npy = read_npy(path("f.npy"));
    EXPECT_NE(npy.header.find("'<c8'"), std::string::npos) << npy.header;
    EXPECT_NE(npy.header.find("(3, 4)"), std::string::npos) << npy.header;
    const auto values = values_of<std::complex<float>>(npy);
    ASSERT_EQ(values.size(), 12U);
    for (int u = 0; u < 3; ++u) {
      for (int v = 0; v < 4; ++v) {
        EXPECT_NEAR(
            std::abs(std::complex<double>(values[static_cast<std::size_t>(4 * u + v)]) - coefficient(u, v)),
            0, 1e-5)
            << method << " " << u << " " << v;
      }
    }
  }
}

TEST_F(Cli, CenteredOrderPutsDcInTheMiddle) {
  std::ofstream(path("a.mtx")) << kSmall;
  run_json("spectrum " + path("a.mtx") + " --method bs-fft --as magnitude --centered --out " + path("f.npy"));
  const auto values = values_of<float>(read_npy(path("f.npy")));
  ASSERT_EQ(values.size(), 12U);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(values[static_cast<std::size_t>(4 * r + c)], std::abs(coefficient(r - 1, c - 2)), 1e-5);
    }
  }
}

TEST_F(Cli, WindowTakesNegativeOriginsAndSteps) {
  std::ofstream(path("a.mtx")) << kSmall;
  for (const char* method : {"exact", "bs-fft", "dense", "elastic"}) {
    run_json("spectrum " + path("a.mtx") + " --method " + method + " --window -5,-2,3,2,2,3 --out " +
             path("w.npy"));
    const auto values = values_of<std::complex<float>>(read_npy(path("w.npy")));
    ASSERT_EQ(values.size(), 6U) << method;
    for (int p = 0; p < 3; ++p) {
      for (int q = 0; q < 2; ++q) {
        EXPECT_NEAR(std::abs(std::complex<double>(values[static_cast<std::size_t>(2 * p + q)]) -
                             coefficient(-5 + 2 * p, -2 + 3 * q)),
                    0, 1e-5)
            << method;
      }
    }
  }
}

TEST_F(Cli, ReconstructionOfExactSamplesKeepsThem) {
  const json report = run_json("reconstruct gen:random:n=40,nnz=90 --method elastic --block 4 --out " +
                               path("r.npy") + " --reference exact");
  EXPECT_EQ(report["rows"], 40);
  EXPECT_GT(report["hellinger"].get<double>(), 0.0);
  EXPECT_LT(report["hellinger"].get<double>(), 0.7);
  EXPECT_EQ(values_of<float>(read_npy(path("r.npy"))).size(), 1600U);
  EXPECT_NEAR(values_of<float>(read_npy(path("r.npy")))[0], 90.0, 1e-3);
}

TEST_F(Cli, ComparesMethodsAndBlocks) {
  const json report = run_json(
      "compare gen:power-law:n=300,nnz=1500 --methods elastic,density-map,bs-fft --blocks 4,8 --csv " +
      path("c.csv"));
  ASSERT_EQ(report["results"].size(), 5U);
  EXPECT_NEAR(report["results"][4]["entropy_error"].get<double>(), 0, 1e-6);
  EXPECT_GT(report["results"][2]["hellinger"].get<double>(), 0.0);
  std::ifstream csv(path("c.csv"));
  std::size_t lines = 0;
  for (std::string text; std::getline(csv, text);) ++lines;
  EXPECT_EQ(lines, 6U);
}

TEST_F(Cli, GeneratedFilesReadBack) {
  const json made = run_json("generate band n=50 lower=1 upper=1 --out " + path("band.mtx"));
  EXPECT_EQ(made["nonzeros"], 148);
  EXPECT_EQ(run_json("info " + path("band.mtx"))["nonzeros"], 148);
}

TEST_F(Cli, WrongUseEndsWithTwo) {
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("unknown").code, 2);
  EXPECT_EQ(run("features").code, 2);
  EXPECT_EQ(run("features gen:diagonal:n=4 --method no-such-method").code, 2);
  EXPECT_EQ(run("features gen:diagonal:n=4 --method elastic --block 0").code, 2);
  EXPECT_EQ(run("features gen:diagonal:n=4 --method elastic --set nonsense=1").code, 2);
  EXPECT_EQ(run("features gen:no-such-kind:n=4 --method exact").code, 2);
  EXPECT_EQ(run("features gen:diagonal:n=4 --method exact --backend gpu").code, 2);
  EXPECT_EQ(run("methods --backend gpu").code, 2);
  EXPECT_EQ(run("spectrum gen:diagonal:n=4 --method exact --out " + path("x.jpg")).code, 2);
  EXPECT_EQ(run("spectrum gen:diagonal:n=4 --method exact --window 1,2,3 --out " + path("x.npy")).code, 2);
  for (const std::string command : {"spectrum", "reconstruct"}) {
    const auto refused = run(command + " " + path("missing.mtx") +
                             " --method elastic --window 0,0,0,1 --out " + path("x.npy"));
    EXPECT_EQ(refused.code, 2) << refused.err << ": before the matrix is read";
  }
  EXPECT_EQ(run("features gen:diagonal:n=4 --method exact --memory lots").code, 2);
  EXPECT_EQ(run("--help").code, 0);
}

TEST_F(Cli, HelpNamesTheKindsOfGeneratedMatricesTheirKeysAndTheColourMaps) {
  const std::string kinds = run("generate --help").out;
  for (const char* words : {"\n  band: ", "bandwidth=1  diagonals on either side", "\n  rmat: ", "seed  of"})
    EXPECT_NE(kinds.find(words), std::string::npos) << words << '\n' << kinds;
  EXPECT_NE(run("spectrum --help").out.find("cividis, viridis"), std::string::npos);
}

TEST_F(Cli, WrongUseNamesTheWordThatIsWrong) {
  const std::string matrix = "gen:diagonal:n=4 ";
  const std::vector<std::array<std::string, 2>> lines{
      {"featurs " + matrix, "There is no command 'featurs'. Did you mean features?"},
      {"frobnicate", "There is no command 'frobnicate'. Choose info, methods, features,"},
      {"", "No command is named."},
      {"--json features " + matrix + "--method exact", "'--json' is not an option of spyctrum-cli itself."},
      {"features " + matrix + "--methd exact", "features has no option '--methd'. Did you mean --method?"},
      {"features " + matrix + "--frobnicate=1 --method exact", "features has no option '--frobnicate'."},
      {"features " + matrix + "further --method exact",
       "features does not take a further argument 'further'."},
      {"features " + matrix + "--method", "--method needs a value."},
      {"features " + matrix, "--method is required."},
      {"features " + matrix + "--method elastic --block x", "--block: 'x' is not a whole number"},
      {"compare " + matrix + "--methods elastic --blocks 4,x", "' is not a list of whole numbers."},
      {"features " + matrix + "--method exact --threads -1", "--threads: '-1' is not a whole number"},
      {"features " + matrix + "--method exact --seed -1", "--seed: '-1' is not a whole number"},
      {"similar " + matrix + "--top 0", "--top: "}};
  for (const auto& [line, message] : lines) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << line << ": " << outcome.err;
  }
  const json error = json_of(run("features " + matrix + "--methd exact --json").out);
  EXPECT_EQ(error["error"]["kind"], "wrong use") << error;
}

TEST_F(Cli, TextForPeopleCountsInWholeNumbers) {
  std::ofstream(path("one.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 1\n";
  const std::string info = run("info " + path("one.mtx")).out;
  EXPECT_NE(info.find("1 entry, 0 duplicates merged"), std::string::npos) << info;
  EXPECT_NE(info.find("1 row, 2 columns"), std::string::npos) << info;
  EXPECT_NE(info.find("row of 1 entry, column of 1 entry"), std::string::npos) << info;
  for (const std::string command : {"theory", "related"}) {
    const std::string text = run(command + " gen:diagonal:n=500").out;
    EXPECT_NE(text.find("499 of 250,000"), std::string::npos) << text;
    EXPECT_EQ(text.find("449."), std::string::npos) << text;
  }
  const std::string compared =
      run("compare gen:diagonal:n=3000 --methods density-map --blocks 1024 --features-only").out;
  EXPECT_NE(compared.find("density-map    1024"), std::string::npos) << compared;
  EXPECT_NE(compared.find(" B"), std::string::npos) << "bytes have a unit: " << compared;
  const std::string explained = run("explain gen:stochastic-blocks:n=6000,blocks=3").out;
  EXPECT_EQ(explained.find("e+03"), std::string::npos) << explained;
}

TEST_F(Cli, CommandsThatComputeAHugePlaneSaySo) {
  for (const std::string command : {"related", "theory"}) {
    const std::string error = run(command + " gen:random:n=3000000,nnz=10", "timeout -s INT 1 ").err;
    EXPECT_NE(error.find("All 9,000,000,000,000 coefficients"), std::string::npos) << error;
  }
  EXPECT_EQ(run("theory gen:random:n=100,nnz=10").err.find("coefficients of the plane"), std::string::npos);
}

TEST_F(Cli, RemarksAboutTheMatrixAreInTheJson) {
  std::ofstream(path("nan.mtx")) << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n2 2 3\n";
  const json features = run_json("features --weights value --method exact " + path("nan.mtx"));
  ASSERT_EQ(features["notes"].size(), 1U) << features;
  EXPECT_EQ(features["notes"][0],
            "1 entry is NaN, infinite or beyond single precision and has the weight 0.");
}

TEST_F(Cli, EveryLineOfProgressNamesAStage) {
  const std::string lines = run("compare gen:band:n=300 --methods density-map --blocks 4").err;
  EXPECT_EQ(lines.find(": \n"), std::string::npos) << lines;
}

TEST_F(Cli, UnreadableInputEndsWithThreeAndLeavesStandardOutputAlone) {
  std::ofstream(path("bad.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n4 1\n";
  const Outcome outcome = run("features " + path("bad.mtx") + " --method exact");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(outcome.out.empty());
  EXPECT_NE(outcome.err.find("bad.mtx"), std::string::npos);
  EXPECT_NE(outcome.err.find('3'), std::string::npos) << "names the line";
  EXPECT_EQ(run("info " + path("missing.mtx")).code, 3);
  const json error = json_of(run("info " + path("missing.mtx") + " --json").out);
  EXPECT_EQ(error["error"]["exit_code"], 3);
}

TEST_F(Cli, TooSmallAnAllowanceEndsWithFourAndNamesASettingThatFits) {
  const Outcome outcome = run("features gen:random:n=3000,nnz=9000 --method dense --memory 1M");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.err.find("1.00 MB"), std::string::npos) << outcome.err;
  EXPECT_EQ(run("features gen:random:n=3000,nnz=9000 --method dense --memory 1000K").err, outcome.err);
}

TEST_F(Cli, ARefusalInAComparisonNamesTheSetting) {
  const Outcome outcome =
      run("compare gen:random:n=3000,nnz=9000 --methods density-map --blocks 2 --memory 8M");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.err.find("Density Map, b = 2: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(" are needed for 3,000 × 3,000 ("), std::string::npos) << outcome.err;
}

TEST_F(Cli, MoreThreadsThanTheSystemPermitsAreNoError) {
  const Outcome outcome = run("features gen:diagonal:n=40 --method exact --threads 4294967295");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(" are used, all that"), std::string::npos) << outcome.err;
}

TEST_F(Cli, AnAbsentBackendEndsWithFive) {
  const Outcome outcome = run("features gen:diagonal:n=4 --method exact --backend cuda:63");
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_EQ(run("methods --backend cuda:63").code, 5);
}

TEST_F(Cli, InterruptEndsWith130AndLeavesNoFile) {
  const std::string out = path("big.npy");
  const pid_t child = fork();
  if (child == 0) {
    execl(SPYCTRUM_BIN_DIR "/spyctrum-cli", "spyctrum-cli", "spectrum", "gen:random:n=20011,nnz=300000",
          "--method", "bs-fft", "--quiet", "--out", out.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    files += entry.path().filename() != "stderr" ? 1 : 0;
  }
  EXPECT_EQ(files, 0U) << "a half-written file was left";
}

}  // namespace
