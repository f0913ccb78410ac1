// SPDX-License-Identifier: Apache-2.0
// Reading a tile: what leaves it is S[r, v], of a resampled row another cell and corrected.
#pragma once

#include "core/cuda/rows/phase.cuh"
#include "core/cuda/rows/row_kernels.hpp"

namespace spyctrum::cuda {

/// Where frequency v of a tile's row lies.
__device__ inline std::uint64_t place_of(const TileView& tile, std::uint64_t v) {
  if (tile.correction == nullptr) return v;
  return v < tile.turn ? v : v + tile.shift;
}

/// What a cell's power is multiplied by. A chirp has magnitude 1.
template <bool kCorrected>
__device__ inline float gain_of(const TileView& tile, std::uint64_t v) {
  if constexpr (!kCorrected) return 1.0F;
  return tile.correction[v] * tile.correction[v];
}

__device__ inline float power_of(float2 value) { return value.x * value.x + value.y * value.y; }

}  // namespace spyctrum::cuda
