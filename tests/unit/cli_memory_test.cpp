// SPDX-License-Identifier: Apache-2.0
// The command line keeps to --memory: what is written is never held as a whole, and what cannot fit is
// refused with exit code 4 and advice before it is computed. Sizes are those of the process as the system
// counts them.
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/support/cli_fixture.hpp"

namespace spyctrum::test {
namespace {

class CliMemory : public CliFixture {
 protected:
  struct Cost {
    int code = -1;
    std::int64_t peak_bytes = 0;
  };
  [[nodiscard]] Cost cost_of(const std::vector<std::string>& arguments) const {
    int status = 0;
    rusage usage{};
    const pid_t child = start(arguments);
    if (wait4(child, &status, 0, &usage) != child) return {};
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, std::int64_t{usage.ru_maxrss} * 1024};
  }
};

/// 25 million magnitudes: 100 MB as numbers, 175 MB for a picture that is made at once. The memory for a
/// plane of 2,500 is subtracted: the program without a plane.
TEST_F(CliMemory, PlanesAreWrittenRowByRow) {
  for (const std::string ending : {".npy", ".npz", ".png"}) {
    const std::string out = path("plane" + ending);
    const auto cost_of_plane = [&](const char* matrix) {
      const Cost cost = cost_of({"reconstruct", matrix, "--method", "elastic", "--block", "64", "--memory",
                                 "40M", "--threads", "2", "--quiet", "--out", out});
      EXPECT_EQ(cost.code, 0) << text_of(path("stderr"));
      EXPECT_TRUE(std::filesystem::exists(out));
      return cost.peak_bytes;
    };
    const std::int64_t program = cost_of_plane("gen:random:n=50,nnz=200");
    EXPECT_LT(cost_of_plane("gen:random:n=5000,nnz=20000") - program, 60'000'000) << ending;
  }
}

TEST_F(CliMemory, FrequenciesOfAnOutputThatDoNotFitAreRefused) {
  const std::vector<std::string> command{"reconstruct",    "gen:random:n=1000000000,nnz=1000",
                                         "--method",       "elastic",
                                         "--block",        "1000000",
                                         "--memory",       "1G",
                                         "--threads",      "2",
                                         "--quiet",        "--out",
                                         path("plane.npy")};
  const Cost whole = cost_of(command);
  EXPECT_EQ(whole.code, 4);
  EXPECT_LT(whole.peak_bytes, 1'000'000'000);
  const std::string said = text_of(path("stderr"));
  EXPECT_NE(said.find("smaller window"), std::string::npos) << said;
  EXPECT_NE(said.find("the allowance is 1.00 GB"), std::string::npos) << said;
  EXPECT_FALSE(std::filesystem::exists(path("plane.npy")));

  std::vector<std::string> window = command;
  window.insert(window.end(), {"--window", "-4,0,8,8"});
  EXPECT_EQ(cost_of(window).code, 0) << text_of(path("stderr"));
}

TEST_F(CliMemory, ARowOfTheOutputCountsToo) {
  const Outcome outcome =
      run("reconstruct gen:random:rows=10,cols=2000000,nnz=50 --method elastic --block 50000 --window "
          "0,0,1,2000000 --memory 100M --quiet --out " +
          path("row.npy"));
  EXPECT_EQ(outcome.code, 4) << outcome.err;
}

/// Samples and reconstructions of all methods are held until the reference is streamed.
TEST_F(CliMemory, WhatComparedMethodsHoldCountsTogether) {
  const auto compare = [&](const std::string& blocks, const std::string& memory) {
    return run("compare gen:random:n=4000,nnz=20000 --methods elastic --quiet --threads 2 --blocks " +
               blocks + " --memory " + memory);
  };
  EXPECT_EQ(compare("4", "40M").code, 0);
  const Outcome refused = compare("4,5,4,5,4,5", "40M");
  EXPECT_EQ(refused.code, 4) << refused.out;
  EXPECT_NE(refused.err.find("are in use"), std::string::npos) << refused.err;
  EXPECT_EQ(compare("4,5,4,5,4,5", "400M").code, 0);
}

/// What fits an allowance fits a larger one, both of --memory and of the system's limit on address space.
TEST_F(CliMemory, WhatFitsFitsALargerAllowance) {
  for (const bool is_limit : {false, true}) {
#ifdef SPYCTRUM_SANITIZED
    if (is_limit)
      GTEST_SKIP() << "NOT TRIED under a sanitizer, which needs terabytes of addresses: ulimit -v";
#endif
    bool has_fitted = false;
    for (int megabytes = 10; megabytes <= 600; megabytes += megabytes < 100 ? 30 : 50) {
      const std::string size = std::to_string(megabytes);
      const std::string command =
          "compare gen:random:n=1000,nnz=9000 --methods elastic,density-map --blocks 4,8 --quiet --threads 2";
      const Outcome outcome =
          is_limit ? run(command, "ulimit -v " + size + "000 && ") : run(command + " --memory " + size + "M");
      EXPECT_EQ(outcome.code, has_fitted ? 0 : outcome.code) << size << " MB: " << outcome.err;
      has_fitted = has_fitted || outcome.code == 0;
    }
    EXPECT_TRUE(has_fitted);
  }
}

}  // namespace
}  // namespace spyctrum::test
