// SPDX-License-Identifier: Apache-2.0
// BS-FFT as the paper has it: the half spectrum is stored and then reduced, so that it is refused where that
// does not fit. Kept faithful so that every claim about ours is a ratio in one run.
#include "core/methods/bs_fft_paper/bs_fft_paper_cpu.hpp"
#include "core/methods/cuda_job.hpp"
#include "core/methods/plane.hpp"
#include "core/methods/registry.hpp"
#include "core/methods/schema.hpp"
#include "core/methods/windows.hpp"

namespace spyctrum {

namespace {

class BsFftPaper : public Method {
 public:
  [[nodiscard]] const MethodInfo& info() const override {
    static const MethodInfo info{
        "bs-fft-paper",
        "BS-FFT (paper)",
        std::string(kPaperCitation) + ", §3.1, Algorithm 1",
        "h·K + h·L log L + m·q operations; 8·(n + L + 2·T·L + m·q) bytes, "
        "q = ⌊n/2⌋+1, L = n or the Bluestein length",
        "The paper's Algorithm 1 step by step, the half spectrum stored: to compare with.",
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
    if (request.window)
      return forecast_row_window(request, LengthRule::paper, integer_value(request.parameters, "tile"));
    const RowPlan plan = plan_for(request, request.threads);
    ByteTerms terms;
    terms.add("output 8·h·n (the paper's 8·m·q)",
              half_spectrum_bytes(request.pattern->rows(), request.pattern->cols()));
    add_product_terms(terms, request, false);
    plan.add_terms(terms);
    return {terms.total(), plan.operations, terms.text()};
  }

  [[nodiscard]] Spectrum run(const Request& request, JobContext& context) const override {
    if (request.backend.kind == BackendKind::cuda) return run_cuda(request, context);
    if (request.window)
      return run_row_window(request, LengthRule::paper, integer_value(request.parameters, "tile"), context);
    Spectrum spectrum = blank_spectrum(*request.pattern);
    PlaneProducts products(request, false, context);
    auto output = bs_fft_paper_cpu(*request.pattern, plan_for(request, context.pool().threads()), context);
    context.begin_stage("reduce");
    feed_stored_rows(output.data, spectrum.m, spectrum.n, products.sinks(), context);
    products.deliver(spectrum);
    if (request.products.values) {
      spectrum.values = std::move(output.data);
      spectrum.grid = half_grid(spectrum.m, spectrum.n);
      spectrum.hermitian_half = true;
    }
    return spectrum;
  }

  void stream(const Request& request, std::span<RowSink* const> sinks, JobContext& context) const override {
    if (request.backend.kind == BackendKind::cuda) {
      cuda_stream_rows(*request.pattern, request.backend, cuda_rows(request), sinks, context);
      return;
    }
    const auto output =
        bs_fft_paper_cpu(*request.pattern, plan_for(request, context.pool().threads()), context);
    context.begin_stage("reduce");
    feed_stored_rows(output.data, request.pattern->rows(), request.pattern->cols(), sinks, context);
  }

 private:
  static CudaRows cuda_rows(const Request& request) {
    return {cuda::RowAlgorithm::paper, !request.window,
            static_cast<std::uint64_t>(integer_value(request.parameters, "tile"))};
  }
  /// On CUDA the output of m·q coefficients is the device's; the host holds what was asked for.
  static Forecast forecast_cuda(const Request& request) {
    const SparsePattern& pattern = *request.pattern;
    const CudaRows how = cuda_rows(request);
    if (request.window) return forecast_cuda_window(request, *request.window, how);
    const std::uint64_t rows = half_rows(pattern.rows());
    const std::uint64_t output =
        saturating_product(8, saturating_product(pattern.rows(), pattern.cols() / 2 + 1));
    ByteTerms terms;
    add_product_terms(terms, request, request.products.values);
    add_cuda_staging(terms, pattern, rows, pattern.cols(), how);
    return {terms.total(), plan_for(request, 1).operations,
            terms.text() + "; " + cuda_row_memory(pattern, rows, output, how)};
  }
  static Spectrum run_cuda(const Request& request, JobContext& context) {
    if (request.window) return run_cuda_window(request, cuda_rows(request), context);
    Spectrum spectrum = blank_spectrum(*request.pattern);
    PlaneProducts products(request, request.products.values, context);
    spectrum.provenance.note =
        cuda_stream_rows(*request.pattern, request.backend, cuda_rows(request), products.sinks(), context)
            .note();
    products.deliver(spectrum);
    return spectrum;
  }
  static RowPlan plan_for(const Request& request, unsigned threads) {
    return plan_rows(*request.pattern, LengthRule::paper, half_rows(request.pattern->rows()),
                     integer_value(request.parameters, "tile"), threads);
  }
};

}  // namespace

std::unique_ptr<Method> make_bs_fft_paper() { return std::make_unique<BsFftPaper>(); }

}  // namespace spyctrum
