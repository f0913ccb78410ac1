// SPDX-License-Identifier: Apache-2.0
// S[u, j] = Σ_{i in column j} w[i, j]·e^{−2πi·ui/m}, w = 1 without weights. The lanes of a warp compute rows
// u of one column, so that no lane waits for a longer column; the columns of a block are stored together, in
// segments along the FFT's axis; long columns are cut into pieces. Each lane loads one entry, and all lanes
// then use the 32 entries in turn.
//
// PaperTerms: a sine and a cosine for each term.
//
// RunTerms, for runs of 32 rows: with u = 32q + s, a term is e^{−2πi·s·i/m}·e^{−2πi·32q·i/m}. The first
// factor is computed once for all runs of a lane, the second once for all lanes: four multiply-adds for a
// term. The bits of a row's sum do not depend on the other rows; rows that form no run take more time.
//
// PairTerms, if the row frequencies are an arithmetic progression: with a = e^{−2πi·c·i/m} for an anchor
// row c of a lane and p_k = e^{−2πi·d_k·i/m} from a table that all lanes share, the rows c ± d_k have the
// terms a·p_k and a·conj(p_k). The four real products of a and p_k are summed; sums and differences of the
// sums give the two rows: four multiply-adds for two terms, and no error that grows along a recurrence.
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/inner_sums.hpp"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kColumns = 8;  // per thread block, one warp each
constexpr unsigned kEveryLane = 0xFFFFFFFFU;

/// How entries are stored: row indices of 16 or 32 bits, or of 32 bits with weights.
enum class Entries { narrow, wide, weighted };

template <Entries kEntries>
__device__ std::uint32_t row_at(const DeviceColumns& columns, std::int64_t t) {
  if constexpr (kEntries == Entries::narrow)
    return static_cast<const std::uint16_t*>(columns.rows)[t];
  else
    return static_cast<const std::uint32_t*>(columns.rows)[t];
}

template <Entries kEntries>
__device__ float weight_at(const DeviceColumns& columns, std::int64_t t) {
  if constexpr (kEntries == Entries::weighted)
    return columns.weights[t];
  else
    return 1.0F;
}

/// a times the weight that lane `from` of the warp holds, or a without weights.
template <Entries kEntries>
__device__ float2 weighted(float2 a, float weight, int from) {
  if constexpr (kEntries == Entries::weighted) {
    const float factor = __shfl_sync(kEveryLane, weight, from);
    return make_float2(factor * a.x, factor * a.y);
  } else {
    return a;
  }
}

// The lanes of a warp compute 32·kRows rows: sum(r) is the sum of row local_row(r) of these.

/// Each term by its own sine and cosine.
template <Entries kEntries, int kRowsOfLane>
struct PaperTerms {
  static constexpr int kRows = kRowsOfLane;
  struct Source {
    const std::uint32_t* u;
    std::uint32_t count;
  };
  static constexpr int kStaged = 0;
  static constexpr int kRoots = 0;
  std::uint32_t u[kRows];
  float2 sums[kRows] = {};

  __device__ PaperTerms(const DeviceColumns& /*columns*/, const Source& source, std::uint32_t first_row) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::uint32_t row = first_row + threadIdx.x + 32 * r;
      u[r] = source.u[row < source.count ? row : source.count - 1];
    }
  }
  __device__ void add(const DeviceColumns& columns, const Source& /*source*/, std::int64_t begin,
                      std::int64_t end, float4* /*staged*/, const float2* /*roots*/) {
    for (std::int64_t at = begin; at < end; at += 32) {
      const std::int64_t own = at + threadIdx.x < end ? at + threadIdx.x : at;
      const std::uint64_t part = fraction_of(row_at<kEntries>(columns, own), columns.m, columns.reciprocal);
      const float weight = weight_at<kEntries>(columns, own);
      const int count = static_cast<int>(min(static_cast<std::int64_t>(32), end - at));
#pragma unroll 1
      for (int k = 0; k < count; ++k) {
        const std::uint64_t fraction = __shfl_sync(kEveryLane, part, k);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          const float2 term = weighted<kEntries>(root_at(turn(u[r], fraction)), weight, k);
          sums[r].x += term.x;
          sums[r].y += term.y;
        }
      }
    }
  }
  __device__ static unsigned local_row(int r) { return threadIdx.x + 32 * r; }
  __device__ float2 sum(int r) const { return sums[r]; }
};

