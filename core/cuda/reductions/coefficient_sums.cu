// SPDX-License-Identifier: Apache-2.0
// Sums coefficients by the class of their frequencies. A warp takes 128 neighbours of a row: classes change
// monotonically with |v|, so that all belong to one class where the first and the last do, and four powers of
// a lane are added in single precision. Elsewhere, and where a power is tiny, a warp classifies each
// coefficient and adds 32 neighbours class by class. Near the edges of radial bins classes are decided in
// integers, near those of sectors in double precision. Mirrors core/features/feature_bins.cpp and
// feature_totals.cpp.
#include <cfloat>
#include <cmath>

#include "core/cuda/reductions/coefficient_sums.hpp"
#include "core/cuda/reductions/warp_sums.cuh"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/tile_view.cuh"
#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kWarps = 8;
constexpr unsigned kSectorsAt = kClassRadii;
constexpr unsigned kLowAt = kSectorsAt + kClassSectors;
constexpr unsigned kPowerLogAt = kLowAt + 1;
constexpr unsigned kLogAt = kLowAt + 2;
constexpr unsigned kCountAt = kLowAt + 3;
constexpr unsigned kZerosAt = kLowAt + 4;
static_assert(kZerosAt + 1 == kMomentSums);
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kMostRadius = 0.70710678118654752440;
constexpr float kTinyPower = 0.25F;
constexpr std::uint32_t kNoClass = 0x100;
constexpr unsigned kAhead = 4;  // coefficients of a lane that are loaded together

/// Radial bin + 16·sector + 128·(r ≤ √½/8) of signed frequencies.
__device__ std::uint32_t class_of(int u, int v, int m, int n, const RadialEdges& edges) {
  constexpr float kNearEdge = 2e-4F;  // bins; single precision errs by 1e-5
  const float x = static_cast<float>(v) / static_cast<float>(n);
  const float y = static_cast<float>(u) / static_cast<float>(m);
  const float bins = sqrtf(x * x + y * y) * static_cast<float>(kClassRadii / kMostRadius);
  int radial = static_cast<int>(bins);
  bool is_low = bins <= 2.0F;
  const float edge = rintf(bins);
  if (fabsf(bins - edge) < kNearEdge && edge >= 1.0F && edge < static_cast<float>(kClassRadii)) {
    const WideInteger square =
        radius_square(u, v, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n));
    radial = static_cast<int>(edge);
    if (square < edges.begin[radial]) --radial;
    is_low = square <= edges.low;
  }
  radial = min(radial, static_cast<int>(kClassRadii) - 1);
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
__device__ std::uint32_t class_at(std::uint32_t u, std::uint32_t v, std::uint32_t m, std::uint32_t n,
                                  const RadialEdges& edges) {
  int signed_u = u < (m + 1) / 2 ? static_cast<int>(u) : static_cast<int>(u) - static_cast<int>(m);
  const int signed_v = v < (n + 1) / 2 ? static_cast<int>(v) : static_cast<int>(v) - static_cast<int>(n);
  if (2 * signed_u == -static_cast<int>(m) || 2 * signed_v == -static_cast<int>(n)) signed_u = abs(signed_u);
  return class_of(signed_u, signed_v, static_cast<int>(m), static_cast<int>(n), edges);
}

struct At {
  std::uint32_t u;
  std::uint32_t v;
};
__device__ At place_at(const CoefficientRows& rows, std::uint32_t line, std::uint32_t t) {
  switch (rows.direction) {
    case PlaneLine::rows:
      return {line, t};
    case PlaneLine::columns:
      return {t, line};
    case PlaneLine::sums:
      return {t, line >= t ? line - t : line + rows.n - t};
    case PlaneLine::differences:
      return {t, t >= line ? t - line : t + rows.n - line};
  }
  return {};
}

__device__ bool holds(const std::uint8_t* mask, std::uint32_t line) {
  return mask != nullptr && mask[line] != 0;
}

__device__ bool is_excluded(const CoefficientRows& rows, unsigned directions, const At& at) {
  if ((at.u | at.v) == 0) return true;  // DC
  if ((directions & 1U) != 0 && holds(rows.masks.of[0], at.u)) return true;
  if ((directions & 2U) != 0 && holds(rows.masks.of[1], at.v)) return true;
  if ((directions & 4U) != 0 && rows.masks.of[2] != nullptr) {
    const std::uint32_t sum = at.u + at.v;
    if (rows.masks.of[2][sum >= rows.n ? sum - rows.n : sum] != 0) return true;
  }
  if ((directions & 8U) != 0 && rows.masks.of[3] != nullptr)
    return rows.masks.of[3][at.u >= at.v ? at.u - at.v : at.u + rows.n - at.v] != 0;
  return false;
}

