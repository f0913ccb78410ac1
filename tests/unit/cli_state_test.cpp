// SPDX-License-Identifier: Apache-2.0
// `features --state` loses nothing: a state that does not belong to the job is refused and left as it is, and
// a job that ends in any way can be resumed from what it had computed a few seconds before.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support/cli_fixture.hpp"

namespace spyctrum::test {
namespace {

namespace fs = std::filesystem;

class CliState : public CliFixture {
 protected:
  [[nodiscard]] std::string state() const { return path("state"); }
  [[nodiscard]] Outcome features(const std::string& matrix, const std::string& more = {}) const {
    return run("features " + matrix + " --method exact --quiet --state " + state() + " " + more);
  }
  /// "rows_done" or "rows_to_do", as a job reports that resumes the state and stops at once.
  [[nodiscard]] std::uint64_t state_of(const std::string& matrix, const char* field = "rows_done") const {
    const nlohmann::json found =
        run_json("features " + matrix + " --method exact --until 0.1 --state " + state());
    return found.value(field, std::uint64_t{0});
  }
};

constexpr const char* kMatrix = "gen:random:n=3000,nnz=12000";
#ifdef __SANITIZE_THREAD__
constexpr std::chrono::milliseconds kFirstRows{30000};  // rows take twenty times as long
#else
constexpr std::chrono::milliseconds kFirstRows{2000};
#endif
/// Some seconds of work on any machine.
constexpr const char* kLong = "gen:random:n=100000,nnz=200000";

TEST_F(CliState, OfAnotherMatrixSettingOrVersionIsRefusedAndNotOverwritten) {
  ASSERT_EQ(features(kMatrix, "--until 0.01").code, 0);
  const std::string ours = text_of(state());
  ASSERT_FALSE(ours.empty());
  const auto refuses = [&](const std::string& matrix, const std::string& more, const std::string& kept,
                           const std::string& said = {}) {
    std::ofstream(state(), std::ios::binary) << kept;
    const Outcome outcome = features(matrix, more);
    EXPECT_EQ(outcome.code, 3) << kept.substr(0, 100) << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
    EXPECT_NE(outcome.err.find(state()), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
    EXPECT_EQ(text_of(state()), kept);
  };
  refuses("gen:random:n=3000,nnz=12000,seed=2", "", ours);
  refuses("gen:random:n=300,nnz=1200", "", ours);
  refuses(kMatrix, "--set tolerance=1e-3", ours);
  const std::size_t version = ours.find(R"("version":")");
  ASSERT_NE(version, std::string::npos);
  std::string other = ours;
  refuses(kMatrix, "", other.insert(version + 11, "9."));
  refuses(kMatrix, "", ours.substr(0, ours.size() / 2));
  refuses(kMatrix, "", ours.substr(0, ours.rfind("hash ")), "earlier version");  // which wrote no hash
  refuses(kMatrix, "", ours.substr(0, ours.size() - 1), "damaged");
  refuses(kMatrix, "", ours + "1", "damaged");
  // Another digit of a sum, which is still a number.
  other = ours;
  const std::size_t digit = other.find('.', other.size() / 2) + 1;
  other[digit] = other[digit] == '1' ? '2' : '1';
  refuses(kMatrix, "", other, "damaged");
  refuses(kMatrix, "", ours.substr(ours.find('\n') + 1));
  refuses(kMatrix, "", "the user's own file\n");
  refuses(kMatrix, "", std::string(100000, ' '));
  refuses(kMatrix, "", {});
}

TEST_F(CliState, ResumesWithAnotherTileAndUntilAnotherError) {
  ASSERT_EQ(features(kMatrix, "--until 0.05").code, 0);
  const std::uint64_t before = state_of(kMatrix);
  EXPECT_GT(before, 0U);
  EXPECT_EQ(features(kMatrix, "--until 0.0001 --set tile=8").code, 0);
  EXPECT_GT(state_of(kMatrix), before);
}

TEST_F(CliState, IsRefusedInTimeWhereItCannotBeAFile) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  // FILE is missing, too (exit code 3): the state is looked at first.
  const std::string job = "features " + path("missing.mtx") + " --method exact --quiet --state ";
  for (const std::string& name :
       {std::string("/dev/null"), std::string("/dev/zero"), path("fifo"), path(".")})
    EXPECT_EQ(run(job + name, "timeout 10 ").code, 2) << name;
  EXPECT_EQ(run(job + path("no/folder/state")).code, 1);
  EXPECT_EQ(run(job + path(std::string(300, 's'))).code, 1);
  EXPECT_EQ(run(job + path("state")).code, 3);
  EXPECT_FALSE(fs::exists(path("state")));
}

TEST_F(CliState, LargerThanTheAllowanceIsRefusedForMemoryAndLeftAsItIs) {
  std::ofstream(state()) << "a state";
  fs::resize_file(state(), std::uintmax_t{1} << 33U);
  const Outcome refused =
      run("features gen:band:n=6 --method exact --memory 1G --state " + state(), "timeout 10 ");
  EXPECT_EQ(refused.code, 4) << refused.err;
  EXPECT_NE(refused.err.find("--memory"), std::string::npos) << refused.err;
  EXPECT_EQ(fs::file_size(state()), std::uintmax_t{1} << 33U);
}

TEST_F(CliState, IsSavedAtOnceByEverySignalThatStops) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    fs::remove(state());
    const pid_t child = start({"features", kLong, "--method", "exact", "--state", state()});
    for (int k = 0; k < 600 && text_of(path("stderr")).find("transform") == std::string::npos; ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    // Long enough for the first rows, and less than the interval at which states are saved.
    std::this_thread::sleep_for(kFirstRows);
    kill(child, signal);
    EXPECT_EQ(end_of(child, std::chrono::seconds(10)), 130) << signal;
    ASSERT_TRUE(fs::exists(state())) << signal;
    EXPECT_GT(state_of(kLong), 0U) << signal;
    EXPECT_TRUE(text_of(path("stdout")).empty());
  }
}

TEST_F(CliState, IsThereAfterAKill) {
  const pid_t child = start({"features", kLong, "--method", "exact", "--quiet", "--state", state()});
  for (int k = 0; k < 300 && !fs::exists(state()); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(child, SIGKILL);
  ASSERT_EQ(end_of(child, std::chrono::seconds(10)), 128 + SIGKILL);
  ASSERT_TRUE(fs::exists(state()));
  EXPECT_GT(state_of(kLong), 0U);
  EXPECT_GT(state_of(kLong, "rows_to_do"), 0U) << "the state came only at the end";
}

TEST_F(CliState, OfAJobStoppedBeforeItsFirstRowIsNoFileThatIsRefusedLater) {
  const pid_t child = start(
      {"features", "gen:random:n=1000000,nnz=10000000", "--method", "exact", "--quiet", "--state", state()});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(child, SIGINT);
  EXPECT_EQ(end_of(child, std::chrono::seconds(10)), 130);
  const bool is_there = fs::exists(state());
  const Outcome next = features("gen:random:n=1000,nnz=5000");
  EXPECT_EQ(next.code, is_there ? 3 : 0);
  if (is_there) {
    EXPECT_NE(next.err.find("another matrix"), std::string::npos) << next.err;
  }
}

}  // namespace
}  // namespace spyctrum::test