/// The sums of any rows, fastest for runs. Lane k has the rows with u mod 32 = k. If a run begins in the
/// middle of a warp, its first rows, in the first lanes, have one r, and its other rows the next r.
template <Entries kEntries, int kRowsOfLane, bool kAreRuns>
struct RunTerms {
  static constexpr int kRows = kRowsOfLane;
  using Source = Runs;
  static constexpr int kRuns = kRows + 1;
  static_assert(kRuns <= 32);
  static constexpr int kStaged = (kRuns + 1) / 2;  // float4 per entry that the warp shares
  static constexpr int kRoots = kNearRoots;
  unsigned first_lane;    // of the first row
  std::uint32_t own_run;  // lane k: 32q of run k
  std::uint32_t first_row;
  float2 sums[kRows] = {};

  __device__ RunTerms(const DeviceColumns& /*columns*/, const Source& source, std::uint32_t first_of_block)
      : first_lane(source.u[first_of_block] % 32), first_row(first_of_block) {
    const std::uint32_t row = first_row + (threadIdx.x == 0 ? 0 : 32 * threadIdx.x - first_lane);
    own_run = source.u[row < source.count ? row : first_row] / 32 * 32;
  }
  [[nodiscard]] __device__ unsigned local_row(int r) const {
    return (threadIdx.x - first_lane) % 32 + 32 * r;
  }
  [[nodiscard]] __device__ static float2 far_root(std::uint32_t run, std::uint64_t part, float weight,
                                                  const float2* roots) {
    const float2 root = root_near(turn(run, part), roots);
    return kEntries == Entries::weighted ? make_float2(weight * root.x, weight * root.y) : root;
  }
  __device__ void add_term(int r, float2 near, float2 far) {
    sums[r].x = fmaf(-near.y, far.y, fmaf(near.x, far.x, sums[r].x));
    sums[r].y = fmaf(near.y, far.x, fmaf(near.x, far.y, sums[r].y));
  }
  /// `staged`: shared memory of the warp, 32·kStaged, for the factors of 32 entries. `roots`: in shared
  /// memory.
  __device__ void add(const DeviceColumns& columns, const Source& source, std::int64_t begin,
                      std::int64_t end, float4* staged, const float2* roots) {
    auto* const far = reinterpret_cast<float2*>(staged);
    for (std::int64_t at = begin; at < end; at += 32) {
      const std::int64_t own = at + threadIdx.x < end ? at + threadIdx.x : at;
      const std::uint64_t part = fraction_of(row_at<kEntries>(columns, own), columns.m, columns.reciprocal);
      const float weight = weight_at<kEntries>(columns, own);
      const int count = static_cast<int>(min(static_cast<std::int64_t>(32), end - at));
      for (int first = 0; kAreRuns && first < count * kRuns; first += 32) {
        const int item = first + static_cast<int>(threadIdx.x);
        const int e = item / kRuns;
        const std::uint64_t of_entry = __shfl_sync(kEveryLane, part, e);
        const float weight_of_entry = __shfl_sync(kEveryLane, weight, e);
        const std::uint32_t run = __shfl_sync(kEveryLane, own_run, item % kRuns);
        if (e < count) far[item] = far_root(run, of_entry, weight_of_entry, roots);
      }
      __syncwarp();
#pragma unroll 1
      for (int e = 0; e < count; ++e) {
        const std::uint64_t fraction = __shfl_sync(kEveryLane, part, e);
        if constexpr (kAreRuns) {
          const float2 near = root_near(turn(threadIdx.x, fraction), roots);
          const float2* const own_far = far + e * kRuns + (threadIdx.x < first_lane ? 1 : 0);
#pragma unroll
          for (int r = 0; r < kRows; ++r) add_term(r, near, own_far[r]);
        } else {
          const float weight_of_entry = __shfl_sync(kEveryLane, weight, e);
#pragma unroll
          for (int r = 0; r < kRows; ++r) {
            const std::uint32_t row = first_row + local_row(r);
            const std::uint32_t u = source.u[row < source.count ? row : first_row];
            add_term(r, root_near(turn(u % 32, fraction), roots),
                     far_root(u / 32 * 32, fraction, weight_of_entry, roots));
          }
        }
      }
      __syncwarp();
    }
  }
  __device__ float2 sum(int r) const { return sums[r]; }
};

