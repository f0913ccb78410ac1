// SPDX-License-Identifier: Apache-2.0
// Two kernels compute groups of four cosets of a plane of any sides by non-uniform FFTs
// (interface/cosets.hpp) of N×N cells, several groups in one launch. A line is a row or column of cells of
// one coset; a thread block has the same line of the four cosets of a group in shared memory:
//
//   spread_rows     A block for each row of cells, onto which entries are spread and which is transformed
//                   along y (spread_lines.cuh); the L frequencies q nearest to 0 go to memory.
//   spread_columns  A block for each frequency q reads four columns and transforms them along x. Coefficients
//                   stay in registers: their powers P are added to the boxes (p, q), Σ f(P), Σ ln P and the
//                   number of zeros to a slot of the block. No two blocks of a launch, and no two launches at
//                   a time, add to the same box or slot.
//
// Powers in edge boxes are stored, for add_edges() (box_classes.cu).
#include "core/cuda/cosets/spread_lines.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

struct SpreadTask : CosetTask {
  SpreadRows spread;
};

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    spread_rows(const __grid_constant__ SpreadTask task) {
  using L = Length<kIndex>;
  const float unit = spread_row<L>(task.spread, task.batch.coset + blockIdx.y * kLines);
  store_row<L>(task, static_cast<int>(blockIdx.x), L::kCells, unit);
}

/// How many coefficients have the power of one of column q of a coset; 0 if they do not count once.
__device__ __forceinline__ float times_of(const CosetPlane& plane, const Coset& coset, int q) {
  const std::int64_t v = plane.frequency(plane.col_step, coset.col, static_cast<std::uint32_t>(q));
  return plane.times(v, plane.n) < 1 ? 0.0F : coset.times;
}

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    spread_columns(const __grid_constant__ SpreadTask task) {
  using L = Length<kIndex>;
  constexpr int kWarpCount = L::kThreadCount / 32;
  __shared__ float sums[kWarpCount][kPowerSums + 2];
  const int thread = static_cast<int>(threadIdx.x);
  const int q = static_cast<int>(blockIdx.x);
  const CosetPlane& plane = task.plane;
  fetch_boxes<L>(task, blockIdx.x, 1);
  ThreadSums own;
#pragma unroll 1
  for (std::uint32_t group = 0; group * kLines < task.batch.count; ++group) {
    const float2* const in = task.batch.rows +
                             group * group_values(static_cast<int>(plane.cells), L::kCells) +
                             between(q, 0, L::kCells);
    for (int k = thread; k < kLines * L::kRun; k += L::kThreadCount) {
      float2 x[L::kA];
#pragma unroll
      for (int a = 0; a < L::kA; ++a) x[a] = __ldcs(in + k + a * (L::kRun * kLines));
      first_pass<L>(x, reinterpret_cast<float2*>(coset_cells) + k % kLines * L::kPitch + k / kLines,
                    task.tables.first + k / kLines);
    }
    __syncthreads();
    second_pass<L>(task.tables.second);
    __syncthreads();
    const Coset& coset = task.batch.coset[group * kLines + thread % kLines];
    const LineFrequencies counted(static_cast<int>(plane.m), static_cast<int>(plane.row_step),
                                  static_cast<int>(coset.row));
    add_powers<L>(task, q, group, times_of(plane, coset, q), counted, own);
    __syncthreads();
  }
  store_sums(own, sums, task.batch.slots[blockIdx.x]);
}

}  // namespace

cudaError_t launch_spread_cosets(const CosetTask& task, int length, cudaStream_t stream) {
  const CosetTables& tables = task.tables;
  const std::uint32_t cells = kCosetLengths[length].transformed();
  const SpreadTask spread{task,
                          {task.entries,
                           {cells, cells, task.plane.row_step, task.plane.col_step},
                           tables.beta,
                           spread_taps(tables.polynomials),
                           tables.roots,
                           tables.first,
                           tables.second}};
  return with_length<kFirstSpread, kAllLengths>(length, [&](auto index) {
    using L = Length<index.value>;
    const std::uint32_t groups = (task.batch.count + kLines - 1) / kLines;
    return launch_both(spread_rows<index.value>, dim3(L::kCells, groups), spread_columns<index.value>,
                       task.plane.cells, L::kThreadCount, L::kShared, spread, stream);
  });
}

}  // namespace spyctrum::cuda
