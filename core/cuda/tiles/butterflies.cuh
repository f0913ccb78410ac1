// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of a few values in registers; roots of unity are computed at compile time.
#pragma once

#include "core/cuda/pattern/phase.cuh"

namespace spyctrum::cuda {

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

/// The factor of kSize by which small_transform() divides it; kSize if butterfly() computes it at once.
template <int kSize>
constexpr int kFirstRadix = kSize <= 5 || kSize == 7 || kSize == 13 ? kSize
                            : kSize % 8 == 0 && kSize > 8           ? 8
                            : kSize % 5 == 0                        ? 5
                            : kSize % 7 == 0                        ? 7
                            : kSize % 4 == 0                        ? 4
                            : kSize % 3 == 0                        ? 3
                                                                    : 2;

/// x[c] ← Σ_a x[a]·w^{ac}, w = e^{−2πi/kSize}, for sizes without a prime factor above 7 (Cooley & Tukey
/// 1965).
template <int kSize>
__device__ __forceinline__ void small_transform(float2 (&x)[kSize]) {
  constexpr int kFirst = kFirstRadix<kSize>;
  if constexpr (kFirst == kSize) {
    butterfly<kSize, 1>(x, 0);
  } else {
    constexpr int kSecond = kSize / kFirst;
    constexpr Roots<kSize> kRoots;
    float2 parts[kFirst][kSecond];
#pragma unroll
    for (int b = 0; b < kSecond; ++b) {
      float2 part[kFirst];
#pragma unroll
      for (int a = 0; a < kFirst; ++a) part[a] = x[kSecond * a + b];
      small_transform<kFirst>(part);
#pragma unroll
      for (int c = 0; c < kFirst; ++c)
        parts[c][b] =
            b * c == 0 ? part[c] : product(part[c], make_float2(kRoots.cosine[b * c], -kRoots.sine[b * c]));
    }
#pragma unroll
    for (int c = 0; c < kFirst; ++c) {
      small_transform<kSecond>(parts[c]);
#pragma unroll
      for (int d = 0; d < kSecond; ++d) x[c + kFirst * d] = parts[c][d];
    }
  }
}

}  // namespace spyctrum::cuda