/// The sums of rows whose frequencies are a progression: kPairsOfLane = k pairs around one anchor, the first
/// at rows 32(k−1) and 32k.
template <Entries kEntries, int kPairsOfLane>
struct PairTerms {
  static constexpr int kPairCount = kPairsOfLane;
  static constexpr int kRows = 2 * kPairsOfLane;
  using Source = Progression;
  std::uint32_t anchor;
  static constexpr int kStaged = (kPairsOfLane + 1) / 2;  // float4 per entry that the warp shares
  static constexpr int kRoots = kNearRoots;
  float4 sums[kPairCount] = {};  // of a.x·p.x, a.y·p.y, a.x·p.y, a.y·p.x

  __device__ PairTerms(const DeviceColumns& columns, const Source& source, std::uint32_t first_row) {
    const std::uint64_t steps = std::uint64_t{first_row} + threadIdx.x + 32 * kPairCount - 16;
    anchor = static_cast<std::uint32_t>((source.first + source.step * steps) % columns.m);
  }
  __device__ void add_pair(int k, float2 a, float x, float y) {
    sums[k].x = fmaf(a.x, x, sums[k].x);
    sums[k].y = fmaf(a.y, y, sums[k].y);
    sums[k].z = fmaf(a.x, y, sums[k].z);
    sums[k].w = fmaf(a.y, x, sums[k].w);
  }
  /// `staged`: shared memory of the warp, 32·kStaged, for the table's values for 32 entries. `roots`: in
  /// shared memory.
  __device__ void add(const DeviceColumns& columns, const Source& source, std::int64_t begin,
                      std::int64_t end, float4* staged, const float2* roots) {
    for (std::int64_t at = begin; at < end; at += 32) {
      const std::int64_t own = at + threadIdx.x;
      std::uint64_t part = 0;
      float weight = 0;
      if (own < end) {
        const std::uint32_t index = row_at<kEntries>(columns, own);
        weight = weight_at<kEntries>(columns, own);
        const float4* table = source.pairs + std::size_t{index} * (kPairs / 2);
        part = source.fractions[index];
#pragma unroll
        for (int k = 0; k < kStaged; ++k) staged[threadIdx.x * kStaged + k] = table[k];
      }
      __syncwarp();
      const int count = static_cast<int>(min(static_cast<std::int64_t>(32), end - at));
#pragma unroll 1  // unrolling takes registers, which limit the number of warps
      for (int e = 0; e < count; ++e) {
        const float2 a =
            weighted<kEntries>(root_near(turn(anchor, __shfl_sync(kEveryLane, part, e)), roots), weight, e);
#pragma unroll
        for (int k = 0; k < kPairCount; k += 2) {
          const float4 two = staged[e * kStaged + k / 2];
          add_pair(k, a, two.x, two.y);
          if (k + 1 < kPairCount) add_pair(k + 1, a, two.z, two.w);
        }
      }
      __syncwarp();
    }
  }
  __device__ static unsigned local_row(int r) { return threadIdx.x + 32 * r; }
  __device__ float2 sum(int r) const {
    if (r >= kPairCount) {
      const float4 pair = sums[r - kPairCount];
      return make_float2(pair.x - pair.y, pair.z + pair.w);
    }
    const float4 pair = sums[kPairCount - 1 - r];
    return make_float2(pair.x + pair.y, pair.w - pair.z);
  }
};

/// The results of a thread block by column, padded so that reading all columns of a row causes no bank
/// conflicts. While a warp sums, its part of the array contains its staged table entries.
template <class Terms>
struct Shared {
  static constexpr int kOfWarp = 2 * 32 * Terms::kStaged + 1;
  float2 of[kColumns][32 * Terms::kRows + 1 > kOfWarp ? 32 * Terms::kRows + 1 : kOfWarp];
  float2 roots[Terms::kRoots + 1];
};
extern __shared__ float2 shared_values[];

/// Called by all threads of a block; synchronises them.
template <class Terms>
__device__ void copy_roots(const typename Terms::Source& source, unsigned threads, float2* roots) {
  if constexpr (Terms::kRoots != 0) {
    for (unsigned k = threadIdx.y * 32 + threadIdx.x; k < Terms::kRoots; k += threads)
      roots[k] = source.roots[k];
    __syncthreads();
  }
}

/// Adds the sums of a long column's pieces for this thread block's rows.
template <class Terms>
__device__ void add_pieces(const LongColumns& longs, const ColumnRange& range, std::uint32_t first_row,
                           float2* results) {
  float2 sums[Terms::kRows] = {};
#pragma unroll 2
  for (std::int64_t p = range.begin; p < -range.end; ++p) {
    const float2* part = longs.partial + p * longs.partial_stride + first_row + threadIdx.x;
#pragma unroll
    for (int r = 0; r < Terms::kRows; ++r) {
      sums[r].x += part[32 * r].x;
      sums[r].y += part[32 * r].y;
    }
  }
#pragma unroll
  for (int r = 0; r < Terms::kRows; ++r) results[threadIdx.x + 32 * r] = sums[r];
}

