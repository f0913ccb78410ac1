// SPDX-License-Identifier: Apache-2.0
// Edges of the radial bins in integers. With r² = (s(u)/m)² + (s(v)/n)², radial bin k of width √½/16 begins
// at r ≥ k·√½/16, that is 512·A ≥ k²·(mn)² for the integer A = s(u)²·n² + s(v)²·m². A coefficient exactly on
// an edge belongs to the upper bin whatever the rounding of a square root; this matters, since power of
// regular patterns lies on edges. Shared by core/features/feature_bins.cpp and the kernels of
// core/cuda/reductions.
#pragma once

#include <cstdint>

#include "core/device/interface/power_sums.hpp"

namespace spyctrum::cuda {

__extension__ using WideInteger = unsigned __int128;

/// A for signed frequencies; below 2^127 for sides below 2^32.
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr WideInteger radius_square(std::int64_t u, std::int64_t v,
                                                                       std::uint64_t m, std::uint64_t n) {
  const WideInteger x = static_cast<WideInteger>(static_cast<std::uint64_t>(u < 0 ? -u : u)) * n;
  const WideInteger y = static_cast<WideInteger>(static_cast<std::uint64_t>(v < 0 ? -v : v)) * m;
  return x * x + y * y;
}

struct RadialEdges {
  WideInteger begin[kRadialBins] = {};  ///< smallest A of bin k
  WideInteger low = 0;                  ///< largest A of low frequencies, r ≤ √½/8
};

/// The edges of an m×n plane, sides below 2^32: begin[k] = ⌈k²(mn)²/512⌉, low = ⌊(mn)²/128⌋.
[[nodiscard]] constexpr RadialEdges radial_edges(std::uint64_t m, std::uint64_t n) {
  const WideInteger plane = static_cast<WideInteger>(m) * n;
  const WideInteger square = plane * plane;
  const WideInteger upper = square >> 64U;
  const WideInteger lower = square & ~std::uint64_t{0};
  RadialEdges edges;
  // k²·square may have 136 bits, so both halves are divided separately; the upper one leaves no remainder.
  for (WideInteger k = 0; k < kRadialBins; ++k)
    edges.begin[k] = ((k * k * upper) << 55U) + ((k * k * lower + 511) >> 9U);
  edges.low = square >> 7U;
  return edges;
}

}  // namespace spyctrum::cuda
