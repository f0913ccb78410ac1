// SPDX-License-Identifier: Apache-2.0
// Tables of the axes, spreading and the cut to the outputs. Spreading is driven by the output: a warp owns a
// tile of the fine grid in shared memory and adds every entry that reaches it, one after the other, its lanes
// at different cells. So nothing is added atomically, every cell is written to memory once, and equal orders
// give equal bits. (cuFINUFFT's shared-memory method, Shih et al. 2021, arXiv 2102.08463, cuts the input into
// pieces instead, whose tiles overlap and are added atomically.)
#include <algorithm>

#include "core/cuda/lattice_kernels.hpp"
#include "core/cuda/phase.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint32_t kBatch = 8;  // visits whose records a warp loads at once
constexpr std::uint32_t kTileCells = kTileRows * kTileCols;
static_assert(sizeof(SlotRecord) == 4 * sizeof(float4));

__global__ void slot_records(LatticeAxisSpec axis, SpreadTables tables, const std::uint32_t* ids,
                             std::uint64_t slots, SlotRecord* records) {
  const std::uint64_t slot = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (slot >= slots) return;
  const std::uint64_t i = ids[slot];
  SlotRecord record{};
  double sine = 0;
  double cosine = 0;
  sincospi(2.0 * static_cast<double>(axis.centre * i % axis.size) / static_cast<double>(axis.size), &sine,
           &cosine);
  record.phase_x = static_cast<float>(cosine);
  record.phase_y = static_cast<float>(-sine);
  const std::uint64_t place = axis.step * i % axis.size;
  if (axis.cell != 0) {
    record.start = __uint_as_float(static_cast<std::uint32_t>(place / axis.cell));
    record.taps[0] = 1.0F;
  } else {
    const double scale = static_cast<double>(axis.fine) / static_cast<double>(axis.size);
    const double left = scale * static_cast<double>(place) - static_cast<double>(axis.taps) / 2;
    const double first = ceil(left);
    const double x = 2 * (first - left) - 1;
    for (std::uint32_t tap = 0; tap < kMostLatticeTaps; ++tap) {
      if (tap >= axis.taps) break;
      double sum = 0;
      for (std::uint32_t power = axis.powers; power-- > 0;)
        sum = sum * x + tables.polynomials[power * axis.taps + tap];
      record.taps[tap] = static_cast<float>(sum);
    }
    const double cell = first < 0 ? first + static_cast<double>(axis.fine) : first;
    record.start = __uint_as_float(static_cast<std::uint32_t>(cell));
  }
  records[slot] = record;
}

__global__ void corrections(LatticeAxisSpec axis, SpreadTables tables, float* correction) {
  const std::uint64_t p = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (p >= axis.kept) return;
  const std::uint64_t k = p < axis.middle ? axis.middle - p : p - axis.middle;
  double sum = axis.cell != 0 ? 1 : 0;
  for (std::uint32_t node = 0; node < axis.nodes; ++node)
    sum += tables.values[node] *
           cospi(2 * static_cast<double>(k) * tables.places[node] / static_cast<double>(axis.fine));
  correction[p] = static_cast<float>(1 / sum);
}

__device__ float2 phase_of(float4 head) { return make_float2(head.y, head.z); }

/// The share of the tile that a warp sums.
struct Share {
  std::uint32_t first_row, first_col;  // cells
  std::uint32_t rows, cols;
  std::uint64_t begin, end;  // visits
  bool whole;
  std::uint64_t slot;  // of a part among the partial ones
};

__device__ Share share_of(const TileGrid& tiles, const OrderView& order, std::uint64_t part) {
  const std::uint32_t tile = order.part_tile[part];
  const std::uint64_t here = order.part_first[tile];
  const std::uint64_t next = order.part_first[tile + 1];
  const std::uint64_t number = part - (here & 0xffffffffU);
  const std::uint64_t parts = (next & 0xffffffffU) - (here & 0xffffffffU);
  const std::uint64_t first = order.tile_first[tile];
  const std::uint64_t count = order.tile_first[tile + 1] - first;
  Share share{};
  share.first_row = tile / tiles.across * kTileRows;
  share.first_col = tile % tiles.across * kTileCols;
  share.rows = min(kTileRows, tiles.fine_rows - share.first_row);
  share.cols = min(kTileCols, tiles.fine_cols - share.first_col);
  share.begin = first + count * number / parts;
  share.end = first + count * (number + 1) / parts;
  share.whole = parts == 1;
  share.slot = (here >> 32) + number;
  return share;
}

