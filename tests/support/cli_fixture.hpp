// SPDX-License-Identifier: Apache-2.0
// Runs spyctrum-cli, as scripts do, in a folder of its own that is removed at the end.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/file_bytes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum::test {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

class CliFixture : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return scratch_.file(name); }
  [[nodiscard]] static std::string text_of(const std::string& file) { return bytes_of(file); }
  /// Names in the folder, but for that of the standard error of run().
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path().filename() != "stderr") names.push_back(entry.path().filename().string());
    return names;
  }

  [[nodiscard]] Outcome run(const std::string& arguments, const std::string& prefix = {}) const {
    return shell(prefix + SPYCTRUM_BIN_DIR "/spyctrum-cli " + arguments);
  }
  [[nodiscard]] Outcome shell(const std::string& line) const {
    const std::string err_path = path("stderr");
    const std::string command = line + " 2>" + err_path;
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    std::size_t got = 0;
    while ((got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) outcome.out.append(buffer.data(), got);
    const int status = pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.err = text_of(err_path);
    return outcome;
  }

  nlohmann::json run_json(const std::string& arguments) const {
    const Outcome outcome = run(arguments + " --json --quiet");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }

  /// Starts the program with its standard output and error in files of the folder; returns its process.
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments) const {
    const std::string out_path = path("stdout");
    const std::string err_path = path("stderr");
    std::string program = SPYCTRUM_BIN_DIR "/spyctrum-cli";
    std::vector<char*> words{program.data()};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen(out_path.c_str(), "w", stdout) == nullptr) _exit(126);
      if (std::freopen(err_path.c_str(), "w", stderr) == nullptr) _exit(126);
      execv(program.c_str(), words.data());
      _exit(127);
    }
    return child;
  }
  /// Exit code of a process, 128 + the signal that ended it, or −1 where it still runs after `limit` and is
  /// killed, after the text that `look` returns of it was printed.
  static int end_of(pid_t child, std::chrono::duration<double> limit,
                    const std::function<std::string(pid_t)>& look = {}) {
    const auto until = std::chrono::steady_clock::now() + limit;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > until) {
        if (look) std::cout << look(child) << std::flush;
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return -1;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// Seconds of processor time of a process that runs, from the 14th and 15th field of /proc/PID/stat
  /// (proc(5)).
  static double seconds_of(pid_t child) {
    const std::string text = text_of("/proc/" + std::to_string(child) + "/stat");
    std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::string field;
    for (int k = 3; k < 14; ++k) fields >> field;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  ScratchFolder scratch_;
  std::filesystem::path folder_ = scratch_.path();
};

}  // namespace spyctrum::test
