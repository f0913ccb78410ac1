// SPDX-License-Identifier: Apache-2.0
// BS-FFT as the paper has it: the half spectrum is stored and then reduced, so that it is refused where that
// does not fit. Kept faithful so that every claim about ours is a ratio in one run.
#include "core/methods/bs_fft_paper/bs_fft_paper_cpu.hpp"
#include "core/methods/cpu_only.hpp"
#include "core/methods/plane.hpp"
#include "core/methods/registry.hpp"
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
    return cpu_only(backend, info().label);
  }

  [[nodiscard]] Forecast forecast(const Request& request) const override {
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
    const auto output =
        bs_fft_paper_cpu(*request.pattern, plan_for(request, context.pool().threads()), context);
    context.begin_stage("reduce");
    feed_stored_rows(output.data, request.pattern->rows(), request.pattern->cols(), sinks, context);
  }

 private:
  static RowPlan plan_for(const Request& request, unsigned threads) {
    return plan_rows(*request.pattern, LengthRule::paper, half_rows(request.pattern->rows()),
                     integer_value(request.parameters, "tile"), threads);
  }
};

}  // namespace

std::unique_ptr<Method> make_bs_fft_paper() { return std::make_unique<BsFftPaper>(); }

}  // namespace spyctrum
