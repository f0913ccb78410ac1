// SPDX-License-Identifier: Apache-2.0
// Tables of the axes, the turn between both FFTs and the cut to the outputs.
#include <algorithm>

#include "core/cuda/dependent_launch.cuh"
#include "core/cuda/lattice_kernels.hpp"
#include "core/cuda/phase.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kThreads = 256;
static_assert(sizeof(SlotRecord) == 4 * sizeof(float4));

/// a·b mod m for a, b < m < 2^32; `reciprocal`: about 2^64/m, as a division takes longer than all else here.
__device__ std::uint32_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t m,
                                        std::uint64_t reciprocal) {
  const std::uint64_t product = a * b;
  std::uint64_t rest = product - __umul64hi(product, reciprocal) * m;
  while (rest >= m) rest -= m;
  return static_cast<std::uint32_t>(rest);
}

constexpr std::uint32_t kQuartersOfRecord = 4;

/// Quarter `part` of a slot's record: the head, or four taps.
__device__ float4 record_of(const AxisTables& from, const SpreadTables& tables, std::uint64_t i,
                            std::uint32_t part) {
  const LatticeAxisSpec& axis = from.axis;
  const double inverse = 1 / static_cast<double>(axis.size);
  const std::uint32_t place = product_modulo(axis.step, i, axis.size, from.reciprocal);
  const double left = static_cast<double>(axis.fine) * place * inverse - static_cast<double>(axis.taps) / 2;
  const double first = ceil(left);
  if (part == 0) {
    double sine = 0;
    double cosine = 0;
    sincospi(2 * inverse * product_modulo(axis.centre, i, axis.size, from.reciprocal), &sine, &cosine);
    const double cell = first < 0 ? first + static_cast<double>(axis.fine) : first;
    const std::uint32_t start =
        axis.cell != 0 ? place / static_cast<std::uint32_t>(axis.cell) : static_cast<std::uint32_t>(cell);
    return make_float4(__uint_as_float(start), static_cast<float>(cosine), static_cast<float>(-sine), 0);
  }
  if (axis.cell != 0) return make_float4(part == 1 ? 1.0F : 0.0F, 0, 0, 0);
  const double x = 2 * (first - left) - 1;
  double sums[4] = {0, 0, 0, 0};
  for (std::uint32_t power = axis.powers; power-- > 0;) {
#pragma unroll
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t tap = 4 * part - 4 + k;
      sums[k] = sums[k] * x + (tap < axis.taps ? tables.polynomials[power * axis.taps + tap] : 0.0);
    }
  }
  return make_float4(static_cast<float>(sums[0]), static_cast<float>(sums[1]), static_cast<float>(sums[2]),
                     static_cast<float>(sums[3]));
}

constexpr std::uint32_t kLanesOfCorrection = 8;

/// 1/φ̂ of output p, by neighbouring lanes; all have the result.
__device__ float correction_of(const LatticeAxisSpec& axis, const SpreadTables& tables, std::uint64_t p,
                               std::uint32_t lane) {
  if (axis.cell != 0) return 1.0F;
  const std::uint64_t k = p < axis.middle ? axis.middle - p : p - axis.middle;
  const double angle = 2 * static_cast<double>(k) / static_cast<double>(axis.fine);
  double sum = 0;
  for (std::uint32_t node = lane; node < axis.nodes; node += kLanesOfCorrection)
    sum += tables.values[node] * cospi(angle * tables.places[node]);
  const unsigned together = 0xFFU << (threadIdx.x % 32 / kLanesOfCorrection * kLanesOfCorrection);
#pragma unroll
  for (std::uint32_t apart = 1; apart < kLanesOfCorrection; apart *= 2)
    sum += __shfl_xor_sync(together, sum, apart);
  return static_cast<float>(1 / sum);
}

/// Threads of quarters of records of the rows, then of the columns, of outputs of the rows, of the columns,
/// and of parts to be counted; each kind begins with a warp.
struct TableThreads {
  std::uint64_t slots[2], outputs[2], counters;
  __host__ __device__ TableThreads(const AxisTables& rows, const AxisTables& cols, const PartCounters& parts)
      : slots{whole_warps(rows.slots) * kQuartersOfRecord, whole_warps(cols.slots) * kQuartersOfRecord},
        outputs{outputs_of(rows), outputs_of(cols)},
        counters(parts.count) {}
  [[nodiscard]] __host__ std::uint64_t total() const {
    return slots[0] + slots[1] + outputs[0] + outputs[1] + counters;
  }
  static __host__ __device__ std::uint64_t whole_warps(std::uint64_t count) { return (count + 31) / 32 * 32; }
  static __host__ __device__ std::uint64_t outputs_of(const AxisTables& axis) {
    return axis.correction == nullptr ? 0 : whole_warps(axis.axis.kept * kLanesOfCorrection);
  }
};

__global__ void axis_tables(AxisTables rows, AxisTables cols, SpreadTables tables, PartCounters counters) {
  let_next_start();
  const TableThreads threads(rows, cols, counters);
  const AxisTables* const axes[2] = {&rows, &cols};
  std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll
  for (int a = 0; a < 2; ++a) {
    const AxisTables& one = *axes[a];
    if (k < threads.slots[a]) {
      // A warp makes the same quarter of 32 records, as heads and taps have nothing in common.
      const std::uint64_t slot = k / (32 * kQuartersOfRecord) * 32 + k % 32;
      const auto part = static_cast<std::uint32_t>(k / 32 % kQuartersOfRecord);
      if (slot < one.slots)
        reinterpret_cast<float4*>(one.records)[slot * kQuartersOfRecord + part] =
            record_of(one, tables, one.ids[slot], part);
      return;
    }
    k -= threads.slots[a];
  }
#pragma unroll
  for (int a = 0; a < 2; ++a) {
    const AxisTables& one = *axes[a];
    if (k < threads.outputs[a]) {
      const std::uint64_t output = k / kLanesOfCorrection;
      if (output >= one.axis.kept) return;
      const auto lane = static_cast<std::uint32_t>(k % kLanesOfCorrection);
      const float correction = correction_of(one.axis, tables, output, lane);
      if (lane == 0) one.correction[output] = correction;
      return;
    }
    k -= threads.outputs[a];
  }
  if (k < counters.count) counters.done[k] = 0;
}

