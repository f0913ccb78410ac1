// SPDX-License-Identifier: Apache-2.0
// Repeats a cell's run for a median of its time, within the time allowance.
#include "app/study/study_cell.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/base/deadline.hpp"
#include "core/features/feature_errors.hpp"

namespace spyctrum {

namespace {

/// No further run of a cell begins once its runs took this long in total.
constexpr double kEnoughSeconds = 2;

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g s", seconds);
  return text.data();
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Result<ResolvedRequest> request_of(const CellTask& task, unsigned threads) {
  ResolvedRequest request;
  request.pattern = task.pattern;
  request.backend = task.backend;
  request.threads = threads;
  request.parameters = resolve(*task.method, {}).value();
  if (task.block)
    if (auto set = request.parameters.set("block", std::int64_t{*task.block}); !set)
      return tl::unexpected<Error>(std::move(set.error()));
  request.outputs = {.values = !task.method->info().full_plane, .features = true, .pyramid = false};
  return request;
}

CellStatus status_of(const Error& error, bool timed_out) {
  switch (error.code) {
    case ErrorCode::out_of_memory:
      return CellStatus::memory;
    case ErrorCode::backend_unavailable:
    case ErrorCode::wrong_use:
      return CellStatus::unsupported;
    case ErrorCode::cancelled:
      return timed_out ? CellStatus::time : CellStatus::failed;
    default:
      return CellStatus::failed;
  }
}

JobContext::Options options_for(const CellTask& task, std::stop_token stop) {
  JobContext::Options options;
  options.memory_bytes = task.plan->memory_bytes;
  options.seed = task.plan->seed;
  options.stop = std::move(stop);
  return options;
}

/// The spectrum of the first run, and the seconds of all of them.
struct Runs {
  SpectrumPtr spectrum;
  std::vector<double> seconds;
};

Result<Runs> repeat(const CellTask& task, ThreadPool& pool, const std::stop_token& stop) {
  const auto request = request_of(task, pool.threads());
  if (!request) return tl::unexpected<Error>(request.error());
  Runs runs;
  double sum = 0;
  do {
    JobContext context(pool, options_for(task, stop));
    auto spectrum = run_method(*task.method, *request, context);
    if (!spectrum) {
      if (runs.spectrum && spectrum.error().code == ErrorCode::cancelled) break;  // the first run is enough
      return tl::unexpected<Error>(spectrum.error());
    }
    runs.seconds.push_back((*spectrum)->provenance.seconds);
    sum += runs.seconds.back();
    if (!runs.spectrum) runs.spectrum = *spectrum;
  } while (runs.seconds.size() < task.plan->repeats && sum < kEnoughSeconds);
  return runs;
}

void compare(StudyCell& cell, const CellTask& task, const SpectrumPtr& spectrum, ThreadPool& pool,
             const std::stop_token& stop) {
  cell.features = spectrum->features;
  if (task.reference != nullptr && task.reference->problem.empty() && spectrum->features)
    cell.errors = feature_errors(*spectrum->features, task.reference->features);
  if (task.method->info().full_plane || task.rows == nullptr) return;
  auto reconstruction = Reconstruction::make(spectrum, Fill::bilinear);
  if (!reconstruction) {
    cell.reconstruction_note = reconstruction.error().message();
    return;
  }
  JobContext context(pool, options_for(task, stop));
  auto errors = run_guarded([&] { return task.rows->compare(*reconstruction, context); });
  if (errors) {
    cell.reconstruction = *errors;
  } else {
    cell.reconstruction_note = errors.error().message();
  }
}

}  // namespace

Forecast forecast_of(const CellTask& task, unsigned threads) {
  auto forecast = run_guarded([&] { return task.method->forecast(request_of(task, threads).value()); });
  return forecast ? *forecast : Forecast{};
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

Result<StudyCell> run_cell(const CellTask& task, ThreadPool& pool, const std::stop_token& stop) {
  StudyCell cell = blank_cell(task, pool.threads());
  Deadline deadline(task.plan->cell_seconds, stop);
  auto runs = repeat(task, pool, deadline.token());
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "The study was interrupted.");
  if (!runs) {
    cell.status = status_of(runs.error(), deadline.passed());
    cell.reason = cell.status == CellStatus::time
                      ? "stopped after its time allowance of " + seconds_text(task.plan->cell_seconds)
                      : runs.error().message();
    return cell;
  }
  const Provenance& from = runs->spectrum->provenance;
  cell.backend = from.backend;
  cell.device = from.device;
  cell.exactness = to_string(runs->spectrum->exactness);
  cell.bytes_forecast = from.bytes_forecast;
  cell.bytes_peak = from.bytes_peak;
  cell.seconds = median_of(runs->seconds);
  cell.runs = static_cast<unsigned>(runs->seconds.size());
  compare(cell, task, runs->spectrum, pool, stop);
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "The study was interrupted.");
  return cell;
}

}  // namespace spyctrum
