// SPDX-License-Identifier: Apache-2.0
// Parses the names of backends; reads the processor's model from /proc/cpuinfo.
#include "core/device/backends.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "core/device/loader.hpp"

namespace spyctrum {

std::string cuda_unavailable_reason() {
  std::string lost = cuda::loss();
  return lost.empty() ? cuda::loaded_module().reason : lost;
}

namespace {

/// Numbers of devices.
struct Ordinals {
  std::uint64_t bits = 0;     ///< of those below kMostDevices
  std::string_view beyond{};  ///< one of the others, which no machine has
};

/// The numbers in "2" and "0,2"; empty if the text is not such a list.
std::optional<Ordinals> ordinals_in(std::string_view text) {
  Ordinals ordinals;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::string_view number = text.substr(begin, text.find(',', begin) - begin);
    unsigned ordinal = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), ordinal);
    if (parsed.ec == std::errc::invalid_argument || parsed.ptr != number.data() + number.size())
      return std::nullopt;
    if (parsed.ec != std::errc{} || ordinal >= kMostDevices)
      ordinals.beyond = number;
    else
      ordinals.bits |= std::uint64_t{1} << ordinal;
    begin += number.size() + 1;
  }
  return ordinals;
}

std::vector<int> usable_devices(const CudaDevices& devices) {
  std::vector<int> usable;
  for (std::size_t k = 0; k < devices.capabilities.size() && k < kMostDevices; ++k)
    if (devices.capabilities[k] >= cuda::kOldestCapability) usable.push_back(static_cast<int>(k));
  return usable;
}

std::string why_missing(const std::string& named, const CudaDevices& devices) {
  const std::size_t count = devices.capabilities.size();
  return "There is no " + named + ": this machine has " + std::to_string(count) +
         (count == 1 ? " CUDA device." : " CUDA devices.");
}

std::string why_unusable(Backend named, const CudaDevices& devices) {
  if (static_cast<std::size_t>(named.device) >= devices.capabilities.size())
    return why_missing(to_string(named), devices);
  const int capability = devices.capabilities[static_cast<std::size_t>(named.device)];
  return to_string(named) + " has compute capability " + std::to_string(capability / 10) + "." +
         std::to_string(capability % 10) + "; " + cuda::kNeededCapability + " is needed.";
}

}  // namespace

Result<Backend> parse_backend(std::string_view text, unsigned rank_on_host) {
  if (text == "cpu") return Backend{};  // which needs no CUDA module
  CudaDevices devices{cuda_unavailable_reason(), {}};
  if (devices.unavailable_reason.empty()) {
    cuda::Module& module = *cuda::loaded_module().module;
    for (int device = 0; device < module.device_count(); ++device)
      devices.capabilities.push_back(module.capability(device));
  }
  return parse_backend(text, rank_on_host, devices);
}

Result<Backend> parse_backend(std::string_view text, unsigned rank_on_host, const CudaDevices& devices) {
  const std::vector<int> usable = usable_devices(devices);
  if (text == "cpu" || (text == "auto" && usable.empty())) return Backend{};
  std::optional<Ordinals> ordinals{{.bits = 1}};
  if (text.starts_with("cuda:") && text != "cuda:all") {
    ordinals = ordinals_in(text.substr(5));
    if (!ordinals) {
      return fail(ErrorCode::wrong_use, "'" + std::string(text) + "' is not the name of a CUDA device.",
                  "Write cuda:0, cuda:1, …, cuda:0,1 for both, or cuda:all.");
    }
  } else if (text != "auto" && text != "cuda" && text != "cuda:all") {
    return fail(ErrorCode::wrong_use, "'" + std::string(text) + "' is not a backend.",
                "Choose auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all.");
  }
  if (usable.empty()) {
    const std::string reason =
        devices.unavailable_reason.empty()
            ? std::string("no CUDA device has compute capability ") + cuda::kNeededCapability
            : devices.unavailable_reason;
    return fail(ErrorCode::backend_unavailable, "The CUDA backend is not available: " + reason + ".",
                "Use --backend cpu.");
  }
  if (text == "auto" || text == "cuda")
    return Backend{BackendKind::cuda, usable[rank_on_host % usable.size()], text == "auto"};
  if (text == "cuda:all") {
    ordinals->bits = 0;
    for (const int device : usable) ordinals->bits |= std::uint64_t{1} << device;
  }
  const auto unavailable = [&](const std::string& why) {
    return fail(ErrorCode::backend_unavailable, why,
                "Use " + to_string(Backend{BackendKind::cuda, usable.front()}) + " or --backend cpu.");
  };
  if (!ordinals->beyond.empty())
    return unavailable(why_missing("cuda:" + std::string(ordinals->beyond), devices));
  for (const Backend& named : members_of({BackendKind::cuda, 0, false, ordinals->bits}))
    if (std::ranges::find(usable, named.device) == usable.end())
      return unavailable(why_unusable(named, devices));
  const bool is_group = text == "cuda:all" || text.find(',') != std::string_view::npos;
  return Backend{BackendKind::cuda, std::countr_zero(ordinals->bits), false, is_group ? ordinals->bits : 0};
}

void create_contexts(const Backend& backend) {
  if (backend.kind != BackendKind::cuda) return;
  std::vector<std::future<void>> created;
  for (const Backend& member : members_of(backend))
    created.push_back(
        std::async([device = member.device] { (void)cuda::loaded_module().module->facts(device); }));
  for (const std::future<void>& one : created) one.wait();
}

std::string device_name(Backend backend) {
  if (backend.kind == BackendKind::cuda) {
    cuda::Module* module = cuda::loaded_module().module;
    const std::string first = module != nullptr ? module->facts(backend.device).name
                                                : "CUDA device " + std::to_string(backend.device);
    const std::size_t devices = members_of(backend).size();
    return devices == 1 ? first : first + " and " + std::to_string(devices - 1) + " more";
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
