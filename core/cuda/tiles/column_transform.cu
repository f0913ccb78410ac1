// SPDX-License-Identifier: Apache-2.0
// A thread block computes S[u, j] = Σ_{i in column j} w[i, j]·e^{−2πi·ui/m} for up to 480 consecutive rows u
// and eight columns j, in shared memory. With u = c + p, c the middle row, S[c + p, j] is the frequency p of
// point masses w[i, j]·e^{−2πi·ci/m} at the places i/m of a circle. L = 864 cells divide the circle:
//
//   1. Each thread takes entries of the block's columns and adds each to the 9 cells about i·L/m, multiplied
//      by the spreading function φ. Cells are integers, so that threads may add to a cell in any order: one
//      unit is 2^−31 of the sum of |w| over the column, so that no cell overflows.
//   2. FFT of each column's cells in two passes, 864 = 27·32: from cell 32·a + b to frequency a + 27·b.
//   3. The frequencies p of the rows, at most 0.6 of all, are divided by φ̂(p) and written, the eight columns
//      of a row as one segment of 64 bytes. The others, which aliases spoil, are not computed.
//
// One block takes as long as direct sums (inner_sums.cu) of 15 entries a column do; each further entry takes
// a quarter of the time that it takes there.
//
// A long column is divided into pieces. A first launch transforms these as columns of their own, into rows of
// LongColumns::partial; the block of the column adds them up.
#include <cmath>

#include "core/cuda/pattern/entries.cuh"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/butterflies.cuh"
#include "core/cuda/tiles/column_transform.hpp"
#include "core/cuda/tiles/tap_polynomials.cuh"

namespace spyctrum::cuda {

namespace {

constexpr int kCircle = static_cast<int>(kColumnCells);  // L
constexpr int kFirstPass = 27;
constexpr int kSecondPass = 32;
static_assert(kFirstPass * kSecondPass == kCircle);
constexpr int kWindow = static_cast<int>(kColumnRows);  // most rows of a thread block
// The gains from 0 to 27·⌈240/27⌉ are loaded.
static_assert((kWindow / 2 + kFirstPass - 1) / kFirstPass * kFirstPass < static_cast<int>(kColumnGains));
constexpr int kColumnsTogether = 8;
constexpr int kColumnThreads = 128;
constexpr int kColumnBlocks = 4;  // of a multiprocessor
constexpr int kSpread = static_cast<int>(kColumnTaps);
constexpr int kMiddleTap = kSpread / 2;
constexpr float kCellLimit = 2147480000.0F;  // 2^31 less what rounding may add

struct ColumnTask {
  DeviceColumns columns;
  const ColumnRange* ranges;  ///< [count] entries of each column, or pieces if end < 0
  std::uint32_t count;
  float2* values;
  std::uint64_t row_stride;
  std::uint64_t column_stride;
  std::uint32_t rows;
  std::uint32_t window;  ///< rows of a block
  std::uint32_t first;   ///< u of row 0
  std::uint32_t halo;
  const float* gains;
  const float2* twiddles;
  const float2* roots;
  const float2* partial;
  std::uint64_t partial_stride;
  TapPolynomials<kSpread, static_cast<int>(kColumnPowers)>
      taps;  ///< of an entry x/2 cells before its middle cell
};

extern __shared__ int2 column_cells[];

/// The place of a cell of a column of the block: threads of neighbouring columns, or of neighbouring cells of
/// one column, use different banks.
__device__ __forceinline__ unsigned column_place(unsigned cell, unsigned column) {
  return cell * kColumnsTogether + (column ^ cell % kColumnsTogether);
}

/// The entries of a block's columns one after another.
struct BlockColumns {
  ColumnRange ranges[kColumnsTogether];
  std::int64_t begin[kColumnsTogether];  ///< first entry of the column, less the entries before it
  int end[kColumnsTogether];             ///< entries up to the end of the column
  float bound[kColumnsTogether];         ///< Σ|w| of the column, at least 1e-25

