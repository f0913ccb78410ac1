// SPDX-License-Identifier: Apache-2.0
// The class of a coefficient from its frequencies, and the sums of powers by class of one warp. Near the
// edges of radial bins classes are computed in integers, those of sectors in double precision. Mirrors
// core/features/feature_bins.cpp and feature_totals.cpp.
#pragma once

#include <cfloat>

#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/reductions/warp_sums.cuh"
#include "core/device/interface/lines.hpp"
#include "core/device/interface/radial_edges.hpp"
#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

inline constexpr std::uint32_t kNoClass = 0x100;

/// Radial bin + 16·sector + 128·(r ≤ √½/8) of signed frequencies.
__device__ inline std::uint32_t class_of(int u, int v, int m, int n, const RadialEdges& edges) {
  constexpr double kMostRadius = 0.70710678118654752440;
  constexpr float kNearEdge = 2e-4F;  // bins; single precision errs by 1e-5
  const float x = static_cast<float>(v) / static_cast<float>(n);
  const float y = static_cast<float>(u) / static_cast<float>(m);
  const float bins = sqrtf(x * x + y * y) * static_cast<float>(kRadialBins / kMostRadius);
  int radial = static_cast<int>(bins);
  bool is_low = bins <= 2.0F;
  const float edge = rintf(bins);
  if (fabsf(bins - edge) < kNearEdge && edge >= 1.0F && edge < static_cast<float>(kRadialBins)) {
    const WideInteger square =
        radius_square(u, v, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n));
    radial = static_cast<int>(edge);
    if (square < edges.begin[radial]) --radial;
    is_low = square <= edges.low;
  }
  radial = min(radial, static_cast<int>(kRadialBins) - 1);
  // Rays |u|/m = |v|/n·tan((2k+1)π/16): products of integers below 2^40.
  const double rise = static_cast<double>(abs(u)) * n;
  const double run = static_cast<double>(abs(v)) * m;
  const int steps = (rise > run * 0.19891236737965800691) + (rise > run * 0.66817863791929891999) +
                    (rise > run * 1.4966057626654890176) + (rise > run * 5.0273394921258481045);
  const bool is_mirrored = (u < 0) != (v < 0) && u != 0 && v != 0;
  const int sector = is_mirrored ? (8 - steps) % 8 : steps;
  return static_cast<std::uint32_t>(radial | sector << 4 | (is_low ? 128 : 0));
}

/// The class of DFT indices. As in FrequencyClass, u = −m/2 counts as m/2, and for v = −n/2 u counts as |u|.
__device__ inline std::uint32_t class_at(std::uint32_t u, std::uint32_t v, std::uint32_t m, std::uint32_t n,
                                         const RadialEdges& edges) {
  int signed_u = u < (m + 1) / 2 ? static_cast<int>(u) : static_cast<int>(u) - static_cast<int>(m);
  const int signed_v = v < (n + 1) / 2 ? static_cast<int>(v) : static_cast<int>(v) - static_cast<int>(n);
  if (2 * signed_u == -static_cast<int>(m) || 2 * signed_v == -static_cast<int>(n)) signed_u = abs(signed_u);
  return class_of(signed_u, signed_v, static_cast<int>(m), static_cast<int>(n), edges);
}

/// Whether a power is below ¼ and below the octave of a floor.
__device__ inline bool is_below(float power, double floor) {
  const float octave = __uint_as_float(__float_as_uint(power) & 0x7F800000U);
  return power < kTinyPower && (power < FLT_MIN || static_cast<double>(octave) < floor);
}
inline constexpr double kLn2 = 0.69314718055994530942;

/// Σ P by class, of one warp. Neighbours are mostly of one class: the lanes add their powers in registers
/// until another class comes.
class ClassPowers {
 public:
  __device__ explicit ClassPowers(double* sums) : sums_(sums) {}

