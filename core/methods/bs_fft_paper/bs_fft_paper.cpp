// SPDX-License-Identifier: Apache-2.0
// BS-FFT as published (Zhang, Manthena, Li, Shen, §3.1, Algorithm 1): the half plane is stored and then
// reduced; a job is refused if it does not fit the memory. Follows the paper step by step, for comparison
// with bs-fft in one program.
#include <algorithm>

#include "core/engine/device_grid.hpp"
#include "core/engine/full_plane.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/engine/windows.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

namespace {

/// Algorithm 1 of the paper on the CPU, step by step: active columns are compacted (SparsePattern holds no
/// others); a row is transformed directly if n has no prime factor above 7, else by Bluestein's algorithm
/// with the smallest such L ≥ 2n−1; tiles of T rows are copied to a stored output. In place of the paper's
/// two streams with a buffer each, every worker of the pool has a buffer. The paper stores m rows of q =
/// ⌊n/2⌋+1 coefficients; here h = ⌊m/2⌋+1 rows of n are stored, about as many numbers (8·h·n bytes, booked).
BookedVector<std::complex<float>> stored_half(const ResolvedRequest& request, JobContext& context) {
  const SparsePattern& pattern = *request.pattern;
  const std::uint64_t n = pattern.cols();
  const RowPlan plan = plane_row_plan(request, LengthRule::paper, context.pool().threads());
  BookedVector<std::complex<float>> output(context, half_rows(pattern.rows()) * n, "half spectrum");
  for_each_row(pattern, LengthRule::paper, half_grid(pattern.rows(), n).rows, plan, "finalize", context,
               [&](std::size_t u, std::span<const std::complex<float>> row, unsigned /*worker*/) {
                 std::ranges::copy(row, output.data.data() + u * n);
               });
  return output;
}

}  // namespace

class BsFftPaper : public Method {
 public:
  BsFftPaper()
      : Method({.id = "bs-fft-paper",
                .label = "BS-FFT (paper)",
                .citation = std::string(kPaperCitation) + ", §3.1, Algorithm 1",
                .cost = "h·K + h·L log L + m·q operations; 8·(n + L + 2·T·L + m·q) bytes, q = ⌊n/2⌋+1, L = n "
                        "or the Bluestein length",
                .summary =
                    "Follows the paper's Algorithm 1 step by step and stores the half plane; for comparison.",
                .exactness = Exactness::exact,
                .full_plane = true,
                .row_by_row = true,
                .crossover_name = "BS-FFT (paper)",
                .printed = {{"seconds", "348.299 ms on an A100"}, {"bytes", "6.19 GB on an A100"}},
                .paper_cost = PaperCost{.label = "BS-FFT",
                                        .work_formula = "h·K + h·L·log L + m·q",
                                        .work =
                                            [](const CostSizes& s) {
                                              return s.h * s.nonzeros + s.h * s.length * paper_log(s.length) +
                                                     s.m * s.q;
                                            },
                                        .storage_formula = "p·K + (p+4)·a + 4 + 8·(n + L + 2·T·L + m·σ)",
                                        .bytes = bs_fft_storage,
                                        .source = "§3.4, eq. 18, without cuFFT's W"}},
               {tile_parameter()}) {}

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const bool on_cuda = request.backend.kind == BackendKind::cuda;
    if (on_cuda && !request.window) return forecast_plane(request, kRows);
    if (on_cuda) return forecast_device_window(request, *request.window, device_rows(request, kRows));
    if (request.window) return forecast_row_window(request, kRows.rule);
    const RowPlan plan = plane_row_plan(request, kRows.rule, request.threads);
    ByteTerms terms;
    terms.add("half spectrum", half_spectrum_bytes(request.pattern->rows(), request.pattern->cols()));
    add_output_terms(terms, request, false);
    plan.add_terms(terms);
    return {terms.total(), plan.operations, terms.text()};
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const bool on_cuda = request.backend.kind == BackendKind::cuda;
    if (on_cuda && !request.window) return run_plane(request, kRows, context);
    if (on_cuda) return run_device_window(request, device_rows(request, kRows), context);
    if (request.window) return run_row_window(request, kRows.rule, context);
    Spectrum spectrum = blank_spectrum(*request.pattern);
    PlaneOutputs outputs(request, false, context);
    outputs.deliver_stored(stored_half(request, context), spectrum, request.outputs.values, context);
    return spectrum;
  }

  void stream(const ResolvedRequest& request, std::span<RowConsumer* const> consumers,
              JobContext& context) const override {
    if (request.backend.kind == BackendKind::cuda) {
      stream_plane(request, kRows, consumers, context);
      return;
    }
    feed_stored_rows(stored_half(request, context).data, request.pattern->rows(), request.pattern->cols(),
                     consumers, context);
  }

 private:
  static constexpr PlaneRows kRows{LengthRule::paper, cuda::RowAlgorithm::paper, true};
};

template std::unique_ptr<Method> make_method<BsFftPaper>();

}  // namespace spyctrum
