// SPDX-License-Identifier: Apache-2.0
// Files that are installed beside this code: modules, helper programs, data.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace spyctrum {

/// What is looked for, and where.
struct OwnFile {
  std::filesystem::path path;  ///< empty: there is none
  std::string missing;         ///< a sentence that says where it was looked for, unless it was found
};

/// The file `name` of this installation, by an absolute path: beside the folder of the program or library
/// that holds this code (lib/spyctrum/, lib/, bin/, share/spyctrum/), or in that folder. The environment has
/// no say.
[[nodiscard]] OwnFile own_file(std::string_view name);

}  // namespace spyctrum
