// SPDX-License-Identifier: Apache-2.0
// A thread sums the values of one cell (of two neighbouring cells if rows are transformed in parts) for
// several rows, so that the weights are read once. Mirrors core/fft/resampled_row.cpp.
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/resampling.hpp"

#include "core/cuda/pattern/phase.cuh"

namespace spyctrum::cuda {

namespace {

constexpr std::uint32_t kResampledRows = 32;  // most rows per thread
constexpr std::uint32_t kManyTaps = 12;

/// One thread for each cell. Value j is at j·cells/n; the first value within taps/2 of cell c is the first j
/// with (2c − taps)·n < 2·cells·j. `values`: largest number per cell.
__global__ void resampling_cells(RowTransformPlan plan, std::uint32_t values, std::int64_t n,
                                 std::uint32_t* first, float* weights) {
  const std::int64_t c = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto cells = static_cast<std::int64_t>(plan.cells);
  if (c >= cells) return;
  const std::int64_t left = (2 * c - static_cast<std::int64_t>(plan.taps)) * n;
  const std::int64_t below = left >= 0 ? left / (2 * cells) : -((-left + 2 * cells - 1) / (2 * cells));
  const std::int64_t begin = below + 1;
  first[c] = static_cast<std::uint32_t>((begin + n) % n);
  for (std::uint32_t t = 0; t < values; ++t) {
    const auto distance = static_cast<double>(c * n - (begin + t) * cells) / static_cast<double>(n);
    const double x = 2 * distance / plan.taps;
    const double inside = 1 - x * x;
    weights[std::uint64_t{t} * plan.cells + c] =
        inside > 0 ? static_cast<float>(exp(plan.beta * (sqrt(inside) - 1))) : 0.0F;
  }
}

/// One thread for each |v| ≤ half_width.
__global__ void resampling_corrections(RowTransformPlan plan, std::uint64_t n, float* correction) {
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v > plan.half_width) return;
  const double angle = 2.0 * static_cast<double>(v) / static_cast<double>(plan.cells);
  double sum = 0;
  for (std::uint32_t k = 0; k < plan.nodes; ++k) sum += plan.values[k] * cospi(angle * plan.places[k]);
  const auto gain = static_cast<float>(1 / sum);
  if (2 * v < n) correction[v] = gain;
  if (v != 0) correction[n - v] = gain;
}

/// Calls visit(t, row[first + t]) for t < 2·pairs, `first` even, with one load for two values: half the
/// loads, each of the same number of cache lines.
template <class Visit>
__device__ __forceinline__ void each_value(const float2* __restrict__ row, std::uint32_t first, int pairs,
                                           Visit visit) {
  const auto* values = reinterpret_cast<const float4*>(row + first);
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    const float4 two = __ldg(values + p);
    visit(2 * p, make_float2(two.x, two.y));
    visit(2 * p + 1, make_float2(two.z, two.w));
  }
}
/// each_value() with indices modulo n.
template <class Visit>
__device__ __forceinline__ void each_wrapped(const float2* __restrict__ row, std::uint32_t first,
                                             std::uint32_t n, int pairs, Visit visit) {
#pragma unroll
  for (int t = 0; t < 2 * pairs; ++t) visit(t, __ldg(row + (first + t) % n));
}
/// The first value to load for a cell whose values begin at `first`.
template <bool kWraps>
__device__ std::uint32_t even_place(std::uint32_t first) {
  return kWraps ? first : first & ~1U;
}

/// One cell of a row from its values; a thread computes it for several rows.
template <int kTaps, bool kWraps>
class Cell {
 public:
  __device__ Cell(const Resampling& to, std::uint64_t cell)
      : first_(even_place<kWraps>(to.first[cell])), n_(static_cast<std::uint32_t>(to.n)) {
    const int skipped = static_cast<int>(to.first[cell] - first_);
#pragma unroll
    for (int t = 0; t < 2 * kPairs; ++t) {
      const int tap = t - skipped;
      weights_[t] = tap >= 0 && tap < static_cast<int>(to.taps) ? to.weights[tap * to.fine + cell] : 0.0F;
    }
  }
  __device__ float2 of(const float2* __restrict__ row) const {
    float2 sum = make_float2(0.0F, 0.0F);
    const auto visit = [&](int t, float2 value) { add_scaled(sum, weights_[t], value); };
    if constexpr (kWraps)
      each_wrapped(row, first_, n_, kPairs, visit);
    else
      each_value(row, first_, kPairs, visit);
    return sum;
  }

