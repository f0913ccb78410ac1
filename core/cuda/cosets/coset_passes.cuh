// SPDX-License-Identifier: Apache-2.0
// What the kernels that transform cosets share: the FFT of four lines of N = a·b·c cells in the shared memory
// of a thread block, and the sums of powers. The passes have sizes a, b and c and go from cell (x·b + y)·c +
// z to frequency x + a·(y + b·z).
#pragma once

#include <cfloat>
#include <cstdint>
#include <type_traits>

#include "core/cuda/cosets/block_entries.cuh"
#include "core/cuda/cosets/coset_cells.cuh"
#include "core/cuda/cosets/coset_kernels.hpp"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/reductions/class_sums.cuh"
#include "core/cuda/tiles/butterflies.cuh"

namespace spyctrum::cuda {

constexpr float kCellLimit = 2147480000.0F;  // 2^31 less what rounding may add
constexpr int kLines = static_cast<int>(kCosetLines);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kMostThreads = 1024;  // of a multiprocessor
#else
constexpr int kMostThreads = 1536;
#endif

/// The number of threads that takes the values of all passes in rounds with the fewest idle threads. Cells
/// are resampled in one round, which takes a thread as long as a pass over kOfResampling cells; the first
/// pass over cells onto which entries were spread is one round, too.
constexpr int threads_for(const CosetLength& length) {
  constexpr std::uint32_t kOfResampling = 30;
  const std::uint32_t cells = length.transformed();
  const std::uint32_t of_one_round = length.is_resampled() ? cells / kResampledCells
                                     : length.is_spread()  ? kLines * length.b * length.c
                                                           : 0;
  const std::uint32_t fewest = of_one_round > 160 ? (of_one_round + 31) / 32 * 32 : 160;
  const std::uint32_t most = fewest > 480 ? fewest : 480;
  std::uint32_t best = 0;
  std::uint32_t least = ~0U;
  for (std::uint32_t threads = fewest; threads <= most; threads += 32) {
    std::uint32_t work = length.is_resampled() ? kOfResampling * threads : 0;
    for (const std::uint32_t size : {length.a, length.b, length.c})
      work += (kLines * cells / size + threads - 1) / threads * threads * size;
    if (work < least) {
      least = work;
      best = threads;
    }
  }
  return static_cast<int>(best);
}

/// An element of a list of lengths at compile time.
template <int kIndex, const auto& kList = kCosetLengths>
struct Length {
  static constexpr CosetLength kLength = kList[kIndex];
  static constexpr CosetCells kLayout{kLength, kLength.transformed()};
  static constexpr bool kResamples = kLength.is_resampled();
  static constexpr bool kSpreads = kLength.is_spread();
  static constexpr int kA = static_cast<int>(kLength.a);
  static constexpr int kB = static_cast<int>(kLength.b);
  static constexpr int kC = static_cast<int>(kLength.c);
  static constexpr int kRun = kB * kC;
  static constexpr int kStep = kA * kB;  ///< from one frequency of a thread to the next
  static constexpr int kCells = kA * kRun;
  static constexpr int kRunPitch = static_cast<int>(kLayout.run_pitch);
  static constexpr int kPitch = static_cast<int>(kLayout.pitch);
  static constexpr int kThreadCount = threads_for(kLength);
  static constexpr int kLargest = kA > kB ? kA : kB;
  static constexpr int kPassRegisters = kLargest <= 10 ? 48 : kLargest <= 16 ? 64 : kLargest <= 20 ? 72 : 96;
  static constexpr int kRegisters = kResamples || kSpreads ? 64 : kPassRegisters;
  static constexpr int kMostBlocks = 65536 / (kThreadCount * kRegisters);
  static constexpr int kBlocks =  ///< of a multiprocessor
      kMostBlocks * kThreadCount <= kMostThreads ? kMostBlocks : kMostThreads / kThreadCount;
  static constexpr int kShared = static_cast<int>(sizeof(int2)) * kLines * kPitch;
  static_assert(kThreadCount % kLines == 0);
};

struct CosetTask {
  OrderedEntries entries;
  CosetTables tables;
  CosetBatch batch;
  Floors floors;
  CosetPlane plane;
};

extern __shared__ int2 coset_cells[];

/// The first length whose cells come from `from` or a later kind.
constexpr int first_length(CosetCellsFrom from) {
  int first = 0;
  for (const CosetLength& length : kCosetLengths) first += length.from < from ? 1 : 0;
  return first;
}
constexpr int kFirstResampled = first_length(CosetCellsFrom::resampled);
constexpr int kFirstSpread = first_length(CosetCellsFrom::spread);
constexpr int kAllLengths = static_cast<int>(sizeof kCosetLengths / sizeof *kCosetLengths);

/// Returns launch(k) of the length k = index, kFirst ≤ k < kEnd, with k as a constant.
template <int kFirst, int kEnd, class Launch>
cudaError_t with_length(int index, const Launch& launch) {
  if constexpr (kFirst == kEnd) {
    return cudaErrorInvalidValue;
  } else {
    if (index == kFirst) return launch(std::integral_constant<int, kFirst>{});
    return with_length<kFirst + 1, kEnd>(index, launch);
  }
}

/// Launches the kernel of rows, then that of columns, with `shared` bytes of shared memory for each block.
template <class Task>
cudaError_t launch_both(void (*rows)(Task), dim3 row_blocks, void (*columns)(Task), dim3 column_blocks,
                        int threads, int shared, const Task& task, cudaStream_t stream) {
  for (void (*const kernel)(Task) : {rows, columns})
    if (const cudaError_t code =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        code != cudaSuccess)
      return code;
  rows<<<row_blocks, threads, shared, stream>>>(task);
  columns<<<column_blocks, threads, shared, stream>>>(task);
  return cudaGetLastError();
}

/// Launches a task whose lines are resampled; `length`: index in kCosetLengths.
cudaError_t launch_resampled_cosets(const CosetTask& task, int length, cudaStream_t stream);
/// The same for lengths onto whose cells entries are spread.
cudaError_t launch_spread_cosets(const CosetTask& task, int length, cudaStream_t stream);

/// The powers in edge boxes of coset `number` of the batch.
__device__ __forceinline__ float* edge_powers_of(const CosetTask& task, std::uint32_t number) {
  return task.batch.boxes + task.plane.boxes() + number * most_edge_boxes(task.plane.cells);
}

/// The largest magnitude that a cell of the folded matrix may have.
__device__ __forceinline__ float largest_cell(const CellBound& bound) {
  return fmaxf(static_cast<float>(bound.entries) * __uint_as_float(bound.weight), FLT_MIN);
}

/// Sets all cells of a block to 0.
template <class L>
__device__ __forceinline__ void clear_cells() {
  auto* const pairs = reinterpret_cast<int4*>(coset_cells);
  for (int k = static_cast<int>(threadIdx.x); k < kLines * L::kPitch / 2; k += L::kThreadCount)
    pairs[k] = int4{0, 0, 0, 0};
}

/// The phase of an entry in a coset.
__device__ __forceinline__ float2 phase_of(const CosetEntry& entry, const Coset& coset, const float2* roots) {
  return root_near(turn(coset.row, entry.row_fraction) + turn(coset.col, entry.col_fraction), roots);
}

/// The pass over the a cells k, k + b·c, … of a line, with the twiddle factors of the next pass.
template <class L>
__device__ __forceinline__ void first_pass(float2 (&x)[L::kA], float2* cells,
                                           const float2* __restrict__ table) {
  small_transform<L::kA>(x);
  cells[0] = x[0];
#pragma unroll
  for (int k = 1; k < L::kA; ++k) cells[k * L::kRunPitch] = product(x[k], __ldg(table + k * L::kRun));
}

/// The pass over b cells.
template <class L>
__device__ __forceinline__ void second_pass(const float2* __restrict__ table) {
  auto* const cells = reinterpret_cast<float2*>(coset_cells);
  for (int k = static_cast<int>(threadIdx.x); k < kLines * L::kA * L::kC; k += L::kThreadCount) {
    const int z = k / L::kA % L::kC;
    float2* const own = cells + k / (L::kA * L::kC) * L::kPitch + k % L::kA * L::kRunPitch + z;
    float2 x[L::kB];
#pragma unroll
    for (int y = 0; y < L::kB; ++y) x[y] = own[y * L::kC];
    small_transform<L::kB>(x);
    own[0] = x[0];
#pragma unroll
    for (int y = 1; y < L::kB; ++y) own[y * L::kC] = product(x[y], __ldg(table + y * L::kC + z));
  }
}

/// The pass over c cells of a line: frequencies g + kStep·z, g = x + a·y.
template <class L>
__device__ __forceinline__ void last_pass(int line, int g, float2 (&x)[L::kC]) {
  const float2* const own = reinterpret_cast<const float2*>(coset_cells) + line * L::kPitch +
                            g % L::kA * L::kRunPitch + g / L::kA * L::kC;
#pragma unroll
  for (int z = 0; z < L::kC; ++z) x[z] = own[z];
  small_transform<L::kC>(x);
}

/// Sums of one thread, then of its warp, over some coefficients of a coset; logarithms to base 2.
struct ThreadSums {
  PowerTerms<float> f;
  float log = 0;
  unsigned zeros = 0;

