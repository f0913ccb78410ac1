// SPDX-License-Identifier: Apache-2.0
// The host side of a job on a CUDA device: implements cuda::Host, by which the module reports progress and
// errors, tests for cancellation and books memory, with the job's context and a ledger of device bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_module.hpp"
#include "core/device/interface/module.hpp"
#include "core/device/loader.hpp"

namespace spyctrum {

/// Device bytes of all running jobs, including the resident data that they use: now, and the largest so far.
struct DeviceJobBytes {
  std::uint64_t now = 0;
  std::uint64_t peak = 0;
};
[[nodiscard]] DeviceJobBytes device_job_bytes();

/// Device seconds and peak device bytes (including cuFFT's work areas) of a task.
struct DeviceUse {
  double seconds = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] std::string note() const;  ///< "device memory 1.57 GB at the peak"
};

/// Forwards the module's calls to a JobContext. book() throws Failure{out_of_memory} if the job's device
/// bytes would exceed its allowance: `device_bytes`, else what was free on the device when the job began.
class DeviceJob : public cuda::Host {
 public:
  DeviceJob(Backend backend, JobContext& context);
  DeviceJob(Backend backend, JobContext& context, std::uint64_t device_bytes);
  ~DeviceJob() override { context_.add_device_peak(device_.peak()); }
  DeviceJob(const DeviceJob&) = delete;
  DeviceJob& operator=(const DeviceJob&) = delete;
  void begin_stage(const char* name) override { context_.begin_stage(name); }
  void checkpoint(std::uint64_t done, std::uint64_t total) override { context_.checkpoint(done, total); }
  void book(std::uint64_t bytes, const char* purpose) override;
  void unbook(std::uint64_t bytes) noexcept override;
  void book_host(std::uint64_t bytes, const char* purpose) override { context_.memory().add(bytes, purpose); }
  void unbook_host(std::uint64_t bytes) noexcept override { context_.memory().remove(bytes); }
  [[nodiscard]] bool reclaim() noexcept override;
  [[noreturn]] void fail(cuda::DeviceError error, const char* what, std::int64_t native) override;

  /// Runs a task on the job's device (Module::run()).
  template <class Task>
  DeviceUse run(const Task& task) {
    // Not cuda_module(), which throws once any device of the process was lost.
    const cuda::Timing timing = cuda::loaded_module().module->run(backend_.device, task, *this);
    return {timing.device_seconds, device_.peak()};
  }

  [[nodiscard]] const MemoryLedger& device_memory() const { return device_; }

 private:
  Backend backend_;
  JobContext& context_;
  MemoryLedger device_;
};

/// A job on one device of a group. Only the job on the first device names stages.
class GroupJob : public DeviceJob {
 public:
  GroupJob(Backend device, bool is_first, JobContext& context)
      : DeviceJob(device, context), is_first_(is_first) {}
  void begin_stage(const char* name) override {
    if (is_first_) DeviceJob::begin_stage(name);
  }
  void checkpoint(std::uint64_t done, std::uint64_t total) override { on_checkpoint(done, total); }
  /// Reports the progress of all devices; throws if this device should stop.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_checkpoint;

 private:
  bool is_first_;
};

}  // namespace spyctrum