 private:
  static constexpr int kPairs = kTaps / 2 + 1;
  std::uint32_t first_;
  std::uint32_t n_;
  float weights_[2 * kPairs];
};

/// True if any thread of the block reads past the end of a row. Called by all threads.
template <int kValues>
__device__ bool block_wraps(const Resampling& to, std::uint64_t cell, bool is_there) {
  return __syncthreads_or(static_cast<int>(is_there && to.first[cell] + kValues > to.n)) != 0;
}

template <int kTaps, bool kWraps>
__device__ void resample_cell(const float2* __restrict__ rows, const Resampling& to, std::uint32_t begin,
                              std::uint32_t end, std::uint64_t k, float2* __restrict__ fine) {
  const Cell<kTaps, kWraps> cell(to, k);
#pragma unroll 2
  for (std::uint32_t r = begin; r < end; ++r) fine[r * to.fine + k] = cell.of(rows + r * to.stride);
}

template <int kTaps>
__global__ void __launch_bounds__(256)
    resample(const float2* __restrict__ rows, Resampling to, std::uint32_t share, std::uint32_t count,
             float2* __restrict__ fine) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const bool wraps = block_wraps<kTaps + 2>(to, k, k < to.fine);
  if (k >= to.fine) return;
  const std::uint32_t begin = blockIdx.y * share;
  const std::uint32_t end = min(begin + share, count);
  if (wraps)
    resample_cell<kTaps, true>(rows, to, begin, end, k, fine);
  else
    resample_cell<kTaps, false>(rows, to, begin, end, k, fine);
}

/// Two neighbouring cells of a row, most of whose values are the same; a thread computes them for several
/// rows.
template <bool kWraps>
class CellPair {
 public:
  __device__ CellPair(const Resampling& to, std::uint64_t cell)
      : first_(even_place<kWraps>(to.first[cell])), n_(static_cast<std::uint32_t>(to.n)) {
    const int skipped = static_cast<int>(to.first[cell] - first_);
    const bool is_later = to.first[cell + 1] != to.first[cell];  // values of the second cell begin one later
#pragma unroll
    for (int t = 0; t < 2 * kPairs; ++t) {
      one_[t] = weight(to, cell, t - skipped);
      other_[t] = weight(to, cell + 1, t - skipped - static_cast<int>(is_later));
    }
  }
  __device__ void of(const float2* __restrict__ row, float2& first, float2& second) const {
    float2 one = make_float2(0.0F, 0.0F);
    float2 other = one;
    const auto visit = [&](int t, float2 value) {
      add_scaled(one, one_[t], value);
      add_scaled(other, other_[t], value);
    };
    if constexpr (kWraps)
      each_wrapped(row, first_, n_, kPairs, visit);
    else
      each_value(row, first_, kPairs, visit);
    first = one;
    second = other;
  }

  static constexpr int kPairs = kFewTaps / 2 + 1;

 private:
  static __device__ float weight(const Resampling& to, std::uint64_t cell, int t) {
    return t >= 0 && t < static_cast<int>(to.taps) ? to.weights[t * to.fine + cell] : 0.0F;
  }
  std::uint32_t first_;
  std::uint32_t n_;
  float one_[2 * kPairs];
  float other_[2 * kPairs];
};

extern __shared__ float2 shared_cells[];
constexpr std::uint32_t kRowsInTurn = 4;

/// Cells are computed in their order, two per thread, and stored in the order of the parts. In between they
/// are in shared memory, padded so that neither order causes bank conflicts: cell number `cell` of the block
/// is at computed_place(), and the k-th cell in the order of the parts is at stored_place().
__device__ std::uint32_t computed_place(std::uint32_t cell, std::uint32_t split) {
  return cell % split * (kSegment + 1) + cell / split;
}
__device__ std::uint32_t stored_place(std::uint32_t k) {
  return k / kSegment * (kSegment + 1) + k % kSegment;
}