  /// Adds powers, each `times` times.
  template <int kCount>
  __device__ __forceinline__ void add(const float (&power)[kCount], float times, const Floors& floors) {
    PowerTerms<float> terms;
    float logs = 0;
    float least = FLT_MAX;
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const float log2 = log2_of(fmaxf(power[k], FLT_MIN));
      terms += power_terms(power[k], log2);
      logs += log2;
      least = fminf(least, power[k]);
    }
    for (unsigned k = 0; k < kPowerSums; ++k) f.of[k] = fmaf(times, terms.of[k], f.of[k]);
    log = fmaf(times, logs, log);
    if (least >= kTinyPower) return;
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      if (power[k] < kTinyPower) add_floors(power[k], times, floors);
  }
  /// Replaces the logarithm of a power below the noise floor, and counts zeros.
  __device__ __noinline__ void add_floors(float power, float times, const Floors& floors) {
    if (is_below(power, floors.noise))
      log += times * (static_cast<float>(floors.log2_of_noise) - log2_of(fmaxf(power, FLT_MIN)));
    if (is_below(power, floors.zero)) zeros += static_cast<unsigned>(times);
  }
  /// Called by all lanes; valid in lane 0.
  __device__ void add_lanes() {
    for (int offset = 16; offset > 0; offset /= 2) {
      for (float& one : f.of) one += __shfl_down_sync(kAllLanes, one, offset);
      log += __shfl_down_sync(kAllLanes, log, offset);
      zeros += __shfl_down_sync(kAllLanes, zeros, offset);
    }
  }
};

