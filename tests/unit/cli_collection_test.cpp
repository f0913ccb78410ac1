// SPDX-License-Identifier: Apache-2.0
// spyctrum-cli index and similar, as scripts call them: what is read again and what is not, and collections
// that are locked, damaged, of a newer version, on a full disk, used by two programs, or interrupted.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support/cli_fixture.hpp"

namespace spyctrum::test {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kLimit{120};

class CliCollection : public CliFixture {
 protected:
  void generate(const std::string& name, const std::string& words) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    ASSERT_EQ(run("generate " + words + " --quiet --out " + path(name)).code, 0);
  }
  [[nodiscard]] std::string db() const { return " --db " + path("c.db"); }
  nlohmann::json index(const std::string& folder = "m") const {
    return run_json("index " + path(folder) + db());
  }
  /// `count` small matrices, all different, in the folder m.
  void write_many(int count) const {
    fs::create_directories(path("m"));
    for (int k = 0; k < count; ++k) {
      std::ofstream out(path("m/x" + std::to_string(k) + ".mtx"));
      out << "%%MatrixMarket matrix coordinate pattern general\n300 500 3\n1 1\n2 3\n300 " << k + 1 << '\n';
    }
  }
  /// Changes bytes of the collection.
  void overwrite(std::streamoff at, const std::string& bytes) const {
    std::fstream file(path("c.db"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
  }
  void expect_refused(const std::string& word, int index_code = 3) const {
    for (const std::string& command : {"index " + path("m"), std::string("similar gen:band:n=60")}) {
      const Outcome outcome = run(command + db() + " --quiet");
      EXPECT_EQ(outcome.code, command.starts_with("index") ? index_code : 3) << command << outcome.err;
      EXPECT_NE(outcome.err.find(word), std::string::npos) << command << outcome.err;
    }
  }
};

TEST_F(CliCollection, FindsAMatrixAgainAndNamesTheReasons) {
  generate("m/a/band.mtx", "band n=300 lower=1 upper=4");
  generate("m/random.mtx", "random n=300 nnz=2000");
  generate("m/blocks.mtx", "block-diagonal n=300 block=10");
  EXPECT_EQ(index()["indexed"], 3);
  const nlohmann::json list = run_json("similar gen:band:n=280,lower=1,upper=4 --count 2" + db());
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["file"], fs::canonical(path("m/a/band.mtx")).string());
  EXPECT_LT(list[0]["distance"], list[1]["distance"]);
  EXPECT_FALSE(list[0]["reasons"].empty());
  const nlohmann::json same = run_json("similar " + path("m/random.mtx") + " --top 1" + db());
  EXPECT_EQ(same[0]["same_pattern"], true);
  EXPECT_EQ(same[0]["distance"], 0);
}

TEST_F(CliCollection, FilesAreReadAgainOnlyWhereTheyHaveChanged) {
  generate("m/a.mtx", "band n=300 lower=1 upper=4");
  generate("m/b.mtx", "random n=300 nnz=2000");
  EXPECT_EQ(index()["indexed"], 2);
  EXPECT_EQ(index()["unchanged"], 2);
  // Another time, the same content.
  fs::last_write_time(path("m/a.mtx"), fs::last_write_time(path("m/a.mtx")) - std::chrono::hours(1));
  nlohmann::json result = index();
  EXPECT_EQ(result["known"], 1);
  EXPECT_EQ(result["indexed"], 0);
  generate("m/a.mtx", "band n=300 lower=2 upper=4");
  result = index();
  EXPECT_EQ(result["indexed"], 1);
  EXPECT_EQ(result["unchanged"], 1);
  // A copy has a known pattern, and similar names both files.
  fs::copy_file(path("m/a.mtx"), path("m/copy.mtx"));
  EXPECT_EQ(index()["known"], 1);
  EXPECT_EQ(run_json("similar " + path("m/a.mtx") + " --count 1" + db())[0]["files"].size(), 2U);
}

TEST_F(CliCollection, BadFilesAreNotedWithTheirReasonUntilTheyChange) {
  generate("m/a.mtx", "band n=300");
  std::ofstream(path("m/bad.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n4 1\n";
  for (int round = 0; round < 2; ++round) {
    const nlohmann::json failed = index()["failed"];
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_NE(failed[0]["reason"].get<std::string>().find("line 3"), std::string::npos) << failed;
  }
  generate("m/bad.mtx", "band n=200");
  const nlohmann::json mended = index();
  EXPECT_TRUE(mended["failed"].empty());
  EXPECT_EQ(mended["indexed"], 1);
  // Two matrices of other patterns are left: one became unreadable.
  std::ofstream(path("m/a.mtx")) << "nothing";
  EXPECT_EQ(index()["failed"].size(), 1U);
  EXPECT_EQ(run_json("similar gen:band:n=300" + db()).size(), 1U);
}

TEST_F(CliCollection, GeneratedMatricesAndListsAreIndexed) {
  generate("m/a.mtx", "band n=300 lower=1 upper=4");
  std::ofstream(path("list.txt")) << "# kinds\n\ngen:arrow:n=50\r\ngen:band:n=x\n"
                                  << path("m") << '\n'
                                  << path("none.mtx") << '\n';
  const std::string words = "index gen:diagonal:n=40 --list " + path("list.txt") + db();
  nlohmann::json result = run_json(words);
  EXPECT_EQ(result["indexed"], 3);
  ASSERT_EQ(result["failed"].size(), 2U) << result;
  EXPECT_EQ(result["failed"][0]["file"], path("none.mtx"));
  EXPECT_EQ(result["failed"][1]["file"], "gen:band:n=x");
  result = run_json(words);
  EXPECT_EQ(result["indexed"], 0);
  EXPECT_EQ(result["unchanged"], 3);
  EXPECT_EQ(run_json("similar gen:arrow:n=50 --count 1" + db())[0]["file"], "gen:arrow:n=50");
  EXPECT_EQ(run("index --quiet" + db()).code, 2);
  EXPECT_EQ(run("index --quiet --list " + path("no.txt") + db()).code, 3);
}

TEST_F(CliCollection, AKilledIndexContinuesWhereItStopped) {
  write_many(60);
  for (int round = 0; round < 3; ++round) {
    const pid_t child = start({"index", path("m"), "--db", path("c.db"), "--quiet"});
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 70 * round));
    kill(child, SIGKILL);
    const int code = end_of(child, kLimit);
    EXPECT_TRUE(code == 0 || code == 128 + SIGKILL) << code;
  }
  const nlohmann::json rest = index();
  EXPECT_EQ(rest["indexed"].get<int>() + rest["unchanged"].get<int>(), 60);
  EXPECT_EQ(rest["fingerprints"], 60);
  EXPECT_EQ(index()["unchanged"], 60);
}

TEST_F(CliCollection, AnInterruptedIndexEndsWith130AndContinuesInTheNextRun) {
  write_many(400);
  const pid_t child = start({"index", path("m"), "--db", path("c.db"), "--quiet"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(child, SIGINT);
  const int code = end_of(child, Seconds(2));  // half a second on an idle machine
  EXPECT_TRUE(code == 130 || code == 0) << code << text_of(path("stderr"));
  const nlohmann::json rest = index();
  EXPECT_EQ(rest["indexed"].get<int>() + rest["unchanged"].get<int>(), 400);
}

TEST_F(CliCollection, TwoIndexersAtOnceLoseNothing) {
  write_many(60);
  const std::vector<std::string> words{"index", path("m"), "--db", path("c.db"), "--quiet"};
  const pid_t one = start(words);
  const pid_t two = start(words);
  EXPECT_EQ(end_of(one, kLimit), 0);
  EXPECT_EQ(end_of(two, kLimit), 0);
  const nlohmann::json after = index();
  EXPECT_EQ(after["unchanged"], 60);
  EXPECT_EQ(after["fingerprints"], 60);
}

TEST_F(CliCollection, ANewerVersionIsRefusedAndKept) {
  write_many(1);
  index();
  overwrite(60, std::string("\0\0\0\x63", 4));  // user_version, big-endian
  const std::string before = text_of(path("c.db"));
  expect_refused("newer version");
  EXPECT_EQ(text_of(path("c.db")), before);
}

TEST_F(CliCollection, OtherFilesAreNoCollectionsAndAreKept) {
  write_many(1);
  std::ofstream(path("c.db")) << "A letter that somebody wrote, and that is longer than a header.\n"
                              << std::string(200, '.');
  const std::string letter = text_of(path("c.db"));
  expect_refused("not a collection");
  EXPECT_EQ(text_of(path("c.db")), letter);
  fs::remove(path("c.db"));
  index();
  overwrite(68, "else");  // application_id
  expect_refused("not a collection");
}

TEST_F(CliCollection, ADamagedCollectionIsRefusedWithAMessage) {
  write_many(8);
  index();
  const auto size = static_cast<std::streamoff>(fs::file_size(path("c.db")));
  for (std::streamoff at = 4096; at < size; at += 4096) overwrite(at, std::string(1024, '\xa5'));
  expect_refused("damaged");
}

TEST_F(CliCollection, AMissingCollectionIsReported) {
  const Outcome outcome = run("similar gen:band:n=60 --quiet" + db());
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("spyctrum-cli index"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("c.db")));
  EXPECT_EQ(run("index " + path("none") + " --quiet" + db()).code, 3);
  EXPECT_FALSE(fs::exists(path("c.db")));
}

TEST_F(CliCollection, ALockedCollectionIsRefusedAfterAWhile) {
  write_many(2);
  index();
  // The locks of a program that is writing (https://www.sqlite.org/fileformat2.html, the lock-byte page).
  const int file = ::open(path("c.db").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(file, 0);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = 0x40000000;
  lock.l_len = 512;
  ASSERT_EQ(fcntl(file, F_SETLK, &lock), 0);
  expect_refused("locked", 1);
  ::close(file);
  EXPECT_EQ(index()["unchanged"], 2);
}

TEST_F(CliCollection, AFullDiskKeepsWhatWasIndexed) {
  write_many(40);
  fs::create_directories(path("few"));
  fs::copy_file(path("m/x0.mtx"), path("few/x0.mtx"));
  EXPECT_EQ(index("few")["fingerprints"], 1);
  // 128 blocks of 512 bytes hold no 40 fingerprints of 9 kB.
  const Outcome full = shell("sh -c 'ulimit -f 128; exec " SPYCTRUM_BIN_DIR "/spyctrum-cli index " +
                             path("m") + db() + " --quiet'");
  EXPECT_EQ(full.code, 1) << full.err;
  EXPECT_NE(full.err.find("what was indexed before is kept"), std::string::npos) << full.err;
  EXPECT_GE(run_json("similar gen:band:n=60 --count 100" + db()).size(), 1U);
  const nlohmann::json rest = index();
  EXPECT_EQ(rest["fingerprints"], 40);
}

TEST_F(CliCollection, AFolderThatVanishesEndsNoIndex) {
  write_many(200);
  fs::create_directories(path("keep"));
  fs::copy_file(path("m/x1.mtx"), path("keep/x1.mtx"));
  index("keep");
  const pid_t child = start({"index", path("m"), "--db", path("c.db"), "--quiet", "--json"});
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  std::error_code ignored;
  fs::rename(path("m"), path("away"), ignored);
  const int code = end_of(child, kLimit);
  // Before the folder is looked at, its absence is an input that cannot be read.
  EXPECT_TRUE(code == 0 || code == 3) << code << text_of(path("stderr"));
  EXPECT_EQ(index("keep")["unchanged"], 1);
  fs::rename(path("away"), path("m"), ignored);
  const nlohmann::json whole = index();
  EXPECT_TRUE(whole["failed"].empty()) << whole["failed"];
  EXPECT_EQ(whole["fingerprints"], 200);
}

TEST_F(CliCollection, ACollectionThatCannotBeWrittenIsReportedBeforeAnythingIsRead) {
  write_many(2);
  index();
  EXPECT_EQ(run("index " + path("m") + " --quiet --db " + path("m/x0.mtx/c.db")).code, 1);
  const test::Outcome missing = run("index " + path("m") + " --quiet --db " + path("missing/folder/c.db"));
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("does not exist"), std::string::npos) << missing.err;
  EXPECT_FALSE(std::filesystem::exists(path("missing")));
  const pid_t child = fork();
  if (child == 0) {
    // The superuser may write everything.
    const bool is_prepared = chmod(path("c.db").c_str(), 0444) == 0 && chmod(path("").c_str(), 0777) == 0 &&
                             fs::remove(path("stderr"));
    if (!is_prepared || (geteuid() == 0 && setuid(54321) != 0)) _exit(100);
    if (geteuid() == 0 || access(path("c.db").c_str(), W_OK) == 0) _exit(100);
    // The other user does not reach a program below /root.
    if (access(SPYCTRUM_BIN_DIR "/spyctrum-cli", X_OK) != 0) _exit(100);
    const Outcome outcome = shell(SPYCTRUM_BIN_DIR "/spyctrum-cli index " + path("m") + db() + " --quiet");
    const Outcome reads = shell(SPYCTRUM_BIN_DIR "/spyctrum-cli similar gen:band:n=60 --quiet" + db());
    _exit(outcome.code == 1 && reads.code == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 100)
    GTEST_SKIP() << "this user may write everything, or another one does not reach the program";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace spyctrum::test
