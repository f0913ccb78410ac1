// SPDX-License-Identifier: Apache-2.0
// What happens to a row between its inner sums and its place in the output: the products of Bluestein's
// algorithm, the resampling onto a smooth length, the butterfly that joins the FFTs of a row's parts
// (decimation in time), corrections, halves and their mirror images.
#include <algorithm>

#include "core/cuda/rows/row_kernels.hpp"
#include "core/cuda/reductions/tile_value.cuh"

namespace spyctrum::cuda {

namespace {

__device__ float2 chirped(float2 value, const float2* chirp, std::uint64_t at) {
  return chirp != nullptr ? product(value, chirp[at]) : value;
}

__global__ void multiply_rows(float2* values, std::uint64_t length, const float2* __restrict__ factors) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= length) return;
  float2& value = values[blockIdx.y * length + k];
  value = product(value, factors[k]);
}

__global__ void narrow(const double2* from, float2* to, std::uint64_t count, double factor) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count)
    to[k] = make_float2(static_cast<float>(from[k].x * factor), static_cast<float>(from[k].y * factor));
}

constexpr std::uint32_t kSharedRows = 16;     // at most, that share what a thread knows of a frequency
constexpr std::uint32_t kResampledRows = 32;  // … and of its cells
constexpr std::uint32_t kManyTaps = 12;

/// cos or sin of 2π·k/n at compile time, by Taylor's series from the nearest quarter turn.
constexpr double series(double x, bool sine) {
  double term = sine ? x : 1.0;
  double sum = term;
  for (int k = sine ? 2 : 1; k < 30; k += 2) {
    term *= -x * x / (k * (k + 1.0));
    sum += term;
  }
  return sum;
}
constexpr float root_part(int k, int n, bool sine) {
  const int quarter = (4 * k + n / 2) / n;  // nearest
  const double rest = 2 * 3.14159265358979323846 * (4.0 * k - static_cast<double>(quarter) * n) / (4.0 * n);
  const double c = series(rest, false);
  const double s = series(rest, true);
  const double cosine = quarter % 4 == 0 ? c : quarter % 4 == 1 ? -s : quarter % 4 == 2 ? -c : s;
  const double sines = quarter % 4 == 0 ? s : quarter % 4 == 1 ? c : quarter % 4 == 2 ? -s : -c;
  return static_cast<float>(sine ? sines : cosine);
}
template <int kSize>
struct Roots {
  float cosine[kSize] = {};
  float sine[kSize] = {};
  constexpr Roots() {
    for (int k = 0; k < kSize; ++k) {
      cosine[k] = root_part(k, kSize, false);
      sine[k] = root_part(k, kSize, true);
    }
  }
};

/// What makes the tables of a shape.
struct SpreadNumbers {
  std::uint64_t cells;
  std::uint64_t half_width;
  std::uint32_t width;
  std::uint32_t taps;
  std::uint32_t nodes;
  double beta;
  double places[kMostNodes];
  double values[kMostNodes];
};

/// A thread to a cell. Value j lies at j·cells/n: cell c is within width/2 of those with (2c − width)·n <
/// 2·cells·j.
__global__ void resampling_cells(SpreadNumbers spread, std::int64_t n, std::uint32_t* first, float* weights) {
  const std::int64_t c = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto cells = static_cast<std::int64_t>(spread.cells);
  if (c >= cells) return;
  const std::int64_t left = (2 * c - static_cast<std::int64_t>(spread.width)) * n;
  const std::int64_t below = left >= 0 ? left / (2 * cells) : -((-left + 2 * cells - 1) / (2 * cells));
  const std::int64_t begin = below + 1;
  first[c] = static_cast<std::uint32_t>((begin + n) % n);
  for (std::uint32_t t = 0; t < spread.taps; ++t) {
    const auto distance = static_cast<double>(c * n - (begin + t) * cells) / static_cast<double>(n);
    const double x = 2 * distance / spread.width;
    const double inside = 1 - x * x;
    weights[std::uint64_t{t} * spread.cells + c] =
        inside > 0 ? static_cast<float>(exp(spread.beta * (sqrt(inside) - 1))) : 0.0F;
  }
}