__device__ void add_class(double* sums, std::uint32_t code, double power) {
  sums[code & 15U] += power;
  sums[kSectorsAt + (code >> 4U & 7U)] += power;
  if ((code & 128U) != 0) sums[kLowAt] += power;
}

/// Powers below which a coefficient is noise, and zero (CoefficientRows).
struct Floors {
  double noise;
  double log2_of_noise;
  double zero;
};

/// The sums of one warp: powers by class; logarithms by lane until finish() adds them.
class ClassSums {
 public:
  __device__ explicit ClassSums(double* sums) : sums_(sums) {}

  /// Adds the powers of the lanes for which `counts`. Called by all lanes.
  __device__ void add_classes(bool counts, std::uint32_t code, float power) {
    unsigned left = __ballot_sync(kAllLanes, counts);
    if (left == 0) return;
    const std::uint32_t first = __shfl_sync(kAllLanes, code, __ffs(static_cast<int>(left)) - 1);
    if (__ballot_sync(kAllLanes, counts && code == first) == left) {
      if (first != code_) finish_class();
      code_ = first;
      if (counts) power_ += static_cast<double>(power);
      return;
    }
    while (left != 0) {
      const std::uint32_t shared = __shfl_sync(kAllLanes, code, __ffs(static_cast<int>(left)) - 1);
      const bool is_mine = counts && code == shared;
      const double sum = warp_sum(is_mine ? static_cast<double>(power) : 0.0);
      if (threadIdx.x % 32 == 0) add_class(sums_, shared, sum);
      left &= ~__ballot_sync(kAllLanes, is_mine);
    }
  }
  /// Adds the lane's P·log2 P and log2 max(P, floor), `times` each, and counts zeros.
  __device__ void add_logs(float power, const Floors& floors, unsigned times) {
    const bool is_normal = power >= FLT_MIN;
    const float log2 = is_normal ? log2f(power) : 0.0F;
    power_log_ += times * static_cast<double>(power * log2);
    const float octave = __uint_as_float(__float_as_uint(power) & 0x7F800000U);
    const auto is_below = [&](double floor) {
      return power < kTinyPower && (!is_normal || static_cast<double>(octave) < floor);
    };
    log_ += times * (is_below(floors.noise) ? floors.log2_of_noise : static_cast<double>(log2));
    count_ += times;
    if (is_below(floors.zero)) zeros_ += times;
  }
  /// Adds four powers of each lane, none of them tiny, all of class `code`; each counts `times`. Returns
  /// their sum.
  __device__ float add_uniform(std::uint32_t code, const float (&power)[kAhead], unsigned times) {
    float total = 0;
    float power_log = 0;
    float log = 0;
#pragma unroll
    for (unsigned k = 0; k < kAhead; ++k) {
      const float log2 = log2f(power[k]);
      total += power[k];
      power_log += power[k] * log2;
      log += log2;
    }
    add_classes(true, code, total);
    power_log_ += times * static_cast<double>(power_log);
    log_ += times * static_cast<double>(log);
    count_ += times * kAhead;
    return total;
  }
  __device__ void finish() {
    finish_class();
    const double power_log = warp_sum(power_log_);
    const double log = warp_sum(log_);
    const double count = warp_sum(static_cast<double>(count_));
    const double zeros = warp_sum(static_cast<double>(zeros_));
    if (threadIdx.x % 32 != 0) return;
    sums_[kPowerLogAt] += power_log * kLn2;
    sums_[kLogAt] += log * kLn2;
    sums_[kCountAt] += count;
    sums_[kZerosAt] += zeros;
  }

 private:
  __device__ void finish_class() {
    if (code_ != kNoClass) {
      const double sum = warp_sum(power_);
      if (threadIdx.x % 32 == 0) add_class(sums_, code_, sum);
    }
    power_ = 0;
    code_ = kNoClass;
  }
  double* sums_;
  std::uint32_t code_ = kNoClass;
  double power_ = 0;
  double power_log_ = 0;
  double log_ = 0;
  unsigned count_ = 0;
  unsigned zeros_ = 0;
};