  /// `range`: in thread c < 8 that of column c. Called by all threads of a block; synchronises them.
  __device__ void find(const ColumnTask& task, const ColumnRange& range) {
    const unsigned thread = threadIdx.x;
    if (thread < 32) {
      const int entries = range.end < 0 ? 0 : static_cast<int>(range.end - range.begin);
      int sum = entries;
#pragma unroll
      for (unsigned step = 1; step < kColumnsTogether; step *= 2) {
        const int before = __shfl_up_sync(0xFFFFFFFFU, sum, step);
        if (thread >= step) sum += before;
      }
      if (thread < kColumnsTogether) {
        ranges[thread] = range;
        begin[thread] = range.begin - (sum - entries);
        end[thread] = sum;
        bound[thread] = fmaxf(static_cast<float>(entries), 1e-25F);
      }
    }
    __syncthreads();
    if (task.columns.weights == nullptr) return;
    for (unsigned c = thread / 32; c < kColumnsTogether; c += kColumnThreads / 32) {
      float sum = 0.0F;
      for (int e = (c == 0 ? 0 : end[c - 1]) + static_cast<int>(thread % 32); e < end[c]; e += 32)
        sum += fabsf(task.columns.weights[begin[c] + e]);
      for (unsigned step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, step);
      if (thread % 32 == 0) bound[c] = fmaxf(sum, 1e-25F);
    }
    __syncthreads();
  }
  [[nodiscard]] __device__ int column_of(int entry) const {
    int c = 0;
#pragma unroll
    for (int step = kColumnsTogether / 2; step > 0; step /= 2)
      if (end[c + step - 1] <= entry) c += step;
    return c;
  }
};

/// Step 1 for one entry.
__device__ __forceinline__ void spread_entry(const ColumnTask& task, const BlockColumns& block, int entry,
                                             std::uint32_t middle_row) {
  const int c = block.column_of(entry);
  const std::int64_t t = block.begin[c] + entry;
  const std::uint64_t place = fraction_of(row_of(task.columns, t), task.columns.m, task.columns.reciprocal);
  // i·L/m plus half a cell: its whole part is the middle cell.
  constexpr std::uint64_t kHalfCell = std::uint64_t{1} << 63;
  const std::uint64_t rest = place * kCircle + kHalfCell;
  int cell = static_cast<int>(__umul64hi(place, kCircle)) - kMiddleTap + (rest < kHalfCell ? 1 : 0);
  if (cell < 0) cell += kCircle;
  float taps[kSpread];
  task.taps.evaluate(
      1.0F - 4.656612873077393e-10F * static_cast<float>(static_cast<std::uint32_t>(rest >> 32)), taps);
  const float unit = weight_of(task.columns, t) * __fdividef(kCellLimit, block.bound[c]);
  const float2 root = root_near(turn(middle_row, place), task.roots);
  const float2 mass = make_float2(unit * root.x, unit * root.y);
#pragma unroll
  for (int k = 0; k < kSpread; ++k) {
    int* const sums = reinterpret_cast<int*>(
        column_cells + column_place(static_cast<unsigned>(cell), static_cast<unsigned>(c)));
    atomicAdd(sums, __float2int_rn(taps[k] * mass.x));
    atomicAdd(sums + 1, __float2int_rn(taps[k] * mass.y));
    cell = cell + 1 == kCircle ? 0 : cell + 1;
  }
}

/// The first pass over the cells 32·a + b of a column, in place.
__device__ __forceinline__ void first_column_pass(const float2* __restrict__ twiddles, unsigned column,
                                                  unsigned b) {
  constexpr unsigned kStep = kSecondPass * kColumnsTogether;
  int2* const sums = column_cells + column_place(b, column);
  float2 x[kFirstPass];
#pragma unroll
  for (int a = 0; a < kFirstPass; ++a)
    x[a] = make_float2(static_cast<float>(sums[kStep * a].x), static_cast<float>(sums[kStep * a].y));
  small_transform<kFirstPass>(x);
  auto* const results = reinterpret_cast<float2*>(sums);
  twiddles += b;
  results[0] = x[0];
#pragma unroll
  for (int a = 1; a < kFirstPass; ++a) results[kStep * a] = product(x[a], __ldg(twiddles + kSecondPass * a));
}

/// Where a block writes a column: rows −below … above−1 about a middle one.
struct ColumnOutput {
  float2* middle;
  std::int64_t stride;  ///< values from one row to the next
  int below;
  int above;