/// One warp per column; neighbouring columns are stored in segments of 64 bytes, empty columns as zeros. With
/// more columns the segments would be whole cache lines, but warps would wait longer for each other. Only the
/// warps of long columns wait for the kernels of the pieces.
template <class Terms>
__global__ void __launch_bounds__(32 * kColumns, 32 / kColumns)
    build_columns(DeviceColumns columns, BuildTile tile, typename Terms::Source source, LongColumns longs) {
  constexpr unsigned kBlockRows = 32 * Terms::kRows;
  auto& results = *reinterpret_cast<Shared<Terms>*>(shared_values);
  const std::uint32_t first_row = blockIdx.y * kBlockRows;
  const std::uint64_t first_column = std::uint64_t{blockIdx.x} * kColumns;
  const bool is_column = first_column + threadIdx.y < columns.n;
  const ColumnRange range = is_column ? columns.ranges[first_column + threadIdx.y] : ColumnRange{};
  copy_roots<Terms>(source, 32 * kColumns, results.roots);
  if (is_column) {
    float2* const own = results.of[threadIdx.y];
    if (range.end < 0) {
      wait_for_kernel_before();
      add_pieces<Terms>(longs, range, first_row, own);
    } else {
      Terms terms(columns, source, first_row);
      // The parts of every other column begin in the middle of a float4.
      terms.add(columns, source, range.begin, range.end, reinterpret_cast<float4*>(own + threadIdx.y % 2),
                results.roots);
#pragma unroll
      for (int r = 0; r < Terms::kRows; ++r) own[terms.local_row(r)] = terms.sum(r);
    }
  }
  __syncthreads();
  const unsigned thread = threadIdx.y * 32 + threadIdx.x;
  const unsigned column = thread % kColumns;
  const std::uint64_t j = first_column + column;
  if (j >= columns.n) return;
  const float2 factor = tile.chirp != nullptr ? tile.chirp[j] : make_float2(1.0F, 0.0F);
  for (unsigned local = thread / kColumns; local < kBlockRows; local += 32) {
    const std::uint64_t row = first_row + local;
    if (row >= tile.count) return;
    const float2 value = results.of[column][local];
    float2* const to = tile.values + row * tile.stride + j;
    *to = tile.chirp != nullptr ? product(value, factor) : value;
    if (j < tile.halo) to[columns.n] = value;
    if (j + tile.halo >= columns.n) *(to - columns.n) = value;
  }
}

/// Number of warps of a thread block of pieces, limited by the 48 KB of shared memory that a kernel may
/// declare.
template <class Terms>
constexpr unsigned kWarps = Terms::kStaged > 5 ? 8 : 16;

/// One warp sums one piece of a long column.
template <class Terms>
__global__ void __launch_bounds__(32 * kWarps<Terms>, 32 / kWarps<Terms>)
    build_pieces(DeviceColumns columns, typename Terms::Source source, LongColumns longs) {
  __shared__ float4 staged[kWarps<Terms>][32 * Terms::kStaged + 1];
  __shared__ float2 roots[Terms::kRoots + 1];
  let_next_start();
  copy_roots<Terms>(source, 32 * kWarps<Terms>, roots);
  const std::uint32_t first_row = blockIdx.y * (32 * Terms::kRows);
  const std::uint32_t p = blockIdx.x * kWarps<Terms> + threadIdx.y;
  if (p >= longs.piece_count) return;
  Terms terms(columns, source, first_row);
  terms.add(columns, source, longs.pieces[p].begin, longs.pieces[p].end, staged[threadIdx.y], roots);
  // No bounds are checked, since partial_stride is a multiple of a thread block's rows.
  float2* const part = longs.partial + p * longs.partial_stride + first_row;
#pragma unroll
  for (int r = 0; r < Terms::kRows; ++r) part[terms.local_row(r)] = terms.sum(r);
}

constexpr unsigned kJoiners = 16;  // warps that add the pieces of a hub

