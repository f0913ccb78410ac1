// SPDX-License-Identifier: Apache-2.0
// Output-driven spreading: a warp holds a tile of the fine grid in registers. An entry adds the outer product
// of its row taps and column taps, so that eight entries are a matrix product for tensor cores (3×TF32,
// Ootomo & Yokota 2022, arXiv 2203.03341; as accurate as single precision, since high and low halves are
// multiplied separately and sums of eight products are added outside of the tensor cores). Without atomic
// additions every cell is written once, and equal orders give bit-equal results. (cuFINUFFT's shared-memory
// method, Shih et al. 2021, arXiv 2102.08463, divides the input instead and adds overlapping tiles
// atomically.)
#include <cuda/atomic>

#include "core/cuda/lattice/lattice_kernels.hpp"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kSpreadWarps = 4;    // per thread block
constexpr std::uint32_t kBatch = 8;     // visits that a warp adds at once
constexpr std::uint32_t kQuarters = 4;  // of a tile; a lane holds two neighbouring cells of each
static_assert(kTileCells == 16, "two products of 16 x 8 x 8");

/// A factor of a matrix product in the registers of a warp (mma.m16n8k8): lane 4g+t holds rows (or columns) g
/// and g+8 of entries t and t+4.
struct Factor {
  float of[2][2];  // entry, cell
};

#if __CUDA_ARCH__ >= 800

struct Halves {
  std::uint32_t high, low;  // TF32 has eleven bits, so that all but the last bit of `low` is read
};
__device__ Halves halves_of(float x) {
  const std::uint32_t high = (__float_as_uint(x) + 0x1000U) & 0xffffe000U;
  return {high, __float_as_uint(x - __uint_as_float(high))};
}

__device__ void multiply(float (&sums)[4], const std::uint32_t (&down)[4], const std::uint32_t (&along)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(down[0]), "r"(down[1]), "r"(down[2]), "r"(down[3]), "r"(along[0]), "r"(along[1]));
}

/// sums += down × (columns 8·right … 8·right+7 of along), for eight entries.
__device__ void add_products(float (&sums)[4], const Factor& down, const Factor& along, int right) {
  std::uint32_t high_down[4], low_down[4], high_along[2], low_along[2];
#pragma unroll
  for (int entry = 0; entry < 2; ++entry) {
#pragma unroll
    for (int cell = 0; cell < 2; ++cell) {
      const Halves halves = halves_of(down.of[entry][cell]);
      high_down[2 * entry + cell] = halves.high;
      low_down[2 * entry + cell] = halves.low;
    }
    const Halves halves = halves_of(along.of[entry][right]);
    high_along[entry] = halves.high;
    low_along[entry] = halves.low;
  }
  float products[4] = {0, 0, 0, 0};
  multiply(products, low_down, high_along);
  multiply(products, high_down, low_along);
  multiply(products, high_down, high_along);
  // Tensor cores round towards zero, so that they compute only short sums.
#pragma unroll
  for (int k = 0; k < 4; ++k) sums[k] += products[k];
}

#else

/// As above, for devices without TF32 tensor cores.
__device__ void add_products(float (&sums)[4], const Factor& down, const Factor& along, int right) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int row = lane & ~3;
  const int col = 8 * (lane & 3);
  const auto from = [](float value, int source) { return __shfl_sync(0xffffffffU, value, source); };
#pragma unroll
  for (int entry = 0; entry < 8; ++entry) {
    const float(&rows)[2] = down.of[entry / 4];
    const float cols = along.of[entry / 4][right];
    const float upper = from(rows[0], row + entry % 4);
    const float lower = from(rows[1], row + entry % 4);
    const float left = from(cols, col + entry % 4);
    const float next = from(cols, col + 4 + entry % 4);
    sums[0] += upper * left;
    sums[1] += upper * next;
    sums[2] += lower * left;
    sums[3] += lower * next;
  }
}

#endif

