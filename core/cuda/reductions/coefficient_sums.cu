// SPDX-License-Identifier: Apache-2.0
// Sums coefficients of lines in any direction, or samples, by the classes of their frequencies. A warp adds
// 32 neighbours class by class.
#include "core/cuda/reductions/coefficient_sums.hpp"

#include "core/cuda/reductions/class_sums.cuh"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/tile_view.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kAhead = 4;  // coefficients of a lane that are loaded together

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

template <bool kSplits>
__global__ void __launch_bounds__(32 * kWarps)
    sum_coefficients(CoefficientRows rows, std::uint64_t span, Moments* slots) {
  constexpr unsigned kFields = kSplits ? 2 : 1;
  __shared__ double of[kWarps][kFields][Moments::kSize];
  for (unsigned k = threadIdx.x; k < kWarps * kFields * Moments::kSize; k += blockDim.x)
    (&of[0][0][0])[k] = 0;
  __syncthreads();
  const unsigned warp = threadIdx.x / 32;
  const LineRequest line = rows.lines[blockIdx.y];
  const float2* const row = rows.tile.values + blockIdx.y * rows.tile.stride;
  const std::uint64_t begin = blockIdx.x * span;
  const std::uint64_t end = min(begin + span, rows.width);
  const Floors floors{rows.floor, log2(rows.floor), rows.zero_floor};
  ClassSums below(of[warp][0]);
  ClassSums above(of[warp][kFields - 1]);
  // A row that is a chosen line itself is skipped as a whole.
  const bool is_row_excluded =
      rows.direction == PlaneLine::rows && (line.excluded & 1U) != 0 && holds(rows.masks.of[0], line.line);
  constexpr std::uint64_t kSpan = 32 * kAhead;
  for (std::uint64_t base = begin + kSpan * warp; base < end && !is_row_excluded; base += kSpan * kWarps) {
    // All loads are issued before any value is used.
    At at[kAhead];
    bool is_inside[kAhead];
    float2 values[kAhead];
#pragma unroll
    for (unsigned k = 0; k < kAhead; ++k) {
      const std::uint64_t t = base + 32 * k + threadIdx.x % 32;
      is_inside[k] = t < end;
      const std::uint32_t along = is_inside[k] ? (rows.along != nullptr ? rows.along[t] : t) : 0;
      at[k] = place_at(rows, line.line, along);
      values[k] = make_float2(0.0F, 0.0F);
      if (is_inside[k]) values[k] = __ldg(row + t);
    }
#pragma unroll
    for (unsigned k = 0; k < kAhead; ++k) {
      if (!__any_sync(kAllLanes, is_inside[k])) continue;
      const float power = power_of(values[k]);
      const bool counts = is_inside[k] && !is_excluded(rows, line.excluded, at[k]);
      const bool is_above = counts && line.splits && power > rows.most_power;
      const bool is_below = counts && !is_above;
      const std::uint32_t code = class_at(at[k].u, at[k].v, rows.m, rows.n, rows.edges);
      if (is_below) below.lanes.add(power, floors, 1);
      const bool has_half_weight = line.mirror_differs && 2 * at[k].u == rows.m;
      if (__any_sync(kAllLanes, has_half_weight)) {
        const std::uint32_t mirror =
            class_at(at[k].u, at[k].v == 0 ? 0 : rows.n - at[k].v, rows.m, rows.n, rows.edges);
        below.powers.add(is_below && !has_half_weight, code, power);
        below.powers.add(is_below && has_half_weight, code, power / 2);
        below.powers.add(is_below && has_half_weight, mirror, power / 2);
      } else {
        below.powers.add(is_below, code, power);
      }
      if constexpr (kSplits) {
        if (is_above) above.lanes.add(power, floors, 1);
        above.powers.add(is_above, code, power);
      }
    }
  }
  below.finish();
  if constexpr (kSplits) above.finish();
  __syncthreads();
  Moments* const slot = slots + (std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x) * kFields;
  for (unsigned k = threadIdx.x; k < kFields * Moments::kSize; k += blockDim.x) {
    double sum = 0;
    for (unsigned w = 0; w < kWarps; ++w) sum += of[w][k / Moments::kSize][k % Moments::kSize];
    slot[k / Moments::kSize].sums[k % Moments::kSize] = sum;
  }
}

/// One thread block per sum: a thread adds every 256th part, then the threads' sums are added in their order.
__global__ void add_slots(const Moments* slots, std::uint64_t parts, std::uint64_t fields, Moments* sums) {
  __shared__ double of[32 * kWarps];
  const std::uint64_t field = blockIdx.y % fields;
  const std::uint64_t first = blockIdx.y / fields * parts;
  double sum = 0;
  for (std::uint64_t part = threadIdx.x; part < parts; part += blockDim.x)
    sum += slots[(first + part) * fields + field].sums[blockIdx.x];
  of[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) of[threadIdx.x] += of[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.y].sums[blockIdx.x] = of[0];
}

}  // namespace

cudaError_t launch_sum_coefficients(const CoefficientRows& rows, std::uint64_t span, bool splits,
                                    Moments* slots, cudaStream_t stream) {
  if (rows.tile.count == 0 || rows.width == 0) return cudaSuccess;
  const dim3 grid(static_cast<unsigned>(detail::pieces(rows.width, span)), rows.tile.count);
  const auto with = [&](auto kernel) { kernel<<<grid, 32 * kWarps, 0, stream>>>(rows, span, slots); };
  if (splits)
    with(sum_coefficients<true>);
  else
    with(sum_coefficients<false>);
  return cudaGetLastError();
}

cudaError_t launch_add_slots(const Moments* slots, std::uint64_t count, std::uint64_t parts,
                             std::uint64_t fields, Moments* sums, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const unsigned threads = parts > 32 ? 256 : 32;
  return launch(add_slots, dim3(Moments::kSize, static_cast<unsigned>(count * fields)), threads, stream,
                slots, parts, fields, sums);
}

}  // namespace spyctrum::cuda
