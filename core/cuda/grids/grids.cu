// SPDX-License-Identifier: Apache-2.0
// The dense baseline: a grid of the weights (zeros and ones without weights), stored by columns, transformed
// in place by one real two-dimensional cuFFT. Density Map: entries of each b×b block are added in integers.
// Kernels: grids are filled from the entries of a pattern; rows are read from the half spectrum of a real
// transform.
#include <algorithm>
#include <type_traits>

#include "core/cuda/pattern/device_columns.hpp"
#include "core/cuda/pattern/device_pattern.hpp"
#include "core/cuda/pattern/entries.cuh"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/reductions/delivery.hpp"
#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/grids.hpp"

namespace spyctrum::cuda {

namespace {

/// The m0×n0 blocks of b×b, in rows of `pitch` cells.
struct BlockGrid {
  std::uint64_t m = 0, n = 0, block = 1;
  std::uint64_t m0 = 0, n0 = 0, pitch = 0;
};

constexpr unsigned kSide = 32;      // of a transposed square
constexpr unsigned kMostY = 65535;  // blocks along y that a launch allows

/// grid[j·pitch + i] = the weight of the entry (i, j), 1 without weights; other cells are not written.
__global__ void scatter_weights(DeviceColumns columns, float* grid, std::uint64_t pitch) {
  for_each_entry(columns, 0, columns.active, [&](std::uint32_t i, std::uint64_t slot, float weight) {
    grid[columns.ids[slot] * pitch + i] = weight;
  });
}

__device__ void add_entry(std::uint32_t* count, float /*weight*/) { atomicAdd(count, 1U); }
__device__ void add_entry(unsigned long long* sum, float weight) { add_weight(sum, weight); }
__device__ double sum_of(std::uint32_t count) { return count; }
__device__ double sum_of(unsigned long long sum) { return weight_sum(sum); }

/// sums[p, q] += 1 for every entry of block (p, q); if Sum has 64 bits, += its weight, by add_weight()
/// (entries.cuh).
template <class Sum>
__global__ void sum_blocks(DeviceColumns columns, BlockGrid grid, Sum* sums) {
  for_each_entry(columns, 0, columns.active, [&](std::uint32_t i, std::uint64_t slot, float weight) {
    add_entry(&sums[i / grid.block * grid.pitch + columns.ids[slot] / grid.block], weight);
  });
}

/// cells[p, q] = gamma·sums[p, q]/(area of block (p, q)). `cells` may be `sums`: a thread writes the cell
/// that it has read.
template <class Sum>
__global__ void densities(const Sum* sums, BlockGrid grid, double gamma, float* cells) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= grid.n0) return;
  const std::uint64_t width = min(grid.block, grid.n - q * grid.block);
  for (std::uint64_t p = blockIdx.y; p < grid.m0; p += gridDim.y) {
    const std::uint64_t height = min(grid.block, grid.m - p * grid.block);
    const std::uint64_t cell = p * grid.pitch + q;
    const double area = static_cast<double>(height) * static_cast<double>(width);
    cells[cell] = static_cast<float>(gamma * sum_of(sums[cell]) / area);
  }
}

/// rows[r, v] = plane[v, first_row + r], r < count, v < n; plane: n × height.
__global__ void transpose(const float2* plane, std::uint64_t height, std::uint64_t n, std::uint64_t first_row,
                          std::uint32_t count, float2* rows) {
  __shared__ float2 square[kSide][kSide + 1];
  const std::uint64_t v0 = std::uint64_t{blockIdx.x} * kSide;
  const std::uint32_t r0 = blockIdx.y * kSide;
  for (unsigned k = threadIdx.y; k < kSide; k += blockDim.y) {
    const std::uint64_t v = v0 + k;
    const std::uint32_t r = r0 + threadIdx.x;
    if (v < n && r < count) square[k][threadIdx.x] = plane[v * height + first_row + r];
  }
  __syncthreads();
  for (unsigned k = threadIdx.y; k < kSide; k += blockDim.y) {
    const std::uint32_t r = r0 + k;
    const std::uint64_t v = v0 + threadIdx.x;
    if (v < n && r < count) rows[r * n + v] = square[threadIdx.x][k];
  }
}

