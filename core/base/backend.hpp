// SPDX-License-Identifier: Apache-2.0
// Where a job runs: the CPU, one CUDA device or a group of devices. core/device/backends.hpp lists the
// backends of this machine and parses their names. If a method cannot serve a request on a backend,
// Method::supports() gives the reason before anything runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spyctrum {

enum class BackendKind { cpu, cuda };

struct Backend {
  BackendKind kind = BackendKind::cpu;
  int device = 0;  ///< CUDA ordinal; 0 for the CPU; for a group its first device
  /// True if the program chose it ("auto"): run_method() then falls back to the CPU for unsupported requests.
  bool automatic = false;
  /// The devices that share a plane, one bit per ordinal; 0: `device` alone. A group of one device gives the
  /// same results as a larger one, to the last bit. Work other than streaming a plane runs on `device`.
  std::uint64_t group = 0;

  friend bool operator==(const Backend&, const Backend&) = default;
};

inline constexpr int kMostDevices = 64;  ///< ordinals of a group are below this

[[nodiscard]] std::string to_string(Backend backend);  // "cpu", "cuda:0", "cuda:0,2"

/// The devices of a group, by ordinal; for any other backend, that backend.
[[nodiscard]] std::vector<Backend> members_of(Backend backend);

/// Whether a method can run; if not, `reason` is a text for the user.
struct Support {
  bool ok = true;
  std::string reason;
};

}  // namespace spyctrum