/// Lanes are columns × rows of an entry's taps, `kRounds` rows to a lane. The tile's lines are as far apart
/// as the taps of a row of them are long, modulo 16 pairs of banks, so that the lanes meet no bank twice.
template <int kRounds>
__global__ void __launch_bounds__(32)
    spread_tiles(TileGrid tiles, OrderView order, const float4* __restrict__ rows,
                 const float4* __restrict__ cols, std::uint32_t line, float2* grid, float2* partial) {
  extern __shared__ float4 shared[];
  float4* const row_stage = shared;
  float4* const col_stage = shared + 4 * kBatch;
  auto* const tile = reinterpret_cast<float2*>(shared + 8 * kBatch);
  const std::uint32_t lane = threadIdx.x;
  const Share share = share_of(tiles, order, blockIdx.x);
  for (std::uint32_t k = lane; k < kTileRows * line; k += 32) tile[k] = make_float2(0, 0);

  const std::uint32_t groups = 32 / tiles.col_taps;  // rows of taps at a time
  const std::uint32_t group = lane / tiles.col_taps;
  const std::uint32_t col_tap = lane % tiles.col_taps;
  const bool works = group < groups;
  const auto load = [&](std::uint64_t visit, float4& row, float4& col) {
    if (visit >= share.end) return;
    const uint2 slots = order.visits[visit];
    row = rows[std::uint64_t{slots.x} * 4 + lane % 4];
    col = cols[std::uint64_t{slots.y} * 4 + lane % 4];
  };
  float4 row_part = make_float4(0, 0, 0, 0);
  float4 col_part = row_part;
  load(share.begin + lane / 4, row_part, col_part);
  for (std::uint64_t batch = share.begin; batch < share.end; batch += kBatch) {
    __syncwarp();
    row_stage[lane] = row_part;
    col_stage[lane] = col_part;
    __syncwarp();
    load(batch + kBatch + lane / 4, row_part, col_part);
    const auto count = static_cast<std::uint32_t>(min(std::uint64_t{kBatch}, share.end - batch));
    for (std::uint32_t k = 0; k < count; ++k) {
      const float4 row_head = row_stage[4 * k];
      const float4 col_head = col_stage[4 * k];
      std::uint32_t col = __float_as_uint(col_head.x) + col_tap;
      if (col >= tiles.fine_cols) col -= tiles.fine_cols;
      col -= share.first_col;
      const bool meets = works && col < share.cols;
      const float weight = reinterpret_cast<const float*>(col_stage + 4 * k + 1)[col_tap];
      const float2 strength = product(phase_of(row_head), phase_of(col_head));
      const float2 value = make_float2(strength.x * weight, strength.y * weight);
      float2 sums[kRounds];
      float weights[kRounds];
      std::uint32_t places[kRounds];
#pragma unroll
      for (int round = 0; round < kRounds; ++round) {
        const std::uint32_t tap = group + round * groups;
        std::uint32_t row = __float_as_uint(row_head.x) + tap;
        if (row >= tiles.fine_rows) row -= tiles.fine_rows;
        row -= share.first_row;
        const bool is_here = meets && tap < tiles.row_taps && row < share.rows;
        places[round] = is_here ? row * line + col : 0xffffffffU;
        weights[round] = is_here ? reinterpret_cast<const float*>(row_stage + 4 * k + 1)[tap] : 0.0F;
        sums[round] = is_here ? tile[places[round]] : make_float2(0, 0);
      }
#pragma unroll
      for (int round = 0; round < kRounds; ++round) {
        if (places[round] == 0xffffffffU) continue;
        tile[places[round]] =
            make_float2(sums[round].x + value.x * weights[round], sums[round].y + value.y * weights[round]);
      }
      __syncwarp();
    }
  }
  __syncwarp();
  for (std::uint32_t k = lane; k < kTileCells; k += 32) {
    const std::uint32_t row = k / kTileCols;
    const std::uint32_t col = k % kTileCols;
    if (row >= share.rows) break;
    const float2 sum = tile[row * line + col];
    if (!share.whole)
      partial[share.slot * kTileCells + k] = sum;
    else if (col < share.cols)
      grid[std::uint64_t{share.first_row + row} * tiles.fine_cols + share.first_col + col] = sum;
  }
}

/// Tiles of several parts: their sums, in order.
__global__ void merge_parts(TileGrid tiles, OrderView order, const float2* __restrict__ partial,
                            float2* grid) {
  const std::uint64_t tile = blockIdx.x;
  const std::uint64_t first = order.part_first[tile] >> 32;
  const std::uint64_t last = order.part_first[tile + 1] >> 32;
  if (first == last) return;
  const std::uint64_t first_row = tile / tiles.across * kTileRows;
  const std::uint64_t first_col = tile % tiles.across * kTileCols;
  for (std::uint32_t k = threadIdx.x; k < kTileCells; k += blockDim.x) {
    const std::uint64_t row = first_row + k / kTileCols;
    const std::uint64_t col = first_col + k % kTileCols;
    if (row >= tiles.fine_rows || col >= tiles.fine_cols) continue;
    float2 sum = make_float2(0, 0);
    for (std::uint64_t part = first; part < last; ++part) {
      const float2 value = partial[part * kTileCells + k];
      sum.x += value.x;
      sum.y += value.y;
    }
    grid[row * tiles.fine_cols + col] = sum;
  }
}

