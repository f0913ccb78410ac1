// SPDX-License-Identifier: Apache-2.0
// The classes of a band's coefficients. A row of the class table is a list of runs of constant class
// (RowClassesView, made by core/features/row_classes.cpp), so that the device computes no classes. Nearly all
// groups of four rows by 128 columns belong to one class; the others are added run by run.
#pragma once

#include <cfloat>

#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/reductions/warp_sums.cuh"

namespace spyctrum::cuda {

inline constexpr unsigned kPerLane = 4;           // columns, 32 apart
inline constexpr unsigned kSpan = 32 * kPerLane;  // columns of a warp
inline constexpr unsigned kRowsAtOnce = 4;
static_assert(kReduceColumns == kWarps * kSpan && kSpan == kWarpColumns && kBandRows <= 32);
inline constexpr float kLogUnit = 1048576.0F;  // 2^20
inline constexpr unsigned kSectorsAt = kRadialBins;
inline constexpr unsigned kLowAt = kSectorsAt + 2 * kSectors;  // after the sums of transposed sectors
inline constexpr unsigned kPowerSumsAt = kLowAt + 1;
inline constexpr unsigned kLogAt = kPowerSumsAt + kPowerSums;
static_assert(kLogAt + 1 == kSlotSums);

/// |F|² of four rows at the four columns of a lane.
using Powers = float[kRowsAtOnce][kPerLane];

/// The sums of a block in shared memory.
struct BlockSums {
  double of[kWarps][kSlotSums];
  unsigned tiny_count[kTinyBins];
  unsigned long long tiny_log[kTinyBins];
  unsigned any_tiny;  ///< not 0 if a power below 1/4 was counted
};

/// Called by all threads of a block; synchronises them.
__device__ inline void clear_sums(BlockSums& block) {
  for (unsigned k = threadIdx.x; k < kWarps * kSlotSums; k += blockDim.x)
    block.of[k / kSlotSums][k % kSlotSums] = 0;
  for (unsigned k = threadIdx.x; k < kTinyBins; k += blockDim.x) {
    block.tiny_count[k] = 0;
    block.tiny_log[k] = 0;
  }
  if (threadIdx.x == 0) block.any_tiny = 0;
  __syncthreads();
}

/// Sums of features over the powers of one warp's columns; each lane holds partial sums.
class WarpSums {
 public:
  __device__ WarpSums(BlockSums& block, unsigned warp, unsigned lane, std::uint32_t weight)
      : block_(block), own_(block.of[warp]), lane_(lane), weight_(weight) {}

  /// Adds one power of each lane, all of class `code`. Called by all lanes. The sums of the last kClasses
  /// classes are held in registers.
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
  /// Adds the lane's sums of kPowerFunctions, with log2, and of log2 P.
  __device__ void add_sums(const PowerTerms<float>& f, float log) {
    for (unsigned k = 0; k < kPowerSums; ++k) f_.of[k] += static_cast<double>(f.of[k]);
    log_ += static_cast<double>(log);
  }

  /// Counts the lane's power by its exponent if `counts` and power < 1/4, with half the weight if
  /// `has_half_weight`. Called by all lanes. There is one addition of integers for each exponent that occurs,
  /// so that their order does not matter.
  __device__ void count_tiny(float power, bool counts, bool has_half_weight = false) {
    const std::uint32_t weight = has_half_weight ? weight_ / 2 : weight_;
    const bool is_tiny = counts && power < kTinyPower;
    unsigned todo = __ballot_sync(kAllLanes, is_tiny);
    if (todo == 0) return;
    const bool is_normal = power >= FLT_MIN;
    const int exponent = static_cast<int>(__float_as_uint(power) >> 23U) - 127;
    const int bin = is_normal ? -3 - exponent : static_cast<int>(kTinyBins) - 1;
    const int units = is_tiny && is_normal ? __float2int_rn(log2_of(power) * kLogUnit) : 0;
    while (todo != 0) {
      const int leader = __ffs(static_cast<int>(todo)) - 1;
      const int shared_bin = __shfl_sync(kAllLanes, bin, leader);
      const bool is_mine = is_tiny && bin == shared_bin;
      const unsigned mine = __ballot_sync(kAllLanes, is_mine);
      long long sum = is_mine ? units : 0;
      for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(kAllLanes, sum, offset);
      if (lane_ == 0) {
        atomicAdd(&block_.tiny_count[shared_bin], weight * __popc(mine));
        atomicAdd(&block_.tiny_log[shared_bin], static_cast<unsigned long long>(weight * sum));
        block_.any_tiny = 1;
      }
      todo &= ~mine;
    }
  }

