// SPDX-License-Identifier: Apache-2.0
// Runs methods: a request is resolved, checked and forecast before it is computed; the result carries its
// provenance.

#include <algorithm>
#include <cmath>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/counts_text.hpp"
#include "core/base/job_context.hpp"
#include "core/base/stopwatch.hpp"
#include "core/device/backends.hpp"
#include "core/device/device_forecast.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/features/decoders.hpp"
#include "core/features/feature_errors.hpp"
#include "core/features/feature_table.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/method.hpp"
#include "core/request/byte_terms.hpp"
#include "core/spectrum/features.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

/// errors_of_biased() takes the error of decode_rows() for a normal variable, but its distribution is more
/// peaked: it lies within 0.476 standard errors as often as a normal variable within 0.56. Standard errors
/// are multiplied by 0.476/0.56 (fitted to the lists `fitted` of tests/bench/coverage_patterns.hpp).
constexpr double kPeaked = 0.85;

EstimatedFeatures with_peaked_errors(EstimatedFeatures features) {
  for (const FeatureDefinition& feature : kFeatureTable)
    for (double& error : feature.of(*features.errors)) error *= kPeaked;
  return features;
}

/// Keeps the results of decode_rows() for the last patterns that still exist. Thread-safe.
class RowFeatures {
 public:
  EstimatedFeatures of(const PatternPtr& pattern, JobContext& context) {
    if (const auto known = find(pattern)) return *known;
    EstimatedFeatures found = decode_rows(*pattern, rounding_floor(*pattern), context);
    const std::scoped_lock lock(mutex_);
    entries_.push_front({pattern, found});
    if (entries_.size() > kMost) entries_.pop_back();
    return found;
  }

 private:
  static constexpr std::size_t kMost = 16;
  struct Entry {
    std::weak_ptr<const SparsePattern> pattern;
    EstimatedFeatures features;
  };
  std::optional<EstimatedFeatures> find(const PatternPtr& pattern) {
    const std::scoped_lock lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.pattern.lock() == pattern) return entry.features;
    return std::nullopt;
  }
  std::mutex mutex_;
  std::list<Entry> entries_;
};

/// Returns errors_of_biased() of `features` against decode_rows(), computed on the CPU, the same for every
/// method and backend. decode_rows() depends on the pattern alone; its results for the last patterns are
/// kept. Empty if it estimates nothing (sides above kLongestWholeLine) or does not fit the context's memory.
/// Throws Failure{cancelled}.
std::optional<Features> measured_errors(const PatternPtr& pattern, const Features& features,
                                        JobContext& context) {
  static RowFeatures row_features;
  try {
    const EstimatedFeatures reference = row_features.of(pattern, context);
    if (!reference.errors) return std::nullopt;
    return errors_of_biased(features, with_peaked_errors(reference));
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::out_of_memory) throw;
    return std::nullopt;
  }
}

void check_axis(const FrequencyAxis& axis, std::uint64_t size, const char* name) {
  const std::string what = std::string("The window's ") + name + " axis ";
  if (axis.size() != size) {
    throw Failure(ErrorCode::wrong_use, what + "refers to " + std::to_string(axis.size()) +
                                            " frequencies; the matrix has " + std::to_string(size) + ".");
  }
  if (axis.count() == 0)
    throw Failure(ErrorCode::wrong_use, what + "is empty.", "Choose a window with at least one coefficient.");
  // Keeps signed arithmetic on frequencies from overflowing.
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  std::int64_t span = 0;
  const bool overflows =
      axis.is_progression() &&
      (axis.count() > static_cast<std::uint64_t>(kMost) ||
       __builtin_mul_overflow(axis.step(), static_cast<std::int64_t>(axis.count()), &span) || span > kMost ||
       span < -kMost || axis.origin() > kMost || axis.origin() < -kMost);
  if (overflows) throw Failure(ErrorCode::wrong_use, what + "reaches frequencies beyond 2^61.");
}

void check_request(const Method& method, const ResolvedRequest& request) {
  if (!request.pattern || request.pattern->rows() == 0 || request.pattern->cols() == 0)
    throw Failure(ErrorCode::wrong_use, "There is no matrix to transform.", "Open or generate one first.");
  const SparsePattern& pattern = *request.pattern;
  const Support support = method.supports(request.backend);
  if (!support.ok)
    throw Failure(ErrorCode::backend_unavailable, support.reason + ".",
                  request.backend.kind == BackendKind::cuda ? "Choose the backend cpu." : "");
  if (pattern.has_weights() && !method.info().takes_weights)
    throw Failure(ErrorCode::wrong_use,
                  "The method transforms the pattern only, and this matrix has weights.",
                  "Use --weights pattern, or another method.");
  if (request.window) {
    check_axis(request.window->rows, pattern.rows(), "row");
    check_axis(request.window->cols, pattern.cols(), "column");
  }
}

