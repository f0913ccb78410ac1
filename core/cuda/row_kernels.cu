// SPDX-License-Identifier: Apache-2.0
// What happens to a row between its inner sums and its place in the output: the products of Bluestein's
// algorithm, the resampling onto a smooth length, corrections, halves and their mirror images.
#include "core/cuda/row_kernels.hpp"
#include "core/cuda/tile_value.cuh"

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

constexpr std::uint32_t kSharedRows = 16;     // that share what a thread knows of a frequency
constexpr std::uint32_t kResampledRows = 32;  // … and of its cells

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

/// One thread for the cells k, k + M, … of kResampledRows rows.
template <int kTaps, int kSplit, bool kWraps>
__device__ void resample_rows(const float2* __restrict__ rows, const Resampling& to, std::uint32_t begin,
                              std::uint32_t end, std::uint64_t k, float2* __restrict__ fine) {
  constexpr Roots<kSplit> kRoots;
  const std::uint64_t part = to.fine / kSplit;
  float weights[kSplit][kTaps];
  std::uint32_t first[kSplit];
  float2 twiddles[kSplit];
#pragma unroll
  for (int a = 0; a < kSplit; ++a) {
    const std::uint64_t cell = k + part * a;
    first[a] = to.first[cell];
    if (kSplit > 1) twiddles[a] = to.twiddles[cell];
#pragma unroll
    for (int t = 0; t < kTaps; ++t) weights[a][t] = t < to.taps ? to.weights[t * to.fine + cell] : 0.0F;
  }
#pragma unroll(kSplit <= 3 ? 2 : 1)
  for (std::uint32_t r = begin; r < end; ++r) {
    const float2* row = rows + r * to.stride;
    float2 cells[kSplit] = {};
#pragma unroll
    for (int a = 0; a < kSplit; ++a) {
#pragma unroll
      for (int t = 0; t < kTaps; ++t) {
        std::uint32_t j = first[a] + t;
        if (kWraps) j %= static_cast<std::uint32_t>(to.n);
        const float2 value = __ldg(row + j);
        cells[a].x = fmaf(weights[a][t], value.x, cells[a].x);
        cells[a].y = fmaf(weights[a][t], value.y, cells[a].y);
      }
    }
    float2* out = fine + r * to.fine + k;
#pragma unroll
    for (int c = 0; c < kSplit; ++c) {
      float2 sum = cells[0];
#pragma unroll
      for (int a = 1; a < kSplit; ++a) {
        const float cosine = kRoots.cosine[a * c % kSplit];
        const float sine = kRoots.sine[a * c % kSplit];
        sum.x += cells[a].x * cosine + cells[a].y * sine;
        sum.y += cells[a].y * cosine - cells[a].x * sine;
      }
      out[part * c] = c > 0 ? product(sum, twiddles[c]) : sum;
    }
  }
}

template <int kTaps, int kSplit>
__global__ void __launch_bounds__(256)
    resample(const float2* __restrict__ rows, Resampling to, std::uint32_t count, float2* __restrict__ fine) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t part = to.fine / kSplit;
  int wraps = 0;
  for (int a = 0; a < kSplit && k < part; ++a) wraps |= to.first[k + part * a] + kTaps > to.n;
  wraps = __syncthreads_or(wraps);
  if (k >= part) return;
  const std::uint32_t begin = blockIdx.y * kResampledRows;
  const std::uint32_t end = min(begin + kResampledRows, count);
  if (wraps != 0)
    resample_rows<kTaps, kSplit, true>(rows, to, begin, end, k, fine);
  else
    resample_rows<kTaps, kSplit, false>(rows, to, begin, end, k, fine);
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

__global__ void gather(TileView tile, const std::uint32_t* columns, std::uint64_t width, float2* output) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= width) return;
  const std::uint64_t v = columns != nullptr ? columns[q] : q;
  const std::uint32_t begin = blockIdx.y * kSharedRows;
  const std::uint32_t end = min(begin + kSharedRows, tile.count);
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

unsigned blocks_for(std::uint64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

unsigned shares_of(std::uint32_t rows) { return (rows + kSharedRows - 1) / kSharedRows; }

}  // namespace

cudaError_t launch_multiply_rows(float2* values, std::uint32_t count, std::uint64_t length,
                                 const float2* factors, cudaStream_t stream) {
  multiply_rows<<<dim3(blocks_for(length), count), kThreads, 0, stream>>>(values, length, factors);
  return cudaGetLastError();
}

cudaError_t launch_resample(const float2* rows, const Resampling& to, std::uint32_t count, float2* fine,
                            cudaStream_t stream) {
  const dim3 grid(blocks_for(to.fine / to.split), (count + kResampledRows - 1) / kResampledRows);
  const auto launch = [&](auto kernel) { kernel<<<grid, kThreads, 0, stream>>>(rows, to, count, fine); };
  constexpr int kFew = 6;
  if (to.taps > kFew) {
    if (to.split != 1) return cudaErrorInvalidValue;
    launch(resample<kMostTaps, 1>);
  } else {
    switch (to.split) {
      case 1:
        launch(resample<kFew, 1>);
        break;
      case 2:
        launch(resample<kFew, 2>);
        break;
      case 3:
        launch(resample<kFew, 3>);
        break;
      case 4:
        launch(resample<kFew, 4>);
        break;
      case 5:
        launch(resample<kFew, 5>);
        break;
      case 6:
        launch(resample<kFew, 6>);
        break;
      case 7:
        launch(resample<kFew, 7>);
        break;
      case 8:
        launch(resample<kFew, 8>);
        break;
      case 9:
        launch(resample<kFew, 9>);
        break;
      default:
        return cudaErrorInvalidValue;
    }
  }
  return cudaGetLastError();
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
  gather<<<dim3(blocks_for(width), shares_of(tile.count)), kThreads, 0, stream>>>(tile, columns, width,
                                                                                  output);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
