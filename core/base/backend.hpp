// SPDX-License-Identifier: Apache-2.0
// Names the place where a job runs: the CPU, one CUDA device or a group of them. core/device/backends.hpp
// lists the backends of this machine and parses their names. Where a method cannot serve a request on a
// backend, Method::supports() returns the reason before anything runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spyctrum {

enum class BackendKind { cpu, cuda };

struct Backend {
  BackendKind kind = BackendKind::cpu;
  int device = 0;  ///< CUDA ordinal; 0 for the CPU; of a group its first
  /// Chosen by the program ("auto"): run_method() falls back to the CPU for requests unsupported here.
  bool automatic = false;
  /// The devices that share a plane, one bit for each ordinal; 0: `device` alone. A group of one device gives
  /// the results of a larger one, to the last bit. Work that is no stream of a plane runs on `device`.
  std::uint64_t group = 0;

  friend bool operator==(const Backend&, const Backend&) = default;
};

inline constexpr int kMostDevices = 64;  ///< ordinals of a group are less

[[nodiscard]] std::string to_string(Backend backend);  // "cpu", "cuda:0", "cuda:0,2"

/// The devices of a group, by ordinal; of any other backend the backend itself.
[[nodiscard]] std::vector<Backend> members_of(Backend backend);

/// Whether a method can run; `reason` says to the user why not.
struct Support {
  bool ok = true;
  std::string reason;
};

}  // namespace spyctrum
