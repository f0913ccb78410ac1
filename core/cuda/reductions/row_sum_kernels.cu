// SPDX-License-Identifier: Apache-2.0
// Computes the sums of each row of a plane. Classes of coefficients change monotonically with |v|, so that
// neighbours between v = 0 and v = n/2 belong to one class if the first and the last do. A warp takes 256
// neighbours of a row at a time; if they are of one class and none is tiny, a lane adds its eight powers in
// single precision. Otherwise the warp tries 128 neighbours, then 64, and adds 32 at a time class by class.
// The order of the additions depends on the row alone.
#include "core/cuda/reductions/class_sums.cuh"
#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/tiles/tile_view.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kMany = 8;  // coefficients of a lane

/// Adds coefficients of one row. Functions are called by all lanes of a warp; columns are given from `first`
/// to before `end`.
template <bool kCorrected, bool kSymmetricHalf>
class RowOfWarp {
 public:
  __device__ RowOfWarp(const RowsToSum& rows, double* sums)
      : rows_(rows),
        u_(rows.u[blockIdx.y]),
        values_(rows.tile.values + blockIdx.y * rows.tile.stride),
        floors_{rows.floor, log2(rows.floor), rows.zero_floor},
        sums_(sums),
        transposed_(sums) {}

  /// Adds 32·kCount columns at most.
  template <unsigned kCount>
  __device__ __forceinline__ void add(std::uint32_t first, std::uint32_t end) {
    if (is_outside(first, end)) return;
    if constexpr (kCount > 1) {
      if (add_if_uniform<kCount>(first, end)) return;
      constexpr unsigned kHalf = 16 * kCount;
#pragma unroll 1
      for (; first < end; first += kHalf) add<kCount / 2>(first, min(first + kHalf, end));
    } else {
      add_each(first + threadIdx.x % 32, end);
    }
  }
  __device__ void finish() {
    sums_.finish();
    if (kSymmetricHalf) transposed_.finish();
  }

 private:
  /// Whether all these columns have |v| > u, in symmetric halves.
  [[nodiscard]] __device__ bool is_outside(std::uint32_t first, std::uint32_t end) const {
    return kSymmetricHalf && first > u_ && rows_.n - (end - 1) > u_;
  }
  [[nodiscard]] __device__ float power_at(std::uint32_t v) const {
    const float2 value = __ldg(values_ + (kCorrected ? place_of(rows_.tile, v) : v));
    return power_of(value) * gain_of<kCorrected>(rows_.tile, v);
  }

  /// Adds 32·kCount columns if they are of one class and no power is tiny; returns whether they were added.
  template <unsigned kCount>
  __device__ bool add_if_uniform(std::uint32_t first, std::uint32_t end) {
    const std::uint32_t n = rows_.n;
    const std::uint32_t last = first + 32 * kCount - 1;
    const bool has_one_sign = first > 0 && (2 * last < n || 2 * first > n);
    if (last >= end || !has_one_sign) return false;
    if (kSymmetricHalf && min(last, n - first) >= u_) return false;
    float power[kCount];
    float least = FLT_MAX;
#pragma unroll
    for (unsigned k = 0; k < kCount; ++k) power[k] = power_at(first + 32 * k + threadIdx.x % 32);
    // Lanes 0 and 1 classify the first and the last coefficient, lanes 2 and 3 their transposes, and so on.
    const std::uint32_t v = threadIdx.x % 2 == 0 ? first : last;
    const bool is_transpose = kSymmetricHalf && threadIdx.x % 4 >= 2;
    const std::uint32_t code =
        class_at(is_transpose ? v : u_, is_transpose ? u_ : v, rows_.m, n, rows_.edges);
    const bool differs = code != __shfl_xor_sync(kAllLanes, code, 1);
#pragma unroll
    for (unsigned k = 0; k < kCount; ++k) least = fminf(least, power[k]);
    if (__any_sync(kAllLanes, differs || !(least >= kTinyPower))) return false;
    const float total = sums_.lanes.add_all(power, kSymmetricHalf ? 2 : 1);
    sums_.powers.add_of_one_class(__shfl_sync(kAllLanes, code, 0), total);
    if (kSymmetricHalf) transposed_.add_of_one_class(__shfl_sync(kAllLanes, code, 2), total);
    return true;
  }

  /// Adds the lane's coefficient F[u, v], if v < end; in symmetric halves also F[v, u], for |v| < u. (For
  /// |v| = u, F[v, u] is F[u, v] or its conjugate.)
  __device__ void add_each(std::uint32_t v, std::uint32_t end) {
    const std::uint32_t n = rows_.n;
    unsigned times = v < end && (u_ | v) != 0 ? 1 : 0;
    if (kSymmetricHalf && times != 0) {
      const std::uint32_t distance = min(v, n - v);
      times = distance < u_ ? 2 : distance == u_ ? 1 : 0;
    }
    const float power = times != 0 ? power_at(v) : 0.0F;
    if (times != 0) sums_.lanes.add(power, floors_, times);
    sums_.powers.add(times != 0, class_at(u_, v, rows_.m, n, rows_.edges), power);
    if (kSymmetricHalf) transposed_.add(times == 2, class_at(v, u_, n, n, rows_.edges), power);
  }

  const RowsToSum& rows_;
  const std::uint32_t u_;
  const float2* const values_;
  const Floors floors_;
  ClassSums sums_;
  ClassPowers transposed_;  ///< of F[v, u]
};

/// A thread block sums kRowSumColumns columns (blockIdx.x) of one row (blockIdx.y).
template <bool kCorrected, bool kSymmetricHalf>
__global__ void __launch_bounds__(32 * kWarps) sum_rows(RowsToSum rows, Moments* slots) {
  __shared__ double of[kWarps][Moments::kSize];
  for (unsigned k = threadIdx.x; k < kWarps * Moments::kSize; k += blockDim.x) (&of[0][0])[k] = 0;
  __syncthreads();
  constexpr unsigned kStep = 32 * kMany;
  const unsigned warp = threadIdx.x / 32;
  const std::uint32_t begin = blockIdx.x * static_cast<std::uint32_t>(kRowSumColumns);
  const std::uint32_t end = min(begin + static_cast<std::uint32_t>(kRowSumColumns), rows.n);
  RowOfWarp<kCorrected, kSymmetricHalf> row(rows, of[warp]);
  for (std::uint32_t first = begin + kStep * warp; first < end; first += kStep * kWarps)
    row.template add<kMany>(first, min(first + kStep, end));
  row.finish();
  __syncthreads();
  if (threadIdx.x >= Moments::kSize) return;
  double sum = 0;
  for (unsigned w = 0; w < kWarps; ++w) sum += of[w][threadIdx.x];
  slots[std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x].sums[threadIdx.x] = sum;
}

}  // namespace

cudaError_t launch_sum_rows(const RowsToSum& rows, Moments* slots, cudaStream_t stream) {
  if (rows.tile.count == 0 || rows.n == 0) return cudaSuccess;
  const dim3 grid(static_cast<unsigned>(detail::pieces(rows.n, kRowSumColumns)), rows.tile.count);
  const auto with = [&](auto kernel) { kernel<<<grid, 32 * kWarps, 0, stream>>>(rows, slots); };
  if (rows.tile.correction != nullptr)
    with(rows.symmetric_half ? sum_rows<true, true> : sum_rows<true, false>);
  else
    with(rows.symmetric_half ? sum_rows<false, true> : sum_rows<false, false>);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