/// A thread to |v|.
__global__ void resampling_corrections(SpreadNumbers spread, std::uint64_t n, float* correction) {
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v > spread.half_width) return;
  const double angle = 2.0 * static_cast<double>(v) / static_cast<double>(spread.cells);
  double sum = 0;
  for (std::uint32_t k = 0; k < spread.nodes; ++k) sum += spread.values[k] * cospi(angle * spread.places[k]);
  const auto gain = static_cast<float>(1 / sum);
  if (2 * v < n) correction[v] = gain;
  if (v != 0) correction[n - v] = gain;
}

/// Two values at a time, from an even place on: half as many loads, each of as many cache lines.
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
/// The same past the end of the row.
template <class Visit>
__device__ __forceinline__ void each_wrapped(const float2* __restrict__ row, std::uint32_t first,
                                             std::uint32_t n, int pairs, Visit visit) {
#pragma unroll
  for (int t = 0; t < 2 * pairs; ++t) visit(t, __ldg(row + (first + t) % n));
}
/// Where they begin.
template <bool kWraps>
__device__ std::uint32_t even_place(std::uint32_t first) {
  return kWraps ? first : first & ~1U;
}

__device__ void add_scaled(float2& sum, float factor, float2 value) {
  sum.x = fmaf(factor, value.x, sum.x);
  sum.y = fmaf(factor, value.y, sum.y);
}

/// One thread for a cell of some rows, in the order of the cells.
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

/// Whether a thread of the block would read past the end of a row; all of them call.
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

