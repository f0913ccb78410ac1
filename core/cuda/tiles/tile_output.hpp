// SPDX-License-Identifier: Apache-2.0
// Copies the rows of a tile to packed rows: all n coefficients, chosen columns, or the half of the plane that
// the paper's Algorithm 1 stores. Pointers are the device's; launches return cudaGetLastError().
#pragma once

#include "core/cuda/tiles/tile_view.hpp"

namespace spyctrum::cuda {

/// The last step of Algorithm 1. Writes half (m × q, q = ⌊n/2⌋+1) for the rows u = first_row … of the tile:
/// half[u, v] = F[u, v]; half[(m−u) mod m, v] = conj F[u, (n−v) mod n].
cudaError_t launch_store_half(const TileView& tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                              float2* half, cudaStream_t stream);
/// Writes `count` rows u = first_row … of n coefficients from half (m × q).
cudaError_t launch_unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                               std::uint32_t count, float2* rows, cudaStream_t stream);
/// output[r, q] = F[u_r, columns[q]], q < width; columns null: the first `width`.
cudaError_t launch_gather(const TileView& tile, const std::uint32_t* columns, std::uint64_t width,
                          float2* output, cudaStream_t stream);

}  // namespace spyctrum::cuda
