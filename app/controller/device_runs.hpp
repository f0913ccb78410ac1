// SPDX-License-Identifier: Apache-2.0
// Runs of methods on a CUDA device with the CPU as a fallback: what does not fit on the device, or fails
// there, is computed by the CPU, and the outcome says why. Called by jobs on worker threads; the functions
// throw Failure.
#pragma once

#include <memory>
#include <optional>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_pictures.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

/// The reason why a device could not compute something that the CPU then computed; empty otherwise.
using Fallback = std::optional<Error>;
/// Whether the CPU should try again after `error` on `backend`: true if a CUDA device was full or failed,
/// false if the request was cancelled or invalid.
[[nodiscard]] bool is_for_cpu(Backend backend, const Error& error);

struct RunOutcome {
  SpectrumPtr spectrum;
  Fallback fallback;
};
/// As run_method(), repeated on the CPU if is_for_cpu(). Throws Failure.
[[nodiscard]] RunOutcome run_or_fall_back(const Method& method, const ResolvedRequest& request,
                                          JobContext& context);

/// Whether the CPU, with `threads`, is expected to finish a run of that many floating-point operations
/// (Forecast::operations) before the device: small runs, and larger ones until the device is awake.
[[nodiscard]] bool is_faster_on_cpu(double operations, unsigned threads, bool device_is_awake);
/// Whether the first run of wake_device() has ended, for which run_or_fall_back() waits.
[[nodiscard]] bool device_is_awake();

/// Computes the plane of a small matrix, once per process, so that the driver and cuFFT are loaded before the
/// first run that is timed. On a machine that has never done it this takes a second and more.
void wake_device(Backend backend, JobContext& context);
/// The same for samples and windows and, unless `pictures` is null, for pictures: what the user sees after
/// the first plane. To be called after wake_device(), and not while a plane is computed: loading code holds
/// up the device's other work.
void wake_other_work(Backend backend, const std::shared_ptr<DevicePictures>& pictures, JobContext& context);

}  // namespace spyctrum