/// How often a coefficient of a symmetric half counts, for F[u, v] and F[v, u] together: 2 for |v| < u, 1 for
/// |v| = u, where F[v, u] is F[u, v] or its conjugate, 0 beyond.
__device__ unsigned count_in_symmetric_half(const At& at, std::uint32_t n) {
  const std::uint32_t distance = min(at.v, n - at.v);
  return distance < at.u ? 2 : distance == at.u ? 1 : 0;
}

/// The class that the 32·kAhead coefficients of a row from column `first` on share, and that of F[v, u].
struct SharedClass {
  std::uint32_t code = kNoClass;  ///< kNoClass: they may be of several classes
  std::uint32_t transposed = kNoClass;
};
/// Called by all lanes.
__device__ SharedClass shared_class(const CoefficientRows& rows, const LineRequest& line, std::uint64_t first,
                                    std::uint64_t end) {
  const std::uint64_t last = first + 32 * kAhead - 1;
  const bool has_one_sign = first > 0 && (2 * last < rows.n || 2 * first > rows.n);
  const bool is_plain = rows.direction == PlaneLine::rows && rows.along == nullptr && line.excluded == 0 &&
                        !line.splits && !(line.mirror_differs && 2 * line.line == rows.m);
  if (!is_plain || last >= end || !has_one_sign) return {};
  if (rows.symmetric_half && min(last, rows.n - first) >= line.line) return {};
  // Even lanes classify the first coefficient, odd lanes the last.
  const auto v = static_cast<std::uint32_t>(threadIdx.x % 2 == 0 ? first : last);
  const auto shared = [](std::uint32_t own) {
    const std::uint32_t other = __shfl_xor_sync(kAllLanes, own, 1);
    return own == other ? own : kNoClass;
  };
  SharedClass result;
  result.code = shared(class_at(line.line, v, rows.m, rows.n, rows.edges));
  if (!rows.symmetric_half) return result;
  result.transposed = shared(class_at(v, line.line, rows.n, rows.n, rows.edges));
  return result.transposed == kNoClass ? SharedClass() : result;
}

