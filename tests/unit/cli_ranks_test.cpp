// SPDX-License-Identifier: Apache-2.0
// The command line under mpirun: one result, the same bits for any number of ranks, and an end when one of
// them ends. Skipped where there is no mpiexec or the program was built without MPI.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/cluster/communicator.hpp"
#include "tests/support/cli_fixture.hpp"

namespace spyctrum::test {
namespace {

class CliRanks : public CliFixture {
 protected:
  void SetUp() override {
    if (std::string(SPYCTRUM_MPIEXEC).empty()) GTEST_SKIP() << "NOT RUN: no MPI was found at build time";
  }
  /// The program on `ranks` ranks.
  [[nodiscard]] Outcome run_on(unsigned ranks, const std::string& arguments) const {
    return run(arguments, command(ranks));
  }
  /// Open MPI needs permission to run as root and with more ranks than processors; MPICH ignores these.
  [[nodiscard]] static std::string command(unsigned ranks) {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
           "'" SPYCTRUM_MPIEXEC "' -n " +
           std::to_string(ranks) + " ";
  }
  /// The JSON of one result without what depends on time.
  [[nodiscard]] static nlohmann::json result_of(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    nlohmann::json json = json_of(outcome.out);
    EXPECT_FALSE(json.is_discarded()) << outcome.out;
    for (const char* name : {"seconds", "bytes"}) json.erase(name);
    return json;
  }
};

constexpr const char* kFeatures =
    "features gen:power-law:n=1500,nnz=9000,seed=3 --method exact --threads 1 --json --quiet";

TEST_F(CliRanks, FeaturesHaveTheSameBitsForAnyNumberOfRanks) {
  for (const char* until : {"", " --until 0.01"}) {
    const nlohmann::json one = result_of(run_on(1, std::string(kFeatures) + until));
    EXPECT_GT(one.value("entropy", 0.0), 0.5);
    for (const unsigned ranks : {2U, 3U, 4U})
      EXPECT_EQ(result_of(run_on(ranks, std::string(kFeatures) + until)), one) << ranks << until;
  }
}

TEST_F(CliRanks, AStateOfThreeRanksIsContinuedByOne) {
  const std::string state = " --state " + path("sums");
  const nlohmann::json whole = result_of(run_on(1, kFeatures));
  const nlohmann::json begun = result_of(run_on(3, kFeatures + state + " --until 0.05"));
  ASSERT_GT(begun.value("rows_to_do", 0), 0) << "the first part must not be everything";
  EXPECT_EQ(result_of(run_on(1, kFeatures + state)), whole);
}

TEST_F(CliRanks, AKilledRankEndsTheJobAndALaterRunContinuesFromTheState) {
  const std::string big = "gen:power-law:n=24000,nnz=90000,seed=3";
  const std::string words =
      "features " + big + " --method exact --threads 1 --json --quiet --state " + path("sums");
  const nlohmann::json begun = result_of(run_on(3, words + " --until 0.05"));
  ASSERT_GT(begun.value("rows_to_do", 0), 0) << "the first part must not be everything";
  // One of three writes its process number, and is killed among its rows.
  const std::string program = SPYCTRUM_BIN_DIR "/spyctrum-cli " + words;
  const pid_t job = fork();
  if (job == 0) {
    const std::string line = "exec env " + command(1) + program + " : -n 1 sh -c 'echo $$ >" +
                             path("process") + "; exec " + program + "' : -n 1 " + program + " >" +
                             path("noise") + " 2>&1";
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  constexpr double kAmongRows =
      0.15;  // seconds of processor time; a start takes 0.03, the rows of a rank 0.5
  pid_t rank = 0;
  while (waitpid(job, nullptr, WNOHANG) == 0) {
    const std::string number = text_of(path("process"));
    rank = number.ends_with('\n') ? std::stoi(number) : 0;
    if (rank > 0 && seconds_of(rank) > kAmongRows) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_GT(rank, 0) << text_of(path("noise"));
  ASSERT_EQ(kill(rank, SIGKILL), 0) << "the job ended before: " << text_of(path("noise"));
  EXPECT_GT(end_of(job, std::chrono::seconds(60)), 0) << "the others end, and not with success";
  const nlohmann::json after = result_of(run_on(2, words));
  EXPECT_EQ(after, result_of(run_on(1, "features " + big + " --method exact --threads 1 --json --quiet")));
}

TEST_F(CliRanks, RanksWithDifferentMatricesAreRefused) {
  // Each rank writes and reads a matrix of its own.
  const std::string line = "sh -c 'f=" + path("m") +
                           "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}.mtx; printf \"%%%%MatrixMarket matrix "
                           "coordinate pattern general\\n9 9 1\\n"
                           "1 $((1+${PMI_RANK:-$OMPI_COMM_WORLD_RANK}))\\n\" > $f; exec " SPYCTRUM_BIN_DIR
                           "/spyctrum-cli features $f --method exact'";
  const Outcome outcome = shell(command(2) + line);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("has another matrix"), std::string::npos) << outcome.err;
}

TEST_F(CliRanks, TheClockBeginsWhenTheLastRankHasReadTheMatrix) {
  // Each rank reads from a pipe; there is something to read in the second one only after the first has been
  // opened.
  const std::string first = path("first.mtx");
  const std::string second = path("second.mtx");
  std::ofstream(path("m.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n9 9 1\n1 1\n";
  const std::string program = "'" SPYCTRUM_BIN_DIR "/spyctrum-cli' features --method exact --json --quiet ";
  const std::string from = "cat " + path("m.mtx") + " >";
  const Outcome outcome =
      shell("mkfifo " + first + " " + second + "; (" + from + first + "; sleep 1; " + from + second + ") & " +
            command(1) + program + first + " : -n 1 " + program + second);
  const nlohmann::json json = json_of(outcome.out);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json& seconds = json.at("seconds");
  EXPECT_GT(seconds.value("wait", 0.0), seconds.value("compute", 1e9));
  EXPECT_NEAR(seconds.value("total", 0.0),
              seconds.value("load", 0.0) + seconds.value("wait", 0.0) + seconds.value("compute", 0.0), 1e-9);
}

TEST_F(CliRanks, AnErrorOfAllRanksIsReportedOnceAndEndsTheJob) {
  const Outcome outcome = run_on(3, "features " + path("nothing.mtx") + " --method exact");
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  const std::string message = "cannot be opened";
  const std::size_t first = outcome.err.find(message);
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(message, first + 1), std::string::npos) << outcome.err;
}

TEST_F(CliRanks, StandardInputIsRefused) {
  const Outcome outcome = run_on(2, "features - --method exact </dev/null");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("one rank only"), std::string::npos) << outcome.err;
}

TEST_F(CliRanks, AStudyIsDividedAndHasTheTableOfOneRank) {
  const std::string study =
      "study gen:band:n=90 gen:arrow:n=77 gen:random:n=100,nnz=700 --methods bs-fft,elastic --blocks 4,16 "
      "--repeats 1 --threads 1 --no-figures --quiet --out ";
  const Outcome outcome = run_on(3, study + path("three"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 1) << outcome.out;
  EXPECT_EQ(run(study + path("one")).code, 0);
  EXPECT_EQ(text_of(path("three/results.csv")), text_of(path("one/results.csv")));
  EXPECT_FALSE(std::filesystem::exists(path("three/shards")));
}

TEST_F(CliRanks, AnIndexIsDividedAndHasTheFingerprintsOfOneRank) {
  std::filesystem::create_directories(path("m"));
  for (int k = 0; k < 20; ++k)
    std::ofstream(path("m/x" + std::to_string(k) + ".mtx"))
        << "%%MatrixMarket matrix coordinate pattern general\n300 500 3\n1 1\n2 3\n300 " << k + 1 << '\n';
  std::ofstream(path("m/bad.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n4 1\n";
  std::ofstream(path("list.txt")) << "gen:arrow:n=50\ngen:random:n=3000,nnz=9000\n" << path("m") << '\n';
  const std::string words = "index --threads 2 --json --quiet --list " + path("list.txt") + " --db ";
  const auto similar = [&](const std::string& db) {
    return run_json("similar gen:band:n=60 --count 30 --db " + path(db));
  };
  const nlohmann::json alone = result_of(run(words + path("one.db")));
  EXPECT_EQ(alone.value("indexed", 0), 22);
  const nlohmann::json known = similar("one.db");
  for (const unsigned ranks : {2U, 3U}) {
    const std::string db = std::to_string(ranks) + ".db";
    const nlohmann::json shared = result_of(run_on(ranks, words + path(db)));
    for (const char* name : {"indexed", "known", "unchanged", "failed"})
      EXPECT_EQ(shared.at(name), alone.at(name)) << ranks << name;
    EXPECT_EQ(similar(db), known) << ranks;
    EXPECT_EQ(result_of(run_on(ranks, words + path(db))).value("unchanged", 0), 22) << ranks;
  }
}

TEST_F(CliRanks, OtherCommandsRunOnRankZeroAlone) {
  const Outcome outcome = run_on(3, "info gen:band:n=30 --json");
  EXPECT_EQ(result_of(outcome).at("rows"), 30);
}

TEST_F(CliRanks, RanksOfOneMachineShareItsMemory) {
  // What is free changes while other programs run; the refusal names the allowance, e.g. "the allowance
  // is 16.7 GB".
  const auto allowance = [&](unsigned ranks) {
    const Outcome refused =
        run_on(ranks, "spectrum gen:diagonal:n=2000000 --method exact --quiet --out " + path("plane.npy"));
    EXPECT_EQ(refused.code, 4) << refused.err;
    const std::string before = "the allowance is ";
    const std::size_t at = refused.err.find(before);
    if (at == std::string::npos) return 0.0;
    double value = 0;
    std::string unit;
    std::istringstream(refused.err.substr(at + before.size())) >> value >> unit;
    return unit.starts_with("GB") ? value : unit.starts_with("MB") ? value / 1000 : 0.0;
  };
  EXPECT_NEAR(allowance(1) / allowance(4), 4, 1.5);
}

TEST(Alone, HasOneRankThatReceivesItsOwnData) {
  const auto ranks = alone();
  EXPECT_EQ(ranks->rank(), 0U);
  EXPECT_EQ(ranks->size(), 1U);
  EXPECT_EQ(ranks->ranks_on_host(), 1U);
  EXPECT_EQ(ranks->rank_on_host(), 0U);
  const std::vector<std::byte> own{std::byte{3}, std::byte{1}};
  EXPECT_EQ(ranks->gather(own, {}), (std::vector<std::vector<std::byte>>{own}));
}

}  // namespace
}  // namespace spyctrum::test
