// SPDX-License-Identifier: Apache-2.0
// One pass over a tile for everything that is summed of |F|²: a warp walks down 128 columns of a band. Four
// rows at a time of one class, as nearly all are, add sixteen powers and their logarithms in single
// precision, then in double; where a class ends inside, run by run. Classes come from a table
// (core/features/row_classes.hpp), so that nothing is classified here. Mirrors core/spectrum/feature_totals.
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/reductions/tile_value.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kWarps = 8;
constexpr unsigned kPerLane = 4;           // columns, 32 apart
constexpr unsigned kSpan = 32 * kPerLane;  // columns of a warp
constexpr unsigned kRowsAtOnce = 4;
static_assert(kReduceColumns == kWarps * kSpan && kSpan == kWarpColumns && kBandRows <= 32);
constexpr float kTinyPower = 0.25F;
constexpr float kLogUnit = 1048576.0F;  // 2^20
constexpr std::uint16_t kMixed = 0x800;
constexpr unsigned kAll = 0xFFFFFFFFU;
constexpr unsigned kSectorsAt = kClassRadii;
constexpr unsigned kLowAt = kSectorsAt + 2 * kClassSectors;  // after the turned ones
constexpr unsigned kPowerLogAt = kLowAt + 1;
constexpr unsigned kLogAt = kPowerLogAt + 1;
static_assert(kLogAt + 1 == kSlotSums);

struct BlockSums {
  double of[kWarps][kSlotSums];
  unsigned tiny_count[kTinyPowers];
  unsigned long long tiny_log[kTinyPowers];
  unsigned any_tiny;
};

__device__ float log2_of(float power) {
  float result = 0;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(power));
  return result;
}

__device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(kAll, value, offset);
  return value;
}

/// How many of a row's runs, which the lanes hold, begin at or before `column`; at least one.
__device__ unsigned runs_until(std::uint32_t low, std::uint32_t high, std::uint32_t column) {
  return static_cast<unsigned>(__popc(__ballot_sync(kAll, low <= column)) +
                               __popc(__ballot_sync(kAll, high <= column)));
}

/// Of a lane's own row of a band: the first and last run within the warp's columns.
struct RunsOfRow {
  unsigned first = 0;
  unsigned last = 0;
};

/// Lane r learns of row r. `begins`: of the band's first row; all lanes call.
__device__ RunsOfRow find_runs(const std::uint32_t* begins, unsigned rows, std::uint32_t column,
                               std::uint32_t last_column) {
  static_assert(kMostRuns > 32 && kMostRuns <= 64);
  const unsigned lane = threadIdx.x % 32;
  RunsOfRow own;
#pragma unroll 4
  for (unsigned r = 0; r < rows; ++r) {
    const std::uint32_t* row = begins + r * kMostRuns;
    const std::uint32_t low = row[lane];
    const std::uint32_t high = lane < kMostRuns - 32 ? row[32 + lane] : kNoRun;
    const unsigned first = runs_until(low, high, column) - 1;
    const unsigned last = runs_until(low, high, last_column) - 1;
    if (lane == r) own = {first, last};
  }
  return own;
}

/// Sums of one lane, and what the warp shares.
class Sums {
 public:
  __device__ Sums(BlockSums& block, unsigned warp, unsigned lane, std::uint32_t weight)
      : block_(block), own_(block.of[warp]), lane_(lane), weight_(weight) {}

  /// The lanes' powers of one class; all lanes call. Sums of the classes met last are kept.
  __device__ __forceinline__ void add_power(std::uint16_t code, float power) {
    bool is_known = false;
#pragma unroll
    for (unsigned k = 0; k < kClasses; ++k) {
      const bool is_this = code == codes_[k];
      powers_[k] += is_this ? static_cast<double>(power) : 0.0;
      is_known |= is_this;
    }
    if (is_known) return;
    end_class(kClasses - 1);
#pragma unroll
    for (unsigned k = kClasses - 1; k > 0; --k) {
      codes_[k] = codes_[k - 1];
      powers_[k] = powers_[k - 1];
    }
    codes_[0] = code;
    powers_[0] = static_cast<double>(power);
  }
  __device__ void add_logs(float power_log, float log) {
    power_log_ += static_cast<double>(power_log);
    log_ += static_cast<double>(log);
  }

