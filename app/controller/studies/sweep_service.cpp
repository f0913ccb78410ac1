// SPDX-License-Identifier: Apache-2.0
// One run at a time, whose progress is shown as part of the whole; the sweep waits for the reference's
// features, which its points are compared with.
#include "app/controller/studies/sweep_service.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "core/features/feature_errors.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

constexpr std::array<std::uint32_t, 8> kBlocks{128, 96, 64, 32, 16, 8, 4, 2};

}  // namespace

std::vector<SweepRun> take_dominating(std::vector<SweepRun>& runs) {
  constexpr double kFew = 1e11;
  double rest = 0;
  for (const SweepRun& run : runs) rest += run.operations;
  std::vector<SweepRun> taken;
  while (!runs.empty()) {
    const auto heaviest = std::ranges::max_element(runs, {}, &SweepRun::operations);
    rest -= heaviest->operations;
    if (heaviest->operations <= std::max(rest, kFew)) break;
    taken.push_back(*heaviest);
    runs.erase(heaviest);
  }
  return taken;
}

void SweepService::handle(const action::StartSweep& chosen) {
  if (state().matrix() == nullptr) return;
  if (state().reference() == nullptr) {
    notify(Level::warning, "The sweep compares with the exact spectrum: add an exact column first.");
    return;
  }
  std::vector<SweepRun> runs;
  const auto add = [&](const Method& method, std::uint32_t block) {
    ResolvedRequest request = default_request(method, state().pattern(), block);
    request.threads = jobs().threads();
    runs.push_back({method.info().id, block, method.forecast(request).operations});
  };
  jobs().drop("sweep");
  if (chosen.skipped) {
    for (const SweepSkip& skip : state().sweep_skipped) add(*find_method(skip.method), skip.block);
    state().sweep_skipped.clear();
  } else {
    state().sweep.clear();
    state().sweep_skipped.clear();
    for (const std::uint32_t block : kBlocks)
      for (const auto& method : methods())
        if (method->info().uses_block) add(*method, block);
    for (const SweepRun& run : take_dominating(runs))
      state().sweep_skipped.push_back({run.method, find_method(run.method)->info().label, run.block});
  }
  running_.reset();
  waiting_.assign(runs.begin(), runs.end());
  operations_ = 0;
  for (const SweepRun& run : runs) operations_ += run.operations;
  began_ = std::chrono::steady_clock::now();
  state().sweep_runs = runs.size();
  state().sweep_ended = 0;
  state().sweep_busy = true;
}

double SweepService::done() const {
  double left = 0;
  for (const SweepRun& run : waiting_) left += run.operations;
  return operations_ > 0 ? 1 - left / operations_ : 0;
}

void SweepService::reconcile() {
  if (state().advisor.busy && running_) {  // times are measured one at a time, those of the advisor first
    jobs().drop("sweep");
    waiting_.push_front(*running_);
    running_.reset();
  }
  if (waiting_.empty()) {
    if (!running_) state().sweep_busy = false;
    return;
  }
  const Column* reference = state().reference();
  if (reference == nullptr || !state().pattern()) {
    waiting_.clear();
    return;
  }
  // Errors are measured against the exact features of the reference, which must be known.
  if (!reference->spectrum || !reference->spectrum->features || running_ || state().advisor.busy) return;
  const double first = done();
  running_ = waiting_.front();
  waiting_.pop_front();
  const Method& method = *find_method(running_->method);
  ResolvedRequest request = default_request(method, state().pattern(), running_->block);
  request.threads = jobs().threads();
  request.backend = machine_.backend();
  const SweepPoint point{.method = running_->method, .label = method.info().label, .block = running_->block};
  JobRequest job = request_job(Lane::background, "sweep",
                               "Sweep · " + std::to_string(state().sweep_ended + 1) + " of " +
                                   std::to_string(state().sweep_runs) + " · " + point.label +
                                   ", b = " + std::to_string(point.block));
  job.part = JobRequest::Part{first, done(), began_};
  jobs().submit(
      job,
      [&method, request = std::move(request)](JobContext& context) {
        return run_or_fall_back(method, request, context);
      },
      [this, point](const Result<RunOutcome>& result) {
        running_.reset();
        ++state().sweep_ended;
        take_point(point, result);
      });
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
  running_.reset();
  state().sweep.clear();
  state().sweep_skipped.clear();
  state().sweep_busy = false;
}

}  // namespace spyctrum
