// SPDX-License-Identifier: Apache-2.0
// Books device bytes in the job's ledger and in a ledger of all jobs, and turns errors of the module into
// Failures.
#include "core/device/device_job.hpp"

#include <algorithm>
#include <limits>

#include "core/device/device_cache.hpp"

namespace spyctrum {

namespace {

/// The device bytes of all jobs, without a limit; each job's ledger has its own allowance.
MemoryLedger& all_jobs() {
  static MemoryLedger ledger(std::numeric_limits<std::uint64_t>::max());
  return ledger;
}

std::uint64_t device_bytes(Backend backend, const JobContext& context) {
  const std::uint64_t free =
      cuda_module().facts(backend.device).free_bytes + device_cache(backend.device)->idle_bytes();
  return context.device_bytes() == 0 ? free : std::min(free, context.device_bytes());
}

}  // namespace

DeviceJob::DeviceJob(Backend backend, JobContext& context)
    : DeviceJob(backend, context, device_bytes(backend, context)) {}

DeviceJob::DeviceJob(Backend backend, JobContext& context, std::uint64_t device_bytes)
    : backend_(backend), context_(context), device_(device_bytes) {
  // A lost device reports 0 free bytes; out_of_memory would be a misleading reason.
  if (const std::string lost = cuda::loss(); !lost.empty())
    throw Failure(ErrorCode::backend_unavailable, lost + ".", "Use --backend cpu.");
}

void DeviceJob::book(std::uint64_t bytes, const char* purpose) {
  const std::uint64_t held = device_.current();
  if (bytes > device_.allowance() - std::min(held, device_.allowance())) {
    throw Failure(ErrorCode::out_of_memory,
                  std::string("The ") + purpose + " needs " + format_bytes(bytes) + " beside " +
                      format_bytes(held) + " already in use; " + to_string(backend_) + " has " +
                      format_bytes(device_.allowance()) + " free.",
                  "Choose a smaller tile, a larger block, a smaller window, or --backend cpu.");
  }
  device_.add(bytes, purpose);
  all_jobs().add(bytes, purpose);
}

void DeviceJob::unbook(std::uint64_t bytes) noexcept {
  device_.remove(bytes);
  all_jobs().remove(bytes);
}

DeviceJobBytes device_job_bytes() { return {all_jobs().current(), all_jobs().peak()}; }

bool DeviceJob::reclaim() noexcept {
  try {
    const std::shared_ptr<DeviceCache> cache = device_cache(backend_.device);
    return cache != nullptr && cache->reclaim() > 0;
  } catch (...) {
    return false;  // the host has no memory for the call
  }
}

void DeviceJob::fail(cuda::DeviceError error, const char* what, std::int64_t native) {
  const std::string text = to_string(backend_) + ": " + what + ".";
  if (error == cuda::DeviceError::out_of_memory)
    throw Failure(Error{ErrorCode::out_of_memory, text,
                        "Choose a smaller tile, a larger block, a smaller window, or --backend cpu.",
                        native});
  if (error == cuda::DeviceError::lost) {
    cuda::note_loss(what);
    throw Failure(Error{ErrorCode::backend_unavailable, to_string(backend_) + ": " + cuda::loss() + ".",
                        "Start the program again, or use --backend cpu.", native});
  }
  const ErrorCode code =
      error == cuda::DeviceError::unsupported ? ErrorCode::backend_unavailable : ErrorCode::internal;
  throw Failure(Error{code, text, "Use --backend cpu.", native});
}

std::string DeviceUse::note() const { return "device memory " + format_bytes(bytes) + " at the peak"; }

}  // namespace spyctrum
