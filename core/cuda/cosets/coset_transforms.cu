// SPDX-License-Identifier: Apache-2.0
// Two kernels transform cosets of L×L coefficients, L = a·b·c, several in one launch:
//
//   transform_rows      A thread block has four rows x of the folded matrix in shared memory. Each thread
//                       takes entries of these rows and adds w·e^{−2πi(ri/m + cj/n)} to their cells; cells
//                       are integers, so that threads may add in any order: one unit is 2^−31 of the bound
//                       on all cells. An FFT along y in passes of sizes a, b and c follows, from cell
//                       (x·b + y)·c + z to frequency q = x + a·(y + b·z).
//   transform_columns   A thread block reads the columns of four frequencies q and transforms them along x,
//                       with the same passes. Coefficients stay in registers: their powers P are added to
//                       the boxes (p, q), Σ f(P), Σ ln P and the number of zeros to a slot of the block. No
//                       two blocks of a launch, and no two launches at a time, add to the same box or slot.
//
// Between the kernels, the values of four rows at four frequencies are 128 contiguous bytes: both kernels
// access whole cache lines. Powers in edge boxes are stored, for add_edges() (box_classes.cu).
#include <cfloat>
#include <utility>

#include "core/cuda/cosets/coset_cells.cuh"
#include "core/cuda/cosets/coset_kernels.hpp"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/reductions/class_sums.cuh"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/butterflies.cuh"

