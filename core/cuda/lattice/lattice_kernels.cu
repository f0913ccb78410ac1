// SPDX-License-Identifier: Apache-2.0
// Computes the tables of the axes, transposes between the FFTs, and cuts the result to the outputs.
#include <algorithm>

#include "core/cuda/lattice/lattice_kernels.hpp"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

/// a·b mod m for a, b < m < 2^32. `reciprocal`: about 2^64/m, since a division would take longer than the
/// rest of the kernel.
__device__ std::uint32_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t m,
                                        std::uint64_t reciprocal) {
  const std::uint64_t product = a * b;
  std::uint64_t rest = product - __umul64hi(product, reciprocal) * m;
  while (rest >= m) rest -= m;
  return static_cast<std::uint32_t>(rest);
}

constexpr std::uint32_t kTapsOfThread = 4;
constexpr std::uint32_t kTapThreads = kMostLatticeTaps / kTapsOfThread;  // threads per slot

/// The position of a source on the fine grid: the first cell that its taps reach, and the distance of that
/// cell from the left edge of the taps, in cells.
struct Landing {
  std::uint32_t start;
  double behind;
};
__device__ Landing landing_of(const AxisTables& from, std::uint64_t i) {
  const LatticeAxisSpec& axis = from.axis;
  const std::uint32_t place = product_modulo(axis.step, i, axis.size, from.reciprocal);
  if (axis.cell != 0) return {place / static_cast<std::uint32_t>(axis.cell), 0};
  const double left =
      static_cast<double>(axis.fine) * place * from.inverse - static_cast<double>(axis.taps) / 2;
  const double first = ceil(left);
  return {static_cast<std::uint32_t>(first < 0 ? first + static_cast<double>(axis.fine) : first),
          first - left};
}

__device__ void make_phase(const AxisTables& to, std::uint64_t slot) {
  double sine = 0;
  double cosine = 0;
  sincospi(2 * to.inverse * product_modulo(to.axis.centre, to.ids[slot], to.axis.size, to.reciprocal), &sine,
           &cosine);
  for (std::uint32_t r = 0; r < to.reaches; ++r)
    to.phases[r * to.slots + slot] = make_float2(static_cast<float>(cosine), static_cast<float>(-sine));
}

/// The position of a cell's tap in a record (AxisTables::taps).
__device__ std::uint32_t place_of(std::uint32_t cell) { return cell % 8 * 2 + cell / 8; }

/// Computes kTapsOfThread taps of a slot from number kTapsOfThread·part on, and stores each in the record of
/// its cell's tile.
__device__ void make_taps(const AxisTables& to, const SpreadTables& tables, std::uint64_t slot,
                          std::uint32_t part) {
  const LatticeAxisSpec& axis = to.axis;
  const Landing landing = landing_of(to, to.ids[slot]);
  const double x = 2 * landing.behind - 1;
  double sums[kTapsOfThread] = {};
  if (axis.cell != 0) sums[0] = 1;
  for (std::uint32_t power = axis.powers; power-- > 0;) {
#pragma unroll
    for (std::uint32_t k = 0; k < kTapsOfThread; ++k) {
      const std::uint32_t tap = kTapsOfThread * part + k;
      sums[k] = sums[k] * x + (tap < axis.taps ? tables.polynomials[power * axis.taps + tap] : 0.0);
    }
  }
  const auto tiles = static_cast<std::uint32_t>((axis.fine + kTileCells - 1) / kTileCells);
  const std::uint32_t first_tile = landing.start / kTileCells;
#pragma unroll
  for (std::uint32_t k = 0; k < kTapsOfThread; ++k) {
    const std::uint32_t tap = kTapsOfThread * part + k;
    if (tap >= axis.taps) return;
    std::uint64_t cell = std::uint64_t{landing.start} + tap;
    if (cell >= axis.fine) cell -= axis.fine;
    const auto tile = static_cast<std::uint32_t>(cell / kTileCells);
    const std::uint32_t reach = tile < first_tile ? tile + tiles - first_tile : tile - first_tile;
    to.taps[(reach * to.slots + slot) * kTileCells +
            place_of(static_cast<std::uint32_t>(cell % kTileCells))] = static_cast<float>(sums[k]);
  }
}

constexpr std::uint32_t kLanesOfCorrection = 8;

/// 1/φ̂ of output p, summed by kLanesOfCorrection neighbouring lanes; valid in all of them.
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

