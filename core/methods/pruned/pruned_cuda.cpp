// SPDX-License-Identifier: Apache-2.0
// The host side of the pruned transform on CUDA: makes the tables of the two axes for the CUDA module, and
// forecasts device memory. Mirrors pruned_cpu.cpp.
#include "core/methods/pruned/pruned_cuda.hpp"

#include <algorithm>

#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/device/fft_work_bytes.hpp"
#include "core/device/interface/pruned.hpp"

namespace spyctrum {

namespace {

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

}  // namespace

std::uint64_t pruned_cuda_host_bytes(const PrunedPlan& plan) {
  return saturating_sum(saturating_product(8, plan.rows.outputs, plan.cols.outputs),
                        8 * (plan.rows.outputs + plan.cols.outputs));
}

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
  terms.add("rows 8·k1·n between the axes", saturating_product(8, down.outputs, along.size));
  terms.add("lines, work area of cuFFT and rows being copied to the host", std::max(first, second));
  return terms;
}

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

}  // namespace spyctrum