  __device__ ColumnOutput(const ColumnTask& task, std::uint64_t column, std::uint32_t first_row, int rows)
      : middle(task.values + (first_row + rows / 2) * task.row_stride + column * task.column_stride),
        stride(static_cast<std::int64_t>(task.row_stride)),
        below(rows / 2),
        above(rows - rows / 2) {}
};
/// Values from a column to its copy in the halo of the rows; 0: it has none.
__device__ __forceinline__ std::int64_t halo_shift(const ColumnTask& task, std::uint64_t column) {
  const auto count = static_cast<std::int64_t>(task.count);
  return column < task.halo ? count : column + task.halo >= task.count ? -count : 0;
}

/// The second pass over the cells 32·a … 32·a + 31 of a column, and step 3 for its frequencies a + 27·b, of
/// which those from 432 on stand for negative ones, a + 27·b − 864.
__device__ __forceinline__ void second_column_pass(const ColumnOutput& output,
                                                   const float* __restrict__ gains, float unit,
                                                   unsigned column, int a) {
  float2 x[kSecondPass];
  const auto* const cells =
      reinterpret_cast<const float2*>(column_cells) + kSecondPass * kColumnsTogether * a;
#pragma unroll
  for (unsigned b = 0; b < kSecondPass; ++b) x[b] = cells[column_place(b, column)];
  small_transform<kSecondPass>(x);
  const std::int64_t step = kFirstPass * output.stride;
  float2* above = output.middle + a * output.stride;
  float2* below = above - step;
#pragma unroll
  for (int k = 0; kFirstPass * k < kWindow / 2; ++k, above += step, below -= step) {
    const float2 one = x[k];
    const float2 other = x[kSecondPass - 1 - k];
    const float gain = unit * __ldg(gains + a + kFirstPass * k);
    const float other_gain = unit * __ldg(gains - a + kFirstPass * (k + 1));
    if (a + kFirstPass * k < output.above) *above = make_float2(one.x * gain, one.y * gain);
    if (kFirstPass * (k + 1) - a <= output.below)
      *below = make_float2(other.x * other_gain, other.y * other_gain);
  }
}

__global__ void __launch_bounds__(kColumnThreads, kColumnBlocks)
    transform_columns(const __grid_constant__ ColumnTask task) {
  __shared__ BlockColumns block;
  const int thread = static_cast<int>(threadIdx.x);
  const std::uint32_t first_column = blockIdx.x * kColumnsTogether;
  const std::uint32_t first_row = blockIdx.y * task.window;
  const int rows = static_cast<int>(min(task.window, task.rows - first_row));
  let_next_start();
  const bool has_column = thread < kColumnsTogether && first_column + threadIdx.x < task.count;
  const ColumnRange range = has_column ? task.ranges[first_column + threadIdx.x] : ColumnRange{};
  auto* const pairs = reinterpret_cast<int4*>(column_cells);
  for (int k = thread; k < kCircle * kColumnsTogether / 2; k += kColumnThreads) pairs[k] = int4{0, 0, 0, 0};
  block.find(task, range);
  for (int entry = thread; entry < block.end[kColumnsTogether - 1]; entry += kColumnThreads)
    spread_entry(task, block, entry, task.first + first_row + static_cast<std::uint32_t>(rows / 2));
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kColumnsTogether * kSecondPass; k += kColumnThreads)
    first_column_pass(task.twiddles, k % kColumnsTogether, k / kColumnsTogether);
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kColumnsTogether * kFirstPass; k += kColumnThreads) {
    const unsigned c = k % kColumnsTogether;
    const std::uint32_t column = first_column + c;
    if (column >= task.count || block.ranges[c].end < 0) continue;
    ColumnOutput output(task, column, first_row, rows);
    const std::int64_t shift = halo_shift(task, column);
#pragma unroll 1
    for (int copies = shift == 0 ? 1 : 2; copies > 0; --copies, output.middle += shift)
      second_column_pass(output, task.gains, block.bound[c] / kCellLimit, c,
                         static_cast<int>(k / kColumnsTogether));
  }
  for (int c = 0; c < kColumnsTogether; ++c) {
    const ColumnRange pieces = block.ranges[c];
    if (pieces.end >= 0) continue;
    wait_for_kernel_before();
    const ColumnOutput output(task, first_column + c, first_row, rows);
    const std::int64_t shift = halo_shift(task, first_column + c);
    for (int row = thread; row < rows; row += kColumnThreads) {
      float2 sum = make_float2(0.0F, 0.0F);
#pragma unroll 4
      for (std::int64_t p = pieces.begin; p < -pieces.end; ++p)
        add_scaled(sum, 1.0F, task.partial[p * task.partial_stride + first_row + row]);
      float2* const to = output.middle + (row - output.below) * output.stride;
      *to = sum;
      if (shift != 0) to[shift] = sum;
    }
  }
}

}  // namespace

