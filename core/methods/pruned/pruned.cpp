// SPDX-License-Identifier: Apache-2.0
// The pruned blockwise transform, a spectral baseline of the BS-FFT paper (§4): the algorithm of SparseFFT.jl
// (K. L. Ho, MIT licence), written anew from its description. It computes the coefficients of elastic-paper
// and treats the matrix as dense.

#include "core/device/device_forecast.hpp"
#include "core/device/device_job.hpp"
#include "core/engine/windows.hpp"
#include "core/frequency/sampling_grids.hpp"
#include "core/methods/make_method.hpp"
#include "core/methods/pruned/pruned_cuda.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

class Pruned : public Method {
 public:
  Pruned()
      : Method({.id = "pruned",
                .label = "Pruned transform",
                .citation =
                    "K. L. Ho: SparseFFT.jl (a port of its algorithm); Woolfe, Liberty, Rokhlin, Tygert 2008",
                .cost =
                    "n·(m·log l1 + m0·m/l1) + m0·(n·log l2 + n0·n/l2) operations, l the largest divisor of a "
                    "side that is at most its number of outputs (1 for a prime side); 8·(m0·n + m0·n0) bytes",
                .summary = "Chosen coefficients by pruned dense transforms of all columns, then of the rows: "
                           "a baseline that does not use sparsity.",
                .exactness = Exactness::exact_samples,
                .uses_block = true,
                .takes_weights = true},
               {block_parameter("⌈m/b⌉ × ⌈n/b⌉ coefficients are computed, those of elastic-paper")}) {}

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const unsigned threads = thread_count(request.threads);
    const SparsePattern& pattern = *request.pattern;
    const PrunedPlan plan = PrunedPlan::of(
        pattern,
        request.window ? request.window->rows.count() : block_count(pattern.rows(), block_of(request)),
        request.window ? request.window->cols.count() : block_count(pattern.cols(), block_of(request)));
    ByteTerms terms;
    if (request.backend.kind == BackendKind::cuda) {
      terms.add("values 8·k1·k2 and tables", pruned_cuda_host_bytes(plan));
      Forecast forecast{terms.total(), plan.operations(), terms.text()};
      add_device(forecast, pruned_cuda_terms(pattern, plan, request.backend));
      return forecast;
    }
    plan.add_terms(terms, threads);
    return {terms.total(), plan.operations(), terms.text()};
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const SparsePattern& pattern = *request.pattern;
    const FrequencyGrid grid =
        request.window ? *request.window : paper_grid(pattern.rows(), pattern.cols(), block_of(request));
    const PrunedPlan plan = PrunedPlan::of(pattern, grid.rows.count(), grid.cols.count());
    const bool on_device = request.backend.kind == BackendKind::cuda;
    DeviceUse use;
    Spectrum spectrum = sampled_spectrum(pattern, grid,
                                         on_device ? pruned_cuda(pattern, grid, request.backend, context, use)
                                                   : pruned_cpu(pattern, grid, context));
    if (on_device) spectrum.provenance.note = use.note() + "; ";
    spectrum.provenance.note += "transforms of length " + std::to_string(plan.rows.length) + " (" +
                                std::to_string(plan.rows.blocks) + " a column) and " +
                                std::to_string(plan.cols.length) + " (" + std::to_string(plan.cols.blocks) +
                                " a row)";
    if (request.window) return spectrum;
    finish_paper_samples(request, spectrum, context);
    return spectrum;
  }
};

template std::unique_ptr<Method> make_method<Pruned>();

}  // namespace spyctrum
