// SPDX-License-Identifier: Apache-2.0
// A thread loads the values of A parts at one index q into registers and joins them by two butterflies, A =
// first·second, for several rows, so that twiddle factors are read once.
#include "core/cuda/tiles/last_butterfly.hpp"

#include "core/cuda/pattern/phase.cuh"

namespace spyctrum::cuda {

namespace {

/// cos or sin of 2π·k/n at compile time, by Taylor's series from the nearest quarter turn.
constexpr double series(double x, bool sine) {
  double term = sine ? x : 1.0;
  double sum = term;
  for (int k = sine ? 2 : 1; k < 30; k += 2) {
    term *= -x * x / (k * (k + 1.0));
    sum += term;
  }
  return sum;
}
constexpr float root_part(int k, int n, bool sine) {
  const int quarter = (4 * k + n / 2) / n;  // nearest
  const double rest = 2 * 3.14159265358979323846 * (4.0 * k - static_cast<double>(quarter) * n) / (4.0 * n);
  const double c = series(rest, false);
  const double s = series(rest, true);
  const double cosine = quarter % 4 == 0 ? c : quarter % 4 == 1 ? -s : quarter % 4 == 2 ? -c : s;
  const double sines = quarter % 4 == 0 ? s : quarter % 4 == 1 ? c : quarter % 4 == 2 ? -s : -c;
  return static_cast<float>(sine ? sines : cosine);
}
template <int kSize>
struct Roots {
  float cosine[kSize] = {};
  float sine[kSize] = {};
  constexpr Roots() {
    for (int k = 0; k < kSize; ++k) {
      cosine[k] = root_part(k, kSize, false);
      sine[k] = root_part(k, kSize, true);
    }
  }
};

/// x[first + kStride·c] ← Σ_a x[first + kStride·a]·w^{ac}, w = e^{−2πi/kSize}. Frequencies c and −c share the
/// sums of cosines and of sines.
template <int kSize, int kStride, int kValues>
__device__ __forceinline__ void butterfly(float2 (&x)[kValues], int first) {
  constexpr Roots<kSize> kRoots;
  constexpr int kHalf = (kSize - 1) / 2;
  float2 sums[kHalf + 1];
  float2 differences[kHalf + 1];
#pragma unroll
  for (int a = 1; a <= kHalf; ++a) {
    const float2 one = x[first + kStride * a];
    const float2 mirror = x[first + kStride * (kSize - a)];
    sums[a] = make_float2(one.x + mirror.x, one.y + mirror.y);
    differences[a] = make_float2(one.x - mirror.x, one.y - mirror.y);
  }
  const float2 front = x[first];
  const float2 middle = kSize % 2 == 0 ? x[first + kStride * (kSize / 2)] : make_float2(0.0F, 0.0F);
#pragma unroll
  for (int c = 0; c <= kSize / 2; ++c) {
    float2 even = front;
    if (kSize % 2 == 0) add_scaled(even, c % 2 == 0 ? 1.0F : -1.0F, middle);
    float2 odd = make_float2(0.0F, 0.0F);
#pragma unroll
    for (int a = 1; a <= kHalf; ++a) {
      if (kRoots.cosine[a * c % kSize] != 0.0F) add_scaled(even, kRoots.cosine[a * c % kSize], sums[a]);
      if (kRoots.sine[a * c % kSize] != 0.0F) add_scaled(odd, kRoots.sine[a * c % kSize], differences[a]);
    }
    x[first + kStride * c] = make_float2(even.x + odd.y, even.y - odd.x);
    if (c != 0 && 2 * c != kSize)
      x[first + kStride * (kSize - c)] = make_float2(even.x - odd.y, even.y + odd.x);
  }
}

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

/// Thread blocks that the registers of a multiprocessor allow at least.
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
