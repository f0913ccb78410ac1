// SPDX-License-Identifier: Apache-2.0
// Tables of the axes, spreading, the turn between both FFTs and the cut to the outputs. Spreading is driven
// by the output: a warp owns a tile of the fine grid in shared memory and adds every entry that reaches it,
// one after the other, its lanes at different cells. So nothing is added atomically, every cell is written to
// memory once, and equal orders give equal bits. (cuFINUFFT's shared-memory method, Shih et al. 2021, arXiv
// 2102.08463, cuts the input into pieces instead, whose tiles overlap and are added atomically.)
#include <algorithm>

#include "core/cuda/lattice_kernels.hpp"
#include "core/cuda/phase.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint32_t kBatch = 8;  // visits whose records a warp loads at once
constexpr std::uint32_t kTileCells = kTileRows * kTileCols;
static_assert(sizeof(SlotRecord) == 4 * sizeof(float4));

__device__ SlotRecord record_of(const LatticeAxisSpec& axis, const SpreadTables& tables, std::uint64_t i) {
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
    return record;
  }
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
  return record;
}

__device__ float correction_of(const LatticeAxisSpec& axis, const SpreadTables& tables, std::uint64_t p) {
  if (axis.cell != 0) return 1.0F;
  const std::uint64_t k = p < axis.middle ? axis.middle - p : p - axis.middle;
  double sum = 0;
  for (std::uint32_t node = 0; node < axis.nodes; ++node)
    sum += tables.values[node] *
           cospi(2 * static_cast<double>(k) * tables.places[node] / static_cast<double>(axis.fine));
  return static_cast<float>(1 / sum);
}

/// Slots of the rows, of the columns, outputs of the rows, of the columns: one thread each.
__global__ void axis_tables(AxisTables rows, AxisTables cols, SpreadTables tables) {
  std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (const AxisTables* one : {&rows, &cols}) {
    if (k < one->slots) {
      one->records[k] = record_of(one->axis, tables, one->ids[k]);
      return;
    }
    k -= one->slots;
  }
  for (const AxisTables* one : {&rows, &cols}) {
    if (one->correction == nullptr) continue;
    if (k < one->axis.kept) {
      one->correction[k] = correction_of(one->axis, tables, k);
      return;
    }
    k -= one->axis.kept;
  }
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

/// An entry in a warp's tile: its first cell there (negative where it begins before) and its strength.
struct alignas(16) EntryHead {
  std::int32_t row, col;
  float2 strength;
};

/// Where an entry begins, seen from a tile of `cells` cells from `first` on: around the end if it must.
__device__ std::int32_t seen_from(float4 head, std::uint32_t first, std::uint32_t cells, std::uint32_t fine) {
  const auto start = static_cast<std::int32_t>(__float_as_uint(head.x) - first);
  return start < static_cast<std::int32_t>(cells) ? start : start - static_cast<std::int32_t>(fine);
}

/// What a lane adds for one entry: `value` times a weight at each of its places, or nothing at kNowhere.
template <int kRounds>
struct Additions {
  float2 value;
  float weights[kRounds];
  std::uint32_t places[kRounds];
};
constexpr std::uint32_t kNowhere = 0xffffffffU;

/// A warp's view of its tile: lanes are columns × rows of an entry's taps, kRounds rows to a lane. Lines of
/// the tile are as far apart as a row of taps is long, modulo 16 pairs of banks, so that the lanes meet no
/// bank twice. kWraps: the grid is so small that an entry may leave the tile at its end and enter at its
/// beginning.
template <int kRounds, bool kWraps>
struct LanePlan {
  std::int32_t rows, cols;          // of the tile
  std::int32_t row_wrap, col_wrap;  // the grid's end, seen from the tile
  std::int32_t fine_rows, fine_cols;
  std::int32_t group, groups;  // this lane's first row of taps, and rows of taps at a time
  std::int32_t col_tap, line;
  bool has[kRounds];  // this lane has a row of taps in this round

  __device__ LanePlan(const TileGrid& tiles, const Share& share, std::uint32_t line_cells, std::uint32_t lane)
      : rows(static_cast<std::int32_t>(share.rows)),
        cols(static_cast<std::int32_t>(share.cols)),
        row_wrap(static_cast<std::int32_t>(tiles.fine_rows - share.first_row)),
        col_wrap(static_cast<std::int32_t>(tiles.fine_cols - share.first_col)),
        fine_rows(static_cast<std::int32_t>(tiles.fine_rows)),
        fine_cols(static_cast<std::int32_t>(tiles.fine_cols)),
        group(static_cast<std::int32_t>(lane / tiles.col_taps)),
        groups(static_cast<std::int32_t>(32 / tiles.col_taps)),
        col_tap(static_cast<std::int32_t>(lane % tiles.col_taps)),
        line(static_cast<std::int32_t>(line_cells)) {
#pragma unroll
    for (int round = 0; round < kRounds; ++round)
      has[round] = group < groups && group + round * groups < static_cast<std::int32_t>(tiles.row_taps);
  }

  /// `row_taps`, `col_taps`: of the entry.
  __device__ Additions<kRounds> additions(const EntryHead& head, const float* row_taps,
                                          const float* col_taps) const {
    std::int32_t col = head.col + col_tap;
    if (kWraps && col >= col_wrap) col -= fine_cols;
    const bool meets = static_cast<std::uint32_t>(col) < static_cast<std::uint32_t>(cols);
    const float weight = col_taps[col_tap];
    Additions<kRounds> result;
    result.value = make_float2(head.strength.x * weight, head.strength.y * weight);
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      std::int32_t row = head.row + group + round * groups;
      if (kWraps && row >= row_wrap) row -= fine_rows;
      const bool is_here =
          meets && has[round] && static_cast<std::uint32_t>(row) < static_cast<std::uint32_t>(rows);
      result.places[round] = is_here ? static_cast<std::uint32_t>(row * line + col) : kNowhere;
      result.weights[round] = has[round] ? row_taps[group + round * groups] : 0.0F;
    }
    return result;
  }
};