  /// Counts a power by its exponent where it is tiny, half as often where it is halved; all lanes call. One
  /// addition for each bin that the warp met, integers, so that the order does not matter.
  __device__ void count_tiny(float power, bool counts, bool is_halved = false) {
    const std::uint32_t weight = is_halved ? weight_ / 2 : weight_;
    const bool is_tiny = counts && power < kTinyPower;
    unsigned todo = __ballot_sync(kAll, is_tiny);
    if (todo == 0) return;
    const bool is_normal = power >= FLT_MIN;
    const int exponent = static_cast<int>(__float_as_uint(power) >> 23U) - 127;
    const int bin = is_normal ? -3 - exponent : static_cast<int>(kTinyPowers) - 1;
    const int units = is_tiny && is_normal ? __float2int_rn(log2_of(power) * kLogUnit) : 0;
    while (todo != 0) {
      const int leader = __ffs(static_cast<int>(todo)) - 1;
      const int shared_bin = __shfl_sync(kAll, bin, leader);
      const bool is_mine = is_tiny && bin == shared_bin;
      const unsigned mine = __ballot_sync(kAll, is_mine);
      long long sum = is_mine ? units : 0;
      for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(kAll, sum, offset);
      if (lane_ == 0) {
        atomicAdd(&block_.tiny_count[shared_bin], weight * __popc(mine));
        atomicAdd(&block_.tiny_log[shared_bin], static_cast<unsigned long long>(weight * sum));
        block_.any_tiny = 1;
      }
      todo &= ~mine;
    }
  }

  __device__ void finish() {
#pragma unroll
    for (unsigned k = 0; k < kClasses; ++k) end_class(k);
    const double power_log = weight_ * warp_sum(power_log_);
    const double log = weight_ * warp_sum(log_);
    if (lane_ != 0) return;
    own_[kPowerLogAt] = power_log;
    own_[kLogAt] = log;
  }

 private:
  static constexpr unsigned kClasses = 3;  // neighbours where two edges cross

  __device__ __forceinline__ void end_class(unsigned k) {
    static_assert(kTransposedSector == kClassSectors << kSectorShift);
    if (codes_[k] >= kSkippedClass) return;
    const double sum = weight_ * warp_sum(powers_[k]);
    if (lane_ != 0) return;
    own_[codes_[k] & 15U] += sum;
    own_[kSectorsAt + (codes_[k] >> kSectorShift & 15U)] += sum;
    if ((codes_[k] & kLowClass) != 0) own_[kLowAt] += sum;
  }

  BlockSums& block_;
  double* own_;
  unsigned lane_;
  std::uint32_t weight_;
  std::uint16_t codes_[kClasses] = {kSkippedClass, kSkippedClass, kSkippedClass};
  double powers_[kClasses] = {};
  double power_log_ = 0;
  double log_ = 0;
};

/// Sixteen powers of one class.
__device__ __forceinline__ void add_uniform(Sums& sums, std::uint16_t code,
                                            const float (&power)[kRowsAtOnce][kPerLane]) {
  float total = 0;
  float power_log = 0;
  float log = 0;
  float least = power[0][0];
#pragma unroll
  for (unsigned r = 0; r < kRowsAtOnce; ++r) {
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k) {
      least = fminf(least, power[r][k]);
      const float log2 = power[r][k] >= FLT_MIN ? log2_of(power[r][k]) : 0.0F;
      total += power[r][k];
      power_log += power[r][k] * log2;
      log += log2;
    }
  }
  sums.add_power(code, total);
  sums.add_logs(power_log, log);
  if (!__any_sync(kAll, least < kTinyPower)) return;
  for (unsigned r = 0; r < kRowsAtOnce; ++r)
    for (unsigned k = 0; k < kPerLane; ++k) sums.count_tiny(power[r][k], true);
}

/// Runs of a row as the lanes hold them, from one on: a load instead of one for each.
struct LaneRuns {
  std::uint32_t begin = kNoRun;
  std::uint16_t code = kSkippedClass;
};
constexpr unsigned kRunsAtOnce = 31;  // the next one's beginning is held as well
__device__ LaneRuns load_runs(const DeviceClasses& classes, std::uint64_t row, unsigned first) {
  const unsigned run = first + threadIdx.x % 32;
  if (run >= kMostRuns) return {};
  return {classes.begins[row * kMostRuns + run], classes.classes[row * kMostRuns + run]};
}