/// The threads of one launch: first those for slots of the rows (phases and taps), then for slots of the
/// columns, outputs of the rows, outputs of the columns, and counters of parts; each kind begins with a new
/// warp.
struct TableThreads {
  std::uint64_t slots[2], outputs[2], counters;
  __host__ __device__ TableThreads(const AxisTables& rows, const AxisTables& cols, const PartCounters& parts)
      : slots{whole_warps(rows.slots) * of_a_slot(rows), whole_warps(cols.slots) * of_a_slot(cols)},
        outputs{outputs_of(rows), outputs_of(cols)},
        counters(parts.count) {}
  [[nodiscard]] __host__ std::uint64_t total() const {
    return slots[0] + slots[1] + outputs[0] + outputs[1] + counters;
  }
  static __host__ __device__ std::uint64_t whole_warps(std::uint64_t count) { return (count + 31) / 32 * 32; }
  static __host__ __device__ std::uint32_t of_a_slot(const AxisTables& axis) {
    return axis.taps == nullptr ? 1 : kTapThreads;
  }
  static __host__ __device__ std::uint64_t outputs_of(const AxisTables& axis) {
    return axis.correction == nullptr ? 0 : whole_warps(axis.axis.distinct * kLanesOfCorrection);
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
      // A warp computes taps of the same numbers for 32 slots.
      const std::uint32_t parts = TableThreads::of_a_slot(one);
      const std::uint64_t slot = k / (32 * parts) * 32 + k % 32;
      if (slot >= one.slots) return;
      if (one.taps != nullptr) make_taps(one, tables, slot, static_cast<std::uint32_t>(k / 32 % parts));
      if (one.phases != nullptr) make_phase(one, slot);
      return;
    }
    k -= threads.slots[a];
  }
#pragma unroll
  for (int a = 0; a < 2; ++a) {
    const AxisTables& one = *axes[a];
    if (k < threads.outputs[a]) {
      const std::uint64_t output = k / kLanesOfCorrection;
      if (output >= one.axis.distinct) return;
      const auto lane = static_cast<std::uint32_t>(k % kLanesOfCorrection);
      const float correction = correction_of(one.axis, tables, output, lane);
      if (lane == 0) one.correction[output] = correction;
      return;
    }
    k -= threads.outputs[a];
  }
  if (k < counters.count) counters.done[k] = 0;
}

__global__ void axis_starts(AxisTables from, std::uint32_t* starts) {
  const std::uint64_t slot = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (slot < from.slots) starts[slot] = landing_of(from, from.ids[slot]).start;
}

constexpr std::uint32_t kSideRows = 8;

/// Transposes in squares of kSide × kSide values.
template <std::uint32_t kSide>
__global__ void transpose_lines(const float2* __restrict__ lines, DeviceAxis rows, DeviceAxis cols,
                                float2* output) {
  __shared__ float2 square[kSide][kSide + 1];
  wait_for_kernel_before();
  const std::uint64_t first_p = std::uint64_t{blockIdx.x} * kSide;
  const std::uint64_t p = first_p + threadIdx.x;
  std::uint64_t cell = rows.first_cell + p;
  if (cell >= rows.fine) cell -= rows.fine;
  const float correction = p < rows.distinct ? rows.correction[p] : 0.0F;
  const std::uint64_t first_line = std::uint64_t{blockIdx.y} * kSide;
#pragma unroll
  for (std::uint32_t k = threadIdx.y; k < kSide; k += kSideRows) {
    float2 value = make_float2(0, 0);
    if (p < rows.distinct && first_line + k < cols.fine)
      value = __ldcs(lines + (first_line + k) * rows.fine + cell);
    square[k][threadIdx.x] = make_float2(value.x * correction, value.y * correction);
  }
  __syncthreads();
  for (std::uint32_t k = threadIdx.y; k < kSide; k += kSideRows) {
    const std::uint64_t row = first_p + k;
    const std::uint64_t col = first_line + threadIdx.x;
    if (row < rows.distinct && col < cols.fine) output[row * cols.fine + col] = square[threadIdx.x][k];
  }
}

constexpr std::uint32_t kRowsOfThread = 8;  // rows per thread: they share a column's index and correction

// Values that are read once are loaded by __ldcs, so that the L2 cache remains free for the output.

/// The place of an output of an axis among its cosets.
struct OutputPlace {
  std::uint32_t coset;
  std::uint32_t number;  ///< within the coset, below `distinct`
};
__device__ OutputPlace locate(const DeviceAxis& axis, std::uint32_t output) {
  const auto distinct = static_cast<std::uint32_t>(axis.distinct);
  const std::uint32_t number = axis.cosets == 1 ? output : output / axis.cosets;
  return {axis.cosets == 1 ? 0 : output % axis.cosets, number < distinct ? number : number % distinct};
}

/// One thread for each leak and each output of the other axis.
template <bool kOfRows>
__global__ void __launch_bounds__(kThreads)
    subtract_leaks(float2* lattice_rows, DeviceAxis rows, DeviceAxis cols, std::uint64_t stride,
                   DeviceLeaks by, std::uint32_t along) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (k >= std::uint64_t{by.count} * along) return;
  // Neighbouring threads read neighbouring values of a row.
  const auto number = static_cast<std::uint32_t>(kOfRows ? k / along : k % by.count);
  const auto other = static_cast<std::uint32_t>(kOfRows ? k % along : k / by.count);
  const OutputLeak leak = by.leaks[number];
  const OutputPlace down = locate(rows, kOfRows ? leak.output : other);
  const OutputPlace across = locate(cols, kOfRows ? other : leak.output);
  std::uint64_t col = cols.first_cell + across.number;
  if (col >= cols.fine) col -= cols.fine;
  const std::uint64_t pair = std::uint64_t{down.coset} * cols.cosets + across.coset;
  float2& value = lattice_rows[pair * stride + down.number * cols.fine + col];
  const float share = leak.share / cols.correction[across.number];
  value.x = fmaf(-share, by.values[other].x, value.x);
  value.y = fmaf(-share, by.values[other].y, value.y);
}

