// SPDX-License-Identifier: Apache-2.0
// One thread for each stored coefficient, or for one column of several rows.
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/tile_output.hpp"

#include "core/cuda/tiles/row_shares.hpp"
#include "core/cuda/tiles/tile_view.cuh"

namespace spyctrum::cuda {

namespace {

constexpr std::uint32_t kGatheredRows = 16;  // most rows per thread, which share one correction

__global__ void store_half(TileView tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                           float2* half) {
  const std::uint64_t q = n / 2 + 1;
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= q) return;
  const std::uint64_t u = first_row + blockIdx.y;
  half[u * q + v] = coefficient_of(tile, blockIdx.y, v);
  half[(u == 0 ? 0 : m - u) * q + v] = conjugate(coefficient_of(tile, blockIdx.y, v == 0 ? 0 : n - v));
}

__global__ void unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                            float2* rows) {
  const std::uint64_t q = n / 2 + 1;
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const std::uint64_t u = first_row + blockIdx.y;
  const std::uint64_t mirror = u == 0 ? 0 : m - u;
  rows[blockIdx.y * n + v] = v < q ? half[u * q + v] : conjugate(half[mirror * q + (n - v)]);
}

__global__ void gather(TileView tile, const std::uint32_t* columns, std::uint64_t width, std::uint32_t share,
                       float2* output) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= width) return;
  const std::uint64_t v = columns != nullptr ? columns[q] : q;
  const std::uint32_t begin = blockIdx.y * share;
  const std::uint32_t end = min(begin + share, tile.count);
  if (tile.correction == nullptr) {
    for (std::uint32_t r = begin; r < end; ++r) output[r * width + q] = coefficient_of(tile, r, v);
    return;
  }
  const float correction = tile.correction[v];
  const float2* from = tile.values + place_of(tile, v);
  for (std::uint32_t r = begin; r < end; ++r) {
    const float2 value = from[r * tile.stride];
    output[r * width + q] = make_float2(value.x * correction, value.y * correction);
  }
}

}  // namespace

cudaError_t launch_store_half(const TileView& tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                              float2* half, cudaStream_t stream) {
  return launch(store_half, dim3(blocks_for(n / 2 + 1), tile.count), kThreads, stream, tile, first_row, m, n,
                half);
}

cudaError_t launch_unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                               std::uint32_t count, float2* rows, cudaStream_t stream) {
  return launch(unfold_half, dim3(blocks_for(n), count), kThreads, stream, half, m, n, first_row, rows);
}

cudaError_t launch_gather(const TileView& tile, const std::uint32_t* columns, std::uint64_t width,
                          float2* output, cudaStream_t stream) {
  const std::uint32_t share = share_of(tile.count, blocks_for(width), kGatheredRows);
  return launch(gather, dim3(blocks_for(width), shares(tile.count, share)), kThreads, stream, tile, columns,
                width, share, output);
}

}  // namespace spyctrum::cuda
