// SPDX-License-Identifier: Apache-2.0
// e^{−2πi·x/m} for integer products x = u·i < 2^64: x is reduced in integers to a fraction of a turn in 32
// bits, signed, and only then turned into floating point (design/algorithms.md §7). Error of the argument
// below 2^−24 half turns.
#pragma once

#include <cstdint>

namespace spyctrum::cuda {

/// The first 32 bits of x/m mod 1. `reciprocal` = ⌊2^64/m⌋ mod 2^64. A narrow product is below 2^32, where
/// the reciprocal's rounding, x·2^−64 turns, is negligible without a reduction.
template <bool kNarrow>
__device__ inline std::uint32_t turn(std::uint64_t x, std::uint64_t m, std::uint64_t reciprocal) {
  if constexpr (kNarrow) {
    const auto low = static_cast<std::uint32_t>(x);
    return __umulhi(low, static_cast<std::uint32_t>(reciprocal)) +
           low * static_cast<std::uint32_t>(reciprocal >> 32);
  } else {
    const std::uint64_t remainder = x - __umul64hi(x, reciprocal) * m;  // below 2m
    return static_cast<std::uint32_t>(remainder * reciprocal >> 32);
  }
}

__device__ inline float2 root_at(std::uint32_t turn) {
  float sine = 0;
  float cosine = 0;
  sincospif(static_cast<float>(static_cast<std::int32_t>(turn)) * 4.656612873077393e-10F, &sine, &cosine);
  return make_float2(cosine, -sine);
}

__device__ inline float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ inline float2 conjugate(float2 a) { return make_float2(a.x, -a.y); }

}  // namespace spyctrum::cuda
