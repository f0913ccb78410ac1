// SPDX-License-Identifier: Apache-2.0
// The pruned blockwise transform, a spectral baseline of the BS-FFT paper (§4): the algorithm of SparseFFT.jl
// (K. L. Ho, MIT licence), written anew from its description. It computes the coefficients of elastic-paper
// and treats the matrix as dense.

#include <algorithm>
#include <complex>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/device/device_forecast.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_module.hpp"
#include "core/device/interface/pruned.hpp"
#include "core/device/row_transform_plans.hpp"
#include "core/engine/windows.hpp"
#include "core/fft/fft.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/entry_weights.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/make_method.hpp"
#include "core/methods/pruned/pruned_axis.hpp"
#include "core/request/byte_terms.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

namespace {

// Two pruned axes: a few columns of the pattern at a time become dense columns, of which k1 outputs each are
// stored; then the resulting k1 rows of n values are transformed.

/// The two axes: k1 outputs of every column, then k2 outputs of each of those k1 rows.
struct PrunedPlan {
  PrunedSizes rows;
  PrunedSizes cols;
  [[nodiscard]] static PrunedPlan of(const SparsePattern& pattern, std::uint64_t outputs_of_columns,
                                     std::uint64_t outputs_of_rows) {
    return {{pattern.rows(), outputs_of_columns, true}, {pattern.cols(), outputs_of_rows, false}};
  }
  /// Adds the host bytes: values 8·k1·k2, the k1×n rows between the axes, weights and lines.
  void add_terms(ByteTerms& terms, unsigned threads) const;
  [[nodiscard]] double operations() const;
};

/// Writes the weights of the entries of columns first … first+count−1; false if they have no entry.
bool scatter_columns(const SparsePattern& pattern, const PrunedAxis& axis, std::uint64_t first,
                     std::size_t count, float* buffer) {
  const std::size_t lanes = loops<float>().lanes;
  const auto ids = pattern.column_ids();
  auto k = static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), first) - ids.begin());
  bool any = false;
  for (; k < ids.size() && ids[k] < first + count; ++k) {
    const auto lane = static_cast<std::size_t>(ids[k] - first);
    with_entry_weights(pattern, [&](const auto& weight_of) {
      const auto rows = pattern.column(k);
      const auto at = static_cast<std::size_t>(pattern.column_starts()[k]);
      for (std::size_t t = 0; t < rows.size(); ++t)
        buffer[axis.place(rows[t]) * lanes + lane] = static_cast<float>(weight_of(at + t));
    });
    any = true;
  }
  return any;
}

void PrunedPlan::add_terms(ByteTerms& terms, unsigned threads) const {
  const std::uint64_t values = saturating_product(8, rows.outputs, cols.outputs);
  const auto held = [&](const PrunedSizes& axis) {
    return saturating_sum(axis.weight_bytes(), saturating_product(threads, axis.scratch_bytes()));
  };
  terms.add("rows", saturating_product(8, rows.outputs, cols.size));
  // The values exist from the second axis on.
  terms.add("weights, lines and values", std::max(held(rows), saturating_sum(values, held(cols))));
}

double PrunedPlan::operations() const {
  return static_cast<double>(cols.size) * rows.operations() +
         static_cast<double>(rows.outputs) * cols.operations();
}

/// Values on `grid` (lists allowed, any signed frequencies), row-major, forward, unnormalised; relative error
/// about 1e-6 (single precision). Throws Failure{cancelled}, {out_of_memory}.
std::vector<std::complex<float>> pruned_cpu(const SparsePattern& pattern, const FrequencyGrid& grid,
                                            JobContext& context) {
  const PrunedAxis down(grid.rows, true);
  const PrunedAxis along(grid.cols, false);
  const std::uint64_t n = pattern.cols();
  const std::size_t lanes = loops<float>().lanes;
  context.begin_stage("columns");
  BookedVector<std::complex<float>> between(context, grid.rows.count() * n, "rows between the axes");
  down.transform(
      n, context,
      [&](std::uint64_t first, std::size_t count, float* buffer) {
        return scatter_columns(pattern, down, first, count, buffer);
      },
      [&](std::uint64_t first, std::size_t count, std::uint64_t position, const float* values) {
        std::complex<float>* out = between.data.data() + position * n + first;
        for (std::size_t lane = 0; lane < count; ++lane) out[lane] = {values[lane], values[lanes + lane]};
      });
  context.begin_stage("rows");
  const std::uint64_t width = grid.cols.count();
  BookedVector<std::complex<float>> result(context, grid.rows.count() * width, "coefficients");
  along.transform(
      grid.rows.count(), context,
      [&](std::uint64_t first, std::size_t count, float* buffer) {
        for (std::size_t lane = 0; lane < count; ++lane) {
          const std::complex<float>* row = between.data.data() + (first + lane) * n;
          for (std::uint64_t j = 0; j < n; ++j) {
            float* element = buffer + 2 * lanes * along.place(j) + lane;
            element[0] = row[j].real();
            element[lanes] = row[j].imag();
          }
        }
        return true;
      },
      [&](std::uint64_t first, std::size_t count, std::uint64_t position, const float* values) {
        for (std::size_t lane = 0; lane < count; ++lane)
          result.data[(first + lane) * width + position] = {values[lane], values[lanes + lane]};
      });
  return std::move(result.data);
}

