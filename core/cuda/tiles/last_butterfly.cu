// SPDX-License-Identifier: Apache-2.0
// A thread loads the values of A parts at one index q into registers and joins them by two butterflies, A =
// first·second, for several rows, so that twiddle factors are read once.
#include "core/cuda/tiles/last_butterfly.hpp"

#include "core/cuda/tiles/butterflies.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kButterflyThreads = 128;
constexpr std::uint32_t kButterflyRows = 8;  // rows per thread, which share its twiddles

/// Two butterflies: a = kSecond·a1 + a0, c = c0 + kFirst·c1.
template <int kFirst, int kSecond>
__device__ __forceinline__ void join_parts(float2 (&x)[kFirst * kSecond], const float2 (&coarse)[kFirst],
                                           const float2 (&fine)[kSecond]) {
  constexpr Roots<kFirst * kSecond> kRoots;
#pragma unroll
  for (int a0 = 0; a0 < kSecond; ++a0) {
#pragma unroll
    for (int a1 = 1; a1 < kFirst; ++a1) x[kSecond * a1 + a0] = product(x[kSecond * a1 + a0], coarse[a1]);
    butterfly<kFirst, kSecond>(x, a0);
  }
#pragma unroll
  for (int c0 = 0; c0 < kFirst; ++c0) {
#pragma unroll
    for (int a0 = 1; a0 < kSecond; ++a0) {
      float2& value = x[kSecond * c0 + a0];
      if (c0 != 0) value = product(value, make_float2(kRoots.cosine[a0 * c0], -kRoots.sine[a0 * c0]));
      value = product(value, fine[a0]);
    }
    butterfly<kSecond, 1>(x, kSecond * c0);
  }
}

/// The least number of thread blocks per multiprocessor for which registers must suffice.
constexpr int blocks_of(int split) { return split <= 16 ? 4 : split <= 25 ? 3 : 2; }

template <int kFirst, int kSecond>
__global__ void __launch_bounds__(kButterflyThreads, blocks_of(kFirst* kSecond))
    last_butterfly(const float2* parts, LastButterfly to, std::uint32_t count, float2* out) {
  constexpr int kSplit = kFirst * kSecond;
  const std::uint64_t q = std::uint64_t{blockIdx.x} * kButterflyThreads + threadIdx.x;
  if (q >= to.part) return;
  float2 coarse[kFirst];
  float2 fine[kSecond];
#pragma unroll
  for (int a = 1; a < kFirst; ++a) coarse[a] = to.twiddles[to.part * (a - 1) + q];
#pragma unroll
  for (int a = 1; a < kSecond; ++a) fine[a] = to.twiddles[to.part * (kFirst + a - 2) + q];
  const std::uint64_t length = to.part * kSplit;
  const std::uint32_t end = min((blockIdx.y + 1) * kButterflyRows, count);
  for (std::uint32_t r = blockIdx.y * kButterflyRows; r < end; ++r) {
    float2 x[kSplit];
#pragma unroll
    for (int a = 0; a < kSplit; ++a) x[a] = parts[r * length + to.part * a + q];
    join_parts<kFirst, kSecond>(x, coarse, fine);
#pragma unroll
    for (int k = 0; k < kSplit; ++k) {
      const std::uint64_t cell = q + to.part * (k / kSecond + kFirst * (k % kSecond));
      if (cell >= to.stored.low && cell < length - to.stored.high) continue;
      const std::uint64_t v = cell < to.stored.low ? cell : cell - to.stored.shift;
      const float gain = to.correction != nullptr ? to.correction[v] : 1.0F;
      out[r * to.stride + v] = make_float2(x[k].x * gain, x[k].y * gain);
    }
  }
}

template <int kFirst, int kSecond>
struct RadixPair {
  static bool launch(dim3 grid, const float2* parts, const LastButterfly& to, std::uint32_t count,
                     float2* out, cudaStream_t stream) {
    if (to.radices.first != kFirst || to.radices.second != kSecond) return false;
    last_butterfly<kFirst, kSecond><<<grid, kButterflyThreads, 0, stream>>>(parts, to, count, out);
    return true;
  }
};
template <class... Pairs>
cudaError_t launch_one_of(dim3 grid, const float2* parts, const LastButterfly& to, std::uint32_t count,
                          float2* out, cudaStream_t stream) {
  const bool is_launched = (Pairs::launch(grid, parts, to, count, out, stream) || ...);
  return is_launched ? cudaGetLastError() : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t launch_last_butterfly(const float2* parts, const LastButterfly& to, std::uint32_t count,
                                  float2* out, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((to.part + kButterflyThreads - 1) / kButterflyThreads),
                  (count + kButterflyRows - 1) / kButterflyRows);
  return launch_one_of<RadixPair<4, 1>, RadixPair<5, 1>, RadixPair<6, 1>, RadixPair<7, 1>, RadixPair<8, 1>,
                       RadixPair<3, 3>, RadixPair<5, 2>, RadixPair<4, 3>, RadixPair<7, 2>, RadixPair<5, 3>,
                       RadixPair<4, 4>, RadixPair<6, 3>, RadixPair<5, 4>, RadixPair<7, 3>, RadixPair<6, 4>,
                       RadixPair<5, 5>, RadixPair<7, 4>, RadixPair<6, 5>, RadixPair<8, 4>>(
      grid, parts, to, count, out, stream);
}

}  // namespace spyctrum::cuda