namespace spyctrum::cuda {

namespace {

constexpr float kCellLimit = 2147480000.0F;            // 2^31 less what rounding may add
constexpr int kLines = static_cast<int>(kFoldedRows);  // rows or columns of a thread block
static_assert(kFoldedRows == kCosetColumns);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kMostThreads = 1024;  // of a multiprocessor
#else
constexpr int kMostThreads = 1536;
#endif

/// The number of threads that takes the values of all passes in rounds with the fewest idle threads.
constexpr int threads_for(const CosetLength& length) {
  const std::uint32_t cells = length.cells();
  std::uint32_t best = 0;
  std::uint32_t least = ~0U;
  for (std::uint32_t threads = 192; threads <= 448; threads += 32) {
    std::uint32_t work = 0;
    for (const std::uint32_t size : {length.a, length.b, length.c})
      work += (kFoldedRows * cells / size + threads - 1) / threads * threads * size;
    if (work < least) {
      least = work;
      best = threads;
    }
  }
  return static_cast<int>(best);
}

/// A CosetLength at compile time.
template <int kIndex>
struct Length {
  static constexpr CosetLength kLength = kCosetLengths[kIndex];
  static constexpr CosetCells kLayout{kLength};
  static constexpr int kA = static_cast<int>(kLength.a);
  static constexpr int kB = static_cast<int>(kLength.b);
  static constexpr int kC = static_cast<int>(kLength.c);
  static constexpr int kRun = kB * kC;
  static constexpr int kCells = kA * kRun;
  static constexpr int kRunPitch = static_cast<int>(kLayout.run_pitch);
  static constexpr int kPitch = static_cast<int>(kLayout.pitch);
  static constexpr int kThreadCount = threads_for(kLength);
  static constexpr int kLargest = kA > kB ? kA : kB;
  static constexpr int kRegisters = kLargest <= 10 ? 48 : kLargest <= 16 ? 64 : kLargest <= 20 ? 72 : 96;
  static constexpr int kMostBlocks = 65536 / (kThreadCount * kRegisters);
  static constexpr int kBlocks =  ///< of a multiprocessor
      kMostBlocks * kThreadCount <= kMostThreads ? kMostBlocks : kMostThreads / kThreadCount;
  static constexpr int kShared = static_cast<int>(sizeof(int2)) * kLines * kPitch;
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
    if constexpr (kA * kB % kLines == 0) return values + between(q, x) + k * (kA * kB * kLines * kGroups);
    return values + between(q + k * kA * kB, x);
  }
};

struct CosetTask {
  FoldedEntries folded;
  CosetTables tables;
  CosetBatch batch;
  Floors floors;
};

extern __shared__ int2 coset_cells[];

/// The pass over the a cells k, k + b·c, … of a row or column, with the twiddle factors of the next pass.
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
__device__ __forceinline__ void second_pass(float2* cells, const float2* __restrict__ table) {
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

/// The pass over c cells of the row or column at `cells`: frequencies g + a·b·z, g = x + a·y.
template <class L>
__device__ __forceinline__ void last_pass(const float2* cells, int g, float2 (&x)[L::kC]) {
  const float2* const own = cells + g % L::kA * L::kRunPitch + g / L::kA * L::kC;
#pragma unroll
  for (int z = 0; z < L::kC; ++z) x[z] = own[z];
  small_transform<L::kC>(x);
}

/// The entries of a block's rows, of which each thread takes every kThreadCount-th. The first two of a thread
/// are loaded ahead.
template <int kThreadCount>
class BlockEntries {
 public:
  __device__ explicit BlockEntries(const FoldedEntries& folded) : entries_(folded.entries) {
    const std::uint32_t* const begin = folded.begin + blockIdx.x * kFoldedRows;
    at_ = begin[0] + threadIdx.x;
    end_ = begin[kFoldedRows];
    load(first_, at_);
    load(second_, at_ + kThreadCount);
  }
  /// Adds the entries to the block's cells.
  __device__ void fold(const CosetTask& task, const Coset& coset, float unit) {
    for (; at_ < end_; at_ += kThreadCount) {
      const CosetEntry entry = first_;
      first_ = second_;
      load(second_, at_ + 2 * kThreadCount);
      const float2 root = root_near(turn(coset.row, entry.row_fraction) + turn(coset.col, entry.col_fraction),
                                    task.tables.roots);
      const float mass = unit * entry.weight;
      int* const cell = reinterpret_cast<int*>(coset_cells + entry.place);
      atomicAdd(cell, __float2int_rn(mass * root.x));
      atomicAdd(cell + 1, __float2int_rn(mass * root.y));
    }
  }

 private:
  __device__ void load(CosetEntry& to, std::uint32_t t) const {
    if (t < end_) to = entries_[t];
  }
  const CosetEntry* entries_;
  std::uint32_t at_;
  std::uint32_t end_;
  CosetEntry first_;
  CosetEntry second_;
};

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    transform_rows(const __grid_constant__ CosetTask task) {
  using L = Length<kIndex>;
  const int thread = static_cast<int>(threadIdx.x);
  BlockEntries<L::kThreadCount> entries(task.folded);
  const CellBound bound = *task.folded.bound;
  auto* const pairs = reinterpret_cast<int4*>(coset_cells);
  for (int k = thread; k < kLines * L::kPitch / 2; k += L::kThreadCount) pairs[k] = int4{0, 0, 0, 0};
  const float most = fmaxf(static_cast<float>(bound.entries) * __uint_as_float(bound.weight), FLT_MIN);
  __syncthreads();
  entries.fold(task, task.batch.coset[blockIdx.y], kCellLimit / most);
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
  second_pass<L>(cells, task.tables.second);
  __syncthreads();
  float2* const out = task.batch.rows + blockIdx.y * coset_values(L::kCells);
  const float unit = most / kCellLimit;
  for (int k = thread; k < kLines * L::kA * L::kB; k += L::kThreadCount) {
    const unsigned row = static_cast<unsigned>(k) % kLines;
    const unsigned g = static_cast<unsigned>(k) / kLines;
    float2 x[L::kC];
    last_pass<L>(cells + row * L::kPitch, g, x);
#pragma unroll
    for (int z = 0; z < L::kC; ++z)
      *L::at_frequency(out, g, blockIdx.x * kLines + row, z) = make_float2(unit * x[z].x, unit * x[z].y);
  }
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

constexpr unsigned kLineFloats = 32;  // of a cache line
__device__ __forceinline__ void fetch_into_l2(const float* value) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(value));
}

/// The last pass over the columns of a block, of coset `number` of the batch; adds the powers.
template <class L>
__device__ __forceinline__ void add_powers(const CosetTask& task, std::uint32_t number, ThreadSums& sums) {
  const auto* const cells = reinterpret_cast<const float2*>(coset_cells);
  const unsigned q = blockIdx.x * kLines;
  const Coset coset = task.batch.coset[number];
  const bool has_dc = q == 0 && coset.row == 0 && coset.col == 0;
  float* const edge_powers = task.batch.boxes + number * most_edge_boxes(L::kCells);
  for (unsigned k = threadIdx.x; k < kLines * L::kA * L::kB; k += L::kThreadCount) {
    const unsigned g = k % (L::kA * L::kB);
    const unsigned column = k / (L::kA * L::kB);
    if (L::kCells % kLines != 0 && q + column >= L::kCells) continue;
    float* const boxes = task.batch.boxes + ((q + column) * L::kCells + g);
    float box[L::kC];
#pragma unroll
    for (int z = 0; z < L::kC; ++z) box[z] = boxes[z * (L::kA * L::kB)];
    float2 x[L::kC];
    last_pass<L>(cells + column * L::kPitch, static_cast<int>(g), x);
    float power[L::kC];
#pragma unroll
    for (int z = 0; z < L::kC; ++z) {
      power[z] = x[z].x * x[z].x + x[z].y * x[z].y;
      const std::uint32_t bits = __float_as_uint(box[z]);
      if ((bits & kEdgeMark) != 0)
        edge_powers[bits & ~kEdgeMark] = power[z];
      else
        boxes[z * (L::kA * L::kB)] = fmaf(coset.times, power[z], box[z]);
    }
    if (has_dc && k == 0) power[0] = 1;  // P ln P = ln P = 0
    sums.add(power, coset.times, task.floors);
  }
}

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    transform_columns(const __grid_constant__ CosetTask task) {
  using L = Length<kIndex>;
  constexpr int kWarpCount = L::kThreadCount / 32;
  __shared__ float sums[kWarpCount][kPowerSums + 2];
  const int thread = static_cast<int>(threadIdx.x);
  const unsigned q = blockIdx.x * kLines;
  auto* const cells = reinterpret_cast<float2*>(coset_cells);
  for (unsigned k = kLineFloats * threadIdx.x; k < kLines * L::kCells; k += kLineFloats * L::kThreadCount)
    fetch_into_l2(task.batch.boxes + (q * L::kCells + k));
  ThreadSums own;
#pragma unroll 1
  for (std::uint32_t number = 0; number < task.batch.count; ++number) {
    const float2* const in = task.batch.rows + number * coset_values(L::kCells);
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
    second_pass<L>(cells, task.tables.second);
    __syncthreads();
    add_powers<L>(task, number, own);
    __syncthreads();
  }
  own.add_lanes();
  if (thread % 32 == 0) {
    for (unsigned k = 0; k < kPowerSums; ++k) sums[thread / 32][k] = own.f.of[k];
    sums[thread / 32][kPowerSums] = own.log;
    sums[thread / 32][kPowerSums + 1] = static_cast<float>(own.zeros);
  }
  __syncthreads();
  if (thread >= static_cast<int>(kPowerSums) + 2) return;
  double sum = 0;
  for (int w = 0; w < kWarpCount; ++w) sum += static_cast<double>(sums[w][thread]);
  Moments& slot = task.batch.slots[blockIdx.x];
  if (thread < static_cast<int>(kPowerSums))
    slot.sums[Moments::kSumsAt + thread] += sum * power_terms(1.0, kLn2).of[thread];
  else if (thread == static_cast<int>(kPowerSums))
    slot.sums[Moments::kLog] += sum * kLn2;
  else
    slot.sums[Moments::kZeros] += sum;
}

template <int kIndex>
cudaError_t launch_length(const CosetTask& task, cudaStream_t stream) {
  using L = Length<kIndex>;
  for (const auto kernel : {transform_rows<kIndex>, transform_columns<kIndex>})
    if (const cudaError_t code =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, L::kShared);
        code != cudaSuccess)
      return code;
  transform_rows<kIndex><<<dim3(L::kGroups, task.batch.count), L::kThreadCount, L::kShared, stream>>>(task);
  transform_columns<kIndex><<<L::kGroups, L::kThreadCount, L::kShared, stream>>>(task);
  return cudaGetLastError();
}

template <std::size_t... kIndices>
cudaError_t launch_one_length(std::index_sequence<kIndices...> /*indices*/, std::uint32_t index,
                              const CosetTask& task, cudaStream_t stream) {
  cudaError_t code = cudaErrorInvalidValue;
  (void)((kIndices == index && (code = launch_length<static_cast<int>(kIndices)>(task, stream), true)) ||
         ...);
  return code;
}

}  // namespace

cudaError_t launch_cosets(const FoldedEntries& entries, std::uint32_t length, const CosetTables& tables,
                          const Floors& floors, const CosetBatch& batch, cudaStream_t stream) {
  if (batch.count == 0) return cudaSuccess;
  const CosetTask task{entries, tables, batch, floors};
  constexpr std::size_t kLengths = sizeof kCosetLengths / sizeof *kCosetLengths;
  return launch_one_length(std::make_index_sequence<kLengths>(), length, task, stream);
}

}  // namespace spyctrum::cuda
