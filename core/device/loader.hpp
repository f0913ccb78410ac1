// SPDX-License-Identifier: Apache-2.0
// Finds and opens the CUDA module beside the program, once.
#pragma once

#include <string>

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// A loaded module, or null and the reason.
struct LoadedModule {
  Module* module = nullptr;
  std::string reason;  ///< empty when a device can be used
};

/// Opens the module at `path` with local symbols; module is null, with the reason, on failure. The module is
/// never closed.
[[nodiscard]] LoadedModule load_module(const std::string& path);

/// Records that CUDA is lost: that it reported an error (illegal memory access, failed kernel, uncorrectable
/// memory error) after which every call fails until the process ends. The first reason is remembered; an
/// empty one clears it, for tests. Thread-safe.
void note_loss(const std::string& reason);
/// "CUDA is lost until the program is started again: …"; empty while CUDA works.
[[nodiscard]] std::string loss();

/// libspyctrum_cuda.so in ../lib/spyctrum or ../lib, seen from the program's or libspyctrum.so's folder, or
/// in that folder itself; opened at the first call.
[[nodiscard]] const LoadedModule& loaded_module();

}  // namespace spyctrum::cuda