/// One row's powers, run by run. `last_run`: the last that begins within these columns; `runs`: from
/// `first_run` on.
__device__ __forceinline__ void add_runs(Sums& sums, const float (&power)[kPerLane], std::uint64_t column,
                                         std::uint64_t width, const DeviceClasses& classes, std::uint64_t row,
                                         LaneRuns runs, unsigned first_run, unsigned last_run,
                                         const FeatureSlots& slots) {
  float log2[kPerLane];
#pragma unroll
  for (unsigned k = 0; k < kPerLane; ++k) log2[k] = power[k] >= FLT_MIN ? log2_of(power[k]) : 0.0F;
  for (unsigned run = first_run; run <= last_run; ++run) {
    const unsigned held = (run - first_run) % kRunsAtOnce;
    if (held == 0 && run != first_run) runs = load_runs(classes, row, run);
    const auto code = static_cast<std::uint16_t>(__shfl_sync(kAll, runs.code, held));
    const std::uint64_t begin = __shfl_sync(kAll, runs.begin, held);
    std::uint64_t end = __shfl_sync(kAll, runs.begin, held + 1);
    end = end < width ? end : width;
    if (code == kSkippedClass) continue;
    const bool is_halved = code < kSkippedClass && (code & kHalfWeight) != 0;
    float total = 0;
    float power_log = 0;
    float log = 0;
    bool is_any_tiny = false;
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k) {
      const std::uint64_t v = column + 32 * k;
      if (v < begin || v >= end) continue;
      if (code == kDcClass) *slots.dc_power = static_cast<double>(power[k]);
      total += power[k] >= FLT_MIN ? power[k] : 0.0F;
      power_log += power[k] * log2[k];
      log += log2[k];
      is_any_tiny |= power[k] < kTinyPower;
    }
    if (code == kDcClass) continue;
    const float share = is_halved ? 0.5F : 1.0F;
    sums.add_power(static_cast<std::uint16_t>(code & ~kHalfWeight), share * total);
    sums.add_logs(share * power_log, share * log);
    if (!__any_sync(kAll, is_any_tiny)) continue;
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k) {
      const std::uint64_t v = column + 32 * k;
      sums.count_tiny(power[k], begin <= v && v < end, is_halved);
    }
  }
}

/// The columns of a warp: kSpan of them from `begin` on, but only those before `end`.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
/// Span number `index` of rows of `width` coefficients; of symmetric_half first those of v = 0 … reach, then those of
/// v = −reach … −1.
template <bool kSymmetricHalf>
__device__ Span span_at(std::uint64_t index, std::uint64_t width, const Bands& bands) {
  if (!kSymmetricHalf) return {index * kSpan, width};
  const std::uint64_t reach = bands.reach;
  const std::uint64_t positive = min(reach + 1, (width + 1) / 2);
  const std::uint64_t spans = (positive + kSpan - 1) / kSpan;
  if (index < spans) return {index * kSpan, positive};
  return {width - reach + (index - spans) * kSpan, width};
}

/// The share of a row's power at v that belongs to its symmetric_half |v| ≤ u.
__device__ float symmetric_half_share(std::uint64_t v, std::uint64_t width, std::uint64_t u) {
  const std::uint64_t distance = v < width - v ? v : width - v;
  return distance < u ? 1.0F : distance == u ? 0.5F : 0.0F;
}

