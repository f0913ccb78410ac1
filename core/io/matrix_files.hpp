// SPDX-License-Identifier: Apache-2.0
// The files below a folder that may hold a matrix, judged by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/job_context.hpp"

namespace spyctrum {

struct MatrixFile {
  std::string path;
  std::uint64_t bytes = 0;
};

struct MatrixFiles {
  std::vector<MatrixFile> files;                                ///< ascending by path
  std::vector<std::pair<std::string, std::string>> unreadable;  ///< folders, each with the reason
  bool is_cut = false;                                          ///< true if there were more than `most` files
};

/// Lists the regular files below `folder`, at most `most`, whose names have the ending of a readable format,
/// a compressed file or an archive. Symbolic links are followed; of several paths to a file one is listed,
/// without links if there is such a path. Throws Failure{cancelled}.
[[nodiscard]] MatrixFiles find_matrix_files(const std::string& folder, JobContext& context,
                                            std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace spyctrum
