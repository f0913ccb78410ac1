// SPDX-License-Identifier: Apache-2.0
// The row transform's kernels: the inner sums S[u, j] from the nonzeros, the products of Bluestein's
// algorithm, and what leaves a tile.
#include "core/cuda/phase.cuh"
#include "core/cuda/row_kernels.hpp"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kWarps = 8;  // of a block that builds by rotation: as many columns, or shares of one

template <bool kNarrow>
__device__ std::uint64_t row_at(const DeviceColumns& columns, std::int64_t t) {
  if constexpr (kNarrow)
    return static_cast<const std::uint16_t*>(columns.rows)[t];
  else
    return static_cast<const std::uint32_t*>(columns.rows)[t];
}

__device__ float2 chirped(float2 value, const float2* chirp, std::uint64_t at) {
  return chirp != nullptr ? product(value, chirp[at]) : value;
}

template <bool kNarrow>
__global__ void build_paper(DeviceColumns columns, BuildTile tile, const std::uint32_t* __restrict__ u) {
  const std::uint32_t slot = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t row = blockIdx.y * blockDim.y + threadIdx.y;
  if (slot >= columns.active || row >= tile.count) return;
  const std::uint64_t frequency = u[row];
  float2 sum = make_float2(0.0F, 0.0F);
  const std::int64_t end = columns.starts[slot + 1];
  for (std::int64_t t = columns.starts[slot]; t < end; ++t) {
    const float2 term =
        root_at(turn<kNarrow>(frequency * row_at<kNarrow>(columns, t), columns.m, columns.reciprocal));
    sum.x += term.x;
    sum.y += term.y;
  }
  const std::uint32_t j = columns.ids[slot];
  tile.values[row * tile.stride + j] = chirped(sum, tile.chirp, j);
}

/// Adds the terms of entries begin, begin+by, … to the sums of rows lane, lane+32, ….
template <bool kNarrow, int kRows>
__device__ void add_terms(const DeviceColumns& columns, const Progression& progression, std::uint64_t u,
                          std::int64_t begin, std::int64_t end, unsigned by, float2 (&sums)[kRows]) {
  for (std::int64_t t = begin; t < end; t += by) {
    const std::uint64_t i = row_at<kNarrow>(columns, t);
    float2 z = root_at(turn<kNarrow>(u * i, columns.m, columns.reciprocal));
    const float2 rotation = progression.rotation[i];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      sums[r].x += z.x;
      sums[r].y += z.y;
      z = product(z, rotation);
    }
  }
}

/// A warp's results, by column, padded so that reading eight columns at a time meets no bank twice.
template <int kRows>
struct Results {
  float2 of[kWarps][32 * kRows + 2];
};

template <int kRows>
__device__ std::uint64_t anchor_of(const DeviceColumns& columns, const Progression& progression) {
  const std::uint64_t row = std::uint64_t{blockIdx.y} * (32 * kRows) + threadIdx.x;
  return (progression.first + progression.step * row) % columns.m;
}

/// Eight neighbouring columns, one a warp, leave in segments of 64 bytes.
template <bool kNarrow, int kRows>
__global__ void __launch_bounds__(32 * kWarps)
    build_short(DeviceColumns columns, BuildTile tile, Progression progression) {
  __shared__ Results<kRows> results;
  const std::uint32_t first_slot = blockIdx.x * kWarps;
  const std::uint32_t slot = first_slot + threadIdx.y;
  if (slot < columns.active) {
    const std::int64_t begin = columns.starts[slot];
    const std::int64_t end = columns.starts[slot + 1];
    if (end - begin <= kPieceEntries) {
      float2 sums[kRows] = {};
      add_terms<kNarrow, kRows>(columns, progression, anchor_of<kRows>(columns, progression), begin, end, 1,
                                sums);
#pragma unroll
      for (int r = 0; r < kRows; ++r) results.of[threadIdx.y][threadIdx.x + 32 * r] = sums[r];
    }
  }
  __syncthreads();
  const unsigned thread = threadIdx.y * 32 + threadIdx.x;
  const unsigned column = thread % kWarps;
  const std::uint32_t own = first_slot + column;
  if (own >= columns.active || columns.starts[own + 1] - columns.starts[own] > kPieceEntries) return;
  const std::uint32_t j = columns.ids[own];
  for (unsigned local = thread / kWarps; local < 32 * kRows; local += 32) {
    const std::uint64_t row = std::uint64_t{blockIdx.y} * (32 * kRows) + local;
    if (row < tile.count)
      tile.values[row * tile.stride + j] = chirped(results.of[column][local], tile.chirp, j);
  }
}

