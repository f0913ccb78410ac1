// SPDX-License-Identifier: Apache-2.0
// Two kernels compute a lattice in groups of cosets (a non-uniform FFT of each), several groups in one
// launch. A line is a row of cells along one axis of one coset; a thread block has the same line of all
// cosets of a group in shared memory:
//
//   group_rows     A block for each cell of the column axis. Entries are spread onto its line of cells along
//                  the row axis, which is transformed (core/cuda/cosets/spread_lines.cuh); the outputs p of
//                  that axis, corrected, go to memory. Entries that lie on cells are added to these (a fold),
//                  and all frequencies are outputs.
//   group_columns  A block for each output p reads the line along the column axis, transforms it, and writes
//                  the outputs q, corrected, to their places: the cosets of a group are neighbours in a row
//                  of the lattice.
//
// Each cell is written once and read once, without frequencies that are not wanted. (With cuFFT in place of
// these kernels, lattice_transform.cpp, the grid passes memory five times.)
#include "core/cuda/cosets/spread_lines.cuh"
#include "core/cuda/lattice/group_kernels.hpp"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

template <int kIndex, bool kFolds>
using GroupLength =
    std::conditional_t<kFolds, Length<kIndex, kFoldedGroupLengths>, Length<kIndex, kGroupLengths>>;

struct GroupTask {
  GroupAxis rows;
  GroupAxis cols;
  SpreadRows spread;
  GroupBatch batch;
};

/// The last pass over line threadIdx.x % kLines; stores outputs of an axis, the first at `to`. The frequency
/// 0 of the FFT is output ⌊distinct/2⌋, of a fold output 0.
template <class L, bool kFolds>
__device__ __forceinline__ void store_outputs(const GroupAxis& axis, float2* to, std::int64_t stride,
                                              float unit, const LineFrequencies& wanted) {
  if constexpr (kFolds) {
    const int thread = static_cast<int>(threadIdx.x);
    for (int g = thread / kLines; g < L::kStep; g += L::kThreadCount / kLines) {
      float2 value[L::kC];
      last_pass<L>(thread % kLines, g, value);
#pragma unroll
      for (int z = 0; z < L::kC; ++z)
        to[(g + z * L::kStep) * stride] = make_float2(unit * value[z].x, unit * value[z].y);
    }
  } else {
    const int middle = static_cast<int>(axis.distinct / 2);
    store_frequencies<L>({to + middle * stride, stride, L::kCells, axis.correction + middle, L::kCells, unit},
                         static_cast<int>(axis.distinct), wanted);
  }
}

template <int kIndex, bool kFolds>
__global__ void __launch_bounds__(GroupLength<kIndex, kFolds>::kThreadCount,
                                  GroupLength<kIndex, kFolds>::kBlocks)
    group_rows(const __grid_constant__ GroupTask task) {
  using L = GroupLength<kIndex, kFolds>;
  const float unit = spread_row<L, kFolds>(task.spread, task.batch.coset + blockIdx.y * kLines);
  const std::int64_t stride = std::int64_t{kLines} * task.cols.fine;
  const std::int64_t first = std::int64_t{blockIdx.y} * task.rows.distinct * stride;
  float2* const to =
      task.batch.between + first + blockIdx.x * kLines + static_cast<int>(threadIdx.x) % kLines;
  store_outputs<L, kFolds>(task.rows, to, stride, unit,
                           LineFrequencies(static_cast<int>(task.rows.distinct)));
}

template <int kIndex, bool kFolds>
__global__ void __launch_bounds__(GroupLength<kIndex, kFolds>::kThreadCount,
                                  GroupLength<kIndex, kFolds>::kBlocks)
    group_columns(const __grid_constant__ GroupTask task) {
  using L = GroupLength<kIndex, kFolds>;
  const int line = static_cast<int>(threadIdx.x) % kLines;
  const GroupAxis& cols = task.cols;
#pragma unroll 1
  for (std::uint32_t group = 0; group * kLines < task.batch.count; ++group) {
    const float2* const in =
        task.batch.between + (std::int64_t{group} * task.rows.distinct + blockIdx.x) * (kLines * L::kCells);
    for (int k = static_cast<int>(threadIdx.x); k < kLines * L::kRun; k += L::kThreadCount) {
      float2 x[L::kA];
#pragma unroll
      for (int a = 0; a < L::kA; ++a) x[a] = __ldcs(in + k + a * (L::kRun * kLines));
      first_pass<L>(x, reinterpret_cast<float2*>(coset_cells) + k % kLines * L::kPitch + k / kLines,
                    cols.first + k / kLines);
    }
    __syncthreads();
    second_pass<L>(cols.second);
    __syncthreads();
    const std::uint32_t number = task.batch.first + group * kLines + line;
    const std::uint32_t c = number % cols.cosets;
    const std::int64_t row = number / cols.cosets + std::int64_t{task.rows.cosets} * blockIdx.x;
    LineFrequencies wanted(static_cast<int>(cols.distinct));
    if (c + cols.cosets * (cols.distinct - 1) >= cols.count) --wanted.positive;
    store_outputs<L, kFolds>(cols, task.batch.output + row * cols.count + c, cols.cosets, 1, wanted);
    __syncthreads();
  }
}

