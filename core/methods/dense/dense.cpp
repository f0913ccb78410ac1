// SPDX-License-Identifier: Apache-2.0
// The dense DFT, the baseline that does not use sparsity: one real two-dimensional FFT (Cooley and Tukey
// 1965) of the m×n grid of zeros and ones, by DUCC0 on the CPU and by cuFFT on CUDA. A job is refused if the
// grid and its half spectrum do not fit the memory.
#include <cmath>

#include "core/device/device_consumers.hpp"
#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/engine/windows.hpp"
#include "core/methods/dense/dense_cpu.hpp"
#include "core/methods/dense/dense_cuda.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/half_plane.hpp"

namespace spyctrum {

namespace {

/// The coefficients of `window` from a stored half spectrum; rows u > ⌊m/2⌋ by F[−u,−v] = conj F[u,v].
std::vector<std::complex<float>> cropped(const std::vector<std::complex<float>>& half,
                                         const FrequencyGrid& window, JobContext& context) {
  const auto m = static_cast<std::int64_t>(window.rows.size());
  const auto n = static_cast<std::int64_t>(window.cols.size());
  const std::uint64_t width = window.cols.count();
  BookedVector<std::complex<float>> values(context, window.count(), "window");
  for (std::uint64_t p = 0; p < window.rows.count(); ++p) {
    const std::int64_t u = dft_index(window.rows.at(p), m);
    const bool mirrored = u > m / 2;
    const std::complex<float>* row = half.data() + (mirrored ? m - u : u) * n;
    for (std::uint64_t q = 0; q < width; ++q) {
      const std::int64_t v = window.cols.at(q);
      values.data[p * width + q] = mirrored ? std::conj(row[dft_index(-v, n)]) : row[dft_index(v, n)];
    }
    context.check_stop();
  }
  return std::move(values.data);
}

}  // namespace

class Dense : public Method {
 public:
  [[nodiscard]] const MethodInfo& info() const override {
    static const MethodInfo info{
        .id = "dense",
        .label = "Dense DFT",
        .citation = "Cooley and Tukey 1965; real 2-D FFT by DUCC0",
        .cost = "m·n·log(m·n) operations; 4·m·n + 8·h·n bytes, h = ⌊m/2⌋+1",
        .summary = "Transforms the full m×n grid, zeros included: the baseline that does not use sparsity.",
        .exactness = Exactness::exact,
        .full_plane = true,
        .crossover_name = "dense",
        .paper_cost = PaperCost{.label = "Dense FFT",
                                .work_formula = "m·n·log(m·n)",
                                .work = [](const CostSizes& s) { return s.m * s.n * paper_log(s.m * s.n); },
                                .storage_formula = "4·m·n + 8·m·q",
                                .bytes = [](const CostSizes& s) { return 4 * s.m * s.n + 8 * s.m * s.q; },
                                .source = "§3.4"}};
    return info;
  }

  [[nodiscard]] const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> none;
    return none;
  }

  [[nodiscard]] Support supports(Backend backend, std::uint64_t /*m*/, std::uint64_t /*n*/) const override {
    return cpu_or_cuda(backend);
  }

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const std::uint64_t m = request.pattern->rows();
    const std::uint64_t n = request.pattern->cols();
    const std::uint64_t grid = saturating_product(4, saturating_product(m, n));
    if (request.backend.kind == BackendKind::cuda) return forecast_cuda(request);
    ByteTerms terms;
    terms.add("half spectrum 8·h·n", half_spectrum_bytes(m, n));
    if (request.window) {
      // The window is cut out after the grid was freed.
      const std::uint64_t window = saturating_product(
          8, saturating_product(request.window->rows.count(), request.window->cols.count()));
      terms.add(grid >= window ? "grid 4·m·n" : "window", std::max(grid, window));
    } else {
      terms.add("grid 4·m·n", grid);
      add_output_terms(terms, request, false);
    }
    const double points = std::max(2.0, static_cast<double>(m) * static_cast<double>(n));
    return {terms.total(), 2.5 * points * std::log2(points), terms.text()};
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const SparsePattern& pattern = *request.pattern;
    if (request.window) {
      const auto half = request.backend.kind == BackendKind::cuda
                            ? dense_cuda(pattern, request.backend, context)
                            : dense_cpu(pattern, context);
      context.begin_stage("crop");
      return sampled_spectrum(pattern, *request.window, cropped(half.data, *request.window, context));
    }
    Spectrum spectrum = blank_spectrum(pattern);
    if (request.backend.kind == BackendKind::cuda) {
      PlaneOutputs on_the_way(request, request.outputs.values, context);
      spectrum.provenance.note =
          dense_stream_cuda(pattern, request.backend, on_the_way.consumers(), context).note();
      on_the_way.deliver(spectrum, context.pool());
      return spectrum;
    }
    PlaneOutputs outputs(request, false, context);
    auto half = dense_cpu(pattern, context);
    context.begin_stage("reduce");
    feed_stored_rows(half.data, spectrum.m, spectrum.n, outputs.consumers(), context);
    outputs.deliver(spectrum, context.pool());
    if (request.outputs.values) {
      spectrum.values = std::move(half.data);
      spectrum.grid = half_grid(spectrum.m, spectrum.n);
      spectrum.hermitian_half = true;
    }
    return spectrum;
  }

  void stream(const ResolvedRequest& request, std::span<RowConsumer* const> consumers,
              JobContext& context) const override {
    if (request.backend.kind == BackendKind::cuda) {
      dense_stream_cuda(*request.pattern, request.backend, consumers, context);
      return;
    }
    const auto half = dense_cpu(*request.pattern, context);
    context.begin_stage("reduce");
    feed_stored_rows(half.data, request.pattern->rows(), request.pattern->cols(), consumers, context);
  }

 private:
  /// On CUDA the grid is on the device, and the host holds the requested outputs only.
  static Forecast forecast_cuda(const ResolvedRequest& request) {
    const std::uint64_t m = request.pattern->rows();
    const std::uint64_t n = request.pattern->cols();
    ByteTerms terms;
    if (request.window) {
      terms.add("half spectrum 8·h·n", half_spectrum_bytes(m, n));
      const std::uint64_t window = saturating_product(
          8, saturating_product(request.window->rows.count(), request.window->cols.count()));
      terms.add("window", window);
    }
    add_output_terms(terms, request, request.outputs.values);
    if (request.window || takes_rows(request)) add_dense_cuda_terms(terms, m, n);
    if (!request.window) terms.add("classes of the rows", plane_table_bytes(request));
    const double points = std::max(2.0, static_cast<double>(m) * static_cast<double>(n));
    Forecast forecast{terms.total(), 2.5 * points * std::log2(points), terms.text()};
    ByteTerms device = device_plane_terms(*request.pattern, request.backend, n, m, half_rows(m), n);
    if (!request.window) device.add("tables and sums of the reductions", plane_reduction_bytes(request, 1));
    add_device(forecast, device);
    return forecast;
  }
};

template std::unique_ptr<Method> make_method<Dense>();

}  // namespace spyctrum