__global__ void extract(const float2* grid, DeviceAxis rows, DeviceAxis cols, std::uint64_t first_row,
                        float2* output) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= cols.count) return;
  const std::uint64_t p = (first_row + blockIdx.y) % rows.kept;
  const std::uint64_t kept_q = q % cols.kept;
  const std::uint64_t row = (rows.first_cell + p) % rows.fine;
  const std::uint64_t col = (cols.first_cell + kept_q) % cols.fine;
  const float correction = rows.correction[p] * cols.correction[kept_q];
  const float2 value = grid[row * cols.fine + col];
  output[blockIdx.y * cols.count + q] = make_float2(value.x * correction, value.y * correction);
}

unsigned blocks_for(std::uint64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

/// Cells from one line of a tile in shared memory to the next.
std::uint32_t line_of(std::uint32_t col_taps) { return kTileCols + (col_taps > 8 ? col_taps - 8 : 0); }

template <int kRounds>
cudaError_t spread_with(const TileGrid& tiles, const OrderView& order, const SlotRecord* rows,
                        const SlotRecord* cols, float2* grid, float2* partial, cudaStream_t stream) {
  const std::uint32_t line = line_of(tiles.col_taps);
  const std::size_t bytes = 8 * kBatch * sizeof(float4) + sizeof(float2) * kTileRows * line;
  spread_tiles<kRounds><<<static_cast<unsigned>(order.parts), 32, bytes, stream>>>(
      tiles, order, reinterpret_cast<const float4*>(rows), reinterpret_cast<const float4*>(cols), line, grid,
      partial);
  return cudaGetLastError();
}

}  // namespace

SpreadTables::SpreadTables(const LatticeAxisSpec& axis) : polynomials{}, places{}, values{} {
  std::copy_n(axis.polynomials, std::size_t{axis.powers} * (axis.cell != 0 ? 0 : axis.taps), polynomials);
  std::copy_n(axis.places, axis.nodes, places);
  std::copy_n(axis.values, axis.nodes, values);
}

TileGrid::TileGrid(const LatticeAxisSpec& rows, const LatticeAxisSpec& cols)
    : fine_rows(static_cast<std::uint32_t>(rows.fine)),
      fine_cols(static_cast<std::uint32_t>(cols.fine)),
      row_taps(rows.taps),
      col_taps(cols.taps),
      down(static_cast<std::uint32_t>((rows.fine + kTileRows - 1) / kTileRows)),
      across(static_cast<std::uint32_t>((cols.fine + kTileCols - 1) / kTileCols)) {}

cudaError_t launch_slot_records(const LatticeAxisSpec& axis, const std::uint32_t* ids, std::uint64_t slots,
                                SlotRecord* records, cudaStream_t stream) {
  if (slots == 0) return cudaSuccess;
  slot_records<<<blocks_for(slots), kThreads, 0, stream>>>(axis, SpreadTables(axis), ids, slots, records);
  return cudaGetLastError();
}

cudaError_t launch_corrections(const LatticeAxisSpec& axis, float* correction, cudaStream_t stream) {
  corrections<<<blocks_for(axis.kept), kThreads, 0, stream>>>(axis, SpreadTables(axis), correction);
  return cudaGetLastError();
}

cudaError_t launch_spread(const TileGrid& tiles, const OrderView& order, const SlotRecord* rows,
                          const SlotRecord* cols, float2* grid, float2* partial, cudaStream_t stream) {
  const std::uint32_t groups = 32 / tiles.col_taps;
  const std::uint32_t rounds = (tiles.row_taps + groups - 1) / groups;
  const auto spread = rounds <= 1   ? spread_with<1>
                      : rounds == 2 ? spread_with<2>
                      : rounds == 3 ? spread_with<3>
                      : rounds == 4 ? spread_with<4>
                                    : spread_with<6>;
  const cudaError_t code = spread(tiles, order, rows, cols, grid, partial, stream);
  if (code != cudaSuccess || order.partial_parts == 0) return code;
  merge_parts<<<static_cast<unsigned>(tiles.tiles()), kThreads, 0, stream>>>(tiles, order, partial, grid);
  return cudaGetLastError();
}

cudaError_t launch_extract(const float2* grid, const DeviceAxis& rows, const DeviceAxis& cols,
                           std::uint64_t first_row, std::uint32_t count, float2* output,
                           cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((cols.count + kThreads - 1) / kThreads);
  extract<<<dim3(blocks, count), kThreads, 0, stream>>>(grid, rows, cols, first_row, output);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