  /// Adds the powers of the lanes whose `counts` is true. Called by all lanes.
  __device__ void add(bool counts, std::uint32_t code, float power) {
    unsigned left = __ballot_sync(kAllLanes, counts);
    if (left == 0) return;
    const std::uint32_t first = __shfl_sync(kAllLanes, code, __ffs(static_cast<int>(left)) - 1);
    if (__ballot_sync(kAllLanes, counts && code == first) == left) {
      add_of_one_class(first, counts ? power : 0.0F);
      return;
    }
    while (left != 0) {
      const std::uint32_t shared = __shfl_sync(kAllLanes, code, __ffs(static_cast<int>(left)) - 1);
      const bool is_mine = counts && code == shared;
      const double sum = warp_sum(is_mine ? static_cast<double>(power) : 0.0);
      if (threadIdx.x % 32 == 0) add_class(shared, sum);
      left &= ~__ballot_sync(kAllLanes, is_mine);
    }
  }
  /// Adds a power of each lane; `code` is the same in all lanes. Called by all lanes.
  __device__ void add_of_one_class(std::uint32_t code, float power) {
    if (code != code_) finish();
    code_ = code;
    power_ += static_cast<double>(power);
  }
  /// Adds the powers in registers to the sums. Called by all lanes.
  __device__ void finish() {
    if (code_ != kNoClass) {
      const double sum = warp_sum(power_);
      if (threadIdx.x % 32 == 0) add_class(code_, sum);
    }
    power_ = 0;
    code_ = kNoClass;
  }

 private:
  __device__ void add_class(std::uint32_t code, double power) {
    sums_[code & 15U] += power;
    sums_[Moments::kSectorsAt + (code >> 4U & 7U)] += power;
    if ((code & 128U) != 0) sums_[Moments::kLow] += power;
  }
  double* sums_;
  std::uint32_t code_ = kNoClass;
  double power_ = 0;
};

/// The sums of one lane that do not depend on classes: kPowerFunctions, logarithms, numbers of coefficients
/// and of zeros.
class LaneSums {
 public:
  /// Adds a coefficient `times` times; its logarithm is log2 max(P, noise floor).
  __device__ void add(float power, const Floors& floors, unsigned times) {
    const float log2 = power >= FLT_MIN ? log2f(power) : 0.0F;
    add_terms(power_terms(power, log2), times);
    log_ += times * (is_below(power, floors.noise) ? floors.log2_of_noise : static_cast<double>(log2));
    count_ += times;
    if (is_below(power, floors.zero)) zeros_ += times;
  }
  /// Adds kCount coefficients, none of them tiny, `times` times each. Returns the sum of their powers.
  template <unsigned kCount>
  __device__ float add_all(const float (&power)[kCount], unsigned times) {
    float total = 0;
    PowerTerms<float> terms;
    float log = 0;
#pragma unroll
    for (unsigned k = 0; k < kCount; ++k) {
      const float log2 = log2_of(power[k]);
      total += power[k];
      terms += power_terms(power[k], log2);
      log += log2;
    }
    add_terms(terms, times);
    log_ += times * static_cast<double>(log);
    count_ += times * kCount;
    return total;
  }
  /// Adds the sums of the lanes to `sums`. Called by all lanes.
  __device__ void finish(double* sums) const {
    const PowerTerms<double> unit = power_terms(1.0, kLn2);
    for (unsigned k = 0; k < kPowerSums; ++k) add_lanes(sums[Moments::kSumsAt + k], f_.of[k], unit.of[k]);
    add_lanes(sums[Moments::kLog], log_, kLn2);
    add_lanes(sums[Moments::kCount], count_, 1);
    add_lanes(sums[Moments::kZeros], zeros_, 1);
  }

 private:
  __device__ void add_terms(const PowerTerms<float>& terms, unsigned times) {
    for (unsigned k = 0; k < kPowerSums; ++k) f_.of[k] += times * static_cast<double>(terms.of[k]);
  }
  static __device__ void add_lanes(double& sum, double of_lane, double unit) {
    const double of_warp = warp_sum(of_lane);
    if (threadIdx.x % 32 == 0) sum += of_warp * unit;
  }
  PowerTerms<double> f_;
  double log_ = 0;
  unsigned count_ = 0;
  unsigned zeros_ = 0;
};

/// All sums of one warp.
struct ClassSums {
  __device__ explicit ClassSums(double* of_warp) : sums(of_warp), powers(of_warp) {}
  /// Called by all lanes.
  __device__ void finish() {
    powers.finish();
    lanes.finish(sums);
  }
  double* sums;
  ClassPowers powers;
  LaneSums lanes;
};

}  // namespace spyctrum::cuda