/// A tile in the registers of a warp: a lane holds two neighbouring cells of each quarter 2·right + lower.
struct TileSums {
  float real[2][4] = {};
  float imaginary[2][4] = {};
  __device__ void add(const Factor& down, const Factor& along, const float2 (&strengths)[2]) {
    Factor real_part, imaginary_part;
#pragma unroll
    for (int entry = 0; entry < 2; ++entry) {
#pragma unroll
      for (int cell = 0; cell < 2; ++cell) {
        real_part.of[entry][cell] = down.of[entry][cell] * strengths[entry].x;
        imaginary_part.of[entry][cell] = down.of[entry][cell] * strengths[entry].y;
      }
    }
#pragma unroll
    for (int right = 0; right < 2; ++right) {
      add_products(real[right], real_part, along, right);
      add_products(imaginary[right], imaginary_part, along, right);
    }
  }
  [[nodiscard]] __device__ float4 quarter(std::uint32_t k) const {
    const std::uint32_t right = k / 2;
    const std::uint32_t cell = k % 2 * 2;
    return make_float4(real[right][cell], imaginary[right][cell], real[right][cell + 1],
                       imaginary[right][cell + 1]);
  }
};

/// Row, and column, of the first of a lane's two cells of a quarter.
__device__ std::uint32_t row_in_tile(std::uint32_t lane, std::uint32_t quarter) {
  return lane / 4 + quarter % 2 * 8;
}
__device__ std::uint32_t col_in_tile(std::uint32_t lane, std::uint32_t quarter) {
  return lane % 4 * 2 + quarter / 2 * 8;
}

/// Stores both cells in the grid.
__device__ void store(const TileGrid& tiles, const TilePart& part, std::uint32_t lane, std::uint32_t quarter,
                      float4 sums, float2* grid) {
  const std::uint32_t row = part.first_row + row_in_tile(lane, quarter);
  const std::uint32_t col = part.first_col + col_in_tile(lane, quarter);
  if (row >= tiles.fine_rows || col >= tiles.fine_cols) return;
  float2* const to = grid + std::uint64_t{row} * tiles.fine_cols + col;
  if (tiles.fine_cols % 2 == 0) {
    *reinterpret_cast<float4*>(to) = sums;
    return;
  }
  to[0] = make_float2(sums.x, sums.y);
  if (col + 1 < tiles.fine_cols) to[1] = make_float2(sums.z, sums.w);
}

/// True if all other parts of the tile have been summed; their sums can then be read.
__device__ bool is_last(const TilePart& part, std::uint32_t lane, std::uint32_t* done) {
  __syncwarp();  // the warp's sums must be written before lane 0 counts the part
  std::uint32_t before = 0;
  if (lane == 0)
    before = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>(done[part.first_slot])
                 .fetch_add(1, ::cuda::memory_order_release);
  before = __shfl_sync(0xffffffffU, before, 0);
  if (before + 1 != part.parts) return false;
  // Only for the last part: an acquire empties the L1 cache, which all other warps use.
  ::cuda::atomic_thread_fence(::cuda::memory_order_acquire, ::cuda::thread_scope_device);
  __syncwarp();
  return true;
}

/// Stores the sums of a warp in the grid or, for a tile with several parts, in `partial`; the warp that
/// finishes last adds the parts in their order.
__device__ void finish_part(const TileGrid& tiles, const TilePart& part, std::uint32_t lane,
                            float4 (&quarters)[kQuarters], float2* grid, float4* partial,
                            std::uint32_t* done) {
  if (part.parts > 1) {
    float4* const first = partial + std::uint64_t{part.first_slot} * kQuarters * 32 + lane;
#pragma unroll
    for (std::uint32_t k = 0; k < kQuarters; ++k) first[(part.number * kQuarters + k) * 32] = quarters[k];
    if (!is_last(part, lane, done)) return;
#pragma unroll
    for (float4& sum : quarters) sum = make_float4(0, 0, 0, 0);
#pragma unroll 2
    for (std::uint32_t number = 0; number < part.parts; ++number) {
#pragma unroll
      for (std::uint32_t k = 0; k < kQuarters; ++k) {
        const float4 value = __ldcg(first + (number * kQuarters + k) * 32);
        quarters[k] = make_float4(quarters[k].x + value.x, quarters[k].y + value.y, quarters[k].z + value.z,
                                  quarters[k].w + value.w);
      }
    }
  }
#pragma unroll
  for (std::uint32_t k = 0; k < kQuarters; ++k) store(tiles, part, lane, k, quarters[k], grid);
}

