// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own, which is removed with all that is in it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace spyctrum::test {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::filesystem::remove_all(path_);  // left by a process of the same number
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file; returns its path.
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return file(name);
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  inline static std::atomic<int> made{0};
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("spyctrum_test_" + std::to_string(getpid()) + "_" + std::to_string(made++));
};

}  // namespace spyctrum::test
