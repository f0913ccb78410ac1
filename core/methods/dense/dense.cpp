// SPDX-License-Identifier: Apache-2.0
// The dense DFT, the baseline that does not use sparsity: one real two-dimensional FFT (Cooley and Tukey
// 1965) of the m×n grid of zeros and ones, by DUCC0 on the CPU and by cuFFT on CUDA. A job is refused if the
// grid and its half spectrum do not fit the memory. On the CPU the grid is stored by columns: real transforms
// of the columns are followed by complex transforms of the h = ⌊m/2⌋+1 rows of the result. O(mn·log mn) work
// and O(mn) memory for any K.
#include <algorithm>
#include <cmath>
#include <memory>

#include "core/device/device_consumers.hpp"
#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/device/interface/grids.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/engine/windows.hpp"
#include "core/fft/fft.hpp"
#include "core/matrix/entry_weights.hpp"
#include "core/methods/make_method.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

namespace {

/// Column-major m×n grid: the weights at the entries, 0 elsewhere. Each thread zeroes the columns that it
/// fills.
std::unique_ptr<float[]> filled_grid(const SparsePattern& pattern, JobContext& context) {
  const std::uint64_t m = pattern.rows();
  auto grid = std::make_unique_for_overwrite<float[]>(m * pattern.cols());
  const std::size_t grain = std::max<std::uint64_t>(1, (std::uint64_t{1} << 21) / m);
  context.pool().parallel_for(
      pattern.cols(), grain, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
        context.check_stop();
        std::fill(grid.get() + begin * m, grid.get() + end * m, 0.0F);
        const auto ids = pattern.column_ids();
        const auto first = std::lower_bound(ids.begin(), ids.end(), begin) - ids.begin();
        for (auto k = static_cast<std::size_t>(first); k < ids.size() && ids[k] < end; ++k)
          with_entry_weights(pattern, [&](const auto& weight_of) {
            const auto rows = pattern.column(k);
            const auto at = static_cast<std::size_t>(pattern.column_starts()[k]);
            for (std::size_t t = 0; t < rows.size(); ++t)
              grid[ids[k] * m + rows[t]] = static_cast<float>(weight_of(at + t));
          });
      });
  return grid;
}

/// On CUDA as in the paper: one real two-dimensional in-place cuFFT of the 0/1 grid, 8·h·n bytes and cuFFT's
/// work area on the device.
DeviceUse run_on_device(const SparsePattern& pattern, Backend backend, cuda::RowReceiver* receiver,
                        const cuda::Reductions* reductions, JobContext& context) {
  return DeviceJob(backend, context).run(cuda::DenseTask{view_of(pattern), receiver, reductions});
}

/// Streams the rows of a device's result to every consumer, begin() and finish() included.
DeviceUse stream_from_device(const SparsePattern& pattern, Backend backend,
                             std::span<RowConsumer* const> consumers, JobContext& context) {
  DeviceConsumers split(pattern, backend, consumers, context);
  const DeviceUse use = run_on_device(pattern, backend, split.receiver(), split.reductions(), context);
  split.finish();
  return use;
}

/// The half spectrum F[u, v], u = 0 … ⌊m/2⌋, v = 0 … n−1, row-major, forward, unnormalised: 8·h·n bytes,
/// booked; on the CPU also 4·m·n for the grid until it returns.
BookedVector<std::complex<float>> half_spectrum(const SparsePattern& pattern, Backend backend,
                                                JobContext& context) {
  const std::uint64_t m = pattern.rows();
  const std::uint64_t n = pattern.cols();
  if (backend.kind == BackendKind::cpu) context.begin_stage("scatter");
  BookedVector<std::complex<float>> output(context, half_rows(m) * n, "half spectrum");
  if (backend.kind == BackendKind::cuda) {
    RowsTo receiver = rows_to_array(output.data.data(), n, context.pool());
    (void)run_on_device(pattern, backend, &receiver, nullptr, context);
    return output;
  }
  const Booking booked(context.memory(), 4 * m * n, "dense grid");
  const auto grid = filled_grid(pattern, context);
  context.begin_stage("fft");
  fft_2d_real_transposed(grid.get(), output.data.data(), n, m, context);
  return output;
}

