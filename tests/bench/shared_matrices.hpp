// SPDX-License-Identifier: Apache-2.0
// The matrices in the folder that SPYCTRUM_SHARED_DATA names, for programs that run on another machine than
// the sources are on.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace spyctrum::bench {

/// "corafull" of …/corafull.mtx.gz.
inline std::string shared_name(const std::filesystem::path& file) { return file.stem().stem().string(); }

/// Every matrix of that folder, the smallest file first; none where SPYCTRUM_SHARED_DATA is not set.
inline std::vector<std::filesystem::path> shared_matrix_files() {
  const char* folder = std::getenv("SPYCTRUM_SHARED_DATA");  // NOLINT(concurrency-mt-unsafe): one thread
  std::vector<std::filesystem::path> files;
  if (folder == nullptr) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().ends_with(".mtx.gz")) files.push_back(entry.path());
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return std::filesystem::file_size(a) < std::filesystem::file_size(b);
  });
  return files;
}

}  // namespace spyctrum::bench