/// One thread for each leak and each output of the other axis.
template <bool kOfRows>
__global__ void __launch_bounds__(kThreads)
    subtract_from_outputs(float2* outputs, std::uint32_t cols, DeviceLeaks by, std::uint32_t along) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (k >= std::uint64_t{by.count} * along) return;
  // Neighbouring threads read neighbouring values of a row.
  const auto number = static_cast<std::uint32_t>(kOfRows ? k / along : k % by.count);
  const auto other = static_cast<std::uint32_t>(kOfRows ? k % along : k / by.count);
  const OutputLeak leak = by.leaks[number];
  float2& value =
      outputs[std::uint64_t{kOfRows ? leak.output : other} * cols + (kOfRows ? other : leak.output)];
  add_scaled(value, -leak.share, by.values[other]);
}

/// Launches a kernel for the length of an axis; kernel_of(index) returns it.
template <bool kFolds, class KernelOf>
cudaError_t launch_length(std::uint32_t fine, dim3 blocks, const GroupTask& task, cudaStream_t stream,
                          const KernelOf& kernel_of) {
  const CosetLength* const length = group_length(fine, kFolds);
  if (length == nullptr) return cudaErrorInvalidValue;
  const auto known = static_cast<int>(length - group_lengths(kFolds));
  return with_length<0, group_length_count(kFolds)>(known, [&](auto index) {
    using L = GroupLength<index.value, kFolds>;
    void (*const kernel)(GroupTask) = kernel_of(index);
    if (const cudaError_t code =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, L::kShared);
        code != cudaSuccess)
      return code;
    kernel<<<blocks, L::kThreadCount, L::kShared, stream>>>(task);
    return cudaGetLastError();
  });
}

template <bool kFolds>
cudaError_t launch_both_axes(const GroupTask& task, cudaStream_t stream) {
  const GroupAxis& rows = task.rows;
  const GroupAxis& cols = task.cols;
  const cudaError_t code =
      launch_length<kFolds>(rows.fine, dim3(cols.fine, task.batch.count / kLines), task, stream,
                            [](auto index) { return group_rows<index.value, kFolds>; });
  if (code != cudaSuccess) return code;
  return launch_length<kFolds>(cols.fine, dim3(rows.distinct), task, stream,
                               [](auto index) { return group_columns<index.value, kFolds>; });
}

}  // namespace

cudaError_t launch_groups(const GroupAxis& rows, const GroupAxis& cols, const GroupSpreading& spreading,
                          const GroupBatch& batch, cudaStream_t stream) {
  const GroupTask task{rows,
                       cols,
                       {spreading.entries,
                        {cols.fine, rows.fine, cols.step, rows.step, spreading.taps},
                        spreading.beta,
                        spreading.taps == 1 ? SpreadTaps{} : spread_taps(spreading.polynomials),
                        spreading.roots,
                        rows.first,
                        rows.second},
                       batch};
  return spreading.taps == 1 ? launch_both_axes<true>(task, stream) : launch_both_axes<false>(task, stream);
}

cudaError_t launch_subtract_from_outputs(float2* outputs, std::uint32_t rows, std::uint32_t cols,
                                         const DeviceLeaks& leaks, bool of_rows, cudaStream_t stream) {
  const std::uint32_t along = of_rows ? cols : rows;
  return launch_threads(of_rows ? subtract_from_outputs<true> : subtract_from_outputs<false>,
                        std::uint64_t{leaks.count} * along, stream, outputs, cols, leaks, along);
}

}  // namespace spyctrum::cuda