/// One thread for two neighbouring cells of some rows: most of the values they are made of are the same.
template <bool kWraps>
class CellPair {
 public:
  __device__ CellPair(const Resampling& to, std::uint64_t cell)
      : first_(even_place<kWraps>(to.first[cell])), n_(static_cast<std::uint32_t>(to.n)) {
    const int skipped = static_cast<int>(to.first[cell] - first_);
    const bool is_later = to.first[cell + 1] != to.first[cell];  // by one value
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
constexpr std::uint32_t kRowsAtOnce = 4;

/// Cells are computed in their order, two to a thread, and leave in that of the parts. Of a block's cells:
/// where `cell` waits, padded so that neither order meets a bank twice, and where the one that leaves as
/// number k comes from.
__device__ std::uint32_t waiting_place(std::uint32_t cell, std::uint32_t split) {
  return cell % split * (kSegment + 1) + cell / split;
}
__device__ std::uint32_t leaving_place(std::uint32_t k) {
  return k / kSegment * (kSegment + 1) + k % kSegment;
}

template <bool kWraps>
__device__ void resample_segments(const float2* __restrict__ rows, const Resampling& to, std::uint32_t begin,
                                  std::uint32_t end, std::uint64_t first_cell, bool is_there,
                                  float2* __restrict__ fine) {
  const std::uint32_t thread = is_there ? threadIdx.x : 0;
  const CellPair<kWraps> cells(to, first_cell + 2 * thread);
  const std::uint32_t one = waiting_place(2 * thread, to.split);
  const std::uint32_t other = waiting_place(2 * thread + 1, to.split);
  const std::uint32_t row_values = to.split * (kSegment + 1);
  const std::uint32_t leaving[2] = {thread, thread + kSegment / 2 * to.split};
  const std::uint64_t part = to.fine / to.split;
  float2* out[2];
  for (int k = 0; k < 2; ++k)
    out[k] = fine + part * (leaving[k] / kSegment) + first_cell / to.split + leaving[k] % kSegment;
  float2* buffer = shared_cells;
  float2* next = buffer + kRowsAtOnce * row_values;
  for (std::uint32_t first = begin; first < end; first += kRowsAtOnce) {
    if (is_there) {
#pragma unroll
      for (std::uint32_t r = 0; r < kRowsAtOnce; ++r)
        if (first + r < end)
          cells.of(rows + (first + r) * to.stride, buffer[r * row_values + one],
                   buffer[r * row_values + other]);
    }
    __syncthreads();
    if (is_there) {
#pragma unroll
      for (std::uint32_t r = 0; r < kRowsAtOnce; ++r) {
        if (first + r >= end) continue;
#pragma unroll
        for (int k = 0; k < 2; ++k)
          out[k][(first + r) * to.fine] = buffer[r * row_values + leaving_place(leaving[k])];
      }
    }
    float2* const last = buffer;
    buffer = next;
    next = last;
  }
}

/// A block has kSegment cells of each part.
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

/// x[first + kStride·c] ← Σ_a x[first + kStride·a]·w^{ac}, w = e^{−2πi/kSize}. Frequencies c and −c share the
/// sums of cosines and of sines.
template <int kSize, int kStride, int kValues>
__device__ __forceinline__ void butterfly(float2 (&x)[kValues], int first) {
  constexpr Roots<kSize> kRoots;
  constexpr int kHalf = (kSize - 1) / 2;
  float2 sums[kHalf + 1];
  float2 differences[kHalf + 1];
#pragma unroll
  for (int a = 1; a <= kHalf; ++a) {
    const float2 one = x[first + kStride * a];
    const float2 mirror = x[first + kStride * (kSize - a)];
    sums[a] = make_float2(one.x + mirror.x, one.y + mirror.y);
    differences[a] = make_float2(one.x - mirror.x, one.y - mirror.y);
  }
  const float2 front = x[first];
  const float2 middle = kSize % 2 == 0 ? x[first + kStride * (kSize / 2)] : make_float2(0.0F, 0.0F);
#pragma unroll
  for (int c = 0; c <= kSize / 2; ++c) {
    float2 even = front;
    if (kSize % 2 == 0) add_scaled(even, c % 2 == 0 ? 1.0F : -1.0F, middle);
    float2 odd = make_float2(0.0F, 0.0F);
#pragma unroll
    for (int a = 1; a <= kHalf; ++a) {
      if (kRoots.cosine[a * c % kSize] != 0.0F) add_scaled(even, kRoots.cosine[a * c % kSize], sums[a]);
      if (kRoots.sine[a * c % kSize] != 0.0F) add_scaled(odd, kRoots.sine[a * c % kSize], differences[a]);
    }
    x[first + kStride * c] = make_float2(even.x + odd.y, even.y - odd.x);
    if (c != 0 && 2 * c != kSize)
      x[first + kStride * (kSize - c)] = make_float2(even.x - odd.y, even.y + odd.x);
  }
}

constexpr unsigned kButterflyThreads = 128;
constexpr std::uint32_t kButterflyRows = 8;  // that share a thread's twiddles

/// Two butterflies: a = kSecond·a1 + a0, c = c0 + kFirst·c1.
template <int kFirst, int kSecond>
__device__ __forceinline__ void join_parts(float2 (&x)[kFirst * kSecond], const float2 (&coarse)[kFirst],
                                           const float2 (&fine)[kSecond]) {
  constexpr Roots<kFirst * kSecond> kRoots;
#pragma unroll
  for (int a0 = 0; a0 < kSecond; ++a0) {
#pragma unroll
    for (int a1 = 1; a1 < kFirst; ++a1) x[kSecond * a1 + a0] = product(x[kSecond * a1 + a0], coarse[a1]);
    butterfly<kFirst, kSecond>(x, a0);
  }
#pragma unroll
  for (int c0 = 0; c0 < kFirst; ++c0) {
#pragma unroll
    for (int a0 = 1; a0 < kSecond; ++a0) {
      float2& value = x[kSecond * c0 + a0];
      if (c0 != 0) value = product(value, make_float2(kRoots.cosine[a0 * c0], -kRoots.sine[a0 * c0]));
      value = product(value, fine[a0]);
    }
    butterfly<kSecond, 1>(x, kSecond * c0);
  }
}

/// Blocks that share a multiprocessor at least: as many as have registers for the parts.
constexpr int blocks_of(int split) { return split <= 16 ? 4 : split <= 25 ? 3 : 2; }

template <int kFirst, int kSecond>
__global__ void __launch_bounds__(kButterflyThreads, blocks_of(kFirst* kSecond))
    last_butterfly(const float2* parts, LastButterfly to, std::uint32_t count, float2* out) {
  constexpr int kSplit = kFirst * kSecond;
  const std::uint64_t q = std::uint64_t{blockIdx.x} * kButterflyThreads + threadIdx.x;
  if (q >= to.part) return;
  float2 coarse[kFirst];
  float2 fine[kSecond];
#pragma unroll
  for (int a = 1; a < kFirst; ++a) coarse[a] = to.twiddles[to.part * (a - 1) + q];
#pragma unroll
  for (int a = 1; a < kSecond; ++a) fine[a] = to.twiddles[to.part * (kFirst + a - 2) + q];
  const std::uint64_t length = to.part * kSplit;
  const std::uint32_t end = min((blockIdx.y + 1) * kButterflyRows, count);
  for (std::uint32_t r = blockIdx.y * kButterflyRows; r < end; ++r) {
    float2 x[kSplit];
#pragma unroll
    for (int a = 0; a < kSplit; ++a) x[a] = parts[r * length + to.part * a + q];
    join_parts<kFirst, kSecond>(x, coarse, fine);
#pragma unroll
    for (int k = 0; k < kSplit; ++k) {
      const std::uint64_t cell = q + to.part * (k / kSecond + kFirst * (k % kSecond));
      if (cell >= to.kept.low && cell < length - to.kept.high) continue;
      const std::uint64_t v = cell < to.kept.low ? cell : cell - to.kept.shift;
      const float gain = to.correction != nullptr ? to.correction[v] : 1.0F;
      out[r * to.stride + v] = make_float2(x[k].x * gain, x[k].y * gain);
    }
  }
}

__device__ float2 leaving(const TileView& tile, std::uint64_t row, std::uint64_t v) {
  const float2 value = tile.values[row * tile.stride + place_of(tile, v)];
  if (tile.correction == nullptr) return chirped(value, tile.chirp, v);
  return make_float2(value.x * tile.correction[v], value.y * tile.correction[v]);
}

__global__ void store_half(TileView tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                           float2* half) {
  const std::uint64_t q = n / 2 + 1;
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= q) return;
  const std::uint64_t u = first_row + blockIdx.y;
  half[u * q + v] = leaving(tile, blockIdx.y, v);
  half[(u == 0 ? 0 : m - u) * q + v] = conjugate(leaving(tile, blockIdx.y, v == 0 ? 0 : n - v));
}

__global__ void unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                            float2* rows) {
  const std::uint64_t q = n / 2 + 1;
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const std::uint64_t u = first_row + blockIdx.y;
  const std::uint64_t mirror = u == 0 ? 0 : m - u;
  rows[blockIdx.y * n + v] = v < q ? half[u * q + v] : conjugate(half[mirror * q + (n - v)]);
}

