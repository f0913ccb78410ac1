// SPDX-License-Identifier: Apache-2.0
// Repeats a cell's run for a median of its time, within the time allowance.
#include "app/study/study_cell.hpp"

#include <algorithm>
#include <cmath>

#include "app/study/measurement.hpp"
#include "core/base/deadline.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/text.hpp"
#include "core/features/feature_errors.hpp"

namespace spyctrum {

namespace {

/// Seconds: once the runs of a cell took this long together, no further one begins.
constexpr double kEnoughSeconds = 2;

ResolvedRequest request_of(const CellTask& task, unsigned threads) {
  ResolvedRequest request = default_request(*task.method, task.pattern, task.block);
  request.backend = task.backend;
  request.threads = threads;
  request.outputs = measured_outputs(*task.method);
  return request;
}

CellStatus status_of(const Error& error, bool timed_out) {
  if (error.code == ErrorCode::out_of_memory) return CellStatus::memory;
  if (error.code == ErrorCode::backend_unavailable || error.code == ErrorCode::wrong_use)
    return CellStatus::unsupported;
  return error.code == ErrorCode::cancelled && timed_out ? CellStatus::time : CellStatus::failed;
}

/// The spectrum of the first run, and the seconds of all runs.
struct Runs {
  SpectrumPtr spectrum;
  std::vector<double> seconds;
  std::vector<StageSeconds> stages;
};

/// Throws Failure where the first run fails.
Runs repeat(const CellTask& task, ThreadPool& pool, const std::stop_token& stop) {
  const ResolvedRequest request = request_of(task, pool.threads());
  Runs runs;
  double sum = 0;
  do {
    JobContext context(pool, job_options(*task.plan, stop));
    auto spectrum = run_method(*task.method, request, context);
    if (runs.spectrum && !spectrum && spectrum.error().code == ErrorCode::cancelled) break;
    runs.seconds.push_back(or_throw(spectrum)->provenance.seconds);
    runs.stages.push_back((*spectrum)->provenance.stages);
    sum += runs.seconds.back();
    if (!runs.spectrum) runs.spectrum = *spectrum;
  } while (runs.seconds.size() < task.plan->repeats && sum < kEnoughSeconds);
  return runs;
}

/// Seconds for all magnitudes of the plane, from as many evenly spaced rows as hold kTimed coefficients.
/// Throws Failure{cancelled}.
double seconds_of(const Reconstruction& reconstruction, JobContext& context) {
  constexpr std::uint64_t kTimed = std::uint64_t{1} << 26U;
  const std::uint64_t rows = std::clamp<std::uint64_t>(kTimed / reconstruction.n(), 1, reconstruction.m());
  const Stopwatch watch;
  context.pool().parallel_for(rows, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> row(reconstruction.n());
    for (std::size_t k = begin; k < end; ++k) {
      context.check_stop();
      reconstruction.row(static_cast<std::int64_t>(k * (reconstruction.m() / rows)), 0, 1, row);
    }
  });
  return watch.seconds() * static_cast<double>(reconstruction.m()) / static_cast<double>(rows);
}

void compare(StudyCell& cell, const CellTask& task, const SpectrumPtr& spectrum, ThreadPool& pool,
             const std::stop_token& stop) {
  cell.features = spectrum->features;
  if (task.reference != nullptr && task.reference->problem.empty() && spectrum->features)
    cell.errors = feature_errors(*spectrum->features, task.reference->features);
  if (task.rows == nullptr) return;
  JobContext context(pool, job_options(*task.plan, stop));
  if (task.method->info().full_plane) {
    const auto difference = run_guarded(
        [&] { return task.rows->compare(*task.method, request_of(task, pool.threads()), context); });
    if (difference) cell.difference = *difference;
    return;
  }
  const auto compared = run_guarded([&] {
    const Reconstruction reconstruction =
        or_throw(Reconstruction::make(spectrum, Fill::bilinear, *task.pattern, context));
    cell.reconstruction = task.rows->compare(reconstruction, context);
    cell.reconstruction_seconds = seconds_of(reconstruction, context);
  });
  if (!compared) cell.reconstruction_note = compared.error().message();
}

}  // namespace

void check_interrupted(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Failure(ErrorCode::cancelled, "The study was interrupted.");
}

Forecast forecast_of(const CellTask& task, unsigned threads) {
  return run_guarded([&] { return task.method->forecast(request_of(task, threads)); }).value_or(Forecast{});
}

JobContext::Options job_options(const StudyPlan& plan, std::stop_token stop) {
  JobContext::Options options;
  options.memory_bytes = plan.memory_bytes;
  options.seed = plan.seed;
  options.stop = std::move(stop);
  return options;
}

StudyCell blank_cell(const CellTask& task, unsigned threads) {
  const Forecast forecast = forecast_of(task, threads);
  StudyCell cell;
  cell.matrix = task.matrix->name;
  cell.method = task.method->info().id;
  cell.label = task.method->info().label;
  cell.block = task.block;
  cell.backend = to_string(task.backend);
  cell.exactness = to_string(task.method->info().exactness);
  cell.operations = forecast.operations;
  cell.bytes_forecast = forecast.bytes;
  cell.seed = task.plan->seed;
  return cell;
}

StudyCell run_cell(const CellTask& task, ThreadPool& pool, const std::stop_token& stop) {
  StudyCell cell = blank_cell(task, pool.threads());
  Deadline deadline(task.plan->cell_seconds, stop);
  const auto runs = run_guarded([&] { return repeat(task, pool, deadline.token()); });
  check_interrupted(stop);
  if (!runs) {
    cell.status = status_of(runs.error(), deadline.passed());
    cell.reason = cell.status == CellStatus::time ? "stopped after its time allowance of " +
                                                        number_text(task.plan->cell_seconds, 3) + " s"
                                                  : runs.error().message();
    return cell;
  }
  const Provenance& from = runs->spectrum->provenance;
  cell.backend = from.backend;
  cell.device = from.device;
  cell.exactness = to_string(runs->spectrum->exactness);
  cell.bytes_forecast = from.bytes_forecast;
  cell.bytes_peak = from.bytes_peak;
  cell.device_bytes_peak = from.device_bytes_peak;
  cell.seconds = median_of(runs->seconds);
  const auto nearest = std::ranges::min_element(
      runs->seconds, {}, [&](double seconds) { return std::abs(seconds - cell.seconds); });
  cell.stages = runs->stages[static_cast<std::size_t>(nearest - runs->seconds.begin())];
  cell.runs = static_cast<unsigned>(runs->seconds.size());
  compare(cell, task, runs->spectrum, pool, stop);
  check_interrupted(stop);
  return cell;
}

}  // namespace spyctrum
