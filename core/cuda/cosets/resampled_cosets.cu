// SPDX-License-Identifier: Apache-2.0
// Two kernels transform groups of four cosets of L×L coefficients by FFTs of N > L cells
// (interface/cosets.hpp), several groups in one launch. A line is a row or column of one coset; a thread
// block has the same line of the four cosets of a group in shared memory:
//
//   resample_rows     A block for each row x of the folded matrix. Each thread takes entries of the row and
//                     adds w·e^{−2πi(ri/m + cj/n)} to their values, for the four cosets; values are integers,
//                     so that threads may add in any order: one unit is 2^−31 of the bound on all values.
//                     They are resampled and transformed along y; the L frequencies q nearest to 0 go to
//                     memory.
//   resample_columns  A block for each frequency q reads four columns, and resamples and transforms them
//                     along x. Coefficients stay in registers: their powers P are added to the boxes (p, q),
//                     Σ f(P), Σ ln P and the number of zeros to a slot of the block. No two blocks of a
//                     launch, and no two launches at a time, add to the same box or slot.
//
// Powers in edge boxes are stored, for add_edges() (box_classes.cu).
#include "core/cuda/cosets/coset_groups.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

/// Values before a resampling: either as they are, or as integers.
template <class L>
struct FloatLines {
  static __device__ float2 at(int line, int place) {
    return reinterpret_cast<const float2*>(coset_cells)[line * L::kPitch + place];
  }
};
template <class L>
struct IntegerLines {
  static __device__ float2 at(int line, int place) { return integers_at<L>(line, place); }
};

/// Replaces the values of the lines by cells. Value y is at kValuesBefore + y. Called by all threads; returns
/// with all cells written.
template <class L, class Lines>
__device__ __forceinline__ void resample(const CosetTask& task) {
  constexpr int kThreads = L::kCells / kResampledCells;
  auto* const cells = reinterpret_cast<float2*>(coset_cells);
  const int thread = static_cast<int>(threadIdx.x);
  const int first_cell = thread * static_cast<int>(kResampledCells);
  float2 sums[kLines][kResampledCells] = {};
  if (thread < kThreads) {
    // ⌊first_cell·L/N⌋ − kValuesBefore, and kValuesBefore copies before value 0
    const int place = first_cell * static_cast<int>(task.plane.cells) / L::kCells;
    const float4* four = task.tables.four_weights + thread;
    const float* fifth = task.tables.fifth_weights + thread;
#pragma unroll
    for (int y = 0; y < static_cast<int>(kResampledValues); ++y) {
      const float4 first = __ldg(four + y * kThreads);
      const float weights[kResampledCells] = {first.x, first.y, first.z, first.w,
                                              __ldg(fifth + y * kThreads)};
#pragma unroll
      for (int line = 0; line < kLines; ++line) {
        const float2 value = Lines::at(line, place + y);
#pragma unroll
        for (int k = 0; k < static_cast<int>(kResampledCells); ++k)
          add_scaled(sums[line][k], weights[k], value);
      }
    }
  }
  __syncthreads();
  if (thread < kThreads) {
#pragma unroll
    for (int k = 0; k < static_cast<int>(kResampledCells); ++k) {
      const int cell = first_cell + k;
      float2* const to = cells + cell / L::kRun * L::kRunPitch + cell % L::kRun;
#pragma unroll
      for (int line = 0; line < kLines; ++line) to[line * L::kPitch] = sums[line][k];
    }
  }
  __syncthreads();
}