__global__ void extract(const float2* __restrict__ lattice_rows, DeviceAxis rows, DeviceAxis cols,
                        std::uint64_t stride, std::uint64_t first_row, std::uint32_t count, float2* output) {
  wait_for_kernel_before();
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= cols.count) return;
  const OutputPlace across = locate(cols, static_cast<std::uint32_t>(q));
  std::uint64_t col = cols.first_cell + across.number;
  if (col >= cols.fine) col -= cols.fine;
  const float correction = cols.correction[across.number];
  const std::uint32_t first = blockIdx.y * kRowsOfThread;
  OutputPlace down = locate(rows, static_cast<std::uint32_t>(first_row + first));
  const std::uint64_t stride_down = stride * cols.cosets;
  const float2* const from = lattice_rows + across.coset * stride + col;
  float2 values[kRowsOfThread];
#pragma unroll
  for (std::uint32_t k = 0; k < kRowsOfThread; ++k) {
    if (first + k < count) values[k] = __ldcs(from + down.coset * stride_down + down.number * cols.fine);
    if (++down.coset < rows.cosets) continue;
    down.coset = 0;
    if (++down.number == rows.distinct) down.number = 0;
  }
#pragma unroll
  for (std::uint32_t k = 0; k < kRowsOfThread; ++k)
    if (first + k < count)
      output[(first + k) * cols.count + q] = make_float2(values[k].x * correction, values[k].y * correction);
}

}  // namespace

SpreadTables::SpreadTables(const LatticeAxisSpec& axis) : polynomials{}, places{}, values{} {
  std::copy_n(axis.polynomials, std::size_t{axis.powers} * axis.taps, polynomials);
  std::copy_n(axis.places, axis.nodes, places);
  std::copy_n(axis.values, axis.nodes, values);
}

cudaError_t launch_axis_tables(const AxisTables& rows, const AxisTables& cols, const PartCounters& counters,
                               cudaStream_t stream) {
  const std::uint64_t threads = TableThreads(rows, cols, counters).total();
  // If both axes are spread, they have the same spreading function.
  return launch_threads(axis_tables, threads, stream, rows, cols,
                        SpreadTables(rows.axis.cell == 0 ? rows.axis : cols.axis), counters);
}

cudaError_t launch_axis_starts(const AxisTables& from, std::uint32_t* starts, cudaStream_t stream) {
  return launch_threads(axis_starts, from.slots, stream, from, starts);
}

cudaError_t launch_transpose_lines(const float2* lines, const DeviceAxis& rows, const DeviceAxis& cols,
                                   float2* output, cudaStream_t stream) {
  // Large squares read longer runs of memory; small ones are enough to keep every multiprocessor busy.
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 23U;
  const unsigned side = rows.distinct * cols.fine < kLarge ? 32 : 64;
  const dim3 blocks(static_cast<unsigned>((rows.distinct + side - 1) / side),
                    static_cast<unsigned>((cols.fine + side - 1) / side));
  const dim3 threads(side, kSideRows);
  if (side == 32)
    return launch_dependent(transpose_lines<32>, blocks, threads, 0, stream, lines, rows, cols, output);
  return launch_dependent(transpose_lines<64>, blocks, threads, 0, stream, lines, rows, cols, output);
}

cudaError_t launch_subtract_leaks(float2* lattice_rows, const DeviceAxis& rows, const DeviceAxis& cols,
                                  const DeviceLeaks& leaks, bool of_rows, cudaStream_t stream) {
  if (leaks.count == 0) return cudaSuccess;
  const LatticeRows layout(rows.cosets, cols.cosets, rows.distinct, cols.fine);
  const auto along = static_cast<std::uint32_t>(of_rows ? cols.outputs() : rows.outputs());
  return launch_threads(of_rows ? subtract_leaks<true> : subtract_leaks<false>,
                        std::uint64_t{leaks.count} * along, stream, lattice_rows, rows, cols, layout.stride,
                        leaks, along);
}

cudaError_t launch_extract(const float2* lattice_rows, const DeviceAxis& rows, const DeviceAxis& cols,
                           std::uint64_t first_row, std::uint32_t count, float2* output,
                           cudaStream_t stream) {
  const auto blocks = blocks_for(cols.count);
  const dim3 grid(blocks, (count + kRowsOfThread - 1) / kRowsOfThread);
  const LatticeRows layout(rows.cosets, cols.cosets, rows.distinct, cols.fine);
  return launch_dependent(extract, grid, kThreads, 0, stream, lattice_rows, rows, cols, layout.stride,
                          first_row, count, output);
}

}  // namespace spyctrum::cuda
