// SPDX-License-Identifier: Apache-2.0
// Two kernels compute groups of four cosets of a plane of any sides by non-uniform FFTs
// (interface/cosets.hpp) of N×N cells, several groups in one launch. A line is a row or column of cells of
// one coset; a thread block has the same line of the four cosets of a group in shared memory:
//
//   spread_rows     A block for each row of cells. Each thread takes entries that are spread onto it, and
//   adds
//                   w·φ(rows away)·φ(cells away)·e^{−2πi(ri/m + cj/n)} to kSpreadTaps cells, for the four
//                   cosets; cells are integers, so that threads may add in any order: one unit is 2^−31 of
//                   the bound on all cells. An FFT along y follows; the L frequencies q nearest to 0 go to
//                   memory.
//   spread_columns  A block for each frequency q reads four columns and transforms them along x. Coefficients
//                   stay in registers: their powers P are added to the boxes (p, q), Σ f(P), Σ ln P and the
//                   number of zeros to a slot of the block. No two blocks of a launch, and no two launches at
//                   a time, add to the same box or slot.
//
// Powers in edge boxes are stored, for add_edges() (box_classes.cu).
#include "core/cuda/cosets/coset_groups.cuh"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/tap_polynomials.cuh"

namespace spyctrum::cuda {

namespace {

constexpr int kTaps = static_cast<int>(kSpreadTaps);
using Taps = TapPolynomials<kTaps, static_cast<int>(kSpreadPowers)>;

struct SpreadTask : CosetTask {
  Taps taps;
};

/// φ of a cell `away` cells from a point.
__device__ __forceinline__ float spread_weight(float beta, float away) {
  const float z = away * (2.0F / kTaps);
  const float square = fminf(z * z, 1.0F);
  // √(1 − z²) − 1 = −z²/(1 + √(1 − z²)), without a difference of nearly equal numbers.
  return __expf(-beta * __fdividef(square, 1.0F + sqrtf(1.0F - square)));
}

/// Adds the entries that are spread onto row `row` of cells. `per_unit`: units of an integer for a weight of
/// 1. The cells of a line are contiguous; those from N on are cell 0 and the next again.
template <class L>
__device__ __forceinline__ void spread_row(const SpreadTask& task, BlockEntries<L::kThreadCount>& entries,
                                           int row, float per_unit) {
  const GroupPhases phases(task.batch.coset + blockIdx.y * kLines, task.tables.roots);
  entries.for_each([&](const CosetEntry& entry) {
    const SpreadPosition along(entry.col_fraction, task.plane.col_step, L::kCells);
    const SpreadPosition across(entry.row_fraction, task.plane.row_step, L::kCells);
    int tap = row - static_cast<int>(across.first);
    if (tap < 0) tap += L::kCells;
    const float weight = spread_weight(task.tables.beta, static_cast<float>(tap - kTaps / 2) + across.away);
    float2 values[kLines];
    phases.multiply(entry, per_unit * entry.weight * weight, values);
    float taps[kTaps];
    task.taps.evaluate(2 * along.away, taps);
#pragma unroll
    for (int t = 0; t < kTaps; ++t)
#pragma unroll
      for (int line = 0; line < kLines; ++line)
        add_integers<L>(line, along.first + t,
                        make_float2(taps[t] * values[line].x, taps[t] * values[line].y));
  });
}

/// The first pass over integers, by each thread over at most one set of cells.
template <class L>
__device__ __forceinline__ void first_pass_over_integers(const CosetTask& task) {
  static_assert(kLines * L::kRun <= L::kThreadCount && L::kPitch >= L::kCells + kTaps);
  const int line = static_cast<int>(threadIdx.x) / L::kRun;
  const int i = static_cast<int>(threadIdx.x) % L::kRun;
  float2 x[L::kA];
  if (line < kLines) {
#pragma unroll
    for (int a = 0; a < L::kA; ++a) x[a] = integers_at<L>(line, a * L::kRun + i);
    if (i < kTaps - 1) {
      const float2 again = integers_at<L>(line, L::kCells + i);
      x[0] = make_float2(x[0].x + again.x, x[0].y + again.y);
    }
  }
  __syncthreads();
  if (line < kLines)
    first_pass<L>(x, reinterpret_cast<float2*>(coset_cells) + line * L::kPitch + i, task.tables.first + i);
}

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    spread_rows(const __grid_constant__ SpreadTask task) {
  using L = Length<kIndex>;
  const int row = static_cast<int>(blockIdx.x);
  BlockEntries<L::kThreadCount> entries =
      entries_of_cells<L::kThreadCount>(task.entries, blockIdx.x, L::kCells);
  const CellBound bound = *task.entries.bound;
  clear_cells<L>();
  const float most = largest_cell(bound);
  __syncthreads();
  spread_row<L>(task, entries, row, kCellLimit / most);
  __syncthreads();
  first_pass_over_integers<L>(task);
  __syncthreads();
  second_pass<L>(task.tables.second);
  __syncthreads();
  store_frequencies<L>(task, row, L::kCells, most / kCellLimit);
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
  float coefficients[kSpreadPowers][kSpreadTaps];
  for (std::uint32_t k = 0; k < kSpreadPowers * kSpreadTaps; ++k)
    coefficients[k / kSpreadTaps][k % kSpreadTaps] = task.tables.polynomials[k];
  const SpreadTask spread{task, Taps::of(coefficients)};
  return with_length<kFirstSpread, kAllLengths>(length, [&](auto index) {
    using L = Length<index.value>;
    const std::uint32_t groups = (task.batch.count + kLines - 1) / kLines;
    return launch_both(spread_rows<index.value>, dim3(L::kCells, groups), spread_columns<index.value>,
                       task.plane.cells, L::kThreadCount, L::kShared, spread, stream);
  });
}

}  // namespace spyctrum::cuda
