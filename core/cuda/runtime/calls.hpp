// SPDX-License-Identifier: Apache-2.0
// Every call of CUDA and cuFFT is checked: an error goes to Host::fail(), which throws. Which device a thread
// uses, and which calls block other threads for long.
#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <mutex>

#include "core/device/interface/host.hpp"

namespace spyctrum::cuda {

/// Throws through `host` unless `code` is success. Clears CUDA's own record of the error, so that the next
/// call does not report it again.
void check(Host& host, cudaError_t code, const char* what);
void check(Host& host, cufftResult code, const char* what);

/// Selects a device for the calling thread and selects the previous one again when it is destroyed.
class DeviceScope {
 public:
  DeviceScope(Host& host, int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
};

/// Held during a call in which the driver blocks other threads for up to some hundred milliseconds: loading
/// code, planning a transform, mapping and unmapping memory. The thread that draws tries first
/// (Pictures::try_enter()) and draws without the device while another thread holds it.
class LongCall {
 public:
  LongCall() : lock_(mutex()) {}
  [[nodiscard]] static bool try_enter() { return mutex().try_lock(); }
  static void leave() { mutex().unlock(); }

 private:
  static std::recursive_mutex& mutex();
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace spyctrum::cuda
