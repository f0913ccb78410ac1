// SPDX-License-Identifier: Apache-2.0
// A signal that stops spyctrum-cli ends every command at every moment within half a second of work: exit code
// 130, nothing on standard output, no output file, no temporary file. A command that had written its results
// just before ends with 0 and has all of them.
//
// Moments are drawn from a seed, which is printed; SPYCTRUM_SEED sets another one. The half second is
// asserted of the processor time that the program takes after the signal, on each of its processors: other
// tests run beside this one, and a machine that is busy may not give it a processor in time. That the
// program does not wait is asserted with a wide bound: the system does not end a process while it waits for
// a busy disk to create or remove a file.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "tests/support/cli_fixture.hpp"

namespace spyctrum::test {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

constexpr double kProcessorSeconds = 0.5;
constexpr Seconds kBound{20};
constexpr int kMoments = 10;
/// Later moments are not tried, to bound the time of this test.
constexpr double kLatestMoment = 0.6;

class CliInterrupt : public CliFixture {
 protected:
  CliInterrupt() {
    const char* given = std::getenv("SPYCTRUM_SEED");
    const unsigned seed = given != nullptr ? static_cast<unsigned>(std::atoi(given)) : 21;
    random_.seed(seed);
    std::cout << "SPYCTRUM_SEED=" << seed << std::endl;  // before a process is forked
  }

  /// Names of files that an interrupted command leaves, but for those in which it keeps its work.
  [[nodiscard]] std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      const bool is_kept = name == "stdout" || name == "stderr" || name == "state" || name == "fifo" ||
                           entry.path().string().find("/study") != std::string::npos;
      if (!is_kept || name.starts_with('.')) names.push_back(name);
    }
    return names;
  }

  void clear() const {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  /// Returns when the process has reached main() and blocked its signals, or has ended: before, a signal ends
  /// it as it ends any process.
  static void wait_for_main(pid_t child) {
    const std::string status = "/proc/" + std::to_string(child) + "/status";
    for (int k = 0; k < 2000; ++k) {
      const std::string text = text_of(status);
      const std::size_t blocked = text.find("SigBlk:\t");
      // SIGINT, SIGTERM, SIGXCPU and SIGXFSZ, with or without SIGHUP. The thread sanitizer blocks all for a
      // while.
      if (blocked == std::string::npos || text.compare(blocked + 8, 15, "000000000180400") == 0) return;
      if (text.find("State:\tZ") != std::string::npos) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  /// Seconds of processor time of all processes that have ended and were waited for.
  static double seconds_of_ended() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  }
  /// What each thread of a process does: its state, and where it waits in the kernel.
  static std::string threads_of(pid_t child) {
    std::string text;
    std::error_code ended;
    for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(child) + "/task", ended))
      text +=
          text_of(thread.path() / "stat").substr(0, 60) + " in " + text_of(thread.path() / "wchan") + '\n';
    return text;
  }

  /// Interrupts the command after `moment`. `output`: name of the file that it writes; empty: none.
  void interrupt(const std::vector<std::string>& command, const std::string& output, Seconds moment) {
    constexpr std::array<int, 5> kSignals{SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGXFSZ};
    const int signal = kSignals[random_() % kSignals.size()];
    std::string words;
    for (const std::string& word : command) words += word + ' ';
    SCOPED_TRACE(words + "signal " + std::to_string(signal) + " after " + std::to_string(moment.count()) +
                 " s");
    const double before = seconds_of_ended();
    const pid_t child = start(command);
    wait_for_main(child);
    std::this_thread::sleep_for(moment);
    const double at_signal = seconds_of(child);
    kill(child, signal);
    const int code = end_of(child, kBound, threads_of);
    ASSERT_NE(code, -1) << "still running " << kBound.count() << " s after the signal";
    EXPECT_LT(seconds_of_ended() - before - at_signal,
              kProcessorSeconds * std::max(1U, std::thread::hardware_concurrency()))
        << "seconds of processor time after the signal";
    if (code == 0) {
      EXPECT_FALSE(text_of(path("stdout")).empty());
      if (!output.empty()) {
        EXPECT_TRUE(fs::exists(path(output)));
        fs::remove(path(output));
      }
    } else {
      EXPECT_EQ(code, 130) << text_of(path("stderr"));
      EXPECT_TRUE(text_of(path("stdout")).empty());
    }
    const std::vector<std::string> names = left();
    EXPECT_TRUE(names.empty()) << names.front();
  }

  /// Interrupts the command at random moments of its run.
  void interrupt_often(std::vector<std::string> command, const std::string& output = {}) {
    command.emplace_back("--quiet");
    clear();
    const auto begin = std::chrono::steady_clock::now();
    const int code = end_of(start(command), Seconds(2 * kLatestMoment));
    EXPECT_TRUE(code == 0 || code == -1) << command[0] << " ended with " << code << text_of(path("stderr"));
    const Seconds whole = std::chrono::steady_clock::now() - begin;
    for (int k = 0; k < kMoments; ++k) {
      clear();
      const double latest = std::min(kLatestMoment, whole.count());
      interrupt(command, output, Seconds(std::uniform_real_distribution<double>(0, latest)(random_)));
      if (HasFatalFailure()) return;
    }
  }

  std::mt19937 random_;
};

