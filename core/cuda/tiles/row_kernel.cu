// SPDX-License-Identifier: Apache-2.0
// A thread block, or a cluster of two or four, computes the n coefficients of one row from its n inner sums.
// L = 8·M cells, M = a·b·c, are in shared memory throughout; device memory is read and written once.
//
//   1. Cell k is Σ_t φ(k·n/L − j_t)·S[j_t] over the kKernelTaps values j_t nearest to k·n/L. A thread takes
//      the cells q, q + M, …, q + 7M and their mirror images −q, −q − M, …, which have the same taps: one
//      evaluation of the polynomials of φ for two cells. Two transforms of size 8 and twiddle factors follow
//      in registers; result p = 0 … 7 is stored in part p, from which the frequencies v ≡ p (mod 8) follow. A
//      cluster divides the parts among its multiprocessors, which store in each other's shared memory.
//   2. Each part is transformed in place, in passes of sizes a, b and c: from cell (x·b + y)·c + z, x < a, to
//      frequency 8·(x + a·(y + b·z)) + p.
//   3. The last pass multiplies by 1/φ̂ and writes the frequencies |v| ≤ reach. Frequencies beyond n/2, which
//      are aliases, are not computed.
//
// Twiddle factors w^k are products of at most five of w, w², w⁴, w⁸ and w^16, each from a table that was
// rounded once: powers of a rounded w would multiply its error.
#include <cooperative_groups.h>

#include <cmath>
#include <utility>

#include "core/cuda/tiles/butterflies.cuh"
#include "core/cuda/tiles/row_kernel.hpp"
#include "core/cuda/tiles/tap_polynomials.cuh"

