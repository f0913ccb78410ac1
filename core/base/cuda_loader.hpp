// SPDX-License-Identifier: Apache-2.0
// Finds and opens the CUDA module beside the program, once.
#pragma once

#include <string>

#include "core/base/cuda_module.hpp"

namespace spyctrum::cuda {

/// A module, or why there is none.
struct LoadedModule {
  Module* module = nullptr;
  std::string reason;  ///< empty when a device can be used
};

/// Opens the module at `path`; its symbols stay its own. It is never closed.
[[nodiscard]] LoadedModule load_module(const std::string& path);

/// <program's folder>/../lib/libspyctrum_cuda.so, else beside the program; opened at the first call.
[[nodiscard]] const LoadedModule& loaded_module();

}  // namespace spyctrum::cuda
