// SPDX-License-Identifier: Apache-2.0
// Reads the processor's model from /proc/cpuinfo; the CUDA module knows its devices.
#include "core/device/backends.hpp"

#include <charconv>
#include <fstream>
#include <thread>

#include "core/device/loader.hpp"

namespace spyctrum {

std::string cuda_unavailable_reason() {
  std::string lost = cuda::loss();
  return lost.empty() ? cuda::loaded_module().reason : lost;
}

Result<Backend> parse_backend(std::string_view text) {
  if (text == "cpu") return Backend{};
  const std::string reason = cuda_unavailable_reason();
  if (text == "auto") return reason.empty() ? Backend{BackendKind::cuda, 0, true} : Backend{};
  Backend backend{BackendKind::cuda, 0};
  if (text.starts_with("cuda:")) {
    const std::string_view number = text.substr(5);
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), backend.device);
    if (parsed.ec != std::errc{} || parsed.ptr != number.data() + number.size() || backend.device < 0) {
      return fail(ErrorCode::wrong_use, "'" + std::string(text) + "' is not the name of a CUDA device.",
                  "Write cuda:0, cuda:1, …");
    }
  } else if (text != "cuda") {
    return fail(ErrorCode::wrong_use, "'" + std::string(text) + "' is not a backend.",
                "Choose auto, cpu, cuda or cuda:N.");
  }
  if (!reason.empty()) {
    return fail(ErrorCode::backend_unavailable, "The CUDA backend is not available: " + reason + ".",
                "Use --backend cpu.");
  }
  const int devices = cuda::loaded_module().module->device_count();
  if (backend.device >= devices) {
    return fail(ErrorCode::backend_unavailable,
                "There is no " + to_string(backend) + ": this machine has " + std::to_string(devices) +
                    (devices == 1 ? " CUDA device." : " CUDA devices."),
                "Use cuda:0 or --backend cpu.");
  }
  return backend;
}

std::string device_name(Backend backend) {
  if (backend.kind == BackendKind::cuda) {
    cuda::Module* module = cuda::loaded_module().module;
    return module != nullptr ? module->facts(backend.device).name
                             : "CUDA device " + std::to_string(backend.device);
  }
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  std::string model = "CPU";
  while (std::getline(file, line)) {
    if (line.starts_with("model name")) {
      if (const auto colon = line.find(": "); colon != std::string::npos) model = line.substr(colon + 2);
      break;
    }
  }
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
}

}  // namespace spyctrum
