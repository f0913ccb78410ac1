// SPDX-License-Identifier: Apache-2.0
// Streams rows on the request's backend, and forecasts the bytes of that.
#include "core/engine/full_plane.hpp"

#include <algorithm>
#include <optional>

#include "core/device/device_consumers.hpp"
#include "core/device/device_cosets.hpp"
#include "core/device/device_forecast.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/engine/refining_stream.hpp"
#include "core/features/feature_progress.hpp"
#include "core/features/moments.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

namespace {

bool on_cuda(const ResolvedRequest& request) { return request.backend.kind == BackendKind::cuda; }

/// Whether rows are summed one by one into a PlaneProgress: if the request has one, and on devices. (The
/// other way, sums over bands of rows, is some percent faster on the device, but the host first makes a table
/// of the classes of all rows, which takes longer than that: 20 ms of a job of 92 at n = 100,000 on an H200.)
bool is_refining(const ResolvedRequest& request, const PlaneRows& how) {
  if (request.outputs.values) return false;
  const bool is_reduced_on_device = on_cuda(request) && how.algorithm == cuda::RowAlgorithm::optimized &&
                                    (request.outputs.features || request.outputs.pyramid);
  return request.progress != nullptr || is_reduced_on_device;
}

/// The cosets by which the request's features are summed (device_cosets.hpp); empty: by rows.
std::optional<cuda::CosetSize> cosets_of(const ResolvedRequest& request, const PlaneRows& how) {
  const bool wants_features_alone = request.outputs.features && !request.outputs.pyramid && !request.progress;
  if (!is_refining(request, how) || !wants_features_alone) return std::nullopt;
  const auto size = coset_size(*request.pattern, members_of(request.backend));
  if (size && device_coset_terms(*request.pattern, *size).total() > device_allowance(request))
    return std::nullopt;
  return size;
}

bool is_folded(const cuda::CosetSize& size) { return cuda::kCosetLengths[size.length].is_folded(); }

/// Empty if rows have to be summed instead: beside the few coefficients that hold nearly all power of a plane
/// below this flatness, cosets that are not folded err by more than rows (tests/bench/LOG.md).
std::optional<Spectrum> features_by_cosets(const ResolvedRequest& request, const cuda::CosetSize& size,
                                           JobContext& context) {
  constexpr double kLeastFlatness = 0.01;
  const SparsePattern& pattern = *request.pattern;
  Moments sums;
  const DeviceUse use = sum_cosets(pattern, members_of(request.backend), size, context, sums);
  Spectrum spectrum = blank_spectrum(pattern);
  const double cells = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  spectrum.features = features_of(sums, pattern.weight_sum() * pattern.weight_sum(), cells);
  if (!is_folded(size) && spectrum.features->flatness < kLeastFlatness) return std::nullopt;
  spectrum.features->samples = pattern.rows() * pattern.cols();
  spectrum.provenance.note = "streamed: values were not stored; " + use.note();
  return spectrum;
}

/// LengthRule::resampled_bands, which computes the symmetric half, if the pattern is symmetric and all
/// consumers accept that; else how.rule.
LengthRule rule_for(const ResolvedRequest& request, const PlaneRows& how, bool symmetric_half_suffices) {
  const bool symmetric_half =
      how.rule == LengthRule::library && symmetric_half_suffices && request.pattern->symmetric();
  return symmetric_half ? LengthRule::resampled_bands : how.rule;
}

/// Streams the plane to `consumers`; returns the device's note for the result, on the CPU an empty text.
std::string stream_with_note(const ResolvedRequest& request, const PlaneRows& how,
                             std::span<RowConsumer* const> consumers, JobContext& context) {
  if (on_cuda(request))
    return stream_device_rows(*request.pattern, request.backend, device_rows(request, how), consumers,
                              context)
        .note();
  const LengthRule rule = rule_for(request, how, all_accept_symmetric_half(consumers));
  stream_rows(*request.pattern, rule, plane_row_plan(request, rule, context.pool().threads()), consumers,
              context);
  return {};
}

/// Bytes of the cells and strong coefficients of the tiles that a refining stream has in flight on a device.
std::uint64_t tile_results_in_flight(const ResolvedRequest& request, std::uint64_t tile) {
  if (!request.outputs.pyramid) return 0;
  const SparsePattern& pattern = *request.pattern;
  const std::uint64_t cells = std::max<std::uint32_t>(1, request.outputs.pyramid_cells);
  // A run that may end early takes its rows in another order.
  const std::uint64_t bands =
      request.progress ? tile : cuda::bands_in_order(tile, pattern.rows(), std::min(pattern.rows(), cells));
  return cuda::tile_results_bytes(std::min(pattern.cols(), cells), bands, kDeviceLanes);
}

/// forecast_plane() by rows on a device. `terms`: the bytes of the outputs.
Forecast forecast_rows_on_device(const ResolvedRequest& request, const PlaneRows& how, const RowPlan& plan,
                                 bool symmetric_half, ByteTerms terms) {
  const SparsePattern& pattern = *request.pattern;
  const bool to_host = takes_rows(request);
  DeviceRows rows = device_rows(request, how);
  rows.symmetric_half = symmetric_half && !to_host;
  rows.consecutive = true;
  // A refining stream copies its sums to the host after each tile; none accumulate on the device.
  const bool refines = is_refining(request, how);
  if (!refines) terms.add("classes of the rows", plane_table_bytes(request));
  if (to_host)
    add_device_staging(terms, pattern, plan.rows, pattern.cols(), rows);
  else
    rows.tile = device_reduced_tile(pattern, request.backend, plan.rows, rows);
  const std::uint64_t results = refines ? tile_results_in_flight(request, rows.tile) : 0;
  if (refines && !to_host) {
    // Of each device; those of all but one may wait for earlier tiles.
    const std::uint64_t devices = members_of(request.backend).size();
    const std::uint64_t in_flight =
        results + kDeviceLanes * cuda::kTilesInFlight * rows.tile * sizeof(Moments);
    terms.add("page-locked sums of tiles", devices * in_flight);
    terms.add("sums of tiles that wait for earlier ones", (devices - 1) * in_flight);
  }
  Forecast forecast{terms.total(), plan.operations, terms.text()};
  const std::uint64_t leaving = to_host || how.store_half ? pattern.cols() : 0;
  ByteTerms device = device_row_terms(pattern, request.backend, plan.rows, leaving, rows);
  if (!refines)
    device.add("tables and sums of the reductions", plane_reduction_bytes(request, kDeviceLanes));
  else if (!to_host)
    device.add("sums of rows",
               cuda::row_sums_device_bytes(plan.rows, pattern.cols(), rows.tile, kDeviceLanes));
  if (results > 0)
    device.add("cells and strong coefficients",
               results + cuda::tile_results_work_bytes(pattern.cols(), kDeviceLanes));
  add_device(forecast, device);
  return forecast;
}

}  // namespace

