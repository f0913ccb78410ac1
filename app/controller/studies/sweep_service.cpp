// SPDX-License-Identifier: Apache-2.0
// One run at a time; the sweep waits for the reference's features, which its points are compared with.
#include "app/controller/studies/sweep_service.hpp"

#include <array>
#include <utility>

#include "core/features/feature_errors.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

constexpr std::array<std::uint32_t, 8> kBlocks{128, 96, 64, 32, 16, 8, 4, 2};

}  // namespace

void SweepService::handle(const action::StartSweep&) {
  if (state().matrix() == nullptr) return;
  state().sweep.clear();
  waiting_.clear();
  jobs().drop("sweep");
  if (state().reference() == nullptr) {
    notify(Level::warning, "The sweep compares with the exact spectrum: add an exact column first.");
    return;
  }
  for (const std::uint32_t block : kBlocks) {
    for (const auto& method : methods()) {
      if (method->info().uses_block) waiting_.emplace_back(method->info().id, block);
    }
  }
  state().sweep_busy = true;
}

void SweepService::reconcile() {
  if (waiting_.empty()) {
    if (!jobs().pending("sweep")) state().sweep_busy = false;
    return;
  }
  const Column* reference = state().reference();
  if (reference == nullptr || !state().pattern()) {
    waiting_.clear();
    return;
  }
  // It waits for the exact features that it is measured against.
  if (!reference->spectrum || !reference->spectrum->features || jobs().pending("sweep")) return;
  const auto [id, block] = waiting_.front();
  waiting_.pop_front();
  const Method& method = *find_method(id);
  ResolvedRequest request;
  request.pattern = state().pattern();
  request.parameters = resolve(method, {}).value();
  if (auto set = request.parameters.set("block", std::int64_t{block}); !set)
    return notify(Level::warning, set.error().message());
  request.threads = jobs().threads();
  request.backend = machine_.backend();
  const SweepPoint point{.method = id, .label = method.info().label, .block = block};
  jobs().submit(
      request_job(Lane::background, "sweep", "Sweep · " + point.label + ", b = " + std::to_string(block)),
      [&method, request = std::move(request)](JobContext& context) {
        return run_or_fall_back(method, request, context);
      },
      [this, point](const Result<RunOutcome>& result) { take_point(point, result); });
}

void SweepService::take_point(SweepPoint point, const Result<RunOutcome>& result) {
  if (!result) {
    if (result.error().code == ErrorCode::cancelled) waiting_.clear();
    return report(result.error(), "Sweep: ", Level::warning, false);
  }
  if (result->fallback) machine_.note_fallback("Sweep", *result->fallback);
  const Column* reference = state().reference();
  const Spectrum& spectrum = *result->spectrum;
  if (reference == nullptr || !reference->spectrum || !reference->spectrum->features || !spectrum.features)
    return;
  point.seconds = spectrum.provenance.seconds;
  point.bytes_peak = spectrum.provenance.bytes_peak;
  point.errors = feature_errors(*spectrum.features, *reference->spectrum->features);
  state().sweep.push_back(std::move(point));
}

void SweepService::forget_matrix() {
  jobs().drop("sweep");
  waiting_.clear();
  state().sweep.clear();
  state().sweep_busy = false;
}

}  // namespace spyctrum
