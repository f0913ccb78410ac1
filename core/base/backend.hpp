// SPDX-License-Identifier: Apache-2.0
// Names the place where a job runs: the CPU or one CUDA device. core/device/backends.hpp lists the backends
// of this machine and parses their names. Where a method cannot serve a request on a backend,
// Method::supports() returns the reason before anything runs.
#pragma once

#include <string>

namespace spyctrum {

enum class BackendKind { cpu, cuda };

struct Backend {
  BackendKind kind = BackendKind::cpu;
  int device = 0;  ///< CUDA ordinal; 0 for the CPU
  /// Chosen by the program ("auto"): run_method() falls back to the CPU for requests unsupported here.
  bool automatic = false;

  friend bool operator==(const Backend&, const Backend&) = default;
};

[[nodiscard]] std::string to_string(Backend backend);  // "cpu", "cuda:0"

/// Whether a method can run; `reason` says to the user why not.
struct Support {
  bool ok = true;
  std::string reason;
};

}  // namespace spyctrum