DeviceRows device_rows(const ResolvedRequest& request, const PlaneRows& how) {
  return {how.algorithm, how.store_half && !request.window, static_cast<std::uint64_t>(tile_of(request))};
}

RowPlan plane_row_plan(const ResolvedRequest& request, LengthRule rule, unsigned threads) {
  return plan_rows(*request.pattern, rule, half_rows(request.pattern->rows()), tile_of(request), threads);
}

Forecast forecast_plane(const ResolvedRequest& request, const PlaneRows& how) {
  const SparsePattern& pattern = *request.pattern;
  ByteTerms terms;
  add_output_terms(terms, request, request.outputs.values);
  if (is_refining(request, how)) {
    const bool in_order = request.progress == nullptr || request.progress->takes_rows_in_order();
    terms.add("sums of tiles of rows", FeatureProgress::bytes(pattern.rows(), in_order));
    if (!in_order && request.outputs.pyramid)
      terms.add("strata of the rows", sizeof(std::uint32_t) * half_rows(pattern.rows()));
  }
  const LengthRule rule = rule_for(request, how, !request.outputs.values);
  const RowPlan plan = plane_row_plan(request, rule, on_cuda(request) ? 1 : request.threads);
  if (!on_cuda(request)) {
    plan.add_terms(terms);
    return {terms.total(), plan.operations, terms.text()};
  }
  const bool symmetric_half = rule == LengthRule::resampled_bands;
  const auto size = cosets_of(request, how);
  if (!size) return forecast_rows_on_device(request, how, plan, symmetric_half, terms);
  Forecast by_cosets{terms.total(), plan.operations, terms.text()};
  add_device(by_cosets, device_coset_terms(pattern, *size));
  if (is_folded(*size)) return by_cosets;
  const Forecast by_rows = forecast_rows_on_device(request, how, plan, symmetric_half, terms);
  return by_cosets.device_bytes > by_rows.device_bytes ? by_cosets : by_rows;
}

Spectrum run_plane(const ResolvedRequest& request, const PlaneRows& how, JobContext& context) {
  if (const auto size = cosets_of(request, how))
    if (auto spectrum = features_by_cosets(request, *size, context)) return *std::move(spectrum);
  if (is_refining(request, how)) {
    if (request.progress) return run_refining(request, context);
    ResolvedRequest with_progress = request;
    with_progress.progress = std::make_shared<PlaneProgress>();
    with_progress.progress->take_rows_in_order(true);
    return run_refining(with_progress, context);
  }
  Spectrum spectrum = blank_spectrum(*request.pattern);
  PlaneOutputs outputs(request, request.outputs.values, context);
  const std::string run_note = stream_with_note(request, how, outputs.consumers(), context);
  outputs.deliver(spectrum, context.pool());
  std::string& note = spectrum.provenance.note;
  if (!request.outputs.values && !how.store_half) note = "streamed: values were not stored";
  if (!run_note.empty()) note += (note.empty() ? "" : "; ") + run_note;
  return spectrum;
}

void stream_plane(const ResolvedRequest& request, const PlaneRows& how,
                  std::span<RowConsumer* const> consumers, JobContext& context) {
  (void)stream_with_note(request, how, consumers, context);
}

}  // namespace spyctrum
