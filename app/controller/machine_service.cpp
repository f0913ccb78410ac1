// SPDX-License-Identifier: Apache-2.0
// Jobs in the background do the first work on a device, which loads the driver, and free the device's copies
// of closed matrices.
#include "app/controller/machine_service.hpp"

#include <unistd.h>

#include <fstream>
#include <utility>

#include "app/controller/device_runs.hpp"
#include "core/base/memory_ledger.hpp"
#include "core/device/backends.hpp"
#include "core/device/device_job.hpp"
#include "core/device/loader.hpp"

namespace spyctrum {

namespace {

constexpr auto kFactsInterval = std::chrono::seconds(1);

/// Resident set of this process; 0 if /proc does not give it.
std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

MachineService::MachineService(ServiceContext& context, std::optional<std::string> backend,
                               cuda::Pictures* pictures)
    : Service(context), overriding_(std::move(backend)), test_pictures_(pictures) {
  state().status.threads = jobs().threads();
  state().status.host_bytes_total = physical_memory_bytes();
}

void MachineService::reconcile() {
  const std::string& chosen = state().settings.backend;
  if (settings_backend_ == chosen) return;
  if (settings_backend_) overriding_.reset();  // the newer choice replaces that of the command line
  settings_backend_ = chosen;
  choose_backend();
}

bool MachineService::refresh(SteadyTime now) {
  if (now >= facts_due_) {
    facts_due_ = now + kFactsInterval;
    state().status.host_bytes_used = resident_bytes();
    refresh_device_memory();
  }
  if (closed_since_idle_ && jobs().idle()) {
    closed_since_idle_ = false;
    release_closed();
  }
  return false;
}

void MachineService::matrix_closed(bool /*was_selected*/) {
  closed_since_idle_ = true;
  release_closed();
}

/// The backend of the command line, else of the settings. An unavailable backend is reported once, and the
/// CPU takes its place.
void MachineService::choose_backend() {
  const std::string& name = overriding_ ? *overriding_ : state().settings.backend;
  const Result<Backend> chosen = parse_backend(name);
  if (!chosen) {
    notify(Level::warning, chosen.error().message());
    const std::string none = cuda_unavailable_reason();
    return use_backend({}, none.empty() ? chosen.error().what : none);
  }
  use_backend(*chosen, name == "cpu" ? std::string() : cuda_unavailable_reason());
}

cuda::Pictures* MachineService::drawing_device() const {
  if (test_pictures_ != nullptr) return test_pictures_;
  cuda::Module* module = backend_.kind == BackendKind::cuda ? cuda::loaded_module().module : nullptr;
  return module != nullptr ? &module->pictures() : nullptr;
}

void MachineService::use_backend(Backend backend, std::string why_no_cuda) {
  backend_ = backend;
  device_pictures_.reset();
  if (cuda::Pictures* device = drawing_device())
    // Pictures share the data that jobs have sent to the device.
    device_pictures_ =
        std::make_shared<DevicePictures>(*device, Backend{BackendKind::cuda, backend.device},
                                         device == test_pictures_ ? nullptr : device_cache(backend.device));
  StatusFacts& facts = state().status;
  facts.on_device = backend.kind == BackendKind::cuda;
  facts.cuda_reason = facts.on_device ? std::string() : std::move(why_no_cuda);
  facts.backend = facts.on_device ? "CUDA · " + device_name(backend)
                                  : "CPU, " + std::to_string(jobs().threads()) +
                                        (jobs().threads() == 1 ? " thread" : " threads");
  wake_device();
}

/// Loads the driver before the user needs the device, in two jobs; a first plane may run between them
/// (JobRequest::before).
void MachineService::wake_device() {
  if (backend_.kind != BackendKind::cuda) return;
  // A failure here is not reported: it occurs again in the job that needs the device.
  jobs().submit(
      request_job(Lane::background, "wake", {}),
      [backend = backend_](JobContext& context) { spyctrum::wake_device(backend, context); },
      [this](const Result<void>&) {
        jobs().submit(
            request_job(Lane::background, "wake/other work", {}),
            [backend = backend_, pictures = device_pictures_](JobContext& context) {
              if (backend.kind == BackendKind::cuda) wake_other_work(backend, pictures, context);
            },
            [](const Result<void>&) {});
      });
}

void MachineService::refresh_device_memory() {
  if (!device_pictures_) return state().status.device_memory.reset();
  const std::optional<std::uint64_t> free = device_pictures_->free_now();
  if (!free) return;
  const DeviceCache::Held held = device_pictures_->cache().held();
  const DeviceJobBytes of_jobs = device_job_bytes();
  state().status.device_memory = {held.patterns, held.orders, held.values, of_jobs.now, of_jobs.peak, *free};
}

/// Frees the device's copies of closed matrices at once, on a worker, since the call may wait.
void MachineService::release_closed() {
  if (!device_pictures_) return;
  jobs().submit(
      request_job(Lane::background, "device/release", {}),
      [pictures = device_pictures_](JobContext&) { return pictures->cache().release_gone(); },
      [this](const auto&) { refresh_device_memory(); });
}

void MachineService::note_fallback(const std::string& what, const Error& error) {
  if (const std::string lost = cuda::loss(); !lost.empty()) {
    // The device is lost: every later failure on it has the same cause.
    if (state().status.cuda_reason == lost) return;
    notify(Level::error, lost + ". The CPU computes from now on.");
    return use_cpu_for_good(lost);
  }
  notify(Level::warning, what + ": " + error.what + " It was computed by the CPU instead.");
  if (error.code == ErrorCode::internal) use_cpu_for_good(error.what);
}

void MachineService::use_cpu_for_good(const std::string& why) {
  test_pictures_ = nullptr;
  use_backend({}, why);
}

}  // namespace spyctrum