/// Adds the sums of all threads to a slot. `warps`: shared memory for each warp. Called by all threads.
template <int kWarps>
__device__ void store_sums(ThreadSums& own, float (&warps)[kWarps][kPowerSums + 2], Moments& slot) {
  const int thread = static_cast<int>(threadIdx.x);
  own.add_lanes();
  if (thread % 32 == 0) {
    for (unsigned k = 0; k < kPowerSums; ++k) warps[thread / 32][k] = own.f.of[k];
    warps[thread / 32][kPowerSums] = own.log;
    warps[thread / 32][kPowerSums + 1] = static_cast<float>(own.zeros);
  }
  __syncthreads();
  if (thread >= static_cast<int>(kPowerSums) + 2) return;
  double sum = 0;
  for (int w = 0; w < kWarps; ++w) sum += static_cast<double>(warps[w][thread]);
  if (thread < static_cast<int>(kPowerSums))
    slot.sums[Moments::kSumsAt + thread] += sum * power_terms(1.0, kLn2).of[thread];
  else if (thread == static_cast<int>(kPowerSums))
    slot.sums[Moments::kLog] += sum * kLn2;
  else
    slot.sums[Moments::kZeros] += sum;
}

/// Asks for the boxes of `count` frequencies from q on to be fetched into the L2 cache.
template <class L>
__device__ __forceinline__ void fetch_boxes(const CosetTask& task, std::uint32_t q, std::uint32_t count) {
  constexpr std::uint32_t kLineFloats = 32;  // of a cache line
  for (std::uint32_t k = kLineFloats * threadIdx.x; k < count * task.plane.cells;
       k += kLineFloats * L::kThreadCount)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(task.batch.boxes + (q * task.plane.cells + k)));
}

}  // namespace spyctrum::cuda