template <int kRounds, bool kWraps>
__global__ void __launch_bounds__(32)
    spread_tiles(TileGrid tiles, OrderView order, const float4* __restrict__ rows,
                 const float4* __restrict__ cols, std::uint32_t line, float2* grid, float2* partial) {
  extern __shared__ float4 shared[];
  float4* const row_stage = shared;  // of each entry its head, then its taps
  float4* const col_stage = shared + 4 * kBatch;
  auto* const tile = reinterpret_cast<float2*>(shared + 8 * kBatch);
  const std::uint32_t lane = threadIdx.x;
  const Share share = share_of(tiles, order, blockIdx.x);
  for (std::uint32_t k = lane; k < kTileRows * line; k += 32) tile[k] = make_float2(0, 0);

  const LanePlan<kRounds, kWraps> plan(tiles, share, line, lane);
  // Four lanes load a record. Slots are loaded two batches ahead, records one: a warp issues in order, and
  // each of them takes as long as a batch is worked at.
  const auto slots_at = [&](std::uint64_t visit) {
    return visit < share.end ? order.visits[visit] : make_uint2(0, 0);
  };
  const auto record_part = [&](const float4* records, std::uint32_t slot, std::uint64_t visit) {
    return visit < share.end ? records[std::uint64_t{slot} * 4 + lane % 4] : make_float4(0, 0, 0, 0);
  };
  const auto at = [&](std::uint32_t k) {
    return plan.additions(*reinterpret_cast<const EntryHead*>(row_stage + 4 * k),
                          reinterpret_cast<const float*>(row_stage + 4 * k + 1),
                          reinterpret_cast<const float*>(col_stage + 4 * k + 1));
  };
  std::uint64_t visit = share.begin + lane / 4;
  uint2 slots = slots_at(visit);
  float4 row_part = record_part(rows, slots.x, visit);
  float4 col_part = record_part(cols, slots.y, visit);
  slots = slots_at(visit + kBatch);
  for (std::uint64_t batch = share.begin; batch < share.end; batch += kBatch) {
    if (lane % 4 == 0) {
      const float2 strength = product(phase_of(row_part), phase_of(col_part));
      row_part =
          make_float4(__int_as_float(seen_from(row_part, share.first_row, share.rows, tiles.fine_rows)),
                      __int_as_float(seen_from(col_part, share.first_col, share.cols, tiles.fine_cols)),
                      strength.x, strength.y);
    }
    __syncwarp();
    row_stage[lane] = row_part;
    col_stage[lane] = col_part;
    __syncwarp();
    visit += kBatch;
    row_part = record_part(rows, slots.x, visit);
    col_part = record_part(cols, slots.y, visit);
    slots = slots_at(visit + kBatch);
    const auto count = static_cast<std::uint32_t>(min(std::uint64_t{kBatch}, share.end - batch));
    Additions<kRounds> now = at(0);
#pragma unroll
    for (std::uint32_t k = 0; k < kBatch; ++k) {
      if (k >= count) break;
      float2 sums[kRounds];
#pragma unroll
      for (int round = 0; round < kRounds; ++round)
        if (now.places[round] != kNowhere) sums[round] = tile[now.places[round]];
      // The next entry's part while the sums are on their way.
      const Additions<kRounds> then = at(k + 1 < kBatch ? k + 1 : k);
#pragma unroll
      for (int round = 0; round < kRounds; ++round)
        if (now.places[round] != kNowhere)
          tile[now.places[round]] = make_float2(sums[round].x + now.value.x * now.weights[round],
                                                sums[round].y + now.value.y * now.weights[round]);
      now = then;
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

constexpr std::uint32_t kTurned = 32;  // side of the squares that are turned at a time
constexpr std::uint32_t kTurnRows = 8;

__global__ void turn(const float2* __restrict__ lines, DeviceAxis rows, DeviceAxis cols, float2* output) {
  __shared__ float2 square[kTurned][kTurned + 1];
  const std::uint64_t across = (rows.kept + kTurned - 1) / kTurned;
  const std::uint64_t first_p = blockIdx.x % across * kTurned;
  const std::uint64_t p = first_p + threadIdx.x;
  std::uint64_t cell = rows.first_cell + p;
  if (cell >= rows.fine) cell -= rows.fine;
  const float correction = p < rows.kept ? rows.correction[p] : 0.0F;
  const std::uint64_t first_line = blockIdx.x / across * kTurned;
  for (std::uint32_t k = threadIdx.y; k < kTurned; k += kTurnRows) {
    if (p >= rows.kept || first_line + k >= cols.fine) continue;
    const float2 value = lines[(first_line + k) * rows.fine + cell];
    square[k][threadIdx.x] = make_float2(value.x * correction, value.y * correction);
  }
  __syncthreads();
  for (std::uint32_t k = threadIdx.y; k < kTurned; k += kTurnRows) {
    const std::uint64_t row = first_p + k;
    const std::uint64_t col = first_line + threadIdx.x;
    if (row < rows.kept && col < cols.fine) output[row * cols.fine + col] = square[threadIdx.x][k];
  }
}

constexpr std::uint32_t kRowsOfThread = 8;  // what a column needs is found once for them

__global__ void extract(const float2* __restrict__ kept_rows, DeviceAxis rows, DeviceAxis cols,
                        std::uint64_t first_row, std::uint32_t count, float2* output) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= cols.count) return;
  const std::uint64_t kept_q = q < cols.kept ? q : q % cols.kept;
  std::uint64_t col = cols.first_cell + kept_q;
  if (col >= cols.fine) col -= cols.fine;
  const float correction = cols.correction[kept_q];
  const std::uint32_t first = blockIdx.y * kRowsOfThread;
  std::uint64_t p = (first_row + first) % rows.kept;
#pragma unroll
  for (std::uint32_t r = first; r < first + kRowsOfThread; ++r) {
    if (r >= count) return;
    const float2 value = kept_rows[p * cols.fine + col];
    output[r * cols.count + q] = make_float2(value.x * correction, value.y * correction);
    if (++p == rows.kept) p = 0;
  }
}

unsigned blocks_for(std::uint64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

/// Cells from one line of a tile in shared memory to the next.
std::uint32_t line_of(std::uint32_t col_taps) { return kTileCols + (col_taps > 8 ? col_taps - 8 : 0); }

template <int kRounds>
cudaError_t spread_with(const TileGrid& tiles, const OrderView& order, const SlotRecord* rows,
                        const SlotRecord* cols, float2* grid, float2* partial, cudaStream_t stream) {
  const std::uint32_t line = line_of(tiles.col_taps);
  const std::size_t bytes = 8 * kBatch * sizeof(float4) + sizeof(float2) * kTileRows * line;
  const auto kernel =
      tiles.down <= 2 || tiles.across <= 2 ? spread_tiles<kRounds, true> : spread_tiles<kRounds, false>;
  kernel<<<static_cast<unsigned>(order.parts), 32, bytes, stream>>>(
      tiles, order, reinterpret_cast<const float4*>(rows), reinterpret_cast<const float4*>(cols), line, grid,
      partial);
  return cudaGetLastError();
}

}  // namespace

SpreadTables::SpreadTables(const LatticeAxisSpec& axis) : polynomials{}, places{}, values{} {
  std::copy_n(axis.polynomials, std::size_t{axis.powers} * axis.taps, polynomials);
  std::copy_n(axis.places, axis.nodes, places);
  std::copy_n(axis.values, axis.nodes, values);
}

TileGrid::TileGrid(const LatticeAxisSpec& downwards, const LatticeAxisSpec& along)
    : fine_rows(static_cast<std::uint32_t>(downwards.fine)),
      fine_cols(static_cast<std::uint32_t>(along.fine)),
      row_taps(downwards.taps),
      col_taps(along.taps),
      down(static_cast<std::uint32_t>((downwards.fine + kTileRows - 1) / kTileRows)),
      across(static_cast<std::uint32_t>((along.fine + kTileCols - 1) / kTileCols)) {}

cudaError_t launch_axis_tables(const AxisTables& rows, const AxisTables& cols, cudaStream_t stream) {
  std::uint64_t threads = rows.slots + cols.slots;
  if (rows.correction != nullptr) threads += rows.axis.kept;
  if (cols.correction != nullptr) threads += cols.axis.kept;
  if (threads == 0) return cudaSuccess;
  // Axes that are spread share one spreading function.
  axis_tables<<<blocks_for(threads), kThreads, 0, stream>>>(
      rows, cols, SpreadTables(rows.axis.cell == 0 ? rows.axis : cols.axis));
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

cudaError_t launch_turn(const float2* lines, const DeviceAxis& rows, const DeviceAxis& cols, float2* output,
                        cudaStream_t stream) {
  const auto blocks =
      static_cast<unsigned>((rows.kept + kTurned - 1) / kTurned * ((cols.fine + kTurned - 1) / kTurned));
  turn<<<blocks, dim3(kTurned, kTurnRows), 0, stream>>>(lines, rows, cols, output);
  return cudaGetLastError();
}

cudaError_t launch_extract(const float2* kept_rows, const DeviceAxis& rows, const DeviceAxis& cols,
                           std::uint64_t first_row, std::uint32_t count, float2* output,
                           cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((cols.count + kThreads - 1) / kThreads);
  const dim3 grid(blocks, (count + kRowsOfThread - 1) / kRowsOfThread);
  extract<<<grid, kThreads, 0, stream>>>(kept_rows, rows, cols, first_row, count, output);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
