// SPDX-License-Identifier: Apache-2.0
// Density Map (Zhang, Manthena, Li, Shen, §3.3, Algorithm 3): the DFT of the ⌈m/b⌉×⌈n/b⌉ matrix of densities
// of b×b blocks. Its values are coefficients of that smaller matrix; they are coefficients of A only at b
// = 1.
#include "core/methods/density_map/density_map_cpu.hpp"

#include "core/device/device_forecast.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_sample_features.hpp"
#include "core/engine/reduced_plane.hpp"
#include "core/frequency/sampling_grids.hpp"
#include "core/methods/density_map/density_map_cuda.hpp"
#include "core/methods/make_method.hpp"
#include "core/methods/paper_citation.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

class DensityMap : public Method {
 public:
  DensityMap()
      : Method(
            {.id = "density-map",
             .label = "Density Map",
             .citation = std::string(kPaperCitation) + ", §3.3, Algorithm 3",
             .cost = "K + m0·n0·log(m0·n0) operations, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉; 8·m0·n0 bytes",
             .summary = "The spectrum of the densities of b×b blocks: an estimate, and the fastest method.",
             .exactness = Exactness::estimate,
             .uses_block = true,
             .takes_weights = true,
             .role = MethodRole::estimate,
             .crossover_name = "Density Map",
             .printed = {{"radial", "sometimes above 0.1"},
                         {"sectors", "sometimes above 0.1"},
                         {"entropy", "sometimes above 0.1"},
                         {"hellinger", "0.422 (b=4) … 0.759 (b=128)"},
                         {"recall", "29.0 % (b=16)"},
                         {"seconds", "0.238 … 23.20 ms on an A100"}},
             .paper_cost = PaperCost{
                 .label = "Density Map",
                 .work_formula = "K + m0·n0·(log m0 + log n0)",
                 .work =
                     [](const CostSizes& s) {
                       return s.nonzeros + s.m0 * s.n0 * (paper_log(s.m0) + paper_log(s.n0));
                     },
                 .storage_formula = "8·K + 4·m0·n0 + 8·m0·(⌊n0/2⌋+1)",
                 .bytes =
                     [](const CostSizes& s) { return 8 * s.nonzeros + 4 * s.m0 * s.n0 + 8 * s.m0 * s.q0; },
                 .source = "§3.4"}},
            {block_parameter("entries are counted in b×b blocks; at the edges a block has fewer cells, and "
                             "its count is divided by these")}) {}

  [[nodiscard]] SeenPattern sees(const ResolvedParameters& /*parameters*/) const override {
    return SeenPattern::densities;
  }

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const unsigned threads = thread_count(request.threads);
    const std::uint64_t m0 = block_count(request.pattern->rows(), block_of(request));
    const std::uint64_t n0 = block_count(request.pattern->cols(), block_of(request));
    ByteTerms terms;
    terms.add("grid 8·m0·n0 and counts", density_map_bytes(*request.pattern, block_of(request), threads));
    Forecast forecast = forecast_reduced(request, terms, static_cast<double>(request.pattern->nonzeros()));
    if (request.backend.kind != BackendKind::cuda) return forecast;
    ByteTerms stays;
    stays.add("classes of the samples", DeviceSampleFeatures::bytes(request, m0));
    if (!request.window && request.outputs.features && !request.outputs.values) {
      forecast.bytes = stays.total();
      forecast.formula = stays.text();
    }
    ByteTerms device = device_reduced_terms(request);
    device.add("classes and sums of the samples", DeviceSampleFeatures::device_bytes(request, m0, n0, 1));
    add_device(forecast, device);
    return forecast;
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const SparsePattern& pattern = *request.pattern;
    const std::uint64_t block = block_of(request);
    if (request.backend.kind != BackendKind::cuda)
      return reduced_spectrum(request, density_map_cpu(pattern, block, context), context);
    DeviceUse use;
    const FrequencyGrid grid{FrequencyAxis::full(block_count(pattern.rows(), block)),
                             FrequencyAxis::full(block_count(pattern.cols(), block))};
    const DeviceSampleFeatures samples(request, grid, context,
                                       block == 1 ? std::optional(rounding_floor(pattern)) : std::nullopt);
    auto plane = density_map_cuda(pattern, block, request.backend, samples.outputs(), context, use);
    Spectrum spectrum = reduced_spectrum(request, std::move(plane), context, samples.features());
    spectrum.provenance.note = use.note();
    return spectrum;
  }
};

template std::unique_ptr<Method> make_method<DensityMap>();

}  // namespace spyctrum
