// SPDX-License-Identifier: Apache-2.0
// Lines of the plane are computed as rows of the spectrum of a re-indexed pattern: entries sorted by their
// position along the line, inner sums of 32 lines at a time (one lane each), random projections by integer
// additions. Mirrors core/features/line_family.cpp.
#include "core/cuda/lines/line_kernels.hpp"
#include "core/cuda/pattern/entries.cuh"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kAll = 0xFFFFFFFFU;
constexpr unsigned kRoots = 256;
static_assert(kLinesAtOnce == 32 && kLinePiece % 32 == 0 && kProjections == 16);

struct Place {
  std::uint32_t line;
  std::uint32_t along;
};

__device__ Place place_of(PlaneLine direction, std::uint32_t i, std::uint32_t j, std::uint32_t n) {
  switch (direction) {
    case PlaneLine::rows:
      return {i, j};
    case PlaneLine::columns:
      return {j, i};
    case PlaneLine::sums:
      return {j, i >= j ? i - j : i + n - j};
    case PlaneLine::differences:
      return {j == 0 ? 0 : n - j, i >= n - j ? i - (n - j) : i + j};
  }
  return {};
}

__device__ Place entry_place(const LineEntries& entries, PlaneLine direction, std::uint64_t t) {
  return place_of(direction, entries.row_ids[entries.slots.rows[t]], entries.col_ids[entries.slots.cols[t]],
                  static_cast<std::uint32_t>(entries.n));
}

__global__ void line_places(LineEntries entries, PlaneLine direction, std::uint32_t* keys,
                            std::uint32_t* values) {
  const std::uint64_t t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t >= entries.slots.entries) return;
  const Place place = entry_place(entries, direction, t);
  keys[t] = place.along;
  values[t] = place.line;
}

__device__ void add_signed(int* sum, bool is_plus, const float* /*weight*/) {
  atomicAdd(sum, is_plus ? 1 : -1);
}
__device__ void add_signed(unsigned long long* sum, bool is_plus, const float* weight) {
  add_weight(sum, is_plus ? *weight : -*weight);
}
__device__ float projection_of(int sum) { return static_cast<float>(sum); }
__device__ float projection_of(unsigned long long sum) { return static_cast<float>(weight_sum(sum)); }

/// Sixteen neighbouring threads per entry, one per projection; their additions go to one or two cache lines.
template <class Sum>
__global__ void project(LineEntries entries, PlaneLine direction, const std::uint16_t* __restrict__ signs,
                        Sum* sums) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t t = thread / kProjections;
  const unsigned r = static_cast<unsigned>(thread % kProjections);
  if (t >= entries.slots.entries) return;
  const Place place = entry_place(entries, direction, t);
  add_signed(&sums[place.line * kProjections + r], (signs[place.along] >> r & 1U) != 0,
             entries.slots.weights + t);
}

template <class Sum>
__global__ void pair_projections(const Sum* __restrict__ sums, std::uint64_t lines, float2* rows) {
  const std::uint64_t c = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (c >= lines) return;
#pragma unroll
  for (unsigned p = 0; p < kProjections / 2; ++p)
    rows[p * lines + c] = make_float2(projection_of(sums[c * kProjections + 2 * p]),
                                      projection_of(sums[c * kProjections + 2 * p + 1]));
}

__global__ void projected_powers(const float2* __restrict__ rows, std::uint64_t lines, float* powers) {
  const std::uint64_t c = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (c >= lines) return;
  const std::uint64_t mirror = c == 0 ? 0 : lines - c;
  double sum = 0;
#pragma unroll
  for (unsigned p = 0; p < kProjections / 2; ++p) {
    const float2 a = rows[p * lines + c];
    const float2 b = rows[p * lines + mirror];
    sum += static_cast<double>(a.x * a.x + a.y * a.y) + static_cast<double>(b.x * b.x + b.y * b.y);
  }
  powers[c] = static_cast<float>(sum);
}