constexpr const char* kMatrix = "gen:random:n=4000,nnz=40000";

TEST_F(CliInterrupt, StopsCommandsThatPrint) {
  interrupt_often({"info", "gen:random:n=1000000,nnz=5000000"});
  interrupt_often({"features", "gen:random:n=12000,nnz=100000", "--method", "bs-fft"});
  interrupt_often({"features", kMatrix, "--method", "elastic", "--block", "2"});
  interrupt_often(
      {"features", "gen:random:n=20000,nnz=100000", "--method", "exact", "--state", path("state")});
  interrupt_often({"theory", "gen:random:n=9000,nnz=40000", "--blocks", "4,16"});
  interrupt_often({"advise", kMatrix});
  interrupt_often({"related", "gen:random:n=9000,nnz=40000"});
  interrupt_often({"explain", "gen:random:n=200000,nnz=2000000"});
  interrupt_often({"methods"});
}

TEST_F(CliInterrupt, StopsCommandsThatWrite) {
  interrupt_often({"spectrum", "gen:random:n=6000,nnz=40000", "--method", "bs-fft", "--out", path("x.npy")},
                  "x.npy");
  interrupt_often({"spectrum", "gen:random:n=6000,nnz=40000", "--method", "bs-fft", "--out", path("x.npz")},
                  "x.npz");
  interrupt_often({"spectrum", kMatrix, "--method", "bs-fft", "--out", path("x.png")}, "x.png");
  interrupt_often({"spectrum", kMatrix, "--method", "fps-sft", "--out", path("x.npz")}, "x.npz");
  interrupt_often({"reconstruct", kMatrix, "--method", "elastic", "--block", "16", "--out", path("x.png")},
                  "x.png");
  interrupt_often({"reconstruct", "gen:random:n=9000,nnz=40000", "--method", "elastic", "--block", "8",
                   "--reference", "exact", "--out", path("x.npy")},
                  "x.npy");
  interrupt_often(
      {"compare", kMatrix, "--methods", "elastic,density-map", "--blocks", "4,16", "--csv", path("x.csv")},
      "x.csv");
  interrupt_often({"generate", "random", "n=1000000", "nnz=5000000", "--out", path("x.mtx")}, "x.mtx");
  interrupt_often({"convert", "gen:random:n=200000,nnz=1000000", path("x.mtx.gz")}, "x.mtx.gz");
  interrupt_often({"reorder", "gen:random:n=200000,nnz=1000000", "--order", "rcm", "--out", path("x.mtx")},
                  "x.mtx");
}

TEST_F(CliInterrupt, StopsAStudyThatALaterRunContinues) {
  interrupt_often({"study", kMatrix, "gen:band:n=3000", "--blocks", "4,16", "--out", path("study")});
  const Outcome whole =
      run("study " + std::string(kMatrix) +
          " gen:band:n=3000 --methods elastic,density-map --blocks 4,16 --quiet --out " + path("study"));
  EXPECT_EQ(whole.code, 0) << whole.err;
}

TEST_F(CliInterrupt, StopsWaitingForAPipe) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  const std::vector<std::vector<std::string>> commands{
      {"info", path("fifo")},                                                // no process writes
      {"generate", "random", "n=1000", "nnz=5000", "--out", path("fifo")}};  // no process reads
  for (const auto& command : commands) interrupt(command, {}, Seconds(0.3));
}

TEST_F(CliInterrupt, StopsTheBenchmarkThatItRuns) {
  fs::copy_file(SPYCTRUM_BIN_DIR "/spyctrum-cli", path("spyctrum-cli"));
  std::ofstream(path("bench_long")) << "#!/bin/sh\nexec sleep 60\n";
  fs::permissions(path("bench_long"), fs::perms::owner_all);
  const Outcome outcome = shell("sh -c '" + path("spyctrum-cli") +
                                " bench --quiet --what long & sleep 0.3; kill -TERM $!; wait $!'");
  EXPECT_EQ(outcome.code, 130);
}

}  // namespace
}  // namespace spyctrum::test
