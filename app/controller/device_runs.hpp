// SPDX-License-Identifier: Apache-2.0
// Runs of methods on a CUDA device, with the CPU in reserve: what does not fit on the device, or fails there,
// is computed again by the CPU, and the outcome says why. Called from jobs, on worker threads; they throw
// Failure.
#pragma once

#include <memory>
#include <optional>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_pictures.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

/// Why a device could not compute something, which the CPU then did; empty: nothing of the kind.
using Fallback = std::optional<Error>;
/// Whether the CPU tries again after `error` on `backend`: true where a CUDA device was full or failed, false
/// for what was cancelled or wrong from the start.
[[nodiscard]] bool is_for_cpu(Backend backend, const Error& error);

struct RunOutcome {
  SpectrumPtr spectrum;
  Fallback fallback;
};
/// run_method(), a second time on the CPU where is_for_cpu() says so. Throws Failure.
[[nodiscard]] RunOutcome run_or_fall_back(const Method& method, const ResolvedRequest& request,
                                          JobContext& context);

/// What a run of that many floating-point operations (Forecast::operations) is expected to take, in seconds;
/// rough.
[[nodiscard]] double expected_seconds(double operations, BackendKind backend, unsigned threads);
/// Whether the CPU, with `threads`, is expected to finish a run of that many floating-point operations
/// (Forecast::operations) before the device: small runs, and larger ones until the device is awake.
[[nodiscard]] bool is_sooner_on_cpu(double operations, unsigned threads, bool device_is_awake);
/// Whether the first run of wake_device() has ended, for which run_or_fall_back() waits.
[[nodiscard]] bool device_is_awake();

/// Runs methods (and draws, unless `pictures` is null) on small matrices, once in a process, so that the
/// driver, cuFFT and CUB are loaded before the first run that is timed: a second and more on a machine that
/// has never done it.
void wake_device(Backend backend, const std::shared_ptr<DevicePictures>& pictures, JobContext& context);

}  // namespace spyctrum