/// Rows first_row … first_row+count−1 of the fftshifted plane (m0 × n0) from the half spectrum of a real
/// transform (m0 × (⌊n0/2⌋+1)).
__global__ void unfold_shifted(const float2* half, std::uint64_t m0, std::uint64_t n0,
                               std::uint64_t first_row, float2* plane) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= n0) return;
  const std::uint64_t width = n0 / 2 + 1;
  // Position k of the shifted plane is frequency k − ⌊size/2⌋.
  const std::uint64_t u = (first_row + blockIdx.y + m0 - m0 / 2) % m0;
  const std::uint64_t v = (q + n0 - n0 / 2) % n0;
  const float2 value =
      v < width ? half[u * width + v] : conjugate(half[(u == 0 ? 0 : m0 - u) * width + (n0 - v)]);
  plane[blockIdx.y * n0 + q] = value;
}

/// An in-place real transform of `outer` lines of `inner` numbers, padded to 2(⌊inner/2⌋+1).
FftShape real_shape(std::uint64_t outer, std::uint64_t inner) { return {true, outer, inner, 1, 1}; }

/// Launches `kernel` for the entries of `columns`.
template <class... Parameters, class... Arguments>
cudaError_t for_entries(void (*kernel)(DeviceColumns, Parameters...), const DeviceColumns& columns,
                        cudaStream_t stream, Arguments... arguments) {
  if (columns.active == 0) return cudaSuccess;
  return launch(kernel, entry_blocks(columns.active), kEntryThreads, stream, columns, arguments...);
}

/// Σ C/a over the blocks of the pattern, C the entries and a the area of a block: the sum of 1/a over the
/// entries.
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
  check(host, for_entries(scatter_weights, columns.columns(), stream.get(), grid, 2 * height),
        "filling the grid");
  plan.real(grid, plane.get());
  ended.record(stream.get());
  ended.synchronize();
  const Timing timing{ended.seconds_since(began)};
  if (receiver == nullptr && reductions == nullptr) return timing;
  host.begin_stage(receiver != nullptr ? "copy" : "reduce");
  const double leaving = deliver(
      host, delivery, stream.get(),
      [&](std::uint64_t first, std::uint32_t count, float2* rows) {
        const dim3 blocks(static_cast<unsigned>((pattern.cols + kSide - 1) / kSide),
                          (count + kSide - 1) / kSide);
        return launch(transpose, blocks, dim3(kSide, 8), stream.get(), plane.get(), height, pattern.cols,
                      first, count, rows);
      },
      receiver);
  return {timing.device_seconds + (reductions != nullptr ? leaving : 0)};
}

Timing run(const DensityMapTask& task, Host& host) {
  const PatternView& pattern = task.pattern;
  const std::uint64_t block = task.block;
  RowReceiver* const receiver = task.receiver;
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
  Delivery delivery(host, grid.m0, grid.n0, receiver != nullptr, task.reductions);
  Event began(host);
  Event ended(host);
  check(host, cudaDeviceSynchronize(), "preparing");

  host.begin_stage("fft");
  began.record(stream.get());
  auto* const cells = reinterpret_cast<float*>(half.get());
  // The padding of the rows, which cuFFT reads, is cleared as well.
  set_zero(host, cells, grid.m0 * grid.pitch, stream.get(), "clearing the density map");
  const auto fill = [&](auto* sums) {
    using Sum = std::remove_pointer_t<decltype(sums)>;
    check(host, for_entries(sum_blocks<Sum>, columns.columns(), stream.get(), grid, sums), "sums of blocks");
    const auto y = static_cast<unsigned>(std::min<std::uint64_t>(grid.m0, kMostY));
    check(host,
          launch(densities<Sum>, dim3(blocks_for(grid.n0), y), kThreads, stream.get(), sums, grid, gamma,
                 cells),
          "densities");
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
        return launch(unfold_shifted, dim3(blocks_for(grid.n0), count), kThreads, stream.get(), half.get(),
                      grid.m0, grid.n0, first, rows);
      },
      receiver);
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