template <bool kCorrected, bool kFeatures, bool kColumns, bool kSymmetricHalf>
__device__ void walk(const TileView& tile, std::uint64_t first_row, std::uint64_t width, const Band& band,
                     const Span& span, const DeviceClasses& classes, Sums& sums, const FeatureSlots& slots,
                     float2* column_sums) {
  const unsigned lane = threadIdx.x % 32;
  const bool is_whole = span.begin + kSpan <= span.end;
  const std::uint64_t column = span.begin + lane;
  // What lane r knows of row r.
  RunsOfRow own;
  std::uint16_t own_class = kMixed;
  const std::uint64_t table_row = first_row + band.first;
  if constexpr (kFeatures) {
    const auto last_column = static_cast<std::uint32_t>((is_whole ? span.begin + kSpan : span.end) - 1);
    own = find_runs(classes.begins + table_row * kMostRuns, band.rows, static_cast<std::uint32_t>(span.begin),
                    last_column);
    if (lane < band.rows && own.first == own.last && is_whole)
      own_class = classes.classes[(table_row + lane) * kMostRuns + own.first];
  }
  const float2* rows = tile.values + band.first * tile.stride;
  std::uint64_t cell[kPerLane] = {};
  float gain[kPerLane] = {};
#pragma unroll
  for (unsigned k = 0; k < kPerLane; ++k) {
    if (!kCorrected || (!is_whole && column + 32 * k >= span.end)) continue;
    cell[k] = place_of(tile, column + 32 * k);
    gain[k] = gain_of<kCorrected>(tile, column + 32 * k);
  }
  float total[kPerLane] = {};
  float most[kPerLane] = {};
  for (unsigned first = 0; first < band.rows; first += kRowsAtOnce) {
    // All of them are fetched before any is used.
    float2 values[kRowsAtOnce][kPerLane];
    if (is_whole && first + kRowsAtOnce <= band.rows) {
#pragma unroll
      for (unsigned r = 0; r < kRowsAtOnce; ++r) {
        const float2* const row = rows + (first + r) * tile.stride;
#pragma unroll
        for (unsigned k = 0; k < kPerLane; ++k)
          values[r][k] = __ldg(row + (kCorrected ? cell[k] : column + 32 * k));
      }
    } else {
#pragma unroll
      for (unsigned r = 0; r < kRowsAtOnce; ++r) {
        const float2* const row = rows + (first + r) * tile.stride;
#pragma unroll
        for (unsigned k = 0; k < kPerLane; ++k) {
          const bool is_there = first + r < band.rows && (is_whole || column + 32 * k < span.end);
          values[r][k] = make_float2(0.0F, 0.0F);
          if (is_there) values[r][k] = __ldg(row + (kCorrected ? cell[k] : column + 32 * k));
        }
      }
    }
    float power[kRowsAtOnce][kPerLane];
#pragma unroll
    for (unsigned r = 0; r < kRowsAtOnce; ++r) {
#pragma unroll
      for (unsigned k = 0; k < kPerLane; ++k)
        power[r][k] = power_of(values[r][k]) * (kCorrected ? gain[k] : 1.0F);
    }
    if constexpr (kColumns) {
#pragma unroll
      for (unsigned r = 0; r < kRowsAtOnce; ++r) {
#pragma unroll
        for (unsigned k = 0; k < kPerLane; ++k) {
          if constexpr (kSymmetricHalf) {
            const float share = symmetric_half_share(column + 32 * k, width, band.u + first + r);
            const float inside = share != 0 ? power[r][k] : 0.0F;  // beyond there may be anything
            total[k] += share * inside;
            most[k] = fmaxf(most[k], inside);
          } else {
            total[k] += power[r][k];
            most[k] = fmaxf(most[k], power[r][k]);
          }
        }
      }
    }
    if constexpr (kFeatures) {
      const std::uint16_t code = __shfl_sync(kAll, own_class, first);
      bool is_uniform = first + kRowsAtOnce <= band.rows && code < kSkippedClass;
#pragma unroll
      for (unsigned r = 1; r < kRowsAtOnce; ++r)
        is_uniform = __shfl_sync(kAll, own_class, (first + r) % 32) == code && is_uniform;
      if (is_uniform) {
        add_uniform(sums, code, power);
        continue;
      }
      LaneRuns runs[kRowsAtOnce];
#pragma unroll
      for (unsigned r = 0; r < kRowsAtOnce; ++r) {
        const unsigned own_first = __shfl_sync(kAll, own.first, (first + r) % 32);
        if (first + r < band.rows) runs[r] = load_runs(classes, table_row + first + r, own_first);
      }
#pragma unroll
      for (unsigned r = 0; r < kRowsAtOnce; ++r) {
        if (first + r >= band.rows) break;
        add_runs(sums, power[r], column, width, classes, table_row + first + r, runs[r],
                 __shfl_sync(kAll, own.first, first + r), __shfl_sync(kAll, own.last, first + r), slots);
      }
    }
  }
  if constexpr (kColumns) {
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k)
      if (column + 32 * k < span.end) column_sums[column + 32 * k] = make_float2(total[k], most[k]);
  }
}

