// SPDX-License-Identifier: Apache-2.0
// Elastic BS-FFT as published (Zhang, Manthena, Li, Shen, §3.2, Algorithm 2): the tile transform of Algorithm
// 1 for the sampled rows U, then a gather of the columns V, where U and V are ⌈m/b⌉ and ⌈n/b⌉ approximately
// uniform fftshifted indices; features by uniform area weights. As in the paper, neither conjugate symmetry
// nor the even spacing of U and V is used.
#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/device/device_sample_features.hpp"
#include "core/engine/device_grid.hpp"
#include "core/engine/windows.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

class ElasticPaper : public Method {
 public:
  ElasticPaper()
      : Method({.id = "elastic-paper",
                .label = "Elastic BS-FFT (paper)",
                .citation = std::string(kPaperCitation) + ", §3.2, Algorithm 2",
                .cost = "m0·K + m0·L log L + m0·n0 operations; 8·(n + L + 2·T·L + m0·n0) bytes",
                .summary = "Follows the paper's Algorithm 2 step by step; for comparison.",
                .exactness = Exactness::exact_samples,
                .uses_block = true,
                .crossover_name = "Elastic (paper)",
                .printed = {{"entropy", "0.0016 … 0.0189"},
                            {"radial", "0.0043 … 0.0509"},
                            {"sectors", "0.0061 … 0.0647"},
                            {"hellinger", "0.391 (b=4) … 0.414 (b=128)"},
                            {"recall", "48.6 % (b=16), above 60 % (b=4)"},
                            {"seconds", "5.93 … 176.55 ms on an A100"},
                            {"bytes", "0.51 … 1.21 GB on an A100"}},
                .paper_cost = PaperCost{
                    .label = "Elastic BS-FFT",
                    .work_formula = "m0·K + m0·L·log L + m0·n0",
                    .work =
                        [](const CostSizes& s) {
                          return s.m0 * s.nonzeros + s.m0 * s.length * paper_log(s.length) + s.m0 * s.n0;
                        },
                    .storage_formula = "p·K + (p+4)·a + 4 + 8·(n + L + 2·T·L + m0·n0)",
                    .bytes =
                        [](const CostSizes& s) {
                          return matrix_storage(s) +
                                 8 * (s.n + s.length + 2 * s.tile * s.length + s.m0 * s.n0);
                        },
                    .source = "§3.4"}},
               {block_parameter(
                    "⌈m/b⌉ × ⌈n/b⌉ coefficients are computed, the corners of the shifted plane included"),
                tile_parameter()}) {}

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const bool on_cuda = request.backend.kind == BackendKind::cuda;
    if (request.window && on_cuda)
      return forecast_device_window(request, *request.window, device_rows(request));
    if (request.window) return forecast_row_window(request, LengthRule::paper);
    ResolvedRequest sampled = request;
    sampled.window =
        FrequencyGrid{FrequencyAxis::progression(request.pattern->rows(), 0, 1, rows_of(request)),
                      FrequencyAxis::progression(request.pattern->cols(), 0, 1, cols_of(request))};
    if (on_cuda) return forecast_device_window(request, *sampled.window, device_rows(request));
    return forecast_row_window(sampled, LengthRule::paper);  // other frequencies, the same sizes
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const bool on_cuda = request.backend.kind == BackendKind::cuda;
    if (request.window && on_cuda) return run_device_window(request, device_rows(request), context);
    if (request.window) return run_row_window(request, LengthRule::paper, context);
    const FrequencyGrid grid =
        paper_grid(request.pattern->rows(), request.pattern->cols(), block_of(request));
    Spectrum spectrum = on_cuda ? on_device(request, grid, context) : on_host(request, grid, context);
    finish_paper_samples(request, spectrum, context);
    return spectrum;
  }

 private:
  static Spectrum on_device(const ResolvedRequest& request, const FrequencyGrid& grid, JobContext& context) {
    DeviceUse use;
    const DeviceSampleFeatures samples(request, grid, context, rounding_floor(*request.pattern));
    Spectrum spectrum =
        sampled_spectrum(*request.pattern, grid,
                         gather_on_device(*request.pattern, request.backend, device_rows(request), grid,
                                          samples.outputs(), context, use));
    spectrum.features = samples.features();
    spectrum.provenance.note = use.note();
    return spectrum;
  }
  static Spectrum on_host(const ResolvedRequest& request, const FrequencyGrid& grid, JobContext& context) {
    const RowPlan plan = plan_rows(*request.pattern, LengthRule::paper, grid.rows.count(), tile_of(request),
                                   context.pool().threads());
    return sampled_spectrum(*request.pattern, grid,
                            gather_grid(*request.pattern, LengthRule::paper, grid, plan, context));
  }
  static DeviceRows device_rows(const ResolvedRequest& request) {
    return {cuda::RowAlgorithm::paper, false, static_cast<std::uint64_t>(tile_of(request))};
  }
  static std::uint64_t rows_of(const ResolvedRequest& request) {
    return block_count(request.pattern->rows(), block_of(request));
  }
  static std::uint64_t cols_of(const ResolvedRequest& request) {
    return block_count(request.pattern->cols(), block_of(request));
  }
};

template std::unique_ptr<Method> make_method<ElasticPaper>();

}  // namespace spyctrum
