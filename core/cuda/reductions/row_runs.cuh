// SPDX-License-Identifier: Apache-2.0
// The classes of a band's coefficients. A row of the class table is a list of runs of constant class
// (RowClassesView, made by core/features/row_classes.cpp), so that the device classifies nothing. Nearly all
// groups of four rows by 128 columns belong to one class; the others are added run by run.
#pragma once

#include "core/cuda/reductions/feature_sums.cuh"

namespace spyctrum::cuda {

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

/// For row r of a band, in lane r. `begins`: the runs of the band's first row. Called by all lanes.
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

/// Adds one row's powers run by run, from run `first_run` to `last_run`. `runs`: those from `first_run` on.
/// Called by all lanes.
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
    const float share = has_half_weight ? 0.5F : 1.0F;
    sums.add_power(static_cast<std::uint16_t>(code & ~kHalfWeight), share * total);
    sums.add_logs(share * power_log, share * log);
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

/// The classes of a band's rows within the columns of a warp; lane r holds those of row r.
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
