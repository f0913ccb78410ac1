// SPDX-License-Identifier: Apache-2.0
// Functions that read coefficients and powers from a TileView.
#pragma once

#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/tiles/tile_view.hpp"

namespace spyctrum::cuda {

/// The index of frequency v in a row of the tile.
__device__ inline std::uint64_t place_of(const TileView& tile, std::uint64_t v) {
  if (tile.correction == nullptr) return v;
  return v < tile.first_negative ? v : v + tile.shift;
}

/// factor(v)², by which |value|² is multiplied; 1 for a chirp, whose magnitude is 1.
template <bool kCorrected>
__device__ inline float gain_of(const TileView& tile, std::uint64_t v) {
  if constexpr (!kCorrected) return 1.0F;
  return tile.correction[v] * tile.correction[v];
}

__device__ inline float power_of(float2 value) { return value.x * value.x + value.y * value.y; }

/// The coefficient of row `row` of the tile at frequency v.
__device__ inline float2 coefficient_of(const TileView& tile, std::uint64_t row, std::uint64_t v) {
  const float2 value = tile.values[row * tile.stride + place_of(tile, v)];
  if (tile.correction == nullptr) return tile.chirp != nullptr ? product(value, tile.chirp[v]) : value;
  return make_float2(value.x * tile.correction[v], value.y * tile.correction[v]);
}

}  // namespace spyctrum::cuda
