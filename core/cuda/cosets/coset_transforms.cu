// SPDX-License-Identifier: Apache-2.0
// Two kernels transform cosets of L×L coefficients, L = a·b·c, several in one launch:
//
//   transform_rows      A thread block has four rows x of the folded matrix in shared memory. Each thread
//                       takes entries of these rows and adds w·e^{−2πi(ri/m + cj/n)} to their cells; cells
//                       are integers, so that threads may add in any order: one unit is 2^−31 of the bound
//                       on all cells. An FFT along y follows, to frequencies q.
//   transform_columns   A thread block reads the columns of four frequencies q and transforms them along x.
//                       Coefficients stay in registers: their powers P are added to the boxes (p, q), Σ f(P),
//                       Σ ln P and the number of zeros to a slot of the block. No two blocks of a launch, and
//                       no two launches at a time, add to the same box or slot.
//
// Between the kernels, the values of four rows at four frequencies are 128 contiguous bytes: both kernels
// access whole cache lines. Powers in edge boxes are stored, for add_edges() (box_classes.cu).
#include "core/cuda/cosets/coset_passes.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

/// The memory between the kernels.
template <int kIndex>
struct DirectLength : Length<kIndex> {
  using Length<kIndex>::kStep, Length<kIndex>::kRun, Length<kIndex>::kCells;
  static constexpr int kGroups = (kCells + kLines - 1) / kLines;  ///< of four rows or four columns
  /// The place of row x at frequency q in the memory between the kernels.
  static __device__ unsigned between(unsigned q, unsigned x) {
    return (q / kLines * kGroups + x / kLines) * kLines * kLines + q % kLines * kLines + x % kLines;
  }
  /// The values of row x + k·b·c, and of frequency q + k·a·b, from those between the kernels. Where a step is
  /// a multiple of four, its distance in memory is constant.
  template <class T>
  static __device__ T* at_row(T* values, unsigned q, unsigned x, int k) {
    if constexpr (kRun % kLines == 0) return values + between(q, x) + k * (kRun * kLines);
    return values + between(q, x + k * kRun);
  }
  template <class T>
  static __device__ T* at_frequency(T* values, unsigned q, unsigned x, int k) {
    if constexpr (kStep % kLines == 0) return values + between(q, x) + k * (kStep * kLines * kGroups);
    return values + between(q + k * kStep, x);
  }
};

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    transform_rows(const __grid_constant__ CosetTask task) {
  using L = DirectLength<kIndex>;
  const int thread = static_cast<int>(threadIdx.x);
  BlockEntries<L::kThreadCount> entries(task.entries, blockIdx.x * kFoldedRows, kFoldedRows);
  const CellBound bound = *task.entries.bound;
  clear_cells<L>();
  const float most = largest_cell(bound);
  __syncthreads();
  const Coset& coset = task.batch.coset[blockIdx.y];
  const float per_unit = kCellLimit / most;
  entries.for_each([&](const CosetEntry& entry) {
    const float2 root = phase_of(entry, coset, task.tables.roots);
    const float mass = per_unit * entry.weight;
    int* const cell = reinterpret_cast<int*>(coset_cells + entry.place);
    atomicAdd(cell, __float2int_rn(mass * root.x));
    atomicAdd(cell + 1, __float2int_rn(mass * root.y));
  });
  __syncthreads();
  auto* const cells = reinterpret_cast<float2*>(coset_cells);
  for (int k = thread; k < kLines * L::kRun; k += L::kThreadCount) {
    const int place = k / L::kRun * L::kPitch + k % L::kRun;
    float2 x[L::kA];
#pragma unroll
    for (int a = 0; a < L::kA; ++a) {
      const int2 sum = coset_cells[place + a * L::kRunPitch];
      x[a] = make_float2(static_cast<float>(sum.x), static_cast<float>(sum.y));
    }
    first_pass<L>(x, cells + place, task.tables.first + k % L::kRun);
  }
  __syncthreads();
  second_pass<L>(task.tables.second);
  __syncthreads();
  float2* const out = task.batch.rows + blockIdx.y * folded_values(L::kCells);
  const float unit = most / kCellLimit;
  for (int k = thread; k < kLines * L::kStep; k += L::kThreadCount) {
    const unsigned row = static_cast<unsigned>(k) % kLines;
    const unsigned g = static_cast<unsigned>(k) / kLines;
    float2 x[L::kC];
    last_pass<L>(static_cast<int>(row), static_cast<int>(g), x);
#pragma unroll
    for (int z = 0; z < L::kC; ++z)
      *L::at_frequency(out, g, blockIdx.x * kLines + row, z) = make_float2(unit * x[z].x, unit * x[z].y);
  }
}

