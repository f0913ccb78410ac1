// SPDX-License-Identifier: Apache-2.0
// Several processes work on one study: every cell is computed once, the tables are those of one process, and
// what a process leaves that is killed is done by the others.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "app/study/study_csv.hpp"
#include "app/study/study_journal.hpp"
#include "app/study/study_json.hpp"
#include "app/study/study_run.hpp"
#include "tests/support/file_bytes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum {
namespace {

namespace fs = std::filesystem;

class StudyShardTest : public ::testing::Test {
 protected:
  StudyShardTest() { fs::create_directories(shared()); }

  static StudyPlan plan() {
    StudyPlan plan;
    plan.methods = {"bs-fft", "elastic", "density-map"};
    plan.blocks = {4, 16};
    plan.memory_bytes = std::uint64_t{1} << 30U;
    plan.repeats = 1;
    EXPECT_TRUE(set_sources(plan, {"gen:band:n=90", "gen:arrow:n=77", "gen:random:n=100,nnz=700"}, false));
    return plan;
  }
  static Result<Study> run(const std::string& folder, std::optional<ShardNumber> shard) {
    ThreadPool pool(1);
    StudyOptions options;
    options.shard = shard;
    return run_study(plan(), folder, pool, options);
  }
  /// results.csv of one process that does everything.
  std::string expected() {
    const auto study = run(scratch_.file("alone"), std::nullopt);
    EXPECT_TRUE(study);
    EXPECT_TRUE(write_study_csv(*study));
    return test::bytes_of(scratch_.file("alone/results.csv"));
  }
  /// results.csv of what the folder holds.
  [[nodiscard]] std::string results() const {
    const auto study = load_study(shared());
    EXPECT_TRUE(study) << study.error().message();
    EXPECT_EQ(cells_left(*study), 0U);
    EXPECT_TRUE(write_study_csv(*study));
    return test::bytes_of(shared() + "/results.csv");
  }
  [[nodiscard]] std::string shared() const { return scratch_.file("shared"); }
  /// How often each cell is in a journal of a shard.
  [[nodiscard]] std::multiset<std::string> recorded_cells() const {
    std::multiset<std::string> cells;
    for (const std::string& path : shard_journals(shared())) {
      for (const std::string& line : read_journal(path)) {
        Study one;
        add_record(one, StudyJson::parse(line));
        for (const StudyCell& cell : one.cells)
          cells.insert(cell.matrix + " " + cell.method + " " + std::to_string(cell.block.value_or(0)));
      }
    }
    return cells;
  }
  test::ScratchFolder scratch_;
};

/// Starts the program on one shard of a study that takes seconds.
pid_t start_shard(const std::string& folder, const std::string& shard) {
  const std::vector<std::string> words{std::string(SPYCTRUM_BIN_DIR) + "/spyctrum-cli",
                                       "study",
                                       "gen:random:n=1500,nnz=9000",
                                       "gen:band:n=1200",
                                       "--out",
                                       folder,
                                       "--blocks",
                                       "2,4,8,16,32",
                                       "--methods",
                                       "bs-fft,elastic,density-map",
                                       "--repeats",
                                       "1",
                                       "--no-figures",
                                       "--quiet",
                                       "--shard",
                                       shard};
  const pid_t child = fork();
  if (child != 0) return child;
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(words.front().c_str(), arguments.data());
  _exit(127);
}

TEST_F(StudyShardTest, ThreeShardsAtOnceComputeEachCellOnceAndMakeTheTableOfOneProcess) {
  std::vector<std::thread> threads;
  for (unsigned k = 1; k <= 3; ++k)
    threads.emplace_back([&, k] {
      const auto study = run(shared(), ShardNumber{k, 3});
      EXPECT_TRUE(study) << study.error().message();
    });
  for (std::thread& thread : threads) thread.join();
  const std::multiset<std::string> cells = recorded_cells();
  EXPECT_EQ(cells.size(), 3U * 5U);
  EXPECT_EQ(std::set<std::string>(cells.begin(), cells.end()).size(), cells.size());
  EXPECT_EQ(results(), expected());
}

TEST_F(StudyShardTest, AShardDoesTheCellsOfAnotherThatNeverStarts) {
  const auto study = run(shared(), ShardNumber{2, 2});
  ASSERT_TRUE(study) << study.error().message();
  EXPECT_EQ(cells_left(*study), 0U);
  EXPECT_EQ(results(), expected());
}

TEST_F(StudyShardTest, AKilledShardIsContinuedByAnother) {
  const pid_t first = start_shard(shared(), "1/2");
  ASSERT_GT(first, 0);
  const std::string journal = shared() + "/shards/1-of-2.jsonl";
  while (std::ranges::count(test::bytes_of(journal), '\n') < 4 && waitpid(first, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  const std::multiset<std::string> done = recorded_cells();
  ASSERT_FALSE(done.empty());
  int status = 0;
  waitpid(start_shard(shared(), "2/2"), &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const std::multiset<std::string> cells = recorded_cells();
  EXPECT_EQ(cells.size(), 2U * 11U);
  EXPECT_EQ(std::set<std::string>(cells.begin(), cells.end()).size(), cells.size())
      << "nothing is computed twice";
}

TEST_F(StudyShardTest, ARunWithoutShardsReadsTheRecordsOfShards) {
  ASSERT_TRUE(run(shared(), ShardNumber{1, 2}));
  const std::string table = results();
  const auto study = run(shared(), std::nullopt);
  ASSERT_TRUE(study) << study.error().message();
  EXPECT_FALSE(fs::exists(shared() + "/shards"));
  EXPECT_FALSE(fs::exists(shared() + "/claims"));
  EXPECT_EQ(results(), table);
}

TEST_F(StudyShardTest, AShardThatRunsIsNotDisturbed) {
  const StudyShard running(shared(), {1, 2});
  for (const auto& other : {std::optional<ShardNumber>(ShardNumber{1, 2}), std::optional<ShardNumber>()}) {
    const auto refused = run(shared(), other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::wrong_use);
  }
}

TEST_F(StudyShardTest, AClaimHoldsWhileItsOwnerRuns) {
  std::optional<StudyShard> first(std::in_place, shared(), ShardNumber{1, 2});
  StudyShard second(shared(), {2, 2});
  EXPECT_EQ(first->claim("a cell"), Claim::granted);
  EXPECT_EQ(first->claim("a cell"), Claim::granted);
  EXPECT_FALSE(second.is_free("a cell"));
  EXPECT_EQ(second.claim("a cell"), Claim::refused);
  EXPECT_TRUE(second.is_running(1));
  first.reset();
  EXPECT_FALSE(second.is_running(1));
  EXPECT_TRUE(second.is_free("a cell"));
  EXPECT_EQ(second.claim("a cell"), Claim::inherited);
  EXPECT_EQ(second.claim("another"), Claim::granted);
}

TEST_F(StudyShardTest, TheCellsOfARunningShardAreCounted) {
  StudyShard other(shared(), {1, 2});
  ASSERT_EQ(other.claim("cell bs-fft - gen:band:n=90"), Claim::granted);
  const std::string out = scratch_.file("out");
  const std::string command = SPYCTRUM_BIN_DIR "/spyctrum-cli study gen:band:n=90 --methods bs-fft --out '" +
                              shared() + "' --shard 2/2 --no-figures --quiet > '" + out + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string text = test::bytes_of(out);
  EXPECT_NE(text.find("other shards are working on 1 cell; afterwards"), std::string::npos) << text;
}

TEST_F(StudyShardTest, AShardWhosePlanIsBeingWrittenByAnotherWaits) {
  static_cast<void>(StudyShard(shared(), {2, 2}));  // makes the folders
  std::optional<FileLock> writing(std::in_place, shared() + "/claims/plan", FileLock::Kind::exclusive);
  std::stop_source stop;
  StudyOptions options;
  options.shard = ShardNumber{2, 2};
  options.stop = stop.get_token();
  std::optional<Result<Study>> stopped;
  std::thread interrupted([&] {
    ThreadPool pool(1);
    stopped.emplace(run_study(plan(), shared(), pool, options));
  });
  stop.request_stop();
  interrupted.join();
  ASSERT_FALSE(*stopped);
  EXPECT_EQ(stopped->error().code, ErrorCode::cancelled);

  std::optional<Result<Study>> waited;
  std::thread waiting([&] { waited.emplace(run(shared(), ShardNumber{1, 2})); });
  std::this_thread::sleep_for(std::chrono::seconds(1));  // a slow disk, or many shards before this one
  writing.reset();
  waiting.join();
  EXPECT_TRUE(*waited) << waited->error().message();
}

TEST_F(StudyShardTest, AClaimKeepsItsTextWhenTheNextIsMade) {
  StudyShard shard(shared(), {1, 1});
  const std::set<std::string> tasks{"a cell", "another", "a third"};
  for (const std::string& task : tasks) EXPECT_EQ(shard.claim(task), Claim::granted);
  std::set<std::string> claims;
  for (const auto& entry : fs::directory_iterator(shared() + "/claims"))
    if (!entry.path().filename().string().starts_with('.'))
      claims.insert(test::bytes_of(entry.path().string()));
  std::set<std::string> expected;
  for (const std::string& task : tasks) expected.insert("1-of-1.jsonl\n" + task + "\n");
  EXPECT_EQ(claims, expected);
}

TEST_F(StudyShardTest, AClaimWhoseOwnersJournalIsGoneIsInherited) {
  { EXPECT_EQ(StudyShard(shared(), {1, 2}).claim("a cell"), Claim::granted); }
  fs::remove(shared() + "/shards/1-of-2.jsonl");  // as an interrupted take-over of its records leaves it
  StudyShard second(shared(), {2, 2});
  EXPECT_TRUE(second.is_free("a cell"));
  EXPECT_EQ(second.claim("a cell"), Claim::inherited);
}

TEST(ShardNumbers, AreKOfN) {
  ASSERT_TRUE(parse_shard("2/8"));
  EXPECT_EQ(parse_shard("2/8")->index, 2U);
  EXPECT_EQ(parse_shard("2/8")->count, 8U);
  for (const char* text : {"", "2", "0/2", "3/2", "a/b", "1/2x", "1/", "/2", "-1/2", "1/99999999999"})
    EXPECT_FALSE(parse_shard(text)) << text;
}

}  // namespace
}  // namespace spyctrum
