// SPDX-License-Identifier: Apache-2.0
// Where a job runs: the processor or one CUDA device. Nothing differs silently
// by device: what a method cannot do on a backend it says, with the reason,
// before anything runs.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace spyctrum {

enum class BackendKind { cpu, cuda };

struct Backend {
  BackendKind kind = BackendKind::cpu;
  int device = 0;  ///< CUDA ordinal; 0 for the CPU
  /// Chosen by the program ("auto"): run_method() takes the CPU for what this backend cannot do.
  bool automatic = false;

  friend bool operator==(const Backend&, const Backend&) = default;
};

/// "cpu", "cuda", "cuda:N" or "auto" (the first usable CUDA device, else the
/// CPU). Errors: wrong_use for any other text; backend_unavailable with the
/// reason where it is not there.
[[nodiscard]] Result<Backend> parse_backend(std::string_view text);
[[nodiscard]] std::string to_string(Backend backend);  // "cpu", "cuda:0"

/// Human name of the device: processor model and thread count, or GPU name.
[[nodiscard]] std::string device_name(Backend backend);

/// Why no CUDA device is used ("built without CUDA", "no driver", "CUDA is lost
/// until …"); empty when one is usable.
[[nodiscard]] std::string cuda_unavailable_reason();

/// Whether a method can run; when not, why, in words for the user.
struct Support {
  bool ok = true;
  std::string reason;
};

}  // namespace spyctrum