/// A warp sums a piece of the entries, each lane for its line. Keys with all entries in this piece are stored
/// in their rows.
template <bool kWeighted>
__global__ void __launch_bounds__(kThreads) inner_lines(SortedEntries entries, InnerLines inner) {
  __shared__ float2 roots[kRoots];
  roots[threadIdx.x] = root_at(threadIdx.x << 24U);
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t piece = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const std::uint64_t begin = piece * kLinePiece;
  if (begin >= entries.count) return;
  const std::uint64_t end = min(begin + kLinePiece, entries.count);
  const bool is_line = lane < inner.count;
  const std::uint64_t fraction =
      is_line ? fraction_of(inner.lines[lane].line, inner.size, inner.reciprocal) : 0;
  float2* const row = inner.rows + lane * inner.stride;
  std::uint32_t current = entries.keys[begin];
  bool is_head = begin > 0 && entries.keys[begin - 1] == current;
  float2 sum = make_float2(0.0F, 0.0F);
  for (std::uint64_t batch = begin; batch < end; batch += 32) {
    const std::uint64_t mine = batch + lane;
    const std::uint32_t own_key = mine < end ? entries.keys[mine] : 0;
    const std::uint32_t own_value = mine < end ? entries.values[mine] : 0;
    const float own_weight = kWeighted && mine < end ? entries.weights[mine] : 1.0F;
    const auto count = static_cast<unsigned>(min(end - batch, std::uint64_t{32}));
    for (unsigned e = 0; e < count; ++e) {
      const std::uint32_t key = __shfl_sync(kAll, own_key, e);
      const std::uint32_t value = __shfl_sync(kAll, own_value, e);
      if (key != current) {
        if (is_head)
          inner.heads[piece * 32 + lane] = sum;
        else if (is_line)
          row[current] = sum;
        is_head = false;
        current = key;
        sum = make_float2(0.0F, 0.0F);
      }
      const float2 root = root_near(turn(value, fraction), roots);
      if constexpr (kWeighted) {
        add_scaled(sum, __shfl_sync(kAll, own_weight, e), root);
      } else {
        sum.x += root.x;
        sum.y += root.y;
      }
    }
  }
  const bool goes_on = end < entries.count && entries.keys[end] == current;
  if (is_head)
    inner.heads[piece * 32 + lane] = sum;
  else if (goes_on)
    inner.tails[piece * 32 + lane] = sum;
  else if (is_line)
    row[current] = sum;
}

/// Adds the parts of keys whose entries are in several pieces, by the warp of the piece in which they begin.
__global__ void join_pieces(SortedEntries entries, InnerLines inner) {
  const unsigned lane = threadIdx.x % 32;
  std::uint64_t piece = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const std::uint64_t begin = piece * kLinePiece;
  if (begin + kLinePiece >= entries.count) return;
  const std::uint32_t key = entries.keys[begin + kLinePiece - 1];
  const bool begins_before = begin > 0 && entries.keys[begin - 1] == key;
  if (begins_before || entries.keys[begin + kLinePiece] != key) return;
  const float2 tail = inner.tails[piece * 32 + lane];
  double x = static_cast<double>(tail.x);
  double y = static_cast<double>(tail.y);
  for (++piece;; ++piece) {
    const float2 head = inner.heads[piece * 32 + lane];
    x += static_cast<double>(head.x);
    y += static_cast<double>(head.y);
    const std::uint64_t next = (piece + 1) * kLinePiece;
    if (next >= entries.count || entries.keys[next] != key) break;
  }
  if (lane < inner.count)
    inner.rows[lane * inner.stride + key] = make_float2(static_cast<float>(x), static_cast<float>(y));
}

}  // namespace

cudaError_t launch_line_places(const LineEntries& entries, PlaneLine direction, std::uint32_t* keys,
                               std::uint32_t* values, cudaStream_t stream) {
  return launch_threads(line_places, entries.slots.entries, stream, entries, direction, keys, values);
}

template <class Sum>
cudaError_t launch_project(const LineEntries& entries, PlaneLine direction, const std::uint16_t* signs,
                           Sum* sums, cudaStream_t stream) {
  return launch_threads(project<Sum>, entries.slots.entries * kProjections, stream, entries, direction, signs,
                        sums);
}
template cudaError_t launch_project(const LineEntries&, PlaneLine, const std::uint16_t*, int*, cudaStream_t);
template cudaError_t launch_project(const LineEntries&, PlaneLine, const std::uint16_t*, unsigned long long*,
                                    cudaStream_t);

template <class Sum>
cudaError_t launch_pair_projections(const Sum* sums, std::uint64_t lines, float2* rows, cudaStream_t stream) {
  return launch_threads(pair_projections<Sum>, lines, stream, sums, lines, rows);
}
template cudaError_t launch_pair_projections(const int*, std::uint64_t, float2*, cudaStream_t);
template cudaError_t launch_pair_projections(const unsigned long long*, std::uint64_t, float2*, cudaStream_t);

cudaError_t launch_projected_powers(const float2* rows, std::uint64_t lines, float* powers,
                                    cudaStream_t stream) {
  return launch_threads(projected_powers, lines, stream, rows, lines, powers);
}

cudaError_t launch_inner_lines(const SortedEntries& entries, const InnerLines& inner, cudaStream_t stream) {
  if (entries.count == 0 || inner.count == 0) return cudaSuccess;
  const unsigned blocks = blocks_for(line_pieces(entries.count) * 32);
  const auto kernel = entries.weights != nullptr ? inner_lines<true> : inner_lines<false>;
  kernel<<<blocks, kThreads, 0, stream>>>(entries, inner);
  return launch(join_pieces, blocks, kThreads, stream, entries, inner);
}

}  // namespace spyctrum::cuda
