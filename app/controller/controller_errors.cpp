// SPDX-License-Identifier: Apache-2.0
// How far each column is from the reference – its features at once, its
// reconstruction by a pass over exact rows in the background – and the sweep over
// block sizes behind the trade-off plot.
#include <array>

#include "app/controller/controller.hpp"
#include "core/features/feature_errors.hpp"

namespace spyctrum {

namespace {
constexpr std::array<std::uint32_t, 8> kSweepBlocks{128, 96, 64, 32, 16, 8, 4, 2};
constexpr const char* kStream = "bs-fft";
}  // namespace

void Controller::compare_features() {
  const Column* reference = state_.reference();
  const bool known = reference != nullptr && reference->spectrum && reference->spectrum->features;
  for (Column& column : state_.columns) {
    const bool other = column.arrangement.kind != Arrangement::Kind::matrix;
    if (!known || other || column.reference || !column.spectrum || !column.spectrum->features) {
      column.feature_errors.reset();
    } else if (!column.feature_errors) {
      column.feature_errors = feature_errors(*column.spectrum->features, *reference->spectrum->features);
    }
  }
}

void Controller::reconcile_errors() {
  ErrorSpec wanted;
  wanted.pattern = pattern_;
  wanted.stream_method = kStream;
  wanted.every_row = compare_every_row_;
  wanted.backend = backend_;
  for (const Column& column : state_.columns) {
    if (column.arrangement.kind != Arrangement::Kind::matrix) continue;
    ColumnWork& work = work_[column.id];
    // Not while something newer is on its way: the pass is dear and its result would be dropped.
    const bool streams = find_method(column.method)->info().full_plane;
    if ((column.busy && !streams) || (work.reconstruction && work.reconstructed_from != column.spectrum))
      return;
    if (work.reconstruction) wanted.reconstructions.emplace_back(column.id, work.reconstruction);
  }
  if (wanted == compared_) return;
  compared_ = wanted;
  runner_.drop("errors");
  for (Column& column : state_.columns) column.errors_busy = false;
  if (!pattern_ || wanted.reconstructions.empty()) return;
  if (!wanted.every_row && pattern_->cols() > kErrorCoefficients) return;  // a single row would be more
  for (const auto& [id, reconstruction] : wanted.reconstructions) state_.column(id)->errors_busy = true;
  JobRequest job =
      request_job(Lane::background, "errors", "Errors of the reconstructions · " + matrix_name());
  job.background = true;
  runner_.submit<ColumnErrors>(
      job, [wanted](JobContext& context) { return reconstruction_errors(wanted, context); },
      [this, wanted](Result<ColumnErrors> errors) {
        for (const auto& [id, reconstruction] : wanted.reconstructions) {
          if (Column* column = state_.column(id)) column->errors_busy = false;
        }
        if (!errors) {
          if (errors.error().code != ErrorCode::cancelled) notify(Level::error, errors.error().message());
          return;
        }
        if (errors->fallback) note_fallback("Errors of the reconstructions", *errors->fallback);
        for (const auto& [id, found] : errors->of_columns) {
          if (Column* column = state_.column(id)) column->reconstruction_errors = found;
        }
      });
}

void Controller::handle(const action::ComputeErrors&) {
  compare_every_row_ = true;
  compared_ = {};
}

void Controller::handle(const action::StartSweep&) {
  if (state_.matrix() == nullptr) return;
  state_.sweep.clear();
  sweep_queue_.clear();
  runner_.drop("sweep");
  if (state_.reference() == nullptr) {
    notify(Level::warning, "The sweep compares with the exact spectrum: add an exact column first.");
    return;
  }
  for (const std::uint32_t block : kSweepBlocks) {
    for (const auto& method : methods()) {
      if (method->info().uses_block) sweep_queue_.emplace_back(method->info().id, block);
    }
  }
  state_.sweep_busy = true;
}

void Controller::reconcile_sweep() {
  if (sweep_queue_.empty()) {
    if (!runner_.pending("sweep")) state_.sweep_busy = false;
    return;
  }
  const Column* reference = state_.reference();
  if (reference == nullptr || !pattern_) {
    sweep_queue_.clear();
    return;
  }
  // It waits for the exact features that it is measured against.
  if (!reference->spectrum || !reference->spectrum->features || runner_.pending("sweep")) return;
  const auto [id, block] = sweep_queue_.front();
  sweep_queue_.erase(sweep_queue_.begin());
  const Method& method = *find_method(id);
  ResolvedRequest request;
  request.pattern = pattern_;
  request.parameters = resolve(method, {}).value();
  if (auto set = request.parameters.set("block", std::int64_t{block}); !set)
    return notify(Level::warning, set.error().message());
  request.threads = runner_.threads();
  request.backend = backend_;
  JobRequest job = request_job(Lane::background, "sweep",
                               "Sweep · " + method.info().label + ", b = " + std::to_string(block));
  job.background = true;
  SweepPoint point;
  point.method = id;
  point.label = method.info().label;
  point.block = block;
  runner_.submit<RunOutcome>(
      job,
      [&method, request = std::move(request)](JobContext& context) {
        return run_or_fall_back(method, request, context);
      },
      [this, point](Result<RunOutcome> result) { take_sweep_point(point, std::move(result)); });
}

void Controller::take_sweep_point(SweepPoint point, Result<RunOutcome> result) {
  if (!result) {
    if (result.error().code == ErrorCode::cancelled) {
      sweep_queue_.clear();
    } else {
      notify(Level::warning, "Sweep: " + result.error().message(), false);
    }
    return;
  }
  if (result->fallback) note_fallback("Sweep", *result->fallback);
  const Column* reference = state_.reference();
  const Spectrum& spectrum = *result->spectrum;
  if (reference == nullptr || !reference->spectrum || !reference->spectrum->features || !spectrum.features)
    return;
  point.seconds = spectrum.provenance.seconds;
  point.bytes_peak = spectrum.provenance.bytes_peak;
  point.errors = feature_errors(*spectrum.features, *reference->spectrum->features);
  state_.sweep.push_back(std::move(point));
}

}  // namespace spyctrum
