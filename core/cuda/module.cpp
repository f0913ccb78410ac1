// SPDX-License-Identifier: Apache-2.0
// The module's entry point: runs tasks, and finds the usable devices of this machine or the reason why there
// are none.
#include "core/device/interface/module.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/cuda/pictures/pictures.hpp"
#include "core/cuda/runtime/device_memory.hpp"
#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/cuda/tiles/row_kernel.hpp"
#include "core/device/interface_hash.hpp"

namespace spyctrum::cuda {

template <class T>
struct NufftTask;

static const TaskEntry kTasks[] = {
    task_entry<struct RowTask>(),      task_entry<struct DenseTask>(),  task_entry<struct DensityMapTask>(),
    task_entry<struct LatticeTask>(),  task_entry<struct DirectTask>(), task_entry<struct LinePowersTask>(),
    task_entry<struct LineSumsTask>(), task_entry<struct PrunedTask>(), task_entry<struct SliceTask>(),
    task_entry<NufftTask<float>>(),    task_entry<NufftTask<double>>(), task_entry<struct CosetSumsTask>(),
};

namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int capability_of(int device) {
  int major = 0;
  int minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return 10 * major + minor;
}

/// Sets the capability of each device; returns the reason if none can be used, else an empty text.
std::string find_devices(std::vector<int>& capabilities) {
  int driver = 0;
  int runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no NVIDIA driver is installed";
  (void)cudaRuntimeGetVersion(&runtime);
  if (driver / 1000 < runtime / 1000) {
    return "the NVIDIA driver serves CUDA " + version_text(driver) + ", older than the CUDA " +
           version_text(runtime) + " of this build";
  }
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    return code == cudaSuccess || code == cudaErrorNoDevice
               ? "no CUDA device was found"
               : std::string("no CUDA device can be used (") + cudaGetErrorString(code) + ")";
  }
  for (int device = 0; device < count; ++device) capabilities.push_back(capability_of(device));
  const int newest = std::ranges::max(capabilities);
  if (newest < kOldestCapability) {
    return std::string(count == 1 ? "the CUDA device" : "the newest CUDA device") +
           " has compute capability " + std::to_string(newest / 10) + "." + std::to_string(newest % 10) +
           "; " + kNeededCapability + " is needed";
  }
  return {};
}

class CudaModule : public Module {
 public:
  CudaModule() : reason_(find_devices(capabilities_)) {}
  [[nodiscard]] const char* unavailable_reason() override { return reason_.c_str(); }
  [[nodiscard]] int device_count() override { return static_cast<int>(capabilities_.size()); }
  // Known from the start: a call of CUDA that fails later makes no device too old.
  [[nodiscard]] int capability(int device) override {
    return capabilities_[static_cast<std::size_t>(device)];
  }

  [[nodiscard]] DeviceFacts facts(int device) override {
    DeviceFacts facts = constant_facts(device);
    if (facts.total_bytes == 0) return facts;
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    const DeviceScope scope(device);
    if (scope.is_chosen() && cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess)
      facts.free_bytes = free_bytes + unused_bytes(device);
    return facts;
  }

  [[nodiscard]] std::uint64_t fft_work_bytes(int device, const FftShape& shape, Host& host) override {
    const DeviceScope scope(host, device);
    return cuda::fft_work_bytes(shape, host);
  }
  [[nodiscard]] Pictures& pictures() override { return the_pictures(); }

 private:
  Timing run_named(int device, const char* name, const void* task, Host& host) override {
    const DeviceScope scope(host, device);
    const TaskEntry* const entry =
        std::find_if(std::begin(kTasks), std::end(kTasks),
                     [&](const TaskEntry& one) { return std::strcmp(one.name, name) == 0; });
    if (entry == std::end(kTasks)) host.fail(DeviceError::unsupported, name, 0);
    return entry->run(task, host);
  }

  /// The facts that do not change, read once: the driver takes milliseconds to list a device's properties.
  [[nodiscard]] DeviceFacts constant_facts(int device) {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(device); known != known_.end()) return known->second;
    DeviceFacts facts;
    cudaDeviceProp properties{};
    if (device >= device_count() || cudaGetDeviceProperties(&properties, device) != cudaSuccess) return facts;
    std::copy_n(properties.name, std::min(sizeof facts.name, sizeof properties.name) - 1, facts.name);
    facts.capability = 10 * properties.major + properties.minor;
    facts.total_bytes = properties.totalGlobalMem;
    facts.block_bytes = properties.sharedMemPerBlockOptin;
    if (has_row_kernel(facts.capability)) facts.row_kernel_bytes = facts.block_bytes;
    return known_[device] = facts;
  }

  std::vector<int> capabilities_;  // by device; declared first, since reason_ is found with them
  std::string reason_;
  std::mutex mutex_;
  std::map<int, DeviceFacts> known_;
};

}  // namespace

}  // namespace spyctrum::cuda

extern "C" __attribute__((visibility("default"))) spyctrum::cuda::Module* spyctrum_cuda_module(
    std::uint64_t interface) {
  if (interface != spyctrum::cuda::kInterfaceHash) return nullptr;
  static spyctrum::cuda::CudaModule module;
  return &module;
}
