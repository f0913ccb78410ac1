// SPDX-License-Identifier: Apache-2.0
// The backends of this machine: parses the names of backends and returns those of devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"

namespace spyctrum {

/// The backend named by "cpu", "cuda", "cuda:N", "auto" (a CUDA device, else the CPU), or a group:
/// "cuda:all" (without devices that are too old), "cuda:0,2". Of D usable devices, "cuda" and "auto" stand
/// for number `rank_on_host` mod D, so that the ranks of an MPI job on one machine take one each. Errors:
/// wrong_use for any other text; backend_unavailable, with the reason, if a device does not exist or cannot
/// be used.
[[nodiscard]] Result<Backend> parse_backend(std::string_view text, unsigned rank_on_host = 0);

struct CudaDevices {
  std::string unavailable_reason;  ///< cuda_unavailable_reason()
  std::vector<int> capabilities;   ///< compute capabilities by ordinal, 90 for 9.0
};
/// As above, on a machine with these devices.
[[nodiscard]] Result<Backend> parse_backend(std::string_view text, unsigned rank_on_host,
                                            const CudaDevices& devices);

/// Creates the contexts of the backend's CUDA devices concurrently. The driver takes 0.1 s or more for each,
/// which otherwise delays the first job.
void create_contexts(const Backend& backend);

/// The device's name for the user: processor model and number of threads, or GPU model.
[[nodiscard]] std::string device_name(Backend backend);

/// Why CUDA cannot be used ("no NVIDIA driver is installed", "CUDA is lost until …"); empty if it can.
[[nodiscard]] std::string cuda_unavailable_reason();

}  // namespace spyctrum