/// The block's sums into its slot, warp by warp in their order.
__device__ void add_to_slot(const BlockSums& block, const FeatureSlots& slots) {
  const std::uint64_t slot = std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x;
  for (unsigned k = threadIdx.x; k < kSlotSums; k += blockDim.x) {
    double sum = 0;
    for (unsigned w = 0; w < kWarps; ++w) sum += block.of[w][k];
    slots.sums[slot * kSlotSums + k] += sum;
  }
  if (block.any_tiny == 0) return;
  for (unsigned k = threadIdx.x; k < kTinyPowers; k += blockDim.x) {
    if (block.tiny_count[k] == 0) continue;
    atomicAdd(&slots.tiny[k], block.tiny_count[k]);
    atomicAdd(&slots.tiny[kTinyPowers + k], block.tiny_log[k]);
  }
}

template <bool kCorrected, bool kFeatures, bool kColumns, bool kSymmetricHalf>
__global__ void __launch_bounds__(32 * kWarps, 2)
    reduce_bands(TileView tile, std::uint64_t first_row, std::uint64_t width, Bands bands,
                 DeviceClasses classes, FeatureSlots slots, ColumnSums columns) {
  __shared__ BlockSums block;
  if constexpr (kFeatures) {
    for (unsigned k = threadIdx.x; k < kWarps * kSlotSums; k += blockDim.x)
      block.of[k / kSlotSums][k % kSlotSums] = 0;
    for (unsigned k = threadIdx.x; k < kTinyPowers; k += blockDim.x) {
      block.tiny_count[k] = 0;
      block.tiny_log[k] = 0;
    }
    if (threadIdx.x == 0) block.any_tiny = 0;
    __syncthreads();
  }
  const Band band = bands.band[blockIdx.y];
  const unsigned warp = threadIdx.x / 32;
  const Span span = span_at<kSymmetricHalf>(std::uint64_t{blockIdx.x} * kWarps + warp, width, bands);
  if (span.begin < span.end) {
    Sums sums(block, warp, threadIdx.x % 32, band.weight);
    float2* const column_sums = kColumns ? columns.values + blockIdx.y * width : nullptr;
    walk<kCorrected, kFeatures, kColumns, kSymmetricHalf>(tile, first_row, width, band, span, classes, sums, slots,
                                                   column_sums);
    if constexpr (kFeatures) sums.finish();
  }
  if constexpr (kFeatures) {
    __syncthreads();
    add_to_slot(block, slots);
  }
}

template <bool kCorrected, bool kSymmetricHalf>
void launch(const TileView& tile, std::uint64_t first_row, std::uint64_t width, const Bands& bands,
            const DeviceClasses& classes, const FeatureSlots& slots, const ColumnSums& columns,
            cudaStream_t stream) {
  const std::uint64_t wanted = std::min(width, std::uint64_t{2} * bands.reach + 1);
  const auto blocks = kSymmetricHalf ? feature_blocks(wanted) : detail::pieces(width, kReduceColumns);
  const dim3 grid(static_cast<unsigned>(blocks), bands.count);
  const auto with = [&](auto kernel) {
    kernel<<<grid, 32 * kWarps, 0, stream>>>(tile, first_row, width, bands, classes, slots, columns);
  };
  if (columns.values == nullptr)
    with(reduce_bands<kCorrected, true, false, kSymmetricHalf>);
  else if (classes.begins == nullptr)
    with(reduce_bands<kCorrected, false, true, kSymmetricHalf>);
  else
    with(reduce_bands<kCorrected, true, true, kSymmetricHalf>);
}

}  // namespace

cudaError_t launch_reduce_bands(const TileView& tile, std::uint64_t first_row, std::uint64_t width,
                                const Bands& bands, const DeviceClasses& classes, const FeatureSlots& slots,
                                const ColumnSums& columns, cudaStream_t stream) {
  if (bands.count == 0 || width == 0) return cudaSuccess;
  const auto with = [&](auto launch_one) {
    launch_one(tile, first_row, width, bands, classes, slots, columns, stream);
  };
  if (tile.correction != nullptr)
    with(bands.symmetric_half ? launch<true, true> : launch<true, false>);
  else
    with(bands.symmetric_half ? launch<false, true> : launch<false, false>);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