constexpr std::uint32_t kTurnRows = 8;

/// By squares of kTurned lines and cells.
template <std::uint32_t kTurned>
__global__ void turn(const float2* __restrict__ lines, DeviceAxis rows, DeviceAxis cols, float2* output) {
  __shared__ float2 square[kTurned][kTurned + 1];
  wait_for_kernel_before();
  const std::uint64_t first_p = std::uint64_t{blockIdx.x} * kTurned;
  const std::uint64_t p = first_p + threadIdx.x;
  std::uint64_t cell = rows.first_cell + p;
  if (cell >= rows.fine) cell -= rows.fine;
  const float correction = p < rows.kept ? rows.correction[p] : 0.0F;
  const std::uint64_t first_line = std::uint64_t{blockIdx.y} * kTurned;
#pragma unroll
  for (std::uint32_t k = threadIdx.y; k < kTurned; k += kTurnRows) {
    float2 value = make_float2(0, 0);
    if (p < rows.kept && first_line + k < cols.fine)
      value = __ldcs(lines + (first_line + k) * rows.fine + cell);
    square[k][threadIdx.x] = make_float2(value.x * correction, value.y * correction);
  }
  __syncthreads();
  for (std::uint32_t k = threadIdx.y; k < kTurned; k += kTurnRows) {
    const std::uint64_t row = first_p + k;
    const std::uint64_t col = first_line + threadIdx.x;
    if (row < rows.kept && col < cols.fine) output[row * cols.fine + col] = square[threadIdx.x][k];
  }
}

constexpr std::uint32_t kRowsOfThread = 8;  // what a column needs is found once for them

// What is read once is marked so (__ldcs), to leave the L2 cache to what is written.

__global__ void extract(const float2* __restrict__ kept_rows, DeviceAxis rows, DeviceAxis cols,
                        std::uint64_t first_row, std::uint32_t count, float2* output) {
  wait_for_kernel_before();
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= cols.count) return;
  const std::uint64_t kept_q = q < cols.kept ? q : q % cols.kept;
  std::uint64_t col = cols.first_cell + kept_q;
  if (col >= cols.fine) col -= cols.fine;
  const float correction = cols.correction[kept_q];
  const std::uint32_t first = blockIdx.y * kRowsOfThread;
  auto p = static_cast<std::uint32_t>(first_row + first) % static_cast<std::uint32_t>(rows.kept);
  float2 values[kRowsOfThread];
#pragma unroll
  for (std::uint32_t k = 0; k < kRowsOfThread; ++k) {
    if (first + k < count) values[k] = __ldcs(kept_rows + p * cols.fine + col);
    if (++p == rows.kept) p = 0;
  }
#pragma unroll
  for (std::uint32_t k = 0; k < kRowsOfThread; ++k)
    if (first + k < count)
      output[(first + k) * cols.count + q] = make_float2(values[k].x * correction, values[k].y * correction);
}

unsigned blocks_for(std::uint64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

}  // namespace

SpreadTables::SpreadTables(const LatticeAxisSpec& axis) : polynomials{}, places{}, values{} {
  std::copy_n(axis.polynomials, std::size_t{axis.powers} * axis.taps, polynomials);
  std::copy_n(axis.places, axis.nodes, places);
  std::copy_n(axis.values, axis.nodes, values);
}

cudaError_t launch_axis_tables(const AxisTables& rows, const AxisTables& cols, const PartCounters& counters,
                               cudaStream_t stream) {
  const std::uint64_t threads = TableThreads(rows, cols, counters).total();
  if (threads == 0) return cudaSuccess;
  // Axes that are spread share one spreading function.
  axis_tables<<<blocks_for(threads), kThreads, 0, stream>>>(
      rows, cols, SpreadTables(rows.axis.cell == 0 ? rows.axis : cols.axis), counters);
  return cudaGetLastError();
}

cudaError_t launch_turn(const float2* lines, const DeviceAxis& rows, const DeviceAxis& cols, float2* output,
                        cudaStream_t stream) {
  // Large squares take the longer runs of memory, small ones keep every multiprocessor busy.
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 23U;
  const unsigned side = rows.kept * cols.fine < kLarge ? 32 : 64;
  const dim3 blocks(static_cast<unsigned>((rows.kept + side - 1) / side),
                    static_cast<unsigned>((cols.fine + side - 1) / side));
  const dim3 threads(side, kTurnRows);
  if (side == 32) return launch_dependent(turn<32>, blocks, threads, stream, lines, rows, cols, output);
  return launch_dependent(turn<64>, blocks, threads, stream, lines, rows, cols, output);
}

cudaError_t launch_extract(const float2* kept_rows, const DeviceAxis& rows, const DeviceAxis& cols,
                           std::uint64_t first_row, std::uint32_t count, float2* output,
                           cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((cols.count + kThreads - 1) / kThreads);
  const dim3 grid(blocks, (count + kRowsOfThread - 1) / kRowsOfThread);
  return launch_dependent(extract, grid, kThreads, stream, kept_rows, rows, cols, first_row, count, output);
}

}  // namespace spyctrum::cuda
