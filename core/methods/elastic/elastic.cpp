// SPDX-License-Identifier: Apache-2.0
// Elastic BS-FFT: exact samples F[u, v] on a lattice of every b-th row and column frequency that excludes u =
// 0 and v = 0, and features of the whole plane decoded from the samples and the exact axes. The engine
// "lattice" computes the samples by one type-1 non-uniform FFT of their number, with K·w² + m0·n0·log(m0·n0)
// operations, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉, w the spreading width. The engine "rows" is the paper's Algorithm 2
// with m0·(K + L·log L) operations, where the FFT library chooses the length L.
#include <algorithm>

#include "core/device/device_forecast.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_plane_sums.hpp"
#include "core/device/device_rows.hpp"
#include "core/device/device_sample_features.hpp"
#include "core/engine/device_grid.hpp"
#include "core/features/decoders.hpp"
#include "core/features/stratified.hpp"
#include "core/frequency/sampling_grids.hpp"
#include "core/methods/make_method.hpp"
#include "core/methods/paper_citation.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

GridEngine engine_of(const ResolvedRequest& request) {
  return request.parameters.choice<GridEngine>("engine");
}
Decoder decoder_of(const ResolvedRequest& request) { return request.parameters.choice<Decoder>("decoder"); }

}  // namespace

