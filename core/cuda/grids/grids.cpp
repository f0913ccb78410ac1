// SPDX-License-Identifier: Apache-2.0
// The dense baseline: a grid of the weights (zeros and ones without weights), stored by columns, transformed
// in place by one real two-dimensional cuFFT. Density Map: entries of each b×b block are added in integers.
#include <algorithm>
#include <cstring>

#include "core/cuda/grids/grid_kernels.hpp"
#include "core/cuda/pattern/device_pattern.hpp"
#include "core/cuda/reductions/delivery.hpp"
#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/grids.hpp"

namespace spyctrum::cuda {

namespace {

/// An in-place real transform of `outer` lines of `inner` numbers, padded to 2(⌊inner/2⌋+1).
FftShape real_shape(std::uint64_t outer, std::uint64_t inner) { return {true, outer, inner, 1, 1}; }

/// Σ C/a over the blocks of the pattern, as the sum over the entries of 1/(cells of the entry's block).
double sum_of_densities(const PatternView& pattern, std::uint64_t block) {
  const std::uint64_t row_edge = pattern.rows / block * block;
  const std::uint64_t col_edge = pattern.cols / block * block;
  std::uint64_t entries[2][2] = {};
  for (std::uint64_t k = 0; k < pattern.active; ++k) {
    const std::uint32_t* begin = pattern.row_indices + pattern.column_starts[k];
    const std::uint32_t* end = pattern.row_indices + pattern.column_starts[k + 1];
    const std::uint32_t* edge =
        std::lower_bound(begin, end, row_edge, [](std::uint64_t row, std::uint64_t at) { return row < at; });
    const bool clipped = pattern.column_ids[k] >= col_edge;
    entries[0][clipped] += static_cast<std::uint64_t>(edge - begin);
    entries[1][clipped] += static_cast<std::uint64_t>(end - edge);
  }
  const double heights[2] = {static_cast<double>(block), static_cast<double>(pattern.rows - row_edge)};
  const double widths[2] = {static_cast<double>(block), static_cast<double>(pattern.cols - col_edge)};
  double sum = 0;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      if (entries[r][c] != 0) sum += static_cast<double>(entries[r][c]) / (heights[r] * widths[c]);
  return sum;
}

Timing run(const DenseTask& task, Host& host) {
  const PatternView& pattern = task.pattern;
  RowReceiver* const receiver = task.receiver;
  const Reductions* const reductions = task.reductions;
  host.begin_stage("prepare");
  const std::uint64_t height = pattern.rows / 2 + 1;
  const DevicePattern columns(host, pattern);
  Stream stream(host);
  const DeviceBuffer<float2> plane(host, height * pattern.cols, "dense grid and its half spectrum");
  FftPlan plan(host, real_shape(pattern.cols, pattern.rows), stream.get());
  Delivery delivery(host, height, pattern.cols, receiver != nullptr, reductions);
  Event began(host);
  Event ended(host);
  check(host, cudaDeviceSynchronize(), "preparing");

  host.begin_stage("fft");
  host.checkpoint(0, height);
  began.record(stream.get());
  auto* grid = reinterpret_cast<float*>(plane.get());
  set_zero(host, plane.get(), height * pattern.cols, stream.get(), "clearing the grid");
  check(host, launch_scatter_weights(columns.columns(), grid, 2 * height, stream.get()), "filling the grid");
  plan.real(grid, plane.get());
  ended.record(stream.get());
  ended.synchronize();
  const Timing timing{ended.seconds_since(began)};
  if (receiver == nullptr && reductions == nullptr) return timing;
  host.begin_stage(receiver != nullptr ? "copy" : "reduce");
  const double leaving = deliver(
      host, delivery, stream.get(),
      [&](std::uint64_t first, std::uint32_t count, float2* rows) {
        return launch_transpose(plane.get(), height, pattern.cols, first, count, rows, stream.get());
      },
      [&](std::uint64_t first, std::uint64_t count, const float* values) {
        receiver->take(first, count, values);
      },
      receiver != nullptr);
  return {timing.device_seconds + (reductions != nullptr ? leaving : 0)};
}

Timing run(const DensityMapTask& task, Host& host) {
  const PatternView& pattern = task.pattern;
  const std::uint64_t block = task.block;
  float* const values = task.values;
  host.begin_stage("prepare");
  BlockGrid grid{pattern.rows,
                 pattern.cols,
                 block,
                 (pattern.rows + block - 1) / block,
                 (pattern.cols + block - 1) / block,
                 0};
  const std::uint64_t half_width = grid.n0 / 2 + 1;
  grid.pitch = 2 * half_width;
  const double sum = sum_of_densities(pattern, block);
  const double gamma = sum > 0 ? static_cast<double>(pattern.nonzeros) / sum : 0.0;
  const DevicePattern columns(host, pattern);
  Stream stream(host);
  const DeviceBuffer<float2> half(host, grid.m0 * half_width, "density map and its half spectrum");
  const DeviceBuffer<unsigned long long> weighted_sums(
      host, pattern.weights != nullptr ? grid.m0 * grid.pitch : 0, "sums of blocks");
  FftPlan plan(host, real_shape(grid.m0, grid.n0), stream.get());
  Delivery delivery(host, grid.m0, grid.n0, values != nullptr, task.reductions);
  Event began(host);
  Event ended(host);
  check(host, cudaDeviceSynchronize(), "preparing");

  host.begin_stage("fft");
  began.record(stream.get());
  auto* const cells = reinterpret_cast<float*>(half.get());
  // Also behind the ends of the rows, which cuFFT reads.
  set_zero(host, cells, grid.m0 * grid.pitch, stream.get(), "clearing the density map");
  const auto fill = [&](auto* sums) {
    check(host, launch_sum_blocks(columns.columns(), grid, sums, stream.get()), "sums of blocks");
    check(host, launch_densities(sums, grid, gamma, cells, stream.get()), "densities");
  };
  if (weighted_sums.get() != nullptr) {
    set_zero(host, weighted_sums.get(), grid.m0 * grid.pitch, stream.get(), "clearing the sums of blocks");
    fill(weighted_sums.get());
  } else {
    fill(reinterpret_cast<std::uint32_t*>(cells));
  }
  plan.real(reinterpret_cast<float*>(half.get()), half.get());
  ended.record(stream.get());
  const double leaving = deliver(
      host, delivery, stream.get(),
      [&](std::uint64_t first, std::uint32_t count, float2* rows) {
        return launch_unfold_shifted(half.get(), grid.m0, grid.n0, first, count, rows, stream.get());
      },
      [&](std::uint64_t first, std::uint64_t count, const float* rows) {
        std::memcpy(values + 2 * first * grid.n0, rows, count * grid.n0 * sizeof(float2));
      },
      values != nullptr);
  return {ended.seconds_since(began) + leaving};
}

}  // namespace

template <>
TaskEntry task_entry<DenseTask>() {
  return make_task_entry<DenseTask, run>();
}
template <>
TaskEntry task_entry<DensityMapTask>() {
  return make_task_entry<DensityMapTask, run>();
}

}  // namespace spyctrum::cuda