// The host side of the pruned transform on CUDA: makes the tables of the two axes for the CUDA module, and
// forecasts device memory.

cuda::PrunedAxisSpec spec_of(const PrunedSizes& sizes) {
  return {sizes.size, sizes.length, sizes.blocks, sizes.real_input, sizes.outputs, nullptr, nullptr};
}

/// The outputs of an axis as the module reads them: sorted by f mod l, also for real lines.
struct AxisTables {
  AxisTables(const FrequencyAxis& axis, const PrunedSizes& sizes, JobContext& context)
      : frequencies(context, axis.count(), "tables of an axis"),
        positions(context, axis.count(), "tables of an axis"),
        spec(spec_of(sizes)) {
    const std::vector<PrunedOutput> outputs = pruned_outputs(axis, sizes);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      frequencies.data[k] = static_cast<std::uint32_t>(outputs[k].frequency);
      positions.data[k] = static_cast<std::uint32_t>(outputs[k].position);
    }
    spec.frequencies = frequencies.data.data();
    spec.positions = positions.data.data();
  }
  BookedVector<std::uint32_t> frequencies;
  BookedVector<std::uint32_t> positions;
  cuda::PrunedAxisSpec spec;
};

std::uint64_t lines_bytes(const cuda::PrunedAxisSpec& axis, std::uint64_t lines, Backend backend) {
  const std::uint64_t at_once = cuda::pruned_lines(axis, lines);
  const std::uint64_t values = saturating_product(8 * at_once, cuda::pruned_line_values(axis));
  if (axis.length == 1) return values;
  return saturating_sum(values, device_fft_work_bytes(backend, cuda::pruned_fft(axis, at_once)));
}

/// Host bytes: values and the tables of both axes.
std::uint64_t pruned_cuda_host_bytes(const PrunedPlan& plan) {
  return saturating_sum(saturating_product(8, plan.rows.outputs, plan.cols.outputs),
                        8 * (plan.rows.outputs + plan.cols.outputs));
}

/// Device bytes of pruned_cuda() at its peak.
ByteTerms pruned_cuda_terms(const SparsePattern& pattern, const PrunedPlan& plan, Backend backend) {
  const cuda::PrunedAxisSpec down = spec_of(plan.rows);
  const cuda::PrunedAxisSpec along = spec_of(plan.cols);
  const std::uint64_t at_once = cuda::pruned_lines(along, down.outputs);
  const std::uint64_t first =
      saturating_sum(8 * down.outputs, lines_bytes(down, pattern.column_ids().size(), backend));
  const std::uint64_t second = saturating_sum(8 * along.outputs + 8 * at_once * along.outputs,
                                              lines_bytes(along, down.outputs, backend));
  ByteTerms terms;
  add_device_pattern(terms, pattern);
  terms.add("rows between the axes", saturating_product(8, down.outputs, along.size));
  terms.add("lines, work area of cuFFT and rows being copied to the host", std::max(first, second));
  return terms;
}

/// pruned_cpu() on a CUDA device. Sums have a fixed order: equal requests give bit-equal results on the same
/// device. Throws also Failure{backend_unavailable}, {internal}.
std::vector<std::complex<float>> pruned_cuda(const SparsePattern& pattern, const FrequencyGrid& grid,
                                             Backend backend, JobContext& context, DeviceUse& use) {
  const PrunedPlan plan = PrunedPlan::of(pattern, grid.rows.count(), grid.cols.count());
  const AxisTables down(grid.rows, plan.rows, context);
  const AxisTables along(grid.cols, plan.cols, context);
  BookedVector<std::complex<float>> values(context, grid.count(), "coefficients");
  use = DeviceJob(backend, context)
            .run(cuda::PrunedTask{view_of(pattern), down.spec, along.spec,
                                  reinterpret_cast<float*>(values.data.data())});
  return std::move(values.data);
}

}  // namespace

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
      terms.add("tables and values", pruned_cuda_host_bytes(plan));
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
