// SPDX-License-Identifier: Apache-2.0
// On a device features are summed where the samples are, if the decoder and the grid allow that.
#include "core/engine/decoded_samples.hpp"

#include <algorithm>
#include <utility>

#include "core/device/device_forecast.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_plane_sums.hpp"
#include "core/device/device_sample_features.hpp"
#include "core/engine/device_grid.hpp"
#include "core/engine/row_tiles.hpp"
#include "core/features/stratified.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/request/byte_terms.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

/// The error of the values relative to √K, at least that of single precision.
double accuracy_of(const ResolvedRequest& request) {
  return std::max(kUsualTolerance, tolerance_of(request));
}

FrequencyGrid grid_of(const ResolvedRequest& request) {
  if (request.window) return *request.window;
  return off_axis_grid(request.pattern->rows(), request.pattern->cols(), block_of(request));
}

DeviceGridPlan device_plan(const ResolvedRequest& request, GridEngine engine) {
  return plan_device_grid(*request.pattern, grid_of(request), engine, tolerance_of(request), tile_of(request),
                          request.backend, device_allowance(request));
}

GridPlan host_plan(const ResolvedRequest& request, GridEngine engine, unsigned threads) {
  return plan_grid(*request.pattern, grid_of(request), engine, tolerance_of(request), tile_of(request),
                   threads);
}

/// Floating-point operations of the stratified decoder on the CPU if it samples no more rows than at first,
/// estimated: transforms of its lines, and the sums over their coefficients.
double decoder_operations(const SparsePattern& pattern) {
  constexpr double kOfSums = 30;  // per coefficient
  const std::uint64_t lines = stratified_lines(pattern);
  return plan_rows(pattern, LengthRule::library, lines, 0, 1).operations +
         kOfSums * static_cast<double>(lines) * static_cast<double>(pattern.cols());
}

/// `stratified`: the stratified decoder is used, which holds its lines while the lattice is computed.
Forecast forecast_on_device(const ResolvedRequest& request, GridEngine engine, Decoder decoder,
                            bool stratified) {
  const SparsePattern& pattern = *request.pattern;
  const DeviceGridPlan plan = device_plan(request, engine);
  ResolvedRequest computed = request;
  const bool from_sums = stratified && decodes_from_sums(pattern, plan.grid);
  computed.outputs.values = request.outputs.values || (stratified && !from_sums);
  Forecast forecast = forecast_device_grid(plan, computed, decoder);
  if (!stratified || pattern.nonzeros() == 0) return forecast;
  const std::uint64_t lines = from_sums ? DevicePlaneSums::host_bytes(pattern)
                                        : stratified_bytes(pattern, thread_count(request.threads));
  forecast.bytes += lines;
  forecast.formula = format_bytes(lines) + " lines of the plane + " + forecast.formula;
  if (!from_sums) return forecast;
  forecast.device_bytes += DevicePlaneSums::bulk_bytes(pattern, plan.grid);
  const ByteTerms on_device = DevicePlaneSums::device_terms(pattern, request.backend);
  if (on_device.total() <= forecast.device_bytes) return forecast;
  forecast.formula = format_bytes(lines) + " lines of the plane";
  add_device(forecast, on_device);
  return forecast;
}

Spectrum on_host(const ResolvedRequest& request, GridEngine engine, JobContext& context) {
  const SparsePattern& pattern = *request.pattern;
  const GridPlan plan = host_plan(request, engine, context.pool().threads());
  Spectrum spectrum = sampled_spectrum(pattern, plan.grid, compute_grid(pattern, plan, context));
  spectrum.provenance.note = plan.lattice ? "computed by the lattice engine" : "computed by rows";
  return spectrum;
}

Spectrum on_device(const ResolvedRequest& request, GridEngine engine, Decoder decoder, JobContext& context) {
  const SparsePattern& pattern = *request.pattern;
  const DeviceGridPlan plan = device_plan(request, engine);
  DeviceUse use;
  std::vector<std::complex<float>> values;
  const auto compute = [&](const DeviceSampleOutputs& samples) {
    values = compute_device_grid(request.pattern, plan, request.backend, context, use, samples);
  };
  std::optional<EstimatedFeatures> features;
  const bool wants_features = request.outputs.features && !request.window;
  const double floor = rounding_floor(pattern, accuracy_of(request));
  if (wants_features && decoder == Decoder::paper) {
    const DeviceSampleFeatures samples(request, plan.grid, context, floor);
    compute(samples.outputs());
    if (const auto found = samples.features()) features = EstimatedFeatures{*found, {}};
  } else if (wants_features && decodes_from_sums(pattern, plan.grid)) {
    DevicePlaneSums sums(
        request.pattern, request.backend, plan.grid,
        [&](const cuda::Reductions& bulk) {
          compute({request.outputs.values, &bulk});
        },
        context);
    features = decode_stratified(pattern, plan.grid, sums, floor, context);
    use.seconds += sums.use().seconds;
    use.bytes = std::max(use.bytes, sums.use().bytes);
  } else {
    compute({});
  }
  Spectrum spectrum = sampled_spectrum(pattern, plan.grid, std::move(values));
  if (features) set_features(spectrum, *features);
  spectrum.provenance.note = note_of(plan, use);
  return spectrum;
}

}  // namespace

Forecast forecast_decoded_samples(const ResolvedRequest& request, GridEngine engine, Decoder decoder) {
  const SparsePattern& pattern = *request.pattern;
  const bool stratified = request.outputs.features && !request.window && decoder == Decoder::stratified;
  if (request.backend.kind == BackendKind::cuda)
    return forecast_on_device(request, engine, decoder, stratified);
  Forecast forecast = host_plan(request, engine, request.threads).forecast();
  if (!stratified || pattern.nonzeros() == 0) return forecast;
  forecast.operations += decoder_operations(pattern);
  ByteTerms terms;  // after the transform: its values and the decoder's lines
  terms.add("values", saturating_product(8, grid_of(request).count()));
  terms.add("lines of the plane", stratified_bytes(pattern, thread_count(request.threads)));
  if (terms.total() > forecast.bytes) {
    forecast.bytes = terms.total();
    forecast.formula = terms.text();
  }
  return forecast;
}

Spectrum decoded_samples(const ResolvedRequest& request, GridEngine engine, Decoder decoder,
                         JobContext& context) {
  const SparsePattern& pattern = *request.pattern;
  Spectrum spectrum = request.backend.kind == BackendKind::cuda ? on_device(request, engine, decoder, context)
                                                                : on_host(request, engine, context);
  spectrum.rounding_floor = rounding_floor(pattern, accuracy_of(request));
  if (request.window) return spectrum;
  if (decoder == Decoder::paper) {
    finish_paper_samples(request, spectrum, context);
  } else {
    finish_samples(request, spectrum, context, [&](const Spectrum& samples) {
      return decode_stratified(pattern, samples.grid, samples.values, samples.rounding_floor, context);
    });
  }
  return spectrum;
}

}  // namespace spyctrum