/// A load that the compiler does not move. To save registers the compiler would delay it until the value is
/// used, and the warp would wait.
__device__ float2 load_now(const float2* from) {
  float2 value;
  asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(value.x), "=f"(value.y) : "l"(from) : "memory");
  return value;
}

/// The values of a batch of eight entries that lane 4g+t loads: the taps on cells g and g+8 of entries t and
/// t+4, and the phases of one of them.
struct LaneBatch {
  float2 down[2], along[2];
  float2 row_phase, col_phase;
  float weight;  // of the entry of the phases
};

/// The factor of an entry's taps: the product of its phases and of its weight, if it has one.
template <bool kWeighted>
__device__ float2 strength_of(float2 row_phase, float2 col_phase, float weight) {
  const float2 strength = product(row_phase, col_phase);
  return kWeighted ? make_float2(weight * strength.x, weight * strength.y) : strength;
}

template <bool kWeighted>
__global__ void __launch_bounds__(32 * kSpreadWarps, 6)
    spread_tiles(TileGrid tiles, OrderView order, const float2* row_phases, const float2* col_phases,
                 float2* grid, float4* partial, std::uint32_t* done) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint64_t at = std::uint64_t{blockIdx.x} * kSpreadWarps + threadIdx.x / 32;
  if (at >= order.parts) return;
  const std::uint32_t count = order.part[at].count;
  const uint2* const visits = order.visits + order.part[at].begin;
  const float* const weights = kWeighted ? order.weights + order.part[at].begin : nullptr;
  const auto* const row_taps = reinterpret_cast<const float2*>(order.row_taps) + lane / 4;
  const auto* const col_taps = reinterpret_cast<const float2*>(order.col_taps) + lane / 4;

  // Records are loaded two batches ahead, taps and phases one. Beyond the last visit the first one's are
  // loaded again.
  struct Records {
    uint2 of[2];  // entries t and t+4
    float weight;
  };
  const auto records_of = [&](std::uint32_t batch) {
    const std::uint32_t visit = batch + lane % 4;
    Records records{{visits[visit < count ? visit : 0], visits[visit + 4 < count ? visit + 4 : 0]}, 0};
    if constexpr (kWeighted) records.weight = weights[batch + lane % 8 < count ? batch + lane % 8 : 0];
    return records;
  };
  const auto load = [&](LaneBatch& to, const Records& records) {
#pragma unroll
    for (int entry = 0; entry < 2; ++entry) {
      to.down[entry] = load_now(row_taps + records.of[entry].x * std::uint64_t{kTileCells / 2});
      to.along[entry] = load_now(col_taps + records.of[entry].y * std::uint64_t{kTileCells / 2});
    }
    const uint2 record = lane % 8 < 4 ? records.of[0] : records.of[1];
    to.row_phase = load_now(row_phases + record.x);
    to.col_phase = load_now(col_phases + record.y);
    to.weight = records.weight;
  };
  TileSums sums;
  const auto add = [&](const LaneBatch& batch, std::uint32_t left) {
    float2 strength = strength_of<kWeighted>(batch.row_phase, batch.col_phase, batch.weight);
    if (lane % 8 >= left) strength = make_float2(0, 0);
    Factor down, along;
    float2 strengths[2];
#pragma unroll
    for (int entry = 0; entry < 2; ++entry) {
      const int source = static_cast<int>(lane % 4) + 4 * entry;
      strengths[entry] = make_float2(__shfl_sync(0xffffffffU, strength.x, source),
                                     __shfl_sync(0xffffffffU, strength.y, source));
      down.of[entry][0] = batch.down[entry].x;
      down.of[entry][1] = batch.down[entry].y;
      along.of[entry][0] = batch.along[entry].x;
      along.of[entry][1] = batch.along[entry].y;
    }
    sums.add(down, along, strengths);
  };

  wait_for_kernel_before();  // which computes the phases
  if (count != 0) {
    LaneBatch even, odd;
    Records next = records_of(0);
    const Records second = records_of(kBatch);
    load(even, next);
    next = second;
    // Adds one batch while the next one is loaded; returns false after the last.
    std::uint32_t batch = 0;
    const auto step = [&](const LaneBatch& now, LaneBatch& later) {
      load(later, next);
      next = records_of(batch + 2 * kBatch);
      __syncwarp();  // the compiler moves no load across this call
      add(now, count - batch);
      batch += kBatch;
      return batch < count;
    };
    while (step(even, odd) && step(odd, even)) {
    }
  }
  float4 quarters[kQuarters];
