// SPDX-License-Identifier: Apache-2.0
// Checks of every call of CUDA and cuFFT, which pass errors to Host::fail(), which throws; the choice of a
// thread's device; and a lock for calls that block other threads for long.
#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <mutex>

#include "core/device/interface/host.hpp"

namespace spyctrum::cuda {

/// Throws by Host::fail() unless `code` is success. Clears CUDA's record of the error, so that the next call
/// does not report it again.
void check(Host& host, cudaError_t code, const char* what);
void check(Host& host, cufftResult code, const char* what);

/// Selects a device for the calling thread; the destructor selects the previous one again.
class DeviceScope {
 public:
  /// If the device cannot be selected, is_chosen() is false.
  explicit DeviceScope(int device) noexcept
      : known_(cudaGetDevice(&before_)), chosen_(cudaSetDevice(device)) {}
  /// Throws by Host::fail() if the device cannot be selected.
  DeviceScope(Host& host, int device) : DeviceScope(device) {
    check(host, known_, "finding the current device");
    check(host, chosen_, "choosing the device");
  }
  ~DeviceScope() { (void)cudaSetDevice(before_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  [[nodiscard]] bool is_chosen() const { return chosen_ == cudaSuccess; }

 private:
  int before_ = 0;
  cudaError_t known_;
  cudaError_t chosen_;
};

/// A lock, held during calls in which the driver blocks other threads for up to some hundred milliseconds:
/// loading code, planning a transform, mapping and unmapping memory. The interface thread only tries to take
/// it (Pictures::try_enter()) and draws without the device while another thread has it.
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
