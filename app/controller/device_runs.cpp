// SPDX-License-Identifier: Apache-2.0
// The second attempt on the CPU, and the small runs that wake a device.
#include "app/controller/device_runs.hpp"

#include <mutex>
#include <numeric>

#include "core/frequency/frequency_grid.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

PatternPtr diagonal_pattern(Index side) {
  std::vector<Index> diagonal(side);
  std::iota(diagonal.begin(), diagonal.end(), 0U);
  auto made = SparsePattern::from_coordinates(side, side, diagonal, diagonal);
  return made ? std::make_shared<const SparsePattern>(std::move(*made)) : nullptr;
}

/// What fails here fails again where it is asked for.
void wake_methods(Backend backend, ThreadPool& pool) {
  constexpr Index kSide = 20011;  // prime
  constexpr std::uint64_t kRows = 64;
  constexpr Index kSmall = 2048;
  Request request;
  request.backend = backend;
  const auto run = [&](MethodRole role) {
    JobContext context(pool);
    (void)run_method(usual_method(role), request, context);
  };
  request.pattern = diagonal_pattern(kSide);
  const FrequencyAxis few = FrequencyAxis::progression(kSide, 0, 1, kRows);
  request.window = FrequencyGrid{few, few};
  run(MethodRole::plane);
  request.window.reset();
  run(MethodRole::samples);
  run(MethodRole::estimate);
  // Whole planes are reduced where their rows are.
  request.pattern = diagonal_pattern(kSmall);
  request.outputs = {false, true, true, request.outputs.pyramid_cells};
  run(MethodRole::plane);
}

void wake_pictures(DevicePictures& pictures, JobContext& context) {
  constexpr Index kSide = 20011;
  constexpr std::uint32_t kPixels = 64;
  constexpr std::uint64_t kCoefficients = std::uint64_t{1} << 20U;
  const PatternPtr pattern = diagonal_pattern(kSide);
  (void)pictures.pattern_image(pattern, full_pattern_rect(kSide, kSide), kPixels, kPixels, context);
  (void)pictures.exact_image(pattern, nullptr, {-32.5, -32.5, 31.5, 31.5}, kPixels, kPixels, kCoefficients,
                             context);
  (void)pictures.exact_image(pattern, nullptr, full_spectrum_rect(kSide, kSide), kPixels, kPixels,
                             kCoefficients, context);
}

}  // namespace

void wake_device(Backend backend, const std::shared_ptr<DevicePictures>& pictures, JobContext& context) {
  static std::once_flag methods_awake;
  static std::once_flag pictures_awake;
  std::call_once(methods_awake, [&] { wake_methods(backend, context.pool()); });
  if (pictures)
    std::call_once(pictures_awake, [&] { (void)run_guarded([&] { wake_pictures(*pictures, context); }); });
}

bool is_for_cpu(Backend backend, const Error& error) {
  return backend.kind == BackendKind::cuda &&
         (error.code == ErrorCode::out_of_memory || error.code == ErrorCode::backend_unavailable ||
          error.code == ErrorCode::internal);
}

RunOutcome run_or_fall_back(const Method& method, const ResolvedRequest& request, JobContext& context) {
  if (request.backend.kind == BackendKind::cuda) wake_device(request.backend, nullptr, context);
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