/// The coefficients of `window` from a stored half spectrum; rows u > ⌊m/2⌋ by F[−u,−v] = conj F[u,v].
std::vector<std::complex<float>> cropped(const std::vector<std::complex<float>>& half,
                                         const FrequencyGrid& window, JobContext& context) {
  const std::uint64_t m = window.rows.size(), n = window.cols.size();
  const std::uint64_t width = window.cols.count();
  BookedVector<std::complex<float>> values(context, window.count(), "window");
  for (std::uint64_t p = 0; p < window.rows.count(); ++p) {
    const std::uint64_t u = window.rows.index_at(p);
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
  Dense()
      : Method({.id = "dense",
                .label = "Dense DFT",
                .citation = "Cooley and Tukey 1965; real 2-D FFT by DUCC0",
                .cost = "m·n·log(m·n) operations; 4·m·n + 8·h·n bytes, h = ⌊m/2⌋+1",
                .summary =
                    "Transforms the full m×n grid, zeros included: the baseline that does not use sparsity.",
                .exactness = Exactness::exact,
                .full_plane = true,
                .takes_weights = true,
                .crossover_name = "dense",
                .paper_cost =
                    PaperCost{.label = "Dense FFT",
                              .work_formula = "m·n·log(m·n)",
                              .work = [](const CostSizes& s) { return s.m * s.n * paper_log(s.m * s.n); },
                              .storage_formula = "4·m·n + 8·m·q",
                              .bytes = [](const CostSizes& s) { return 4 * s.m * s.n + 8 * s.m * s.q; },
                              .source = "§3.4"}},
               {}) {}

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const std::uint64_t m = request.pattern->rows();
    const std::uint64_t n = request.pattern->cols();
    const std::uint64_t grid = saturating_product(4, m, n);
    if (request.backend.kind == BackendKind::cuda) return forecast_cuda(request);
    ByteTerms terms;
    terms.add("half spectrum", half_spectrum_bytes(m, n));
    if (request.window) {
      // The window is cut out after the grid was freed.
      const std::uint64_t window =
          saturating_product(8, request.window->rows.count(), request.window->cols.count());
      terms.add(grid >= window ? "grid" : "window", std::max(grid, window));
    } else {
      terms.add("grid", grid);
      add_output_terms(terms, request, false);
    }
    const double points = std::max(2.0, static_cast<double>(m) * static_cast<double>(n));
    return {terms.total(), 2.5 * points * std::log2(points), terms.text()};
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const SparsePattern& pattern = *request.pattern;
    if (request.window) {
      const auto half = half_spectrum(pattern, request.backend, context);
      context.begin_stage("crop");
      return sampled_spectrum(pattern, *request.window, cropped(half.data, *request.window, context));
    }
    Spectrum spectrum = blank_spectrum(pattern);
    if (request.backend.kind == BackendKind::cuda) {
      PlaneOutputs streamed(request, request.outputs.values, context);
      spectrum.provenance.note =
          stream_from_device(pattern, request.backend, streamed.consumers(), context).note();
      streamed.deliver(spectrum, context.pool());
      return spectrum;
    }
    PlaneOutputs outputs(request, false, context);
    outputs.deliver_stored(half_spectrum(pattern, request.backend, context), spectrum, request.outputs.values,
                           context);
    return spectrum;
  }

  void stream(const ResolvedRequest& request, std::span<RowConsumer* const> consumers,
              JobContext& context) const override {
    if (request.backend.kind == BackendKind::cuda) {
      stream_from_device(*request.pattern, request.backend, consumers, context);
      return;
    }
    feed_stored_rows(half_spectrum(*request.pattern, request.backend, context).data, request.pattern->rows(),
                     request.pattern->cols(), consumers, context);
  }

 private:
  /// On CUDA the grid is on the device, and the host holds the requested outputs only.
  static Forecast forecast_cuda(const ResolvedRequest& request) {
    const std::uint64_t m = request.pattern->rows();
    const std::uint64_t n = request.pattern->cols();
    ByteTerms terms;
    if (request.window) {
      terms.add("half spectrum", half_spectrum_bytes(m, n));
      const std::uint64_t window =
          saturating_product(8, request.window->rows.count(), request.window->cols.count());
      terms.add("window", window);
    }
    add_output_terms(terms, request, request.outputs.values);
    if (request.window || takes_rows(request))
      terms.add("page-locked rows", cuda::delivery_bytes(half_rows(m), n));
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