namespace spyctrum::cuda {

namespace {

constexpr int kParts = static_cast<int>(KernelLength::kParts);
constexpr int kTaps = static_cast<int>(kKernelTaps);
constexpr int kMiddleOfTaps = kTaps / 2;

/// w^k for k < kSize, from tables of w, w², w⁴, … that follow each other at `stride`.
template <int kSize>
struct Powers {
  float2 of[kSize];
  __device__ __forceinline__ Powers(const float2* __restrict__ table, int stride) { read<1>(table, stride); }
  template <int kPower>
  __device__ __forceinline__ void read(const float2* __restrict__ table, int stride) {
    if constexpr (kPower < kSize) {
      of[kPower] = __ldg(table);
#pragma unroll
      for (int k = 1; k < (kPower < kSize - kPower ? kPower : kSize - kPower); ++k)
        of[kPower + k] = product(of[kPower], of[k]);
      read<2 * kPower>(table + stride, stride);
    }
  }
};
constexpr int tables_of(int size) {
  int count = 0;
  for (int k = 1; k < size; k *= 2) ++count;
  return count;
}

/// A KernelLength at compile time.
template <int kIndex>
struct Length {
  static constexpr KernelLength kLength = kKernelLengths[kIndex];
  static constexpr int kA = static_cast<int>(kLength.a);
  static constexpr int kB = static_cast<int>(kLength.b);
  static constexpr int kC = static_cast<int>(kLength.c);
  static constexpr int kRun = kB * kC;
  static constexpr int kPart = kA * kRun;  // M
  static constexpr int kCells = kParts * kPart;
  static constexpr int kCluster = static_cast<int>(kLength.cluster);
  static constexpr int kOwnParts = kParts / kCluster;
  static constexpr int kRunPitch = static_cast<int>(kLength.run_pitch());
  static constexpr int kPartPitch = static_cast<int>(kLength.part_pitch());
  static constexpr int kRootsOfParts = tables_of(kParts) * kPart;
  static constexpr int kRootsOfA = tables_of(kA) * kRun;
  static constexpr int kThreadCount = static_cast<int>(kLength.threads);
  static constexpr int kShared = static_cast<int>(kLength.shared_bytes());
  /// The place of cell q of a part in shared memory.
  static __device__ int place(int q) { return q / kRun * kRunPitch + q % kRun; }
};

struct RowKernelTask {
  KernelRows to;
  TapPolynomials<kTaps, static_cast<int>(kKernelPowers)>
      taps;    ///< of a cell at distance x/2 from value 3 of 7
  float step;  ///< 2/L
  // From cell q to cell q + M the position grows by n/8 values: `whole` values and rest/L of a value.
  int whole;
  int rest;
};

extern __shared__ float2 row_cells[];

/// Waits for all threads of the row's multiprocessors.
template <int kCluster>
__device__ __forceinline__ void wait_for_row() {
#if __CUDA_ARCH__ >= 900
  if constexpr (kCluster > 1) cooperative_groups::this_cluster().sync();
#endif
  if constexpr (kCluster == 1) __syncthreads();
}
/// The shared memory of a multiprocessor of the cluster.
template <int kCluster>
__device__ __forceinline__ float2* cells_of(int rank) {
#if __CUDA_ARCH__ >= 900
  if constexpr (kCluster > 1) return cooperative_groups::this_cluster().map_shared_rank(row_cells, rank);
#endif
  return row_cells;
}

/// Step 1 for the cells q + a·M and their mirror images.
template <class L>
__device__ __forceinline__ void resample(const RowKernelTask& task, const float2* __restrict__ row, int q) {
  float2 x[kParts];
  float2 mirrored[kParts];  // mirrored[a]: cell −q + a·M
  const unsigned n = task.to.n;
  // Half a value is added, so that the quotient is the nearest value.
  const unsigned position = static_cast<unsigned>(q) * n + L::kCells / 2;
  const int nearest = static_cast<int>(position / L::kCells);
  int rest = static_cast<int>(position % L::kCells);
  const float2* forward = row + nearest - kMiddleOfTaps;
  const float2* backward = row + static_cast<int>(n) - nearest + kMiddleOfTaps;
#pragma unroll
  for (int a = 0; a < kParts; ++a) {
    float taps[kTaps];
    task.taps.evaluate(fmaf(static_cast<float>(rest), task.step, -1.0F), taps);
    float2 sum = make_float2(0.0F, 0.0F);
    float2 mirror = sum;
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      add_scaled(sum, taps[t], __ldg(forward + t));
      add_scaled(mirror, taps[t], __ldg(backward - t));
    }
    x[a] = sum;
    mirrored[(kParts - a) % kParts] = mirror;
    rest += task.rest;
    const bool carries = rest >= L::kCells;
    if (carries) rest -= L::kCells;
    const int step = task.whole + static_cast<int>(carries);
    forward += step;
    backward -= step;
  }
  small_transform<kParts>(x);
  small_transform<kParts>(mirrored);
  const Powers<kParts> powers(task.to.roots + q, L::kPart);
  // The columns 0 and M/2 are mirror images of themselves.
  const bool is_pair = q != 0 && 2 * q != L::kPart;
  const int place = L::place(q);
  const int other = is_pair ? L::place(L::kPart - q) : 0;
#pragma unroll
  for (int rank = 0; rank < L::kCluster; ++rank) {
    float2* const cells = cells_of<L::kCluster>(rank);
#pragma unroll
    for (int k = 0; k < L::kOwnParts; ++k) {
      const int p = rank * L::kOwnParts + k;
      cells[k * L::kPartPitch + place] = p == 0 ? x[0] : product(x[p], powers.of[p]);
    }
    if (!is_pair) continue;
#pragma unroll
    for (int k = 0; k < L::kOwnParts; ++k) {
      const int p = rank * L::kOwnParts + k;
      cells[k * L::kPartPitch + other] = p == 0 ? mirrored[0] : product(mirrored[p], conjugate(powers.of[p]));
    }
  }
}

/// A pass over kSize cells at `stride`, in place, with the twiddle factors of the next pass.
template <int kSize, int kStride>
__device__ __forceinline__ void pass(float2* cells, const float2* __restrict__ roots, int roots_stride) {
  float2 x[kSize];
#pragma unroll
  for (int k = 0; k < kSize; ++k) x[k] = cells[k * kStride];
  small_transform<kSize>(x);
  const Powers<kSize> powers(roots, roots_stride);
  cells[0] = x[0];
#pragma unroll
  for (int k = 1; k < kSize; ++k) cells[k * kStride] = product(x[k], powers.of[k]);
}

/// The last pass over c cells: frequencies v + 8·a·b·k of the row, k < c. Those in the middle are cut for
/// every n, since there are at least kKernelOversampling cells for each value.
template <class L>
__device__ __forceinline__ void write_frequencies(const KernelRows& to, const float2* cells, int v,
                                                  float2* __restrict__ out) {
  constexpr int kStep = L::kCells / L::kC;
  constexpr auto kMost = static_cast<int>(L::kCells / (2 * kKernelOversampling));  // |v|
  float2 x[L::kC];
#pragma unroll
  for (int k = 0; k < L::kC; ++k) x[k] = cells[k];
  small_transform<L::kC>(x);
  const int n = static_cast<int>(to.n);
  const int reach = static_cast<int>(to.reach);
  const int least = L::kCells - min(reach, (n - 1) / 2);  // cell of the least negative frequency
  float2* const negative = out + n - L::kCells;
  const float* const gains = to.correction + v;
  const float* const mirrored_gains = to.correction + (L::kCells - v);
#pragma unroll
  for (int k = 0; k < L::kC; ++k) {
    const int shift = k * kStep;
    if (shift <= kMost) {
      if (v + shift > reach) continue;
      const float gain = __ldg(gains + shift);
      __stcs(out + v + shift, make_float2(x[k].x * gain, x[k].y * gain));
    } else if (shift + kStep > L::kCells - kMost) {
      if (v + shift < least) continue;
      const float gain = __ldg(mirrored_gains - shift);
      __stcs(negative + v + shift, make_float2(x[k].x * gain, x[k].y * gain));
    }
  }
}

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, 1)
    row_kernel(const __grid_constant__ RowKernelTask task) {
  using L = Length<kIndex>;
  const int thread = static_cast<int>(threadIdx.x);
  const int rank = static_cast<int>(blockIdx.x) % L::kCluster;
  const std::uint64_t row = blockIdx.x / L::kCluster;
  const float2* const roots = task.to.roots;
  if constexpr (L::kCluster > 1) wait_for_row<L::kCluster>();  // a block of the cluster may not run yet
  constexpr int kPairs = L::kPart / 2 + 1;
  for (int q = kPairs * rank / L::kCluster + thread; q < kPairs * (rank + 1) / L::kCluster;
       q += L::kThreadCount)
    resample<L>(task, task.to.rows + row * task.to.stride, q);
  wait_for_row<L::kCluster>();

  const float2* const roots_a = roots + L::kRootsOfParts;
  for (int k = thread; k < L::kOwnParts * L::kRun; k += L::kThreadCount) {
    const int i = k % L::kRun;
    pass<L::kA, L::kRunPitch>(row_cells + k / L::kRun * L::kPartPitch + i, roots_a + i, L::kRun);
  }
  __syncthreads();
  const float2* const roots_b = roots_a + L::kRootsOfA;
  for (int k = thread; k < L::kOwnParts * L::kA * L::kC; k += L::kThreadCount) {
    const int i = k % L::kC;
    const int run = k / L::kC;
    pass<L::kB, L::kC>(row_cells + run / L::kA * L::kPartPitch + run % L::kA * L::kRunPitch + i, roots_b + i,
                       L::kC);
  }
  __syncthreads();
  float2* const out = task.to.out + row * task.to.out_stride;
  for (int k = thread; k < L::kOwnParts * L::kA * L::kB; k += L::kThreadCount) {
    const int part = k % L::kOwnParts;
    const int g = k / L::kOwnParts;  // x + a·y
    write_frequencies<L>(task.to,
                         row_cells + part * L::kPartPitch + g % L::kA * L::kRunPitch + g / L::kA * L::kC,
                         kParts * g + rank * L::kOwnParts + part, out);
  }
}

