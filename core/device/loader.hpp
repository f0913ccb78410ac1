// SPDX-License-Identifier: Apache-2.0
// Finds and opens the CUDA module beside the program, once.
#pragma once

#include <string>

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// A module, or why there is none.
struct LoadedModule {
  Module* module = nullptr;
  std::string reason;  ///< empty when a device can be used
};

/// Opens the module at `path`; its symbols stay its own. It is never closed.
[[nodiscard]] LoadedModule load_module(const std::string& path);

/// CUDA has reported an error after which it answers nothing else until the process ends: an access to memory
/// that is not its own, a kernel that failed, memory that cannot be corrected. The first reason counts;
/// empty: nothing is lost, for tests. Thread-safe.
void note_loss(const std::string& reason);
/// "CUDA is lost until the program is started again: …"; empty while it is not.
[[nodiscard]] std::string loss();

/// libspyctrum_cuda.so in ../lib/spyctrum or ../lib, seen from the program's or libspyctrum.so's folder, or
/// in that folder itself; opened at the first call.
[[nodiscard]] const LoadedModule& loaded_module();

}  // namespace spyctrum::cuda