cudaError_t launch_column_transforms(const DeviceColumns& columns, const BuildTile& tile,
                                     const ConsecutiveRows& rows, const LongColumns& longs,
                                     cudaStream_t stream) {
  constexpr unsigned kShared = sizeof(int2) * kCircle * kColumnsTogether;
  if (const cudaError_t code = cudaFuncSetAttribute(
          transform_columns, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared));
      code != cudaSuccess)
    return code;
  const std::uint32_t windows = (tile.count + kColumnRows - 1) / kColumnRows;
  ColumnTask task{};
  task.columns = columns;
  task.rows = tile.count;
  task.window = (tile.count + windows - 1) / windows;
  task.first = rows.first;
  task.gains = rows.gains;
  task.twiddles = rows.twiddles;
  task.roots = rows.roots;
  task.taps = decltype(task.taps)::of(rows.plan->polynomials);
  const auto blocks = [&] { return dim3((task.count + kColumnsTogether - 1) / kColumnsTogether, windows); };
  if (longs.piece_count != 0) {
    task.ranges = longs.pieces;
    task.count = longs.piece_count;
    task.values = longs.partial;
    task.row_stride = 1;
    task.column_stride = longs.partial_stride;
    transform_columns<<<blocks(), kColumnThreads, kShared, stream>>>(task);
    if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess) return code;
  }
  task.ranges = columns.ranges;
  task.count = static_cast<std::uint32_t>(columns.n);
  task.values = tile.values;
  task.row_stride = tile.stride;
  task.column_stride = 1;
  task.halo = tile.halo;
  task.partial = longs.partial;
  task.partial_stride = longs.partial_stride;
  if (longs.piece_count != 0)
    return launch_dependent(transform_columns, blocks(), kColumnThreads, kShared, stream, task);
  transform_columns<<<blocks(), kColumnThreads, kShared, stream>>>(task);
  return cudaGetLastError();
}

std::vector<float2> column_twiddles() {
  std::vector<float2> twiddles;
  twiddles.reserve(kCircle);
  for (int a = 0; a < kFirstPass; ++a)
    for (int b = 0; b < kSecondPass; ++b) {
      const double angle = 2 * 3.14159265358979323846 * a * b / kCircle;
      twiddles.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))});
    }
  return twiddles;
}

}  // namespace spyctrum::cuda