#pragma unroll
  for (std::uint32_t k = 0; k < kQuarters; ++k) quarters[k] = sums.quarter(k);
  const TilePart part = order.part[at];
  finish_part(tiles, part, lane, quarters, grid, partial, done);
}

/// Spreading without taps, for entries that lie on one cell each. Tiles then have few entries, and loads take
/// most of the time, so more warps should run at a time.
template <bool kWeighted>
__global__ void __launch_bounds__(32 * kSpreadWarps)
    fold_tiles(TileGrid tiles, OrderView order, const float2* __restrict__ row_phases,
               const float2* __restrict__ col_phases, float2* grid, float4* partial, std::uint32_t* done) {
  __shared__ float2 cells[kSpreadWarps][kTileCells * kTileCells];
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint64_t at = std::uint64_t{blockIdx.x} * kSpreadWarps + threadIdx.x / 32;
  if (at >= order.parts) return;
  const TilePart part = order.part[at];
  float2* const tile = cells[threadIdx.x / 32];
  for (std::uint32_t k = lane; k < kTileCells * kTileCells; k += 32) tile[k] = make_float2(0, 0);
  wait_for_kernel_before();
  for (std::uint32_t batch = 0; batch < part.count; batch += 32) {
    std::uint32_t cell = 0;
    float2 strength = make_float2(0, 0);
    if (batch + lane < part.count) {
      const uint2 records = order.visits[part.begin + batch + lane];
      // A source on a cell reaches one tile, so that its record number is its slot.
      cell = (order.row_starts[records.x] - part.first_row) * kTileCells + order.col_starts[records.y] -
             part.first_col;
      strength = strength_of<kWeighted>(row_phases[records.x], col_phases[records.y],
                                        kWeighted ? order.weights[part.begin + batch + lane] : 1.0F);
    }
    // In the order of the visits, so that equal orders give bit-equal results.
    const std::uint32_t count = min(32U, part.count - batch);
    for (std::uint32_t k = 0; k < count; ++k) {
      __syncwarp();
      if (lane == k) tile[cell] = make_float2(tile[cell].x + strength.x, tile[cell].y + strength.y);
    }
  }
  __syncwarp();
  float4 quarters[kQuarters];
#pragma unroll
  for (std::uint32_t k = 0; k < kQuarters; ++k) {
    const float2* const two = tile + row_in_tile(lane, k) * kTileCells + col_in_tile(lane, k);
    quarters[k] = make_float4(two[0].x, two[0].y, two[1].x, two[1].y);
  }
  finish_part(tiles, part, lane, quarters, grid, partial, done);
}

constexpr unsigned kFoldThreads = 128;

