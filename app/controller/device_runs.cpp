// SPDX-License-Identifier: Apache-2.0
// The second attempt on the CPU, and the small runs that load driver and libraries of a device.
#include "app/controller/device_runs.hpp"

#include <atomic>
#include <mutex>

#include "core/engine/plane_progress.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

namespace {

PatternPtr diagonal_pattern(Index side, JobContext& context) {
  return or_throw(generate("gen:diagonal:n=" + std::to_string(side), context)).pattern;
}

std::atomic<bool> planes_are_awake{false};

// A failure here is not reported: it occurs again in the run that needs the device.
void wake(MethodRole role, const RequestScope& scope, JobContext& job) {
  JobContext context(job.pool());
  const Method& method = usual_method(role);
  (void)run_method(method, {scope, method.defaults()}, context);
}

/// Streams a whole plane, which is the first run of every matrix.
void wake_stream(Backend backend, Index side, JobContext& context) {
  constexpr std::uint32_t kCells = 2048;
  RequestScope request;
  request.backend = backend;
  request.pattern = diagonal_pattern(side, context);
  request.outputs = {false, true, true, kCells};
  request.progress = std::make_shared<PlaneProgress>();
  request.progress->take_rows_in_order(true);
  wake(MethodRole::plane, request, context);
}

/// Threads that call it later wait for the first call.
void wake_planes(Backend backend, JobContext& context) {
  constexpr Index kSide =
      16384;  // tiles of this size need as much page-locked memory as those of most matrices
  static std::once_flag once;
  std::call_once(once, [&] {
    wake_stream(backend, kSide, context);
    planes_are_awake = true;
  });
}

void wake_windows_and_samples(Backend backend, JobContext& context) {
  // Each of its rows is a row of cells: no matrix needs more page-locked memory.
  constexpr Index kMostCells = 4096;
  wake_stream(backend, kMostCells, context);
  constexpr Index kSide = 20011;  // prime
  constexpr std::uint64_t kRows = 64;
  RequestScope request;
  request.backend = backend;
  request.pattern = diagonal_pattern(kSide, context);
  wake(MethodRole::samples, request, context);
  wake(MethodRole::estimate, request, context);
  const FrequencyAxis few = FrequencyAxis::progression(kSide, 0, 1, kRows);
  request.window = FrequencyGrid{few, few};
  wake(MethodRole::plane, request, context);
}

void wake_pictures(DevicePictures& pictures, JobContext& context) {
  constexpr Index kSide = 20011;
  constexpr std::uint32_t kPixels = 64;
  constexpr std::uint64_t kCoefficients = std::uint64_t{1} << 20U;
  const PatternPtr pattern = diagonal_pattern(kSide, context);
  (void)pictures.pattern_image(pattern, {full_pattern_rect(kSide, kSide), kPixels, kPixels}, context);
  (void)pictures.exact_image(pattern, nullptr, {{-32.5, -32.5, 31.5, 31.5}, kPixels, kPixels}, kCoefficients,
                             context);
  (void)pictures.exact_image(pattern, nullptr, {full_spectrum_rect(kSide, kSide), kPixels, kPixels},
                             kCoefficients, context);
}

}  // namespace

bool is_faster_on_cpu(double operations, unsigned threads, bool device_is_awake) {
  constexpr double kWakingSeconds =
      0.1;  // until a device is ready that is still being woken after a file is read
  // 0 operations on the device: its own work on a run that is small enough for the CPU is not measurable.
  return expected_seconds(operations, BackendKind::cpu, threads) <
         (device_is_awake ? expected_seconds(0, BackendKind::cuda, threads) : kWakingSeconds);
}

bool device_is_awake() { return planes_are_awake; }

void wake_device(Backend backend, JobContext& context) { wake_planes(backend, context); }

void wake_other_work(Backend backend, const std::shared_ptr<DevicePictures>& pictures, JobContext& context) {
  static std::once_flag methods_awake;
  static std::once_flag pictures_awake;
  std::call_once(methods_awake, [&] { wake_windows_and_samples(backend, context); });
  if (pictures)
    std::call_once(pictures_awake, [&] { (void)run_guarded([&] { wake_pictures(*pictures, context); }); });
}

bool is_for_cpu(Backend backend, const Error& error) {
  return backend.kind == BackendKind::cuda &&
         (error.code == ErrorCode::out_of_memory || error.code == ErrorCode::backend_unavailable ||
          error.code == ErrorCode::internal);
}

RunOutcome run_or_fall_back(const Method& method, const ResolvedRequest& request, JobContext& context) {
  if (request.backend.kind == BackendKind::cuda) wake_planes(request.backend, context);
  RunOutcome outcome;
  Result<SpectrumPtr> result = run_method(method, request, context);
  if (!result && is_for_cpu(request.backend, result.error())) {
    outcome.fallback = result.error();
    ResolvedRequest again = request;
    again.backend = {};
    result = run_method(method, again, context);
  }
  outcome.spectrum = or_throw(std::move(result));
  return outcome;
}

}  // namespace spyctrum