/// One piece of a long column: the warps share its entries, and their sums are added in order.
template <bool kNarrow, int kRows>
__global__ void __launch_bounds__(32 * kWarps)
    build_pieces(DeviceColumns columns, BuildTile tile, Progression progression, LongColumns longs) {
  __shared__ Results<kRows> results;
  const Piece piece = longs.pieces[blockIdx.x];
  float2 sums[kRows] = {};
  add_terms<kNarrow, kRows>(columns, progression, anchor_of<kRows>(columns, progression),
                            piece.begin + threadIdx.y, piece.end, kWarps, sums);
#pragma unroll
  for (int r = 0; r < kRows; ++r) results.of[threadIdx.y][threadIdx.x + 32 * r] = sums[r];
  __syncthreads();
  for (unsigned local = threadIdx.y * 32 + threadIdx.x; local < 32 * kRows; local += 32 * kWarps) {
    const std::uint64_t row = std::uint64_t{blockIdx.y} * (32 * kRows) + local;
    if (row >= tile.count) continue;
    float2 sum = results.of[0][local];
    for (unsigned w = 1; w < kWarps; ++w) {
      sum.x += results.of[w][local].x;
      sum.y += results.of[w][local].y;
    }
    longs.partial[blockIdx.x * longs.partial_stride + row] = sum;
  }
}

__global__ void add_pieces(DeviceColumns columns, BuildTile tile, LongColumns longs) {
  const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= tile.count) return;
  const LongColumn column = longs.columns[blockIdx.y];
  float2 sum = make_float2(0.0F, 0.0F);
  for (std::uint32_t p = column.first_piece; p < column.first_piece + column.pieces; ++p) {
    const float2 part = longs.partial[p * longs.partial_stride + row];
    sum.x += part.x;
    sum.y += part.y;
  }
  const std::uint32_t j = columns.ids[column.slot];
  tile.values[row * tile.stride + j] = chirped(sum, tile.chirp, j);
}

__global__ void fill_rotation(float2* table, std::uint64_t m, std::uint64_t reciprocal,
                              std::uint64_t factor) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const std::uint64_t x = factor * i;
  std::uint64_t remainder = x - __umul64hi(x, reciprocal) * m;
  if (remainder >= m) remainder -= m;
  double sine = 0;
  double cosine = 0;
  sincospi(2.0 * static_cast<double>(remainder) / static_cast<double>(m), &sine, &cosine);
  table[i] = make_float2(static_cast<float>(cosine), static_cast<float>(-sine));
}

__global__ void multiply_rows(float2* values, std::uint64_t length, const float2* __restrict__ factors) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= length) return;
  float2& value = values[blockIdx.y * length + k];
  value = product(value, factors[k]);
}

__global__ void narrow(const double2* from, float2* to, std::uint64_t count, double factor) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count)
    to[k] = make_float2(static_cast<float>(from[k].x * factor), static_cast<float>(from[k].y * factor));
}

constexpr int kResampledRows = 8;  // that share the weights of a cell

/// One thread for each cell: the values within half a tap width, x_j = fine·j/n.
__global__ void resample(const float2* __restrict__ rows, Resampling to, std::uint32_t count, float2* fine) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= to.fine) return;
  const std::uint32_t first_row = blockIdx.y * kResampledRows;
  const auto n = static_cast<std::int64_t>(to.n);
  const auto cells = static_cast<std::int64_t>(to.fine);
  // One more on either side than the half width asks for: the weights' own cells decide.
  const auto middle = static_cast<std::int64_t>(k);
  const std::int64_t low = (2 * (middle + cells) - to.taps) * n / (2 * cells) - n;
  const std::int64_t high = (2 * (middle + cells) + to.taps) * n / (2 * cells) - n + 1;
  float2 sums[kResampledRows] = {};
  for (std::int64_t x = low; x <= high; ++x) {
    const std::int64_t j = x < 0 ? x + n : x >= n ? x - n : x;
    std::int64_t tap = middle - to.start[j];
    if (tap < 0) tap += cells;
    if (tap >= to.taps) continue;
    const float weight = to.weights[j * to.taps + tap];
#pragma unroll
    for (int r = 0; r < kResampledRows; ++r) {
      if (first_row + r >= count) break;
      const float2 value = rows[(first_row + r) * to.n + j];
      sums[r].x += weight * value.x;
      sums[r].y += weight * value.y;
    }
  }
#pragma unroll
  for (int r = 0; r < kResampledRows; ++r)
    if (first_row + r < count) fine[(first_row + r) * to.fine + k] = sums[r];
}

__device__ float2 leaving(const TileView& tile, std::uint64_t row, std::uint64_t v) {
  if (tile.correction != nullptr) {
    std::uint64_t cell = tile.first_cell + v;
    if (cell >= tile.stride) cell -= tile.stride;
    const float2 value = tile.values[row * tile.stride + cell];
    return make_float2(value.x * tile.correction[v], value.y * tile.correction[v]);
  }
  return chirped(tile.values[row * tile.stride + v], tile.chirp, v);
}

__global__ void store_half(TileView tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                           float2* half) {
  const std::uint64_t q = n / 2 + 1;
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= q) return;
  const std::uint64_t u = first_row + blockIdx.y;
  half[u * q + v] = leaving(tile, blockIdx.y, v);
  half[(u == 0 ? 0 : m - u) * q + v] = conjugate(leaving(tile, blockIdx.y, v == 0 ? 0 : n - v));
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