__global__ void gather(TileView tile, const std::uint32_t* columns, std::uint64_t width, std::uint32_t share,
                       float2* output) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= width) return;
  const std::uint64_t v = columns != nullptr ? columns[q] : q;
  const std::uint32_t begin = blockIdx.y * share;
  const std::uint32_t end = min(begin + share, tile.count);
  if (tile.correction == nullptr) {
    for (std::uint32_t r = begin; r < end; ++r) output[r * width + q] = leaving(tile, r, v);
    return;
  }
  const float correction = tile.correction[v];
  const float2* from = tile.values + place_of(tile, v);
  for (std::uint32_t r = begin; r < end; ++r) {
    const float2 value = from[r * tile.stride];
    output[r * width + q] = make_float2(value.x * correction, value.y * correction);
  }
}

constexpr unsigned kThreads = 256;

template <int kFirst, int kSecond>
struct RadixPair {
  static bool launch(dim3 grid, const float2* parts, const LastButterfly& to, std::uint32_t count,
                     float2* out, cudaStream_t stream) {
    if (to.radices.first != kFirst || to.radices.second != kSecond) return false;
    last_butterfly<kFirst, kSecond><<<grid, kButterflyThreads, 0, stream>>>(parts, to, count, out);
    return true;
  }
};
template <class... Pairs>
cudaError_t launch_one_of(dim3 grid, const float2* parts, const LastButterfly& to, std::uint32_t count,
                          float2* out, cudaStream_t stream) {
  const bool is_launched = (Pairs::launch(grid, parts, to, count, out, stream) || ...);
  return is_launched ? cudaGetLastError() : cudaErrorInvalidValue;
}

