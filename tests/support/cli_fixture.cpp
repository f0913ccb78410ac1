// SPDX-License-Identifier: Apache-2.0
// Starting the program, waiting for its end, and reading what it wrote.
#include "tests/support/cli_fixture.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <thread>

template class nlohmann::basic_json<>;

namespace spyctrum::test {

std::vector<std::string> CliFixture::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    if (entry.path().filename() != "stderr") names.push_back(entry.path().filename().string());
  return names;
}

Outcome CliFixture::run(const std::string& arguments, const std::string& prefix) const {
  return shell(prefix + SPYCTRUM_BIN_DIR "/spyctrum-cli " + arguments);
}

Outcome CliFixture::shell(const std::string& line) const {
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

nlohmann::json CliFixture::run_json(const std::string& arguments) const {
  const Outcome outcome = run(arguments + " --json --quiet");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return json_of(outcome.out);
}

nlohmann::json CliFixture::json_of(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, false);
}

pid_t CliFixture::start(const std::vector<std::string>& arguments) const {
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

int CliFixture::end_of(pid_t child, std::chrono::duration<double> limit,
                       const std::function<std::string(pid_t)>& look) {
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

double CliFixture::seconds_of(pid_t child) {
  const std::string text = text_of("/proc/" + std::to_string(child) + "/stat");
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string field;
  for (int k = 3; k < 14; ++k) fields >> field;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace spyctrum::test
