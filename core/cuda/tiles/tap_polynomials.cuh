// SPDX-License-Identifier: Apache-2.0
// Values of a spreading function at the cells about a point, by one polynomial for each cell.
#pragma once

namespace spyctrum::cuda {

/// Tap t of a point is p_t(x), −1 ≤ x ≤ 1, with kPowers coefficients. The number of taps is odd and the
/// spreading function even, so that tap kTaps − 1 − t of x is tap t of −x: both take the even and the odd
/// powers of p_t, which are stored for the first half and the middle.
template <int kTaps, int kPowers>
struct TapPolynomials {
  static_assert(kTaps % 2 == 1);
  static constexpr int kMiddle = kTaps / 2;
  static constexpr int kEven = (kPowers + 1) / 2;
  static constexpr int kOdd = kPowers / 2;
  float even[kMiddle + 1][kEven];
  float odd[kMiddle][kOdd];

  /// coefficients[k][t]: of x^k in p_t.
  static TapPolynomials of(const float (&coefficients)[kPowers][kTaps]) {
    TapPolynomials all{};
    for (int t = 0; t <= kMiddle; ++t)
      for (int k = 0; k < kPowers; ++k) {
        if (k % 2 == 0) all.even[t][k / 2] = coefficients[k][t];
        if (k % 2 == 1 && t < kMiddle) all.odd[t][k / 2] = coefficients[k][t];
      }
    return all;
  }
  __device__ __forceinline__ void evaluate(float x, float (&taps)[kTaps]) const {
    const float square = x * x;
#pragma unroll
    for (int t = 0; t <= kMiddle; ++t) {
      float even_sum = even[t][kEven - 1];
#pragma unroll
      for (int k = kEven - 2; k >= 0; --k) even_sum = fmaf(even_sum, square, even[t][k]);
      taps[t] = even_sum;
      if (t == kMiddle) continue;
      float odd_sum = odd[t][kOdd - 1];
#pragma unroll
      for (int k = kOdd - 2; k >= 0; --k) odd_sum = fmaf(odd_sum, square, odd[t][k]);
      taps[t] = fmaf(x, odd_sum, even_sum);
      taps[kTaps - 1 - t] = fmaf(-x, odd_sum, even_sum);
    }
  }
};

}  // namespace spyctrum::cuda