class Elastic : public Method {
 public:
  Elastic()
      : Method({.id = "elastic",
                .label = "Elastic BS-FFT",
                .citation = std::string(kPaperCitation) +
                            ", §3.2, Algorithm 2; sampled on a lattice as a type-1 non-uniform FFT",
                .cost = "K·w² + m0·n0·log(m0·n0) operations, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉; about 40·m0·n0 bytes",
                .summary = "Exact coefficients at every b-th frequency of both axes, 1/b² of the plane; "
                           "features of the whole plane within a fraction of a per cent.",
                .exactness = Exactness::exact_samples,
                .uses_block = true,
                .takes_weights = true,
                .role = MethodRole::samples,
                .crossover_name = "Elastic",
                .printed = {{"entropy", "0.0016 … 0.0189"},
                            {"radial", "0.0043 … 0.0509"},
                            {"sectors", "0.0061 … 0.0647"},
                            {"hellinger", "0.391 (b=4) … 0.414 (b=128)"},
                            {"recall", "48.6 % (b=16), above 60 % (b=4)"}}},
               {block_parameter("every b-th frequency of each axis is computed"),
                choice_parameter("engine", {"auto", "lattice", "rows"},
                                 "lattice: one non-uniform FFT of the samples; rows: the paper's row "
                                 "transforms and a gather; auto: the one with fewer operations"),
                choice_parameter("decoder", {"stratified", "paper"},
                                 "how features are decoded: stratified adds exact lines and sampled rows and "
                                 "uses the known total power; paper uses the samples alone"),
                tolerance_parameter(), tile_parameter()}) {}

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const bool decodes =
        request.outputs.features && !request.window && decoder_of(request) == Decoder::stratified;
    if (request.backend.kind == BackendKind::cuda) return forecast_on_device(request, decodes);
    Forecast forecast = plan_for(request, request.threads).forecast();
    if (!decodes || request.pattern->nonzeros() == 0) return forecast;
    const unsigned threads = thread_count(request.threads);
    ByteTerms terms;  // after the transform: its values and the decoder's lines
    terms.add("values", saturating_product(8, grid_of(request).count()));
    terms.add("lines of the plane", stratified_bytes(*request.pattern, threads));
    if (terms.total() > forecast.bytes) {
      forecast.bytes = terms.total();
      forecast.formula = terms.text();
    }
    return forecast;
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const SparsePattern& pattern = *request.pattern;
    Spectrum spectrum =
        request.backend.kind == BackendKind::cuda ? on_device(request, context) : on_host(request, context);
    spectrum.rounding_floor = rounding_floor(pattern, accuracy_of(request));
    if (request.window) return spectrum;
    if (decoder_of(request) == Decoder::paper) {
      finish_paper_samples(request, spectrum, context);
    } else {
      finish_samples(request, spectrum, context, [&](const Spectrum& samples) {
        return decode_stratified(pattern, samples.grid, samples.values, samples.rounding_floor, context);
      });
    }
    return spectrum;
  }

 private:
  /// The error of the values relative to √K, at least that of single precision.
  static double accuracy_of(const ResolvedRequest& request) {
    return std::max(kUsualTolerance, tolerance_of(request));
  }
  /// `decodes`: the stratified decoder is used, which holds its lines while the lattice is computed.
  static Forecast forecast_on_device(const ResolvedRequest& request, bool decodes) {
    const DeviceGridPlan plan = cuda_plan(request);
    ResolvedRequest asked = request;
    const bool from_sums = decodes && decodes_from_sums(*request.pattern, plan.grid);
    asked.outputs.values = request.outputs.values || (decodes && !from_sums);
    Forecast forecast = forecast_device_grid(plan, asked, decoder_of(request));
    if (!decodes || request.pattern->nonzeros() == 0) return forecast;
    const std::uint64_t lines = from_sums ? DevicePlaneSums::host_bytes(*request.pattern)
                                          : stratified_bytes(*request.pattern, thread_count(request.threads));
    forecast.bytes += lines;
    forecast.formula = format_bytes(lines) + " lines of the plane + " + forecast.formula;
    if (!from_sums) return forecast;
    forecast.device_bytes += DevicePlaneSums::bulk_bytes(*request.pattern, plan.grid);
    const ByteTerms on_device = DevicePlaneSums::device_terms(*request.pattern, request.backend);
    if (on_device.total() <= forecast.device_bytes) return forecast;
    forecast.formula = format_bytes(lines) + " lines of the plane";
    add_device(forecast, on_device);
    return forecast;
  }
  static Spectrum on_host(const ResolvedRequest& request, JobContext& context) {
    const SparsePattern& pattern = *request.pattern;
    const GridPlan plan = plan_for(request, context.pool().threads());
    Spectrum spectrum = sampled_spectrum(pattern, plan.grid, compute_grid(pattern, plan, context));
    spectrum.provenance.note = plan.lattice ? "computed by the lattice engine" : "computed by rows";
    return spectrum;
  }
  /// Features are summed on the device if the decoder and the grid allow that.
  static Spectrum on_device(const ResolvedRequest& request, JobContext& context) {
    const SparsePattern& pattern = *request.pattern;
    const DeviceGridPlan plan = cuda_plan(request);
    DeviceUse use;
    std::vector<std::complex<float>> values;
    const auto compute = [&](const DeviceSamplesWanted& samples) {
      values = compute_device_grid(request.pattern, plan, request.backend, context, use, samples);
    };
    std::optional<EstimatedFeatures> features;
    const bool decodes = request.outputs.features && !request.window;
    if (decodes && decoder_of(request) == Decoder::paper) {
      const DeviceSampleFeatures samples(request, plan.grid, context,
                                         rounding_floor(pattern, accuracy_of(request)));
      compute(samples.wanted());
      if (const auto found = samples.features()) features = EstimatedFeatures{*found, {}};
    } else if (decodes && decodes_from_sums(pattern, plan.grid)) {
      DevicePlaneSums sums(
          request.pattern, request.backend, plan.grid,
          [&](const cuda::Reductions& bulk) {
            compute({request.outputs.values, &bulk});
          },
          context);
      features =
          decode_stratified(pattern, plan.grid, sums, rounding_floor(pattern, accuracy_of(request)), context);
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
  static FrequencyGrid grid_of(const ResolvedRequest& request) {
    if (request.window) return *request.window;
    return off_axis_grid(request.pattern->rows(), request.pattern->cols(), block_of(request));
  }
  static DeviceGridPlan cuda_plan(const ResolvedRequest& request) {
    return plan_device_grid(*request.pattern, grid_of(request), engine_of(request), tolerance_of(request),
                            tile_of(request), request.backend, device_allowance(request));
  }
  static GridPlan plan_for(const ResolvedRequest& request, unsigned threads) {
    return plan_grid(*request.pattern, grid_of(request), engine_of(request), tolerance_of(request),
                     tile_of(request), threads);
  }
};

template std::unique_ptr<Method> make_method<Elastic>();

}  // namespace spyctrum