/// The last pass over the columns of a block, of coset `number` of the batch; adds the powers.
template <class L>
__device__ __forceinline__ void add_powers(const CosetTask& task, std::uint32_t number, ThreadSums& sums) {
  const unsigned q = blockIdx.x * kLines;
  const Coset coset = task.batch.coset[number];
  const bool has_dc = q == 0 && coset.row == 0 && coset.col == 0;
  float* const edge_powers = edge_powers_of(task, number);
  for (unsigned k = threadIdx.x; k < kLines * L::kStep; k += L::kThreadCount) {
    const unsigned g = k % L::kStep;
    const unsigned column = k / L::kStep;
    if (L::kCells % kLines != 0 && q + column >= L::kCells) continue;
    float* const boxes = task.batch.boxes + ((q + column) * L::kCells + g);
    float box[L::kC];
#pragma unroll
    for (int z = 0; z < L::kC; ++z) box[z] = boxes[z * L::kStep];
    float2 x[L::kC];
    last_pass<L>(static_cast<int>(column), static_cast<int>(g), x);
    float power[L::kC];
#pragma unroll
    for (int z = 0; z < L::kC; ++z) {
      power[z] = x[z].x * x[z].x + x[z].y * x[z].y;
      if (isnan(box[z]))
        edge_powers[__float_as_uint(box[z]) & ~kEdgeMark] = power[z];
      else
        boxes[z * L::kStep] = fmaf(coset.times, power[z], box[z]);
    }
    if (has_dc && k == 0) power[0] = 1;  // P ln P = ln P = 0
    sums.add(power, coset.times, task.floors);
  }
}

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    transform_columns(const __grid_constant__ CosetTask task) {
  using L = DirectLength<kIndex>;
  constexpr int kWarpCount = L::kThreadCount / 32;
  __shared__ float sums[kWarpCount][kPowerSums + 2];
  const unsigned q = blockIdx.x * kLines;
  auto* const cells = reinterpret_cast<float2*>(coset_cells);
  fetch_boxes<L>(task, q, min(kLines, L::kCells - q));
  ThreadSums own;
#pragma unroll 1
  for (std::uint32_t number = 0; number < task.batch.count; ++number) {
    const float2* const in = task.batch.rows + number * folded_values(L::kCells);
    // Neighbouring threads take four rows of each of the four columns.
    for (unsigned k = threadIdx.x; k < kLines * ((L::kRun + 3) / 4 * 4); k += L::kThreadCount) {
      const unsigned column = k / 4 % kLines;
      const unsigned i = k / (4 * kLines) * 4 + k % 4;
      if (L::kRun % 4 != 0 && i >= L::kRun) continue;
      if (L::kCells % kLines != 0 && q + column >= L::kCells) continue;
      float2 x[L::kA];
#pragma unroll
      for (int a = 0; a < L::kA; ++a) x[a] = __ldcs(L::at_row(in, q + column, i, a));
      first_pass<L>(x, cells + column * L::kPitch + i, task.tables.first + i);
    }
    __syncthreads();
    second_pass<L>(task.tables.second);
    __syncthreads();
    add_powers<L>(task, number, own);
    __syncthreads();
  }
  store_sums(own, sums, task.batch.slots[blockIdx.x]);
}

}  // namespace

cudaError_t launch_cosets(const OrderedEntries& entries, const CosetPlane& plane, std::uint32_t length,
                          const CosetTables& tables, const Floors& floors, const CosetBatch& batch,
                          cudaStream_t stream) {
  if (batch.count == 0) return cudaSuccess;
  const CosetTask task{entries, tables, batch, floors, plane};
  const int index = static_cast<int>(length);
  if (index >= kFirstSpread) return launch_spread_cosets(task, index, stream);
  if (index >= kFirstResampled) return launch_resampled_cosets(task, index, stream);
  return with_length<0, kFirstResampled>(index, [&](auto known) {
    using L = DirectLength<known.value>;
    return launch_both(transform_rows<known.value>, dim3(L::kGroups, batch.count),
                       transform_columns<known.value>, L::kGroups, L::kThreadCount, L::kShared, task, stream);
  });
}

}  // namespace spyctrum::cuda