/// A thread block adds the pieces of a hub into the first one for 32 rows, in a fixed order.
__global__ void __launch_bounds__(32 * kJoiners) join_pieces(LongColumns longs) {
  __shared__ float2 shares[kJoiners][32];
  let_next_start();
  wait_for_kernel_before();
  const ColumnRange hub = longs.hubs[blockIdx.x];
  float2* const rows = longs.partial + blockIdx.y * 32 + threadIdx.x;
  float2 sum = make_float2(0.0F, 0.0F);
#pragma unroll 4
  for (std::int64_t p = hub.begin + threadIdx.y; p < hub.end; p += kJoiners) {
    const float2 part = rows[p * longs.partial_stride];
    sum.x += part.x;
    sum.y += part.y;
  }
  shares[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0) return;
#pragma unroll
  for (unsigned k = 1; k < kJoiners; ++k) {
    sum.x += shares[k][threadIdx.x].x;
    sum.y += shares[k][threadIdx.x].y;
  }
  rows[hub.begin * longs.partial_stride] = sum;
}

__device__ float2 root_of_double(std::uint64_t turns, std::uint64_t m) {
  double sine = 0;
  double cosine = 0;
  sincospi(2.0 * static_cast<double>(turns % m) / static_cast<double>(m), &sine, &cosine);
  return make_float2(static_cast<float>(cosine), static_cast<float>(-sine));
}

__global__ void near_roots(float2* roots) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < kNearRoots) roots[k] = root_of_double(k, kNearRoots);
}

__global__ void pair_tables(PairTables tables, std::uint64_t m, std::uint64_t reciprocal,
                            std::uint64_t step) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= m * (kPairs / 2)) return;
  const std::uint64_t i = at / (kPairs / 2);
  const std::uint64_t p = at % (kPairs / 2) * 2;
  const std::uint64_t product = step * i % m;
  const float2 first = root_of_double(16 * (2 * p + 1) * product, m);
  const float2 second = root_of_double(16 * (2 * p + 3) * product, m);
  tables.pairs[at] = make_float4(first.x, first.y, second.x, second.y);
  if (p == 0) tables.fractions[i] = fraction_of(i, m, reciprocal);
}

template <class Terms>
cudaError_t launch_columns(const DeviceColumns& columns, const BuildTile& tile,
                           const typename Terms::Source& source, const LongColumns& longs, unsigned chunks,
                           cudaStream_t stream) {
  constexpr auto kShared = static_cast<int>(sizeof(Shared<Terms>));
  const dim3 grid(static_cast<unsigned>((columns.n + kColumns - 1) / kColumns), chunks);
  if (const cudaError_t code =
          cudaFuncSetAttribute(build_columns<Terms>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
      code != cudaSuccess)
    return code;
  const dim3 threads(32, kColumns);
  if (longs.piece_count != 0)
    return launch_dependent(build_columns<Terms>, grid, threads, kShared, stream, columns, tile, source,
                            longs);
  build_columns<Terms><<<grid, threads, kShared, stream>>>(columns, tile, source, longs);
  return cudaGetLastError();
}

template <class Terms>
cudaError_t build_with(const DeviceColumns& columns, const BuildTile& tile,
                       const typename Terms::Source& source, const LongColumns& longs, cudaStream_t stream) {
  const unsigned chunks = (tile.count + 32 * Terms::kRows - 1) / (32 * Terms::kRows);
  if (longs.piece_count != 0) {
    constexpr unsigned kPieces = kWarps<Terms>;
    build_pieces<Terms>
        <<<dim3((longs.piece_count + kPieces - 1) / kPieces, chunks), dim3(32, kPieces), 0, stream>>>(
            columns, source, longs);
    if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess) return code;
  }
  if (longs.hub_count != 0) {
    const cudaError_t code = launch_dependent(join_pieces, dim3(longs.hub_count, (tile.count + 31) / 32),
                                              dim3(32, kJoiners), 0, stream, longs);
    if (code != cudaSuccess) return code;
  }
  return launch_columns<Terms>(columns, tile, source, longs, chunks, stream);
}

constexpr std::uint64_t kBusyBlocks = 528;  // enough to keep an H200 busy

/// The one of `sizes` (units of rows per lane, descending) with the least estimated time, of equal ones the
/// largest. A warp takes `fixed` + `each`·size instructions per entry.
template <std::size_t kCount>
unsigned cheapest(const unsigned (&sizes)[kCount], std::uint64_t rows_of_unit, double fixed, double each,
                  const DeviceColumns& columns, std::uint64_t rows) {
  unsigned best = sizes[0];
  double least = 0;
  for (const unsigned size : sizes) {
    const std::uint64_t chunks = (rows + rows_of_unit * size - 1) / (rows_of_unit * size);
    const std::uint64_t blocks = chunks * ((columns.n + kColumns - 1) / kColumns);
    const double filled = static_cast<double>(blocks > kBusyBlocks ? blocks : kBusyBlocks);
    const double time = (fixed + each * size) * filled;
    if (size != sizes[0] && time >= least) continue;
    best = size;
    least = time;
  }
  return best;
}