  /// Adds the warp's sums to the block's. Called by all lanes.
  __device__ void finish() {
#pragma unroll
    for (unsigned k = 0; k < kClasses; ++k) end_class(k);
    for (unsigned k = 0; k < kPowerSums; ++k) finish_sum(kPowerSumsAt + k, f_.of[k]);
    finish_sum(kLogAt, log_);
  }

 private:
  static constexpr unsigned kClasses = 3;  // the most that meet where two class edges cross

  __device__ void finish_sum(unsigned place, double of_lane) {
    const double sum = weight_ * warp_sum(of_lane);
    if (lane_ == 0) own_[place] = sum;
  }
  /// Adds the sum of the class in register k to the block's sums.
  __device__ __forceinline__ void end_class(unsigned k) {
    static_assert(kTransposedSector == kSectors << kSectorShift);
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
  PowerTerms<double> f_;
  double log_ = 0;
};

/// Adds powers that all belong to class `code`. Called by all lanes.
__device__ __forceinline__ void add_uniform(WarpSums& sums, std::uint16_t code, const Powers& power) {
  float total = 0;
  PowerTerms<float> f;
  float log = 0;
  float least = power[0][0];
#pragma unroll
  for (unsigned r = 0; r < kRowsAtOnce; ++r) {
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k) {
      least = fminf(least, power[r][k]);
      const float log2 = power[r][k] >= FLT_MIN ? log2_of(power[r][k]) : 0.0F;
      total += power[r][k];
      f += power_terms(power[r][k], log2);
      log += log2;
    }
  }
  sums.add_power(code, total);
  sums.add_sums(f, log);
  if (!__any_sync(kAllLanes, least < kTinyPower)) return;
  for (unsigned r = 0; r < kRowsAtOnce; ++r)
    for (unsigned k = 0; k < kPerLane; ++k) sums.count_tiny(power[r][k], true);
}

/// Adds the block's sums to its slot, in the order of the warps. Called by all threads.
__device__ inline void add_to_slot(const BlockSums& block, const FeatureSlots& slots) {
  const std::uint64_t slot = std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x;
  for (unsigned k = threadIdx.x; k < kSlotSums; k += blockDim.x) {
    double sum = 0;
    for (unsigned w = 0; w < kWarps; ++w) sum += block.of[w][k];
    slots.sums[slot * kSlotSums + k] += sum;
  }
  if (block.any_tiny == 0) return;
  for (unsigned k = threadIdx.x; k < kTinyBins; k += blockDim.x) {
    if (block.tiny_count[k] == 0) continue;
    atomicAdd(&slots.tiny[k], block.tiny_count[k]);
    atomicAdd(&slots.tiny[kTinyBins + k], block.tiny_log[k]);
  }
}

/// Number of a row's runs that begin at or before `column`; at least one. `low` and `high` of the lanes are
/// the first columns of the runs.
__device__ inline unsigned runs_until(std::uint32_t low, std::uint32_t high, std::uint32_t column) {
  return static_cast<unsigned>(__popc(__ballot_sync(kAllLanes, low <= column)) +
                               __popc(__ballot_sync(kAllLanes, high <= column)));
}

/// The first and the last of a row's runs that contain columns of a warp.
struct RunsOfRow {
  unsigned first = 0;
  unsigned last = 0;
};

/// The runs of row r of a band, in lane r. `begins`: the runs of the band's first row. Called by all lanes.
__device__ inline RunsOfRow find_runs(const std::uint32_t* begins, unsigned rows, std::uint32_t column,
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

/// 32 consecutive runs of a row, one in each lane, which a warp reads with one load.
struct LaneRuns {
  std::uint32_t begin = kNoRun;
  std::uint16_t code = kSkippedClass;
};
inline constexpr unsigned kRunsAtOnce = 31;  // the beginning of the next run is needed as well
__device__ inline LaneRuns load_runs(const DeviceClasses& classes, std::uint64_t row, unsigned first) {
  const unsigned run = first + threadIdx.x % 32;
  if (run >= kMostRuns) return {};
  return {classes.begins[row * kMostRuns + run], classes.classes[row * kMostRuns + run]};
}

/// Adds one row's powers run by run, from run `first_run` to `last_run`. `runs`: the runs from `first_run`
/// on. Called by all lanes.
__device__ __forceinline__ void add_runs(WarpSums& sums, const float (&power)[kPerLane], std::uint64_t column,
                                         std::uint64_t width, const DeviceClasses& classes, std::uint64_t row,
                                         LaneRuns runs, unsigned first_run, unsigned last_run,
                                         const FeatureSlots& slots) {
  float log2[kPerLane];
#pragma unroll
  for (unsigned k = 0; k < kPerLane; ++k) log2[k] = power[k] >= FLT_MIN ? log2_of(power[k]) : 0.0F;
  for (unsigned run = first_run; run <= last_run; ++run) {
    const unsigned held = (run - first_run) % kRunsAtOnce;
    if (held == 0 && run != first_run) runs = load_runs(classes, row, run);
    const auto code = static_cast<std::uint16_t>(__shfl_sync(kAllLanes, runs.code, held));
    const std::uint64_t begin = __shfl_sync(kAllLanes, runs.begin, held);
    std::uint64_t end = __shfl_sync(kAllLanes, runs.begin, held + 1);
    end = end < width ? end : width;
    if (code == kSkippedClass) continue;
    const bool has_half_weight = code < kSkippedClass && (code & kHalfWeight) != 0;
    float total = 0;
    PowerTerms<float> f;
    float log = 0;
    bool is_any_tiny = false;
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k) {
      const std::uint64_t v = column + 32 * k;
      if (v < begin || v >= end) continue;
      if (code == kDcClass) *slots.dc_power = static_cast<double>(power[k]);
      total += power[k] >= FLT_MIN ? power[k] : 0.0F;
      f += power_terms(power[k], log2[k]);
      log += log2[k];
      is_any_tiny |= power[k] < kTinyPower;
    }
    if (code == kDcClass) continue;
    const float share = has_half_weight ? 0.5F : 1.0F;
    sums.add_power(static_cast<std::uint16_t>(code & ~kHalfWeight), share * total);
    for (unsigned t = 0; t < kPowerSums; ++t) f.of[t] *= share;
    sums.add_sums(f, share * log);
    if (!__any_sync(kAllLanes, is_any_tiny)) continue;
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k) {
      const std::uint64_t v = column + 32 * k;
      sums.count_tiny(power[k], begin <= v && v < end, has_half_weight);
    }
  }
}

