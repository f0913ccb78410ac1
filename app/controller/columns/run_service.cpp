// SPDX-License-Identifier: Apache-2.0
// A run is identified by its cache key: method, parameters, pattern and seed. A run that would take minutes
// waits for the user. A run that does not fit the memory is started, since its refusal names a block size
// that fits.
#include "app/controller/columns/run_service.hpp"

#include <algorithm>
#include <iterator>

#include "core/base/memory_ledger.hpp"

namespace spyctrum {

namespace {

constexpr std::uint32_t kPyramidCells = 2048;
constexpr std::uint64_t kCacheBytes = std::uint64_t{512} << 20U;
/// Forecast operations beyond which a run starts on request only: about ten minutes on two cores.
constexpr double kAutomaticOperations = 2e12;
constexpr double kAutomaticOperationsOnDevice = 2e14;
/// Share of the memory allowance beyond which a run starts on request only, unless the user chose the
/// allowance.
constexpr double kAutomaticMemory = 1.0 / 3;
/// Exact planes that are expected to take at most this long are computed before other runs, and before
/// pictures on a device, whose calls of the driver would delay the plane.
constexpr double kFirstSeconds = 0.1;

std::uint64_t bytes_of(const Spectrum& spectrum) {
  std::uint64_t bytes = spectrum.values.size() * sizeof(spectrum.values[0]);
  if (spectrum.pyramid) bytes += 2 * spectrum.pyramid->mean_power.size() * sizeof(float);
  return bytes;
}

/// Why a run that fits the allowance waits for the user; empty if the run may start. Sets a smaller tile in
/// `request` if that is enough.
std::string reason_by_memory(const Method& method, ResolvedRequest& request, const Forecast& forecast,
                             std::uint64_t allowance) {
  const auto most = static_cast<std::uint64_t>(kAutomaticMemory * static_cast<double>(allowance));
  if (forecast.bytes <= most) return {};
  const auto smaller = find_feasible_request(method, request, most);
  if (smaller && smaller->same_result) {
    request.parameters = smaller->request.parameters;
    return {};
  }
  return method.info().label + " needs " + format_bytes(forecast.bytes) + " of " +
         format_bytes(available_memory_bytes()) + " of free memory and was not started." +
         (smaller ? " " + smaller->advice : "");
}

std::string run_key(ColumnId id) { return "run/" + std::to_string(id); }

/// The forecast for the CPU, whose operations are those of a device, too. The forecast for a device calls the
/// driver, which may block for many frames: the job calls it, and its provenance has the bytes.
Forecast cpu_forecast(const Method& method, ResolvedRequest request) {
  request.backend = {};
  return method.forecast(request);
}

}  // namespace

void RunService::handle(const action::RunColumn& chosen) {
  Column* column = state().column(chosen.column);
  if (column == nullptr || (column->busy && column->held_back.empty())) return;
  Run& run = runs_[column->id];
  run.forced = true;
  streams_.set_to_the_end(column->id, column->stopped);
  if (column->error || column->stopped || !column->held_back.empty()) run.key.clear();
}

PatternPtr RunService::spectrum_of(ColumnId column) const {
  const auto run = runs_.find(column);
  return run == runs_.end() ? nullptr : run->second.spectrum_of;
}

void RunService::reconcile() {
  for (Column& column : state().columns) {
    reconcile_column(column);
    const Run& run = runs_[column.id];
    column.outdated = column.spectrum && run.key != run.result_key;
  }
}

void RunService::column_removed(ColumnId column) {
  jobs().drop(run_key(column));
  runs_.erase(column);
}

void RunService::forget_matrix() {
  jobs().drop_all("run/");
  runs_.clear();
  for (Column& column : state().columns) {
    column.spectrum.reset();
    column.busy = false;
    column.error.reset();
    column.held_back.clear();
    column.cost = {};
    column.outdated = false;
    column.samples = 0;
    column.plane_share = 0;
  }
}

void RunService::matrix_closed(bool was_selected) {
  if (was_selected) cache_.clear();
}

std::optional<double> RunService::expected_seconds_with(const Column& column, std::uint32_t block) const {
  const Method& method = *find_method(column.method);
  Result<ResolvedRequest> request = run_request(column);
  if (!request || !request->parameters.set("block", std::int64_t{block})) return std::nullopt;
  const Forecast forecast = cpu_forecast(method, *request);
  if (forecast.bytes > memory_allowance_bytes(state().settings.memory_bytes) ||
      !reason_to_wait(column, method, *request, forecast).empty())
    return std::nullopt;
  return expected_seconds(forecast.operations, request->backend.kind, jobs().threads());
}

Result<ResolvedRequest> RunService::run_request(const Column& column) const {
  const Method& method = *find_method(column.method);
  ResolvedRequest request;
  request.pattern = state().pattern_of(column);
  request.parameters = column.parameters;
  if (column.uses_block)
    if (auto set = request.parameters.set("block", std::int64_t{column.block}); !set)
      return tl::unexpected<Error>(set.error());
  const bool streams = method.info().full_plane;
  request.outputs.values = !streams;
  request.outputs.features = true;
  request.outputs.pyramid = streams;
  request.outputs.pyramid_cells = kPyramidCells;
  request.threads = jobs().threads();
  request.backend = machine_.backend();
  return request;
}

void RunService::reconcile_column(Column& column) {
  Run& run = runs_[column.id];
  const bool arranged = !column.is_of_matrix();
  if (run.arranged && !arranged) run.key.clear();  // the pattern may be the same, the error shown is not
  run.arranged = arranged;
  if (!state().pattern_of(column)) return;
  if (streams_.take_resume(column.id)) run.key.clear();
  if (column.is_of_region() && state().region_live) {
    jobs().drop(run_key(column.id));
    column.busy = false;
    run.key.clear();
    return;
  }
  const Method& method = *find_method(column.method);
  Result<ResolvedRequest> request = run_request(column);
  std::string key = request ? cache_key(method, *request, state().settings.seed) : request.error().message();
  if (method.info().resumable && state().stream_until < 1)
    key += " until " + std::to_string(state().stream_until);
  if (key == run.key) return;
  run.key = key;
  jobs().drop(run_key(column.id));
  column.busy = false;
  column.error.reset();
  column.held_back.clear();
  streams_.forget(column);
  if (!request) {
    column.error = request.error();
  } else if (SpectrumPtr known = cached(key)) {
    take_spectrum(column, std::move(known), key);
  } else {
    start_run(column, method, std::move(*request), key);
  }
}

void RunService::start_run(Column& column, const Method& method, ResolvedRequest request,
                           const std::string& key) {
  Support support = method.supports(request.backend);
  if (!support.ok && request.backend.automatic) {  // the program's own choice; run_method() does the same
    request.backend = {};
    support = method.supports(request.backend);
  }
  if (!support.ok) {
    column.error = Error{ErrorCode::wrong_use, column.label + ": " + support.reason, {}, 0};
    return;
  }
  const Forecast forecast = cpu_forecast(method, request);
  if (request.backend.automatic && is_faster_on_cpu(forecast.operations, jobs().threads(), device_is_awake()))
    request.backend = {};
  if (request.backend.kind == BackendKind::cpu) column.cost.bytes_forecast = forecast.bytes;
  Run& run = runs_[column.id];
  if (!run.forced) column.held_back = reason_to_wait(column, method, request, forecast);
  if (!column.held_back.empty()) return;
  run.forced = false;
  column.busy = true;
  submit_run(column, method, std::move(request), key, forecast.operations);
}

std::string RunService::reason_to_wait(const Column& column, const Method& method, ResolvedRequest& request,
                                       const Forecast& forecast) const {
  const bool streams = method.info().full_plane;
  const bool on_device = request.backend.kind == BackendKind::cuda;
  if (!streams && !on_device) {
    const std::uint64_t allowance = memory_allowance_bytes(state().settings.memory_bytes);
    if (forecast.bytes > allowance) return {};  // run_method() refuses it
    const bool is_chosen = state().settings.memory_bytes != 0;
    std::string reason = is_chosen ? "" : reason_by_memory(method, request, forecast, allowance);
    if (!reason.empty()) return reason;
  }
  if (forecast.operations <= (on_device ? kAutomaticOperationsOnDevice : kAutomaticOperations)) return {};
  return column.label +
         (streams ? " takes long for every coefficient at this size and was not started. Pictures are drawn "
                    "from exact samples and windows meanwhile."
                  : " takes long at this size and was not started.") +
         (method.info().uses_block ? " A larger block size takes less time." : "");
}

void RunService::submit_run(Column& column, const Method& method, ResolvedRequest request,
                            const std::string& key, double operations) {
  const double seconds = expected_seconds(operations, request.backend.kind, jobs().threads());
  if (method.info().resumable)
    // A later run with the same key continues after the rows of this one.
    streams_.prepare(column, cache_key(method, request, state().settings.seed), request, seconds);
  const bool streams = method.info().full_plane;
  JobRequest job = request_job(streams ? Lane::stream : Lane::compute, run_key(column.id),
                               column.label + " · " + matrix_name(), column.id);
  if (streams && seconds < kFirstSeconds) {
    job.before = {Lane::compute, Lane::background};
    if (request.backend.kind == BackendKind::cuda) job.before.push_back(Lane::picture);
  }
  jobs().submit(
      job,
      [&method, request = std::move(request)](JobContext& context) {
        return run_or_fall_back(method, request, context);
      },
      [this, id = column.id, key](Result<RunOutcome> result) { finish_run(id, key, std::move(result)); });
}

void RunService::finish_run(ColumnId id, const std::string& key, Result<RunOutcome> result) {
  Column* column = state().column(id);
  if (column == nullptr) return;
  column->busy = false;
  if (result) {
    if (result->fallback) machine_.note_fallback(column->label, *result->fallback);
    if (!streams_.pause(*column)) {
      streams_.finish(*column);
      cache(key, result->spectrum);
    }
    take_spectrum(*column, std::move(result->spectrum), key);
    return;
  }
  if (result.error().code == ErrorCode::cancelled && streams_.pause(*column))
    return streams_.show_streamed_rows(*column);
  column->error = result.error();
  report(result.error(), column->label + ": ");
}

void RunService::take_spectrum(Column& column, SpectrumPtr spectrum, const std::string& key) {
  column.busy = false;
  column.exactness = spectrum->exactness;
  column.cost = {spectrum->provenance.seconds, spectrum->provenance.stages,
                 spectrum->provenance.bytes_forecast, spectrum->provenance.bytes_peak};
  const double plane = static_cast<double>(spectrum->m) * static_cast<double>(spectrum->n);
  column.samples = spectrum->features ? spectrum->features->samples : 0;
  column.plane_share = static_cast<double>(column.samples) / plane;
  column.spectrum = std::move(spectrum);
  Run& run = runs_[column.id];
  run.spectrum_of = state().pattern_of(column);
  run.result_key = key;
}

SpectrumPtr RunService::cached(const std::string& key) {
  const auto found =
      std::find_if(cache_.begin(), cache_.end(), [&](const auto& kept) { return kept.first == key; });
  if (found == cache_.end()) return nullptr;
  cache_.splice(cache_.begin(), cache_, found);
  return cache_.front().second;
}

void RunService::cache(const std::string& key, const SpectrumPtr& spectrum) {
  std::erase_if(cache_, [&](const auto& kept) { return kept.first == key; });
  cache_.emplace_front(key, spectrum);
  std::uint64_t bytes = 0;
  for (auto at = cache_.begin(); at != cache_.end();) {
    bytes += bytes_of(*at->second);
    // The newest result stays in the cache whatever its size, since a column holds it as well.
    at = bytes > kCacheBytes && at != cache_.begin() ? cache_.erase(at) : std::next(at);
  }
}

}  // namespace spyctrum