template <Entries kEntries>
cudaError_t build_paper(const DeviceColumns& columns, const BuildTile& tile, const std::uint32_t* u,
                        const LongColumns& longs, cudaStream_t stream) {
  const unsigned size = cheapest({8, 4, 1}, 32, 10, 30, columns, tile.count);
  if (size == 8) return build_with<PaperTerms<kEntries, 8>>(columns, tile, {u, tile.count}, longs, stream);
  if (size == 4) return build_with<PaperTerms<kEntries, 4>>(columns, tile, {u, tile.count}, longs, stream);
  return build_with<PaperTerms<kEntries, 1>>(columns, tile, {u, tile.count}, longs, stream);
}

template <Entries kEntries>
cudaError_t build_runs(const DeviceColumns& columns, const BuildTile& tile, const Runs& runs,
                       const LongColumns& longs, cudaStream_t stream) {
  if (!runs.are_runs) return build_with<RunTerms<kEntries, 4, false>>(columns, tile, runs, longs, stream);
  const unsigned size = cheapest({16, 4, 1}, 32, 45, 4.5, columns, tile.count);
  if (size == 16) return build_with<RunTerms<kEntries, 16, true>>(columns, tile, runs, longs, stream);
  if (size == 4) return build_with<RunTerms<kEntries, 4, true>>(columns, tile, runs, longs, stream);
  return build_with<RunTerms<kEntries, 1, true>>(columns, tile, runs, longs, stream);
}

template <Entries kEntries>
cudaError_t build_pairs(const DeviceColumns& columns, const BuildTile& tile, const Progression& progression,
                        const LongColumns& longs, cudaStream_t stream) {
  const unsigned size = cheapest({kPairs, 4, 2, 1}, 64, 45, 4.5, columns, tile.count);
  if (size == kPairs)
    return build_with<PairTerms<kEntries, kPairs>>(columns, tile, progression, longs, stream);
  if (size == 4) return build_with<PairTerms<kEntries, 4>>(columns, tile, progression, longs, stream);
  if (size == 2) return build_with<PairTerms<kEntries, 2>>(columns, tile, progression, longs, stream);
  return build_with<PairTerms<kEntries, 1>>(columns, tile, progression, longs, stream);
}

}  // namespace

cudaError_t launch_build_paper(const DeviceColumns& columns, const BuildTile& tile, const std::uint32_t* u,
                               const LongColumns& longs, cudaStream_t stream) {
  if (columns.weights != nullptr) return build_paper<Entries::weighted>(columns, tile, u, longs, stream);
  return columns.narrow ? build_paper<Entries::narrow>(columns, tile, u, longs, stream)
                        : build_paper<Entries::wide>(columns, tile, u, longs, stream);
}

cudaError_t launch_build_runs(const DeviceColumns& columns, const BuildTile& tile, const Runs& runs,
                              const LongColumns& longs, cudaStream_t stream) {
  if (columns.weights != nullptr) return build_runs<Entries::weighted>(columns, tile, runs, longs, stream);
  return columns.narrow ? build_runs<Entries::narrow>(columns, tile, runs, longs, stream)
                        : build_runs<Entries::wide>(columns, tile, runs, longs, stream);
}

cudaError_t launch_build_pairs(const DeviceColumns& columns, const BuildTile& tile,
                               const Progression& progression, const LongColumns& longs,
                               cudaStream_t stream) {
  if (columns.weights != nullptr)
    return build_pairs<Entries::weighted>(columns, tile, progression, longs, stream);
  return columns.narrow ? build_pairs<Entries::narrow>(columns, tile, progression, longs, stream)
                        : build_pairs<Entries::wide>(columns, tile, progression, longs, stream);
}

cudaError_t launch_pair_tables(const PairTables& tables, std::uint64_t m, std::uint64_t reciprocal,
                               std::uint64_t step, cudaStream_t stream) {
  return launch_threads(pair_tables, m * (kPairs / 2), stream, tables, m, reciprocal, step);
}

cudaError_t launch_near_roots(float2* roots, cudaStream_t stream) {
  return launch_threads(near_roots, kNearRoots, stream, roots);
}

}  // namespace spyctrum::cuda