unsigned blocks_for(std::uint64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

/// Rows of a block where `wide` blocks lie side by side: `most`, or fewer where blocks would be too few to
/// keep a device busy.
std::uint32_t share_of(std::uint32_t rows, unsigned wide, std::uint32_t most) {
  constexpr std::uint64_t kBusyBlocks = 2048;
  while (most > 4 && (rows + most - 1) / most * std::uint64_t{wide} < kBusyBlocks) most /= 2;
  return most;
}
unsigned shares(std::uint32_t rows, std::uint32_t share) { return (rows + share - 1) / share; }

}  // namespace

cudaError_t launch_multiply_rows(float2* values, std::uint32_t count, std::uint64_t length,
                                 const float2* factors, cudaStream_t stream) {
  multiply_rows<<<dim3(blocks_for(length), count), kThreads, 0, stream>>>(values, length, factors);
  return cudaGetLastError();
}

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
  const auto shared = static_cast<unsigned>(2 * kRowsAtOnce * to.split * (kSegment + 1) * sizeof(float2));
  const auto wide = static_cast<unsigned>(to.fine / (kSegment * to.split));
  const std::uint32_t share = share_of(count, wide, kResampledRows);
  resample_parts<<<dim3(wide, shares(count, share)), threads, shared, stream>>>(rows, to, share, count, fine);
  return cudaGetLastError();
}

cudaError_t launch_resampling_tables(const RowTransformPlan& shape, std::uint64_t n, const ResamplingTables& tables,
                                     cudaStream_t stream) {
  SpreadNumbers spread{shape.cells, shape.half_width, shape.taps, 0, shape.nodes, shape.beta, {}, {}};
  spread.taps = static_cast<std::uint32_t>(values_of_cell(shape, n));
  std::copy_n(shape.places, shape.nodes, spread.places);
  std::copy_n(shape.values, shape.nodes, spread.values);
  resampling_cells<<<blocks_for(shape.cells), kThreads, 0, stream>>>(spread, static_cast<std::int64_t>(n),
                                                                     tables.first, tables.weights);
  if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess) return code;
  resampling_corrections<<<blocks_for(shape.half_width + 1), kThreads, 0, stream>>>(spread, n,
                                                                                    tables.correction);
  return cudaGetLastError();
}

cudaError_t launch_last_butterfly(const float2* parts, const LastButterfly& to, std::uint32_t count,
                                  float2* out, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((to.part + kButterflyThreads - 1) / kButterflyThreads),
                  (count + kButterflyRows - 1) / kButterflyRows);
  return launch_one_of<RadixPair<4, 1>, RadixPair<5, 1>, RadixPair<6, 1>, RadixPair<7, 1>, RadixPair<8, 1>,
                       RadixPair<3, 3>, RadixPair<5, 2>, RadixPair<4, 3>, RadixPair<7, 2>, RadixPair<5, 3>,
                       RadixPair<4, 4>, RadixPair<6, 3>, RadixPair<5, 4>, RadixPair<7, 3>, RadixPair<6, 4>,
                       RadixPair<5, 5>, RadixPair<7, 4>, RadixPair<6, 5>, RadixPair<8, 4>>(
      grid, parts, to, count, out, stream);
}

cudaError_t launch_narrow(const double2* from, float2* to, std::uint64_t count, double factor,
                          cudaStream_t stream) {
  narrow<<<blocks_for(count), kThreads, 0, stream>>>(from, to, count, factor);
  return cudaGetLastError();
}

cudaError_t launch_store_half(const TileView& tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                              float2* half, cudaStream_t stream) {
  store_half<<<dim3(blocks_for(n / 2 + 1), tile.count), kThreads, 0, stream>>>(tile, first_row, m, n, half);
  return cudaGetLastError();
}

cudaError_t launch_unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                               std::uint32_t count, float2* rows, cudaStream_t stream) {
  unfold_half<<<dim3(blocks_for(n), count), kThreads, 0, stream>>>(half, m, n, first_row, rows);
  return cudaGetLastError();
}

cudaError_t launch_gather(const TileView& tile, const std::uint32_t* columns, std::uint64_t width,
                          float2* output, cudaStream_t stream) {
  const std::uint32_t share = share_of(tile.count, blocks_for(width), kSharedRows);
  gather<<<dim3(blocks_for(width), shares(tile.count, share)), kThreads, 0, stream>>>(tile, columns, width,
                                                                                      share, output);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