__global__ void gather(TileView tile, const std::uint32_t* columns, std::uint64_t width, float2* output) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q < width)
    output[blockIdx.y * width + q] = leaving(tile, blockIdx.y, columns != nullptr ? columns[q] : q);
}

constexpr unsigned kThreads = 256;

unsigned blocks_for(std::uint64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

template <bool kNarrow, int kRows>
void build_with(const DeviceColumns& columns, const BuildTile& tile, const Progression& progression,
                const LongColumns& longs, cudaStream_t stream) {
  const unsigned chunks = (tile.count + 32 * kRows - 1) / (32 * kRows);
  const dim3 block(32, kWarps);
  const dim3 grid((columns.active + kWarps - 1) / kWarps, chunks);
  build_short<kNarrow, kRows><<<grid, block, 0, stream>>>(columns, tile, progression);
  if (longs.piece_count == 0) return;
  build_pieces<kNarrow, kRows>
      <<<dim3(longs.piece_count, chunks), block, 0, stream>>>(columns, tile, progression, longs);
  add_pieces<<<dim3(blocks_for(tile.count), longs.column_count), kThreads, 0, stream>>>(columns, tile, longs);
}

template <bool kNarrow>
void build_rows(const DeviceColumns& columns, const BuildTile& tile, const Progression& progression,
                const LongColumns& longs, cudaStream_t stream) {
  // Anchors are exact; 16 rotations of one keep the error of a term near 2e-7.
  if (tile.count <= 64) return build_with<kNarrow, 2>(columns, tile, progression, longs, stream);
  if (tile.count <= 192) return build_with<kNarrow, 6>(columns, tile, progression, longs, stream);
  build_with<kNarrow, 16>(columns, tile, progression, longs, stream);
}

}  // namespace

cudaError_t launch_build_paper(const DeviceColumns& columns, const BuildTile& tile, const std::uint32_t* u,
                               cudaStream_t stream) {
  if (columns.active == 0) return cudaSuccess;
  const dim3 block(32, 8);
  const dim3 grid((columns.active + 31) / 32, (tile.count + 7) / 8);
  if (columns.narrow)
    build_paper<true><<<grid, block, 0, stream>>>(columns, tile, u);
  else
    build_paper<false><<<grid, block, 0, stream>>>(columns, tile, u);
  return cudaGetLastError();
}

cudaError_t launch_build_rotating(const DeviceColumns& columns, const BuildTile& tile,
                                  const Progression& progression, const LongColumns& longs,
                                  cudaStream_t stream) {
  if (columns.active == 0) return cudaSuccess;
  if (columns.narrow)
    build_rows<true>(columns, tile, progression, longs, stream);
  else
    build_rows<false>(columns, tile, progression, longs, stream);
  return cudaGetLastError();
}

cudaError_t launch_rotation_table(float2* table, std::uint64_t m, std::uint64_t reciprocal,
                                  std::uint64_t factor, cudaStream_t stream) {
  fill_rotation<<<blocks_for(m), kThreads, 0, stream>>>(table, m, reciprocal, factor);
  return cudaGetLastError();
}

cudaError_t launch_multiply_rows(float2* values, std::uint32_t count, std::uint64_t length,
                                 const float2* factors, cudaStream_t stream) {
  multiply_rows<<<dim3(blocks_for(length), count), kThreads, 0, stream>>>(values, length, factors);
  return cudaGetLastError();
}

cudaError_t launch_resample(const float2* rows, const Resampling& resampling, std::uint32_t count,
                            float2* fine, cudaStream_t stream) {
  const dim3 grid(blocks_for(resampling.fine), (count + kResampledRows - 1) / kResampledRows);
  resample<<<grid, kThreads, 0, stream>>>(rows, resampling, count, fine);
  return cudaGetLastError();
}

cudaError_t launch_narrow(const double2* from, float2* to, std::uint64_t count, double factor,
                          cudaStream_t stream) {
  narrow<<<blocks_for(count), kThreads, 0, stream>>>(from, to, count, factor);
  return cudaGetLastError();
}

cudaError_t launch_store_half(const TileView& tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                              float2* half, cudaStream_t stream) {
  store_half<<<dim3(blocks_for(n / 2 + 1), tile.count), kThreads, 0, stream>>>(tile, first_row, m, n, half);
  return cudaGetLastError();
}

cudaError_t launch_unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                               std::uint32_t count, float2* rows, cudaStream_t stream) {
  unfold_half<<<dim3(blocks_for(n), count), kThreads, 0, stream>>>(half, m, n, first_row, rows);
  return cudaGetLastError();
}

cudaError_t launch_gather(const TileView& tile, const std::uint32_t* columns, std::uint64_t width,
                          float2* output, cudaStream_t stream) {
  gather<<<dim3(blocks_for(width), tile.count), kThreads, 0, stream>>>(tile, columns, width, output);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
