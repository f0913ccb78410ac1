// SPDX-License-Identifier: Apache-2.0
// e^{−2πi·u·i/m} for integers u, i < m ≤ 2^32 without loss of digits for large u·i. f = ⌊2^64·i/m⌋ is i/m as
// a 64-bit fraction of a turn; u·f mod 2^64 is the fraction of u·i/m, without a division, since integers
// overflow modulo 2^64; its first 32 bits become a floating-point angle, whose error is below 2^−24 half
// turns. This header also has complex products and sums.
#pragma once

#include <cstdint>

namespace spyctrum::cuda {

/// ⌊2^64·i/m⌋, or 1 or 2 less. `reciprocal` = ⌊2^64/m⌋ mod 2^64.
__device__ inline std::uint64_t fraction_of(std::uint64_t i, std::uint64_t m, std::uint64_t reciprocal) {
  const std::uint64_t rest = 0 - reciprocal * m;  // 2^64 mod m, for m > 1
  return i * reciprocal + __umul64hi(i * rest, reciprocal);
}

/// The first 32 bits of the fraction u·i/m mod 1 of a turn; `fraction` = fraction_of(i, m).
__device__ inline std::uint32_t turn(std::uint32_t u, std::uint64_t fraction) {
  return u * static_cast<std::uint32_t>(fraction >> 32) + __umulhi(u, static_cast<std::uint32_t>(fraction));
}

/// e^{−2πi·turn/2^32}.
__device__ inline float2 root_at(std::uint32_t turn) {
  float sine = 0;
  float cosine = 0;
  sincospif(static_cast<float>(static_cast<std::int32_t>(turn)) * 4.656612873077393e-10F, &sine, &cosine);
  return make_float2(cosine, -sine);
}

/// root_at() as the product of the nearest of 256 `roots` e^{−2πik/256} and of e^{−ix}, |x| ≤ π/256, by the
/// first terms of its series: the terms from x⁴/24 < 1e-9 and x⁵/120 < 3e-12 on are dropped. Half the
/// operations of root_at().
__device__ inline float2 root_near(std::uint32_t turn, const float2* roots) {
  const std::uint32_t nearest = (turn + 0x800000U) >> 24U;
  const auto rest = static_cast<float>(static_cast<std::int32_t>(turn - (nearest << 24U)));
  const float x = rest * 1.4629180792671596e-9F;  // 2π/2^32
  const float square = x * x;
  const float sine = fmaf(x * square, -1.0F / 6, x);
  const float versine = 0.5F * square;  // 1 − cos x
  const float2 root = roots[nearest];
  return make_float2(root.x - fmaf(root.x, versine, -root.y * sine),
                     root.y - fmaf(root.y, versine, root.x * sine));
}

__device__ inline float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/// sum += factor·value.
__device__ inline void add_scaled(float2& sum, float factor, float2 value) {
  sum.x = fmaf(factor, value.x, sum.x);
  sum.y = fmaf(factor, value.y, sum.y);
}

__device__ inline float2 conjugate(float2 a) { return make_float2(a.x, -a.y); }

}  // namespace spyctrum::cuda