template <int kIndex>
cudaError_t launch_length(const RowKernelTask& task, std::uint32_t count, cudaStream_t stream) {
  using L = Length<kIndex>;
  if (const cudaError_t code =
          cudaFuncSetAttribute(row_kernel<kIndex>, cudaFuncAttributeMaxDynamicSharedMemorySize, L::kShared);
      code != cudaSuccess)
    return code;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = L::kCluster;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(count * L::kCluster);
  config.blockDim = dim3(L::kThreadCount);
  config.dynamicSmemBytes = L::kShared;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = L::kCluster > 1 ? 1 : 0;
  return cudaLaunchKernelEx(&config, row_kernel<kIndex>, task);
}

constexpr std::size_t kLengths = sizeof kKernelLengths / sizeof *kKernelLengths;

template <std::size_t... kIndices>
cudaError_t launch_one_length(std::index_sequence<kIndices...> /*indices*/, int index,
                              const RowKernelTask& task, std::uint32_t count, cudaStream_t stream) {
  cudaError_t code = cudaErrorInvalidValue;
  (void)((static_cast<int>(kIndices) == index &&
          (code = launch_length<static_cast<int>(kIndices)>(task, count, stream), true)) ||
         ...);
  return code;
}

constexpr int newest_code() {
  int newest = 0;
  for (const int architecture : {__CUDA_ARCH_LIST__}) newest = architecture > newest ? architecture : newest;
  return newest / 10;
}

}  // namespace

bool has_row_kernel(int capability) { return capability >= 90 && newest_code() >= 90; }

cudaError_t launch_row_kernel(const RowTransformPlan& plan, const KernelRows& rows, std::uint32_t count,
                              cudaStream_t stream) {
  RowKernelTask task{};
  task.to = rows;
  task.taps = decltype(task.taps)::of(plan.polynomials);
  task.step = 2.0F / static_cast<float>(plan.cells);
  task.whole = static_cast<int>(rows.n / KernelLength::kParts);
  task.rest = static_cast<int>(rows.n % KernelLength::kParts * (plan.cells / KernelLength::kParts));
  return launch_one_length(std::make_index_sequence<kLengths>(), plan.kernel_length, task, count, stream);
}

std::vector<float2> kernel_root_table(const KernelLength& length) {
  std::vector<float2> roots;
  roots.reserve(kernel_roots(length));
  // For each pass over `radix` values: roots of unity of order radix·count for `count` consecutive values.
  const auto add = [&](std::uint32_t radix, std::uint32_t count) {
    for (std::uint64_t power = 1; power < radix; power *= 2)
      for (std::uint64_t k = 0; k < count; ++k) {
        const double angle = 2 * 3.14159265358979323846 * static_cast<double>(power * k) /
                             static_cast<double>(std::uint64_t{radix} * count);
        roots.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))});
      }
  };
  add(KernelLength::kParts, length.part());
  add(length.a, length.b * length.c);
  add(length.b, length.c);
  return roots;
}

}  // namespace spyctrum::cuda