/// The parameters other than the tile in which a feasible request of the same method differs from `request`.
ParameterValues setting_of(const Method& method, const ResolvedRequest& request,
                           const FeasibleRequest& feasible) {
  if (feasible.method != method.info().id) return {};
  ParameterValues setting = feasible.request.parameters.text_unlike(request.parameters);
  setting.erase("tile");
  return setting;
}

/// The advice where no other setting of the method fits. Each thread holds rows of its own.
std::string advice_without_setting(const Method& method, ResolvedRequest request, std::uint64_t allowance) {
  const std::string raise = "allow more memory (--memory, or Preferences in the window).";
  request.threads = 1;
  const auto single = find_feasible_request(method, request, allowance);
  if (single && single->same_result)
    return "Compute on one thread (--threads 1, or Preferences in the window), which takes " +
           format_bytes(single->bytes) + ", or " + raise;
  return "No setting of this method fits: " + raise;
}

/// Makes a tile that was left open (0) smaller until the job fits. If that does not suffice, throws
/// Failure{out_of_memory} with a setting that fits, since only the user may change other parameters.
/// `allowance`: what the context may still book beside the `held` bytes.
void make_fit(const Method& method, ResolvedRequest& request, const Forecast& forecast,
              std::uint64_t allowance, std::uint64_t held) {
  auto feasible = find_feasible_request(method, request, allowance);
  if (feasible && feasible->same_result) {
    request = std::move(feasible->request);
    return;
  }
  const bool on_device = forecast.bytes <= allowance;
  Error error{ErrorCode::out_of_memory,
              format_bytes(on_device ? forecast.device_bytes : forecast.bytes) +
                  (on_device ? " of " + to_string(request.backend) : "") + " are needed for " +
                  sides_text(request.pattern->rows(), request.pattern->cols()) + " (" + forecast.formula +
                  "); " + (on_device ? "free on the device: " : "the allowance is ") +
                  format_bytes(on_device ? device_allowance(request) : allowance + held) +
                  (on_device || held == 0 ? "." : ", of which " + format_bytes(held) + " are in use."),
              on_device ? "Use --backend cpu; no setting of this method fits the device."
                        : advice_without_setting(method, request, allowance),
              0};
  if (feasible) {
    error.setting = setting_of(method, request, *feasible);
    error.advice = std::move(feasible->advice);
  }
  throw Failure(std::move(error));
}

void fill_provenance(Provenance& provenance, const Method& method, const ResolvedRequest& request,
                     const Forecast& forecast, JobContext& context) {
  provenance.method = method.info().id;
  provenance.label = method.info().label;
  const ParameterValues parameters = request.parameters.text();
  provenance.parameters.assign(parameters.begin(), parameters.end());
  provenance.backend = to_string(request.backend);
  provenance.device = device_name(request.backend);
  provenance.seed = context.seed();
  provenance.bytes_forecast = forecast.bytes;
  provenance.device_bytes_forecast = forecast.device_bytes;
  provenance.device_bytes_peak = forecast.device_bytes == 0 ? 0 : context.device_peak();
  provenance.version = SPYCTRUM_VERSION;
}

/// Checks the request and makes it fit the memory that the context may still book; returns its forecast.
Forecast prepare(const Method& method, ResolvedRequest& request, JobContext& context) {
  request.threads = context.pool().threads();
  request.device_bytes = context.device_bytes();
  if (request.backend.automatic && !method.supports(request.backend).ok)
    request.backend = {};  // the CPU; only if the user left the choice to the program
  check_request(method, request);
  request.pattern->determine_properties(context);  // forecasts and methods use them
  if (request.window) request.outputs = {true, false, false, request.outputs.pyramid_cells};

  const std::uint64_t held = context.memory().current();
  const std::uint64_t allowance = context.memory().allowance() - std::min(held, context.memory().allowance());
  Forecast forecast = method.forecast(request);
  if (forecast_fits(request, forecast, allowance)) return forecast;
  make_fit(method, request, forecast, allowance, std::min(held, context.memory().allowance()));
  return method.forecast(request);
}

