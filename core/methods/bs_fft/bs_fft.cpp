// SPDX-License-Identifier: Apache-2.0
// BS-FFT (ours): the exact spectrum row by row from the nonzeros, streamed into features, display pyramid or
// a stored half spectrum. Nothing but tiles is held unless values are asked for.
#include "core/methods/bs_fft/bs_fft_cpu.hpp"
#include "core/methods/cuda_job.hpp"
#include "core/methods/plane.hpp"
#include "core/methods/registry.hpp"
#include "core/methods/schema.hpp"
#include "core/methods/windows.hpp"

namespace spyctrum {

namespace {

class BsFft : public Method {
 public:
  [[nodiscard]] const MethodInfo& info() const override {
    static const MethodInfo info{"bs-fft",
                                 "BS-FFT",
                                 std::string(kPaperCitation) + ", §3.1, Algorithm 1",
                                 "h·K + h·n log n operations, h = ⌊m/2⌋+1; memory: tiles, and 8·h·n bytes "
                                 "only where values are stored",
                                 "Every coefficient, row by row from the nonzeros, reduced on the way: the "
                                 "exact reference at any size "
                                 "whose work is affordable.",
                                 Exactness::exact,
                                 false,
                                 true};
    return info;
  }

  [[nodiscard]] const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> schema{tile_parameter()};
    return schema;
  }

  [[nodiscard]] Support supports(Backend backend, std::uint64_t /*m*/, std::uint64_t /*n*/) const override {
    return cpu_or_cuda(backend);
  }

  [[nodiscard]] Forecast forecast(const Request& request) const override {
    if (request.backend.kind == BackendKind::cuda) return forecast_cuda(request);
    const std::int64_t tile = integer_value(request.parameters, "tile");
    if (request.window) return forecast_row_window(request, LengthRule::library, tile);
    const RowPlan plan = plan_for(request, request.threads);
    ByteTerms terms;
    add_product_terms(terms, request, request.products.values);
    plan.add_terms(terms);
    return {terms.total(), plan.operations, terms.text()};
  }

  [[nodiscard]] Spectrum run(const Request& request, JobContext& context) const override {
    const std::int64_t tile = integer_value(request.parameters, "tile");
    const bool on_cuda = request.backend.kind == BackendKind::cuda;
    if (request.window && on_cuda) return run_cuda_window(request, cuda_rows(request), context);
    if (request.window) return run_row_window(request, LengthRule::library, tile, context);
    Spectrum spectrum = blank_spectrum(*request.pattern);
    PlaneProducts products(request, request.products.values, context);
    std::string device_note;
    if (request.backend.kind == BackendKind::cuda) {
      device_note =
          cuda_stream_rows(*request.pattern, request.backend, cuda_rows(request), products.sinks(), context)
              .note();
    } else {
      stream(request, products.sinks(), context);
    }
    products.deliver(spectrum);
    if (!request.products.values) spectrum.provenance.note = "streamed: values were not stored";
    if (!device_note.empty())
      spectrum.provenance.note += (spectrum.provenance.note.empty() ? "" : "; ") + device_note;
    return spectrum;
  }

  void stream(const Request& request, std::span<RowSink* const> sinks, JobContext& context) const override {
    if (request.backend.kind == BackendKind::cuda) {
      cuda_stream_rows(*request.pattern, request.backend, cuda_rows(request), sinks, context);
      return;
    }
    bs_fft_stream_cpu(*request.pattern, plan_for(request, context.pool().threads()), sinks, context);
  }

 private:
  static CudaRows cuda_rows(const Request& request) {
    return {cuda::RowAlgorithm::ours, false,
            static_cast<std::uint64_t>(integer_value(request.parameters, "tile"))};
  }
  static Forecast forecast_cuda(const Request& request) {
    const SparsePattern& pattern = *request.pattern;
    const CudaRows how = cuda_rows(request);
    if (request.window) return forecast_cuda_window(request, *request.window, how);
    const std::uint64_t rows = half_rows(pattern.rows());
    ByteTerms terms;
    add_product_terms(terms, request, request.products.values);
    add_cuda_staging(terms, pattern, rows, pattern.cols(), how);
    return {terms.total(), plan_for(request, 1).operations,
            terms.text() + "; " + cuda_row_memory(pattern, rows, 0, how)};
  }
  static RowPlan plan_for(const Request& request, unsigned threads) {
    return plan_rows(*request.pattern, LengthRule::library, half_rows(request.pattern->rows()),
                     integer_value(request.parameters, "tile"), threads);
  }
};

}  // namespace

std::unique_ptr<Method> make_bs_fft() { return std::make_unique<BsFft>(); }

}  // namespace spyctrum
