// SPDX-License-Identifier: Apache-2.0
// Sums of features over |F|² while one block reduces a band: powers by class, Σ P·log2 P, Σ log2 P, and
// counts of powers below 1/4 by exponent. Mirrors core/features/feature_totals.cpp.
#pragma once

#include <cfloat>

#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/reductions/warp_sums.cuh"

namespace spyctrum::cuda {

inline constexpr unsigned kWarps = 8;
inline constexpr unsigned kPerLane = 4;           // columns, 32 apart
inline constexpr unsigned kSpan = 32 * kPerLane;  // columns of a warp
inline constexpr unsigned kRowsAtOnce = 4;
static_assert(kReduceColumns == kWarps * kSpan && kSpan == kWarpColumns && kBandRows <= 32);
inline constexpr float kTinyPower = 0.25F;
inline constexpr float kLogUnit = 1048576.0F;  // 2^20
inline constexpr unsigned kSectorsAt = kClassRadii;
inline constexpr unsigned kLowAt = kSectorsAt + 2 * kClassSectors;  // after the sums of transposed sectors
inline constexpr unsigned kPowerLogAt = kLowAt + 1;
inline constexpr unsigned kLogAt = kPowerLogAt + 1;
static_assert(kLogAt + 1 == kSlotSums);

/// |F|² of four rows at the four columns of a lane.
using Powers = float[kRowsAtOnce][kPerLane];

/// The sums of a block in shared memory.
struct BlockSums {
  double of[kWarps][kSlotSums];
  unsigned tiny_count[kTinyPowers];
  unsigned long long tiny_log[kTinyPowers];
  unsigned any_tiny;  ///< not 0 if a power below 1/4 was counted
};

/// Called by all threads of a block; synchronises them.
__device__ inline void clear_sums(BlockSums& block) {
  for (unsigned k = threadIdx.x; k < kWarps * kSlotSums; k += blockDim.x)
    block.of[k / kSlotSums][k % kSlotSums] = 0;
  for (unsigned k = threadIdx.x; k < kTinyPowers; k += blockDim.x) {
    block.tiny_count[k] = 0;
    block.tiny_log[k] = 0;
  }
  if (threadIdx.x == 0) block.any_tiny = 0;
  __syncthreads();
}

__device__ inline float log2_of(float power) {
  float result = 0;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(power));
  return result;
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
  /// Adds the lane's Σ P·log2 P and Σ log2 P.
  __device__ void add_logs(float power_log, float log) {
    power_log_ += static_cast<double>(power_log);
    log_ += static_cast<double>(log);
  }

  /// Counts the lane's power by its exponent where `counts` and power < 1/4, with half the weight where
  /// `has_half_weight`. Called by all lanes. The additions, one for each exponent
  /// that occurs, are of integers, so that their order does not matter.
  __device__ void count_tiny(float power, bool counts, bool has_half_weight = false) {
    const std::uint32_t weight = has_half_weight ? weight_ / 2 : weight_;
    const bool is_tiny = counts && power < kTinyPower;
    unsigned todo = __ballot_sync(kAllLanes, is_tiny);
    if (todo == 0) return;
    const bool is_normal = power >= FLT_MIN;
    const int exponent = static_cast<int>(__float_as_uint(power) >> 23U) - 127;
    const int bin = is_normal ? -3 - exponent : static_cast<int>(kTinyPowers) - 1;
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
    const double power_log = weight_ * warp_sum(power_log_);
    const double log = weight_ * warp_sum(log_);
    if (lane_ != 0) return;
    own_[kPowerLogAt] = power_log;
    own_[kLogAt] = log;
  }

 private:
  static constexpr unsigned kClasses = 3;  // the most that meet where two class edges cross

  /// Adds the sum of the class in register k to the block's sums.
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

/// Adds powers that all belong to class `code`. Called by all lanes.
__device__ __forceinline__ void add_uniform(WarpSums& sums, std::uint16_t code, const Powers& power) {
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
  for (unsigned k = threadIdx.x; k < kTinyPowers; k += blockDim.x) {
    if (block.tiny_count[k] == 0) continue;
    atomicAdd(&slots.tiny[k], block.tiny_count[k]);
    atomicAdd(&slots.tiny[kTinyPowers + k], block.tiny_log[k]);
  }
}

}  // namespace spyctrum::cuda
