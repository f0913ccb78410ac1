// SPDX-License-Identifier: Apache-2.0
// The name of where a job runs: the processor or one CUDA device. Which of them this machine has, and how a
// text becomes a Backend, is in core/device/backends.hpp. Nothing differs silently between backends: what a
// method cannot do on one of them, Method::supports() says, with the reason, before anything runs.
#pragma once

#include <string>

namespace spyctrum {

enum class BackendKind { cpu, cuda };

struct Backend {
  BackendKind kind = BackendKind::cpu;
  int device = 0;  ///< CUDA ordinal; 0 for the CPU
  /// Chosen by the program ("auto"): run_method() takes the CPU for what this backend cannot do.
  bool automatic = false;

  friend bool operator==(const Backend&, const Backend&) = default;
};

[[nodiscard]] std::string to_string(Backend backend);  // "cpu", "cuda:0"

/// Whether a method can run; when not, why, in words for the user.
struct Support {
  bool ok = true;
  std::string reason;
};

}  // namespace spyctrum
