// SPDX-License-Identifier: Apache-2.0
// One thread for each row of a corrected column, or for each column of the corrected rows, which makes all
// corrections of its outputs in their order.
#include "core/cuda/lattice/axis_kernels.hpp"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

__device__ void correct(float2& value, float share, float2 of_axis) {
  if (share == 0) {
    value = of_axis;
    return;
  }
  value.x = fmaf(-share, of_axis.x, value.x);
  value.y = fmaf(-share, of_axis.y, value.y);
}

__global__ void __launch_bounds__(kThreads) correct_columns(CorrectedRows rows, DeviceCorrections by) {
  const std::uint64_t r = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (r >= rows.count) return;
  const float2 of_axis = by.values[(rows.first + r) % rows.outputs.distinct_rows];
  for (std::uint32_t k = 0; k < by.count; ++k) {
    const AxisCorrection one = by.corrections[k];
    for (std::uint64_t q = one.output; q < rows.outputs.width; q += rows.outputs.distinct_cols)
      correct(rows.values[r * rows.outputs.width + q], one.share, of_axis);
  }
}

__global__ void __launch_bounds__(kThreads) correct_rows(CorrectedRows rows, DeviceCorrections by) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (q >= rows.outputs.width) return;
  const float2 of_axis = by.values[q % rows.outputs.distinct_cols];
  const std::uint64_t distinct = rows.outputs.distinct_rows;
  for (std::uint32_t k = 0; k < by.count; ++k) {
    const AxisCorrection one = by.corrections[k];
    const std::uint64_t to_output = (one.output + distinct - rows.first % distinct) % distinct;
    for (std::uint64_t r = to_output; r < rows.count; r += distinct)
      correct(rows.values[r * rows.outputs.width + q], one.share, of_axis);
  }
}

}  // namespace

cudaError_t launch_correct_columns(const CorrectedRows& rows, const DeviceCorrections& by,
                                   cudaStream_t stream) {
  if (by.count == 0 || rows.count == 0) return cudaSuccess;
  return launch(correct_columns, blocks_for(rows.count), kThreads, stream, rows, by);
}

cudaError_t launch_correct_rows(const CorrectedRows& rows, const DeviceCorrections& by, cudaStream_t stream) {
  if (by.count == 0 || rows.count == 0) return cudaSuccess;
  return launch(correct_rows, blocks_for(rows.outputs.width), kThreads, stream, rows, by);
}

}  // namespace spyctrum::cuda
