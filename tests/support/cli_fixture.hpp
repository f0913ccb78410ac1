// SPDX-License-Identifier: Apache-2.0
// Runs spyctrum-cli, as scripts do, in a folder of its own that is removed at the end.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/file_bytes.hpp"
#include "tests/support/scratch_folder.hpp"

// Compiled once, in cli_fixture.cpp, in place of a second and a half in each test.
extern template class nlohmann::basic_json<>;

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
  [[nodiscard]] std::vector<std::string> files() const;

  [[nodiscard]] Outcome run(const std::string& arguments, const std::string& prefix = {}) const;
  [[nodiscard]] Outcome shell(const std::string& line) const;
  nlohmann::json run_json(const std::string& arguments) const;
  /// Of a text that is not JSON a discarded value.
  [[nodiscard]] static nlohmann::json json_of(const std::string& text);

  /// Starts the program with its standard output and error in files of the folder; returns its process.
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments) const;
  /// Exit code of a process, 128 + the signal that ended it, or −1 where it still runs after `limit` and is
  /// killed, after the text that `look` returns of it was printed.
  static int end_of(pid_t child, std::chrono::duration<double> limit,
                    const std::function<std::string(pid_t)>& look = {});
  /// Seconds of processor time of a process that runs, from the 14th and 15th field of /proc/PID/stat
  /// (proc(5)).
  static double seconds_of(pid_t child);

  ScratchFolder scratch_;
  std::filesystem::path folder_ = scratch_.path();
};

}  // namespace spyctrum::test