template <bool kSplits, bool kCorrected>
__global__ void __launch_bounds__(32 * kWarps)
    sum_coefficients(CoefficientRows rows, std::uint64_t span, MomentSums* slots) {
  constexpr unsigned kFields = kSplits ? 2 : 1;
  __shared__ double of[kWarps][kFields][kMomentSums];
  for (unsigned k = threadIdx.x; k < kWarps * kFields * kMomentSums; k += blockDim.x) (&of[0][0][0])[k] = 0;
  __syncthreads();
  const unsigned warp = threadIdx.x / 32;
  const LineRequest line = rows.lines[blockIdx.y];
  const float2* const row = rows.tile.values + blockIdx.y * rows.tile.stride;
  const std::uint64_t begin = blockIdx.x * span;
  const std::uint64_t end = min(begin + span, rows.width);
  const Floors floors{rows.floor, log2(rows.floor), rows.zero_floor};
  ClassSums below(of[warp][0]);
  ClassSums transposes(of[warp][0]);
  ClassSums above(of[warp][kFields - 1]);
  // A row that is a chosen line itself is skipped as a whole.
  const bool is_row_excluded =
      rows.direction == PlaneLine::rows && (line.excluded & 1U) != 0 && holds(rows.masks.of[0], line.line);
  constexpr std::uint64_t kSpan = 32 * kAhead;
  for (std::uint64_t base = begin + kSpan * warp; base < end && !is_row_excluded; base += kSpan * kWarps) {
    // All loads are issued before any value is used.
    At at[kAhead];
    unsigned times[kAhead];
    float2 values[kAhead];
    float gains[kAhead];
#pragma unroll
    for (unsigned k = 0; k < kAhead; ++k) {
      const std::uint64_t t = base + 32 * k + threadIdx.x % 32;
      const bool is_inside = t < end;
      const std::uint32_t along = is_inside ? (rows.along != nullptr ? rows.along[t] : t) : 0;
      at[k] = place_at(rows, line.line, along);
      times[k] = !is_inside ? 0 : rows.symmetric_half ? count_in_symmetric_half(at[k], rows.n) : 1;
      values[k] = make_float2(0.0F, 0.0F);
      gains[k] = 1.0F;
      if (times[k] == 0) continue;
      values[k] = __ldg(row + (kCorrected ? place_of(rows.tile, t) : t));
      if (kCorrected) gains[k] = gain_of<kCorrected>(rows.tile, t);
    }
    const SharedClass shared = shared_class(rows, line, base, end);
    if (shared.code != kNoClass) {
      float power[kAhead];
      float least = FLT_MAX;
#pragma unroll
      for (unsigned k = 0; k < kAhead; ++k) {
        power[k] = power_of(values[k]) * gains[k];
        least = fminf(least, power[k]);
      }
      if (!__any_sync(kAllLanes, !(least >= kTinyPower))) {
        const float total = below.add_uniform(shared.code, power, rows.symmetric_half ? 2 : 1);
        if (rows.symmetric_half) transposes.add_classes(true, shared.transposed, total);
        continue;
      }
    }
#pragma unroll
    for (unsigned k = 0; k < kAhead; ++k) {
      if (!__any_sync(kAllLanes, times[k] != 0)) continue;
      const float power = power_of(values[k]) * gains[k];
      const bool counts = times[k] != 0 && !is_excluded(rows, line.excluded, at[k]);
      const bool is_above = counts && line.splits && power > rows.most_power;
      const bool is_below = counts && !is_above;
      const std::uint32_t code = class_at(at[k].u, at[k].v, rows.m, rows.n, rows.edges);
      if (is_below) below.add_logs(power, floors, times[k]);
      const bool has_half_weight = line.mirror_differs && 2 * at[k].u == rows.m;
      if (__any_sync(kAllLanes, has_half_weight)) {
        const std::uint32_t mirror =
            class_at(at[k].u, at[k].v == 0 ? 0 : rows.n - at[k].v, rows.m, rows.n, rows.edges);
        below.add_classes(is_below && !has_half_weight, code, power);
        below.add_classes(is_below && has_half_weight, code, power / 2);
        below.add_classes(is_below && has_half_weight, mirror, power / 2);
      } else {
        below.add_classes(is_below, code, power);
        if (rows.symmetric_half)
          transposes.add_classes(is_below && times[k] == 2,
                                 class_at(at[k].v, at[k].u, rows.n, rows.n, rows.edges), power);
      }
      if constexpr (kSplits) {
        if (is_above) above.add_logs(power, floors, times[k]);
        above.add_classes(is_above, code, power);
      }
    }
  }
  below.finish();
  transposes.finish();
  if constexpr (kSplits) above.finish();
  __syncthreads();
  MomentSums* const slot = slots + (std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x) * kFields;
  for (unsigned k = threadIdx.x; k < kFields * kMomentSums; k += blockDim.x) {
    double sum = 0;
    for (unsigned w = 0; w < kWarps; ++w) sum += of[w][k / kMomentSums][k % kMomentSums];
    slot[k / kMomentSums].of[k % kMomentSums] = sum;
  }
}

/// One thread block per sum: a thread adds every 256th part, then the threads' sums are added in their order.
__global__ void add_slots(const MomentSums* slots, std::uint64_t parts, std::uint64_t fields,
                          MomentSums* sums) {
  __shared__ double of[32 * kWarps];
  const std::uint64_t field = blockIdx.y % fields;
  const std::uint64_t first = blockIdx.y / fields * parts;
  double sum = 0;
  for (std::uint64_t part = threadIdx.x; part < parts; part += blockDim.x)
    sum += slots[(first + part) * fields + field].of[blockIdx.x];
  of[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) of[threadIdx.x] += of[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.y].of[blockIdx.x] = of[0];
}

}  // namespace

cudaError_t launch_sum_coefficients(const CoefficientRows& rows, std::uint64_t span, bool splits,
                                    MomentSums* slots, cudaStream_t stream) {
  if (rows.tile.count == 0 || rows.width == 0) return cudaSuccess;
  const dim3 grid(static_cast<unsigned>(detail::pieces(rows.width, span)), rows.tile.count);
  const auto with = [&](auto kernel) { kernel<<<grid, 32 * kWarps, 0, stream>>>(rows, span, slots); };
  if (splits)
    with(sum_coefficients<true, false>);
  else if (rows.tile.correction != nullptr)
    with(sum_coefficients<false, true>);
  else
    with(sum_coefficients<false, false>);
  return cudaGetLastError();
}

cudaError_t launch_add_slots(const MomentSums* slots, std::uint64_t count, std::uint64_t parts,
                             std::uint64_t fields, MomentSums* sums, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const unsigned threads = parts > 32 ? 256 : 32;
  return launch(add_slots, dim3(kMomentSums, static_cast<unsigned>(count * fields)), threads, stream, slots,
                parts, fields, sums);
}

}  // namespace spyctrum::cuda