/// Spreading if most cells have no entry: a thread block sums a range of cells. The thread of a cell's first
/// visit adds all visits of that cell.
template <bool kWeighted>
__global__ void __launch_bounds__(kFoldThreads)
    fold_cells(std::uint64_t count, OrderView order, const float2* __restrict__ row_phases,
               const float2* __restrict__ col_phases, float2* grid) {
  __shared__ __align__(16) float2 range[kRangeCells];
  for (std::uint32_t k = 2 * threadIdx.x; k < kRangeCells; k += 2 * kFoldThreads)
    *reinterpret_cast<float4*>(range + k) = make_float4(0, 0, 0, 0);
  const std::uint64_t begin = order.range_first[blockIdx.x];
  const std::uint64_t end = order.range_first[blockIdx.x + 1];
  const std::uint64_t first_cell = std::uint64_t{blockIdx.x} * kRangeCells;
  __syncthreads();
  wait_for_kernel_before();
  for (std::uint64_t t = begin + threadIdx.x; t < end; t += kFoldThreads) {
    const auto strength_at = [&](std::uint64_t k) {
      const uint2 records = order.visits[k];
      return strength_of<kWeighted>(row_phases[records.x], col_phases[records.y],
                                    kWeighted ? order.weights[k] : 1.0F);
    };
    const std::uint32_t cell = order.cells[t];
    const bool is_first = t == begin || order.cells[t - 1] != cell;
    float2 sum = strength_at(t);  // loaded without waiting for is_first
    if (!is_first) continue;
    for (std::uint64_t k = t + 1; k < end && order.cells[k] == cell; ++k) {
      const float2 strength = strength_at(k);
      sum = make_float2(sum.x + strength.x, sum.y + strength.y);
    }
    range[cell - first_cell] = sum;
  }
  __syncthreads();
  const std::uint64_t left = count - first_cell;
  for (std::uint32_t k = 2 * threadIdx.x; k < kRangeCells && k < left; k += 2 * kFoldThreads) {
    if (k + 1 < left)
      *reinterpret_cast<float4*>(grid + first_cell + k) = *reinterpret_cast<const float4*>(range + k);
    else
      grid[first_cell + k] = range[k];
  }
}

cudaError_t launch_fold_cells(const TileGrid& tiles, const OrderView& order, const float2* row_phases,
                              const float2* col_phases, float2* grid, cudaStream_t stream) {
  const auto kernel = order.weights != nullptr ? fold_cells<true> : fold_cells<false>;
  return launch_dependent(kernel, static_cast<unsigned>(ranges_of(tiles)), kFoldThreads, 0, stream,
                          tiles.tiles(), order, row_phases, col_phases, grid);
}

}  // namespace

TileGrid::TileGrid(const LatticeAxisSpec& downwards, const LatticeAxisSpec& along, LatticeOrder chosen)
    : order(chosen),
      side(chosen == LatticeOrder::cells ? 1 : kTileCells),
      fine_rows(static_cast<std::uint32_t>(downwards.fine)),
      fine_cols(static_cast<std::uint32_t>(along.fine)),
      row_taps(downwards.taps),
      col_taps(along.taps),
      down(static_cast<std::uint32_t>((downwards.fine + side - 1) / side)),
      across(static_cast<std::uint32_t>((along.fine + side - 1) / side)) {}

cudaError_t launch_spread(const TileGrid& tiles, const OrderView& order, const float2* row_phases,
                          const float2* col_phases, float2* grid, float4* partial,
                          const PartCounters& counters, cudaStream_t stream) {
  if (tiles.order == LatticeOrder::cells)
    return launch_fold_cells(tiles, order, row_phases, col_phases, grid, stream);
  const bool is_weighted = order.weights != nullptr;
  const auto folding = is_weighted ? fold_tiles<true> : fold_tiles<false>;
  const auto spreading = is_weighted ? spread_tiles<true> : spread_tiles<false>;
  const auto kernel = tiles.folds() ? folding : spreading;
  const auto blocks = static_cast<unsigned>((order.parts + kSpreadWarps - 1) / kSpreadWarps);
  return launch_dependent(kernel, blocks, 32 * kSpreadWarps, 0, stream, tiles, order, row_phases, col_phases,
                          grid, partial, counters.done);
}

}  // namespace spyctrum::cuda
