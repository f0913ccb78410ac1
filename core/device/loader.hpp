// SPDX-License-Identifier: Apache-2.0
// Finds and opens the CUDA module, once; remembers that CUDA was lost.
#pragma once

#include <string>

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// The loaded module, or null and the reason.
struct LoadedModule {
  Module* module = nullptr;
  std::string reason;  ///< empty if a device can be used
};

/// Opens the module at `path` with local symbols; module is null, with the reason, on failure. The module is
/// never closed.
[[nodiscard]] LoadedModule load_module(const std::string& path);

/// Records that CUDA is lost: after an illegal memory access, a failed kernel or an uncorrectable memory
/// error every call fails until the process ends. The first reason is remembered; an empty one clears it, for
/// tests. Thread-safe.
void note_loss(const std::string& reason);
/// "CUDA is lost until the program is started again: …"; empty while CUDA works.
[[nodiscard]] std::string loss();

/// The module libspyctrum_cuda.so, opened at the first call. Searched for in ../lib/spyctrum, in ../lib and
/// in ., relative to the folder of libspyctrum.so or of the program.
[[nodiscard]] const LoadedModule& loaded_module();

}  // namespace spyctrum::cuda