/// The columns of a warp: at most kSpan columns, from `begin` to before `end`.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] __device__ bool is_whole() const { return begin + kSpan <= end; }
};

/// The classes of a band's rows within the columns of a warp; lane r has those of row r.
class BandClasses {
 public:
  /// `first_row`: row of the class table for the band's first row. Called by all lanes.
  __device__ __forceinline__ BandClasses(const DeviceClasses& classes, std::uint64_t first_row,
                                         const Band& band, const Span& span)
      : classes_(classes), first_row_(first_row), rows_(band.rows) {
    const unsigned lane = threadIdx.x % 32;
    const bool is_whole = span.is_whole();
    const auto last_column = static_cast<std::uint32_t>((is_whole ? span.begin + kSpan : span.end) - 1);
    own_ = find_runs(classes.begins + first_row * kMostRuns, band.rows,
                     static_cast<std::uint32_t>(span.begin), last_column);
    if (lane < band.rows && own_.first == own_.last && is_whole)
      own_class_ = classes.classes[(first_row + lane) * kMostRuns + own_.first];
  }

  /// Adds the powers of the rows first … first + 3 of the band. Called by all lanes; `column`: the lane's
  /// first.
  __device__ __forceinline__ void add(WarpSums& sums, const Powers& power, unsigned first,
                                      std::uint64_t column, std::uint64_t width,
                                      const FeatureSlots& slots) const {
    const std::uint16_t code = __shfl_sync(kAllLanes, own_class_, first);
    bool is_uniform = first + kRowsAtOnce <= rows_ && code < kSkippedClass;
#pragma unroll
    for (unsigned r = 1; r < kRowsAtOnce; ++r)
      is_uniform = __shfl_sync(kAllLanes, own_class_, (first + r) % 32) == code && is_uniform;
    if (is_uniform) {
      add_uniform(sums, code, power);
      return;
    }
    LaneRuns runs[kRowsAtOnce];
#pragma unroll
    for (unsigned r = 0; r < kRowsAtOnce; ++r) {
      const unsigned own_first = __shfl_sync(kAllLanes, own_.first, (first + r) % 32);
      if (first + r < rows_) runs[r] = load_runs(classes_, first_row_ + first + r, own_first);
    }
#pragma unroll
    for (unsigned r = 0; r < kRowsAtOnce; ++r) {
      if (first + r >= rows_) break;
      add_runs(sums, power[r], column, width, classes_, first_row_ + first + r, runs[r],
               __shfl_sync(kAllLanes, own_.first, first + r), __shfl_sync(kAllLanes, own_.last, first + r),
               slots);
    }
  }

 private:
  static constexpr std::uint16_t kSeveral = 0x800;  ///< the row has several classes within these columns
  const DeviceClasses& classes_;
  std::uint64_t first_row_;  ///< row of the class table for the band's first row
  std::uint32_t rows_;
  RunsOfRow own_;
  std::uint16_t own_class_ = kSeveral;
};

}  // namespace spyctrum::cuda