/// The place of copy k of the kValuesBefore + kValuesAfter copies, and the value that is copied there.
__device__ __forceinline__ int copied_place(int k, int values) {
  return k < static_cast<int>(kValuesBefore) ? k : k + values;
}
__device__ __forceinline__ int copied_value(int place, int values) {
  const int y = place - static_cast<int>(kValuesBefore);
  return y < 0 ? y + values : y - values;
}

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    resample_rows(const __grid_constant__ CosetTask task) {
  using L = Length<kIndex>;
  const int thread = static_cast<int>(threadIdx.x);
  const int values = static_cast<int>(task.plane.cells);
  BlockEntries<L::kThreadCount> entries(task.entries, blockIdx.x, 1);
  const CellBound bound = *task.entries.bound;
  clear_cells<L>();
  const float most = largest_cell(bound);
  __syncthreads();
  fold_row<L>(entries, GroupPhases(task.batch.coset + blockIdx.y * kLines, task.tables.roots),
              kCellLimit / most, [](const CosetEntry& entry) { return entry.place; });
  __syncthreads();
  constexpr int kCopies = static_cast<int>(kValuesBefore + kValuesAfter);
  if (thread < 2 * kLines * kCopies) {  // of the real and imaginary parts of each line
    const int place = copied_place(thread % kCopies, values);
    int* const line = reinterpret_cast<int*>(coset_cells) + thread / kCopies * L::kPitch;
    line[place] = line[kValuesBefore + copied_value(place, values)];
  }
  __syncthreads();
  resample<L, IntegerLines<L>>(task);
  first_pass_in_place<L>(task);
  __syncthreads();
  second_pass<L>(task.tables.second);
  __syncthreads();
  store_row<L>(task, static_cast<int>(blockIdx.x), values, most / kCellLimit);
}

/// Copies the columns of a block, and the values of their ends once more, into shared memory.
template <class L>
__device__ __forceinline__ void load_columns(const CosetTask& task, const float2* in) {
  const int values = static_cast<int>(task.plane.cells);
  const int thread = static_cast<int>(threadIdx.x);
  auto* const to = reinterpret_cast<float2*>(coset_cells) + thread % kLines * L::kPitch;
  const float2* const from = in + thread / kLines * kLines;
  float2* const own = to + kValuesBefore + thread / kLines;
  constexpr int kStride = L::kThreadCount / kLines;
  const int count = (values - thread / kLines + kStride - 1) / kStride;
#pragma unroll 8
  for (int k = 0; k < count; ++k) own[k * kStride] = __ldcs(from + k * (kStride * kLines));
  constexpr int kCopies = static_cast<int>(kValuesBefore + kValuesAfter);
  if (thread < kLines * kCopies) {
    const int place = copied_place(thread / kLines, values);
    to[place] = in[kLines * copied_value(place, values)];
  }
}

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    resample_columns(const __grid_constant__ CosetTask task) {
  using L = Length<kIndex>;
  constexpr int kWarpCount = L::kThreadCount / 32;
  __shared__ float sums[kWarpCount][kPowerSums + 2];
  const int thread = static_cast<int>(threadIdx.x);
  const int values = static_cast<int>(task.plane.cells);
  const int q = static_cast<int>(blockIdx.x);
  fetch_boxes<L>(task, blockIdx.x, 1);
  ThreadSums own;
#pragma unroll 1
  for (std::uint32_t group = 0; group * kLines < task.batch.count; ++group) {
    load_columns<L>(task, task.batch.rows + group * group_values(values, values) + between(q, 0, values) +
                              thread % kLines);
    __syncthreads();
    resample<L, FloatLines<L>>(task);
    first_pass_in_place<L>(task);
    __syncthreads();
    second_pass<L>(task.tables.second);
    __syncthreads();
    const Coset& coset = task.batch.coset[group * kLines + thread % kLines];
    add_powers<L>(task, q, group, coset.times, LineFrequencies(values), own);
    __syncthreads();
  }
  store_sums(own, sums, task.batch.slots[blockIdx.x]);
}

}  // namespace

cudaError_t launch_resampled_cosets(const CosetTask& task, int length, cudaStream_t stream) {
  return with_length<kFirstResampled, kFirstSpread>(length, [&](auto index) {
    using L = Length<index.value>;
    const std::uint32_t groups = (task.batch.count + kLines - 1) / kLines;
    return launch_both(resample_rows<index.value>, dim3(task.plane.cells, groups),
                       resample_columns<index.value>, task.plane.cells, L::kThreadCount, L::kShared, task,
                       stream);
  });
}

}  // namespace spyctrum::cuda
