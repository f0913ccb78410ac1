// SPDX-License-Identifier: Apache-2.0
// Finds the strongest coefficients of a tile: those above a threshold that rises from tile to tile. If there
// are too many, a histogram of powers gives a higher threshold. The set of coefficients does not depend on
// timing; their order does.

#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/tile_view.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kPowersOfThread = 8;
constexpr unsigned kBitsOfBin = 19;  // bits of a float that are dropped: sign, exponent and four bits remain
static_assert(kStrengthBins == 1U << (31 - kBitsOfBin));
constexpr float kLeastPower = 1.401298464324817e-45F;

__device__ float threshold_of(const StrongSearch& search) { return fmaxf(search.least, *search.threshold); }

/// Calls visit(power, value, v) for the thread's columns of the block's row, in all lanes together; power < 0
/// means that there is no coefficient. Visits one coefficient of each conjugate pair, without F[0, 0].
template <class Do>
__device__ void each_coefficient(const StrongSearch& search, Do visit) {
  const std::uint64_t u = search.u[blockIdx.y];
  const bool is_own_mirror = u == 0 || 2 * u == search.m;
  const std::uint64_t end = is_own_mirror ? search.width / 2 + 1 : search.width;
  const float2* const row = search.tile.values + blockIdx.y * search.tile.stride;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * kThreads * kPowersOfThread + threadIdx.x;
  // All loads are issued before any value is used.
  float2 values[kPowersOfThread];
  bool is_there[kPowersOfThread];
#pragma unroll
  for (unsigned k = 0; k < kPowersOfThread; ++k) {
    const std::uint64_t v = begin + k * kThreads;
    const bool is_listed = !search.symmetric_half || v <= u || search.width - v <= u;
    is_there[k] = v < end && is_listed && (u != 0 || v != 0);
    values[k] = make_float2(0, 0);
    if (is_there[k]) values[k] = __ldg(row + place_of(search.tile, v));
  }
#pragma unroll
  for (unsigned k = 0; k < kPowersOfThread; ++k) {
    const std::uint64_t v = begin + k * kThreads;
    float power = -1;
    if (is_there[k]) {
      if (search.tile.correction != nullptr) {
        const float correction = search.tile.correction[v];
        values[k] = make_float2(values[k].x * correction, values[k].y * correction);
      } else if (search.tile.chirp != nullptr) {
        values[k] = product(values[k], search.tile.chirp[v]);
      }
      power = power_of(values[k]);
    }
    visit(power, values[k], v);
  }
}

template <bool kAgain>
__global__ void __launch_bounds__(kThreads) list_strong(StrongSearch search) {
  if (kAgain && search.counts[0] <= kMostStrong) return;
  const float threshold = threshold_of(search);
  unsigned* const count = search.counts + (kAgain ? 1 : 0);
  const unsigned lane = threadIdx.x % 32;
  each_coefficient(search, [&](float power, float2 value, std::uint64_t v) {
    const bool is_strong = power >= threshold;
    const unsigned strong = __ballot_sync(0xffffffffU, is_strong);
    if (strong == 0) return;
    unsigned first = 0;
    if (lane == 0) first = atomicAdd(count, static_cast<unsigned>(__popc(strong)));
    const unsigned at = __shfl_sync(0xffffffffU, first, 0) + __popc(strong & ((1U << lane) - 1));
    if (is_strong && at < kMostStrong)
      search.found[at] = {search.first + blockIdx.y, static_cast<std::uint32_t>(v), value.x, value.y};
  });
}

__global__ void __launch_bounds__(kThreads) count_powers(StrongSearch search) {
  if (search.counts[0] <= kMostStrong) return;
  __shared__ unsigned bins[kStrengthBins];
  for (unsigned k = threadIdx.x; k < kStrengthBins; k += kThreads) bins[k] = 0;
  __syncthreads();
  const float threshold = threshold_of(search);
  each_coefficient(search, [&](float power, float2, std::uint64_t) {
    if (power >= threshold) atomicAdd(&bins[__float_as_uint(power) >> kBitsOfBin], 1U);
  });
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kStrengthBins; k += kThreads)
    if (bins[k] != 0) atomicAdd(&search.histogram[k], bins[k]);
}

/// Launched with one thread block.
__global__ void __launch_bounds__(kThreads) raise_threshold(StrongSearch search) {
  if (search.counts[0] <= kMostStrong) return;
  __shared__ unsigned bins[kStrengthBins];
  for (unsigned k = threadIdx.x; k < kStrengthBins; k += kThreads) {
    bins[k] = search.histogram[k];
    search.histogram[k] = 0;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned above = 0;
  unsigned bin = kStrengthBins;
  while (bin > 0 && above < search.count) above += bins[--bin];
  // The lowest bin contains the zeros, which are not listed.
  const float begin = bin == 0 ? kLeastPower : __uint_as_float(bin << kBitsOfBin);
  *search.threshold = fmaxf(*search.threshold, begin);
}

}  // namespace

cudaError_t launch_find_strong(const StrongSearch& search, cudaStream_t stream) {
  if (search.tile.count == 0 || search.width == 0) return cudaSuccess;
  const dim3 grid(static_cast<unsigned>(detail::pieces(search.width, kThreads * kPowersOfThread)),
                  search.tile.count);
  list_strong<false><<<grid, kThreads, 0, stream>>>(search);
  count_powers<<<grid, kThreads, 0, stream>>>(search);
  raise_threshold<<<1, kThreads, 0, stream>>>(search);
  return launch(list_strong<true>, grid, kThreads, stream, search);
}

}  // namespace spyctrum::cuda