SpectrumPtr run_checked(const Method& method, ResolvedRequest request, JobContext& context) {
  const Forecast forecast = prepare(method, request, context);
  // The clock begins when the last rank has read the matrix and started its devices, as it does for one rank.
  if (request.progress) request.progress->wait_for_ranks(*request.pattern, context);
  const std::uint64_t held = context.memory().current();
  context.memory().restart_peak();
  const Stopwatch watch;
  auto spectrum = std::make_shared<Spectrum>(method.run(request, context));
  // Powers of the requested weights; shares do not depend on their scale.
  if (spectrum->features)
    spectrum->features->total_power = std::ldexp(spectrum->features->total_power, 2 * spectrum->exponent());
  spectrum->provenance.stages = context.finish_stages();  // first: the total must not be less than its parts
  spectrum->provenance.seconds = watch.seconds();
  spectrum->provenance.bytes_peak = context.memory().peak() - held;
  fill_provenance(spectrum->provenance, method, request, forecast, context);
  const bool is_estimate = spectrum->features && spectrum->exactness != Exactness::exact;
  if (is_estimate && request.outputs.errors && !spectrum->feature_errors)
    spectrum->feature_errors = measured_errors(request.pattern, *spectrum->features, context);
  return spectrum;
}

std::string axis_text(const FrequencyAxis& axis) {
  std::string text = std::to_string(axis.size()) + "/" + std::to_string(axis.count()) + ":";
  if (axis.is_progression()) return text + std::to_string(axis.origin()) + "+" + std::to_string(axis.step());
  for (std::uint64_t k = 0; k < axis.count(); ++k) text += (k == 0 ? "" : ",") + std::to_string(axis.at(k));
  return text;
}

}  // namespace

Result<ResolvedParameters> resolve(const Method& method, const ParameterValues& given) {
  return resolve_parameters(method.parameters(), method.info().label, given);
}

ResolvedRequest default_request(const Method& method, PatternPtr pattern,
                                std::optional<std::uint32_t> block) {
  ResolvedRequest request;
  request.pattern = std::move(pattern);
  request.parameters = method.defaults();
  if (block) or_throw(request.parameters.set("block", std::int64_t{*block}));
  return request;
}

double expected_seconds(double operations, BackendKind backend, unsigned threads) {
  // Measured with bench_first_picture: exact planes of side 5,300 to 20,000 on 2 and 16 threads (at side
  // 2,000 the CPU is 6 ms faster, at 5,300 the device is 10 ms faster); with bench_cuda_reductions on an
  // H200: side 100,000.
  constexpr double kOperationsPerSecond = 5e9;  // of a thread
  constexpr unsigned kMostThreads = 32;         // 64 on one host took as long as 32 on another
  constexpr double kOperationsPerSecondOfDevice = 5e12;
  constexpr double kDeviceSeconds = 0.006;  // of a run on the device beside its operations
  if (backend == BackendKind::cuda) return kDeviceSeconds + operations / kOperationsPerSecondOfDevice;
  return operations / (kOperationsPerSecond * std::min(threads, kMostThreads));
}

Result<SpectrumPtr> run_method(const Method& method, ResolvedRequest request, JobContext& context) {
  return run_guarded([&] { return run_checked(method, std::move(request), context); });
}

Result<void> stream_method(const Method& method, ResolvedRequest request,
                           std::span<RowConsumer* const> consumers, JobContext& context) {
  return run_guarded([&] {
    request.window.reset();
    request.outputs = {false, false, false, request.outputs.pyramid_cells};
    prepare(method, request, context);
    method.stream(request, consumers, context);
  });
}

std::string cache_key(const Method& method, const ResolvedRequest& request, std::uint64_t seed) {
  std::string key =
      std::to_string(request.pattern ? request.pattern->fingerprint() : 0) + "|" + method.info().id + "|";
  for (const auto& [name, value] : request.parameters.text())
    key.append(name).append("=").append(value).append(";");
  key += "|";
  if (request.window) key += axis_text(request.window->rows) + "x" + axis_text(request.window->cols);
  const RequestedOutputs& outputs = request.outputs;
  key += "|";
  if (outputs.values) key += "v";
  if (outputs.features) key += outputs.errors ? "fe" : "f";
  if (outputs.pyramid) key += "p" + std::to_string(outputs.pyramid_cells);
  return key + "|" + to_string(request.backend) + "|" + std::to_string(seed);
}

}  // namespace spyctrum
