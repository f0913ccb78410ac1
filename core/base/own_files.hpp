// SPDX-License-Identifier: Apache-2.0
// Files of this installation: modules, helper programs, data.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace spyctrum {

/// The result of a search.
struct OwnFile {
  std::filesystem::path path;  ///< empty if the file was not found
  /// a sentence that says where the file was searched for; empty if it was found
  std::string missing;
};

/// Finds the file `name` of this installation, as an absolute path: beside the folder of the program or
/// library that contains this code (lib/spyctrum/, lib/, bin/, share/spyctrum/), or in that folder. The
/// environment has no influence.
[[nodiscard]] OwnFile own_file(std::string_view name);

}  // namespace spyctrum