template <bool kWraps>
__device__ void resample_segments(const float2* __restrict__ rows, const Resampling& to, std::uint32_t begin,
                                  std::uint32_t end, std::uint64_t first_cell, bool is_there,
                                  float2* __restrict__ fine) {
  const std::uint32_t thread = is_there ? threadIdx.x : 0;
  const CellPair<kWraps> cells(to, first_cell + 2 * thread);
  const std::uint32_t one = computed_place(2 * thread, to.split);
  const std::uint32_t other = computed_place(2 * thread + 1, to.split);
  const std::uint32_t row_values = to.split * (kSegment + 1);
  const std::uint32_t stored[2] = {thread, thread + kSegment / 2 * to.split};
  const std::uint64_t part = to.fine / to.split;
  float2* out[2];
  for (int k = 0; k < 2; ++k)
    out[k] = fine + part * (stored[k] / kSegment) + first_cell / to.split + stored[k] % kSegment;
  float2* buffer = shared_cells;
  float2* next = buffer + kRowsInTurn * row_values;
  for (std::uint32_t first = begin; first < end; first += kRowsInTurn) {
    if (is_there) {
#pragma unroll
      for (std::uint32_t r = 0; r < kRowsInTurn; ++r)
        if (first + r < end)
          cells.of(rows + (first + r) * to.stride, buffer[r * row_values + one],
                   buffer[r * row_values + other]);
    }
    __syncthreads();
    if (is_there) {
#pragma unroll
      for (std::uint32_t r = 0; r < kRowsInTurn; ++r) {
        if (first + r >= end) continue;
#pragma unroll
        for (int k = 0; k < 2; ++k)
          out[k][(first + r) * to.fine] = buffer[r * row_values + stored_place(stored[k])];
      }
    }
    float2* const last = buffer;
    buffer = next;
    next = last;
  }
}

/// A thread block computes kSegment cells of each part.
__global__ void __launch_bounds__(kSegment / 2 * kMostSplit)
    resample_parts(const float2* __restrict__ rows, Resampling to, std::uint32_t share, std::uint32_t count,
                   float2* __restrict__ fine) {
  const std::uint64_t first_cell = std::uint64_t{blockIdx.x} * kSegment * to.split;
  const bool is_there = threadIdx.x < kSegment / 2 * to.split;
  const bool wraps = block_wraps<2 * CellPair<false>::kPairs>(to, first_cell + 2 * threadIdx.x, is_there);
  const std::uint32_t begin = blockIdx.y * share;
  const std::uint32_t end = min(begin + share, count);
  if (wraps)
    resample_segments<true>(rows, to, begin, end, first_cell, is_there, fine);
  else
    resample_segments<false>(rows, to, begin, end, first_cell, is_there, fine);
}

}  // namespace

cudaError_t launch_resample(const float2* rows, const Resampling& to, std::uint32_t count, float2* fine,
                            cudaStream_t stream) {
  if (to.split == 1) {
    const std::uint32_t share = share_of(count, blocks_for(to.fine), kResampledRows);
    const dim3 grid(blocks_for(to.fine), shares(count, share));
    if (to.taps <= kFewTaps)
      resample<kFewTaps><<<grid, kThreads, 0, stream>>>(rows, to, share, count, fine);
    else if (to.taps <= kManyTaps)
      resample<kManyTaps><<<grid, kThreads, 0, stream>>>(rows, to, share, count, fine);
    else if (to.taps <= 2 * kManyTaps)
      resample<2 * kManyTaps><<<grid, kThreads, 0, stream>>>(rows, to, share, count, fine);
    else if (to.taps <= kMostTaps)
      resample<kMostTaps><<<grid, kThreads, 0, stream>>>(rows, to, share, count, fine);
    else
      return cudaErrorInvalidValue;
    return cudaGetLastError();
  }
  if (to.taps > kFewTaps || to.split > kMostSplit || to.fine % (kSegment * to.split) != 0)
    return cudaErrorInvalidValue;
  const auto threads = static_cast<unsigned>((kSegment / 2 * to.split + 31) / 32 * 32);
  const auto shared = static_cast<unsigned>(2 * kRowsInTurn * to.split * (kSegment + 1) * sizeof(float2));
  const auto wide = static_cast<unsigned>(to.fine / (kSegment * to.split));
  const std::uint32_t share = share_of(count, wide, kResampledRows);
  resample_parts<<<dim3(wide, shares(count, share)), threads, shared, stream>>>(rows, to, share, count, fine);
  return cudaGetLastError();
}

cudaError_t launch_resampling_tables(const RowTransformPlan& plan, std::uint64_t n,
                                     const ResamplingTables& tables, cudaStream_t stream) {
  if (tables.weights != nullptr) {
    const auto values = static_cast<std::uint32_t>(values_of_cell(plan, n));
    resampling_cells<<<blocks_for(plan.cells), kThreads, 0, stream>>>(
        plan, values, static_cast<std::int64_t>(n), tables.first, tables.weights);
    if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess) return code;
  }
  return launch_threads(resampling_corrections, plan.half_width + 1, stream, plan, n, tables.correction);
}

}  // namespace spyctrum::cuda
