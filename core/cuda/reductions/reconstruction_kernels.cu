// SPDX-License-Identifier: Apache-2.0
// Compares a bilinear magnitude plane with a tile of exact rows u and with their mirrors −u, coefficient by
// coefficient: products in double precision, histograms by integer additions. Tables give the nodes around a
// coefficient. Mirrors core/reconstruction/reconstruction_errors.cpp.
#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/reductions/warp_sums.cuh"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/tiles/tile_view.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kPerThread = kCompareColumns / kThreads;
static_assert(kCompareColumns % kThreads == 0);

__device__ float between(float below, float above, float weight) { return below + weight * (above - below); }

__device__ float estimate_at(const DeviceReconstruction& of, const NodeBracket& row, const NodeBracket& col) {
  const float* below = of.magnitudes + row.below * of.node_cols;
  const float* above = of.magnitudes + row.above * of.node_cols;
  return between(between(below[col.below], above[col.below], row.weight),
                 between(below[col.above], above[col.above], row.weight), col.weight);
}

__device__ std::uint32_t bin_of(const MagnitudeBinning& bins, float magnitude) {
  if (magnitude < bins.least) return 0;
  const std::uint32_t bits = __float_as_uint(magnitude * bins.inverse);
  if (bits < bins.fine_bits)
    return bits < bins.coarse_bits ? 0 : (bits - bins.coarse_bits) >> bins.coarse_shift;
  if (bits < bins.upper_bits) return bins.fine_begin + ((bits - bins.fine_bits) >> bins.fine_shift);
  return min(bins.fine_end + ((bits - bins.upper_bits) >> bins.coarse_shift), bins.count - 1);
}

__device__ void add(MagnitudeProducts& products, float reference, float estimate) {
  const auto a = static_cast<double>(reference);
  const auto b = static_cast<double>(estimate);
  products.cross += a * b;
  products.reference += a * a;
  products.estimate += b * b;
}

__device__ void count(const DeviceReconstruction& of, std::uint32_t reference_bin, float estimate) {
  const std::uint64_t bin =
      std::uint64_t{reference_bin} * of.estimate_bins.count + bin_of(of.estimate_bins, estimate);
  atomicAdd(&of.histogram[bin], 1ULL);
}

/// The sum over the block, in a fixed order; valid in thread 0.
__device__ double block_sum(double value) {
  __shared__ double partial[kThreads / 32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  if (threadIdx.x == 0)
    for (const double part : partial) sum += part;
  __syncthreads();
  return sum;
}

template <bool kCorrected>
__global__ void __launch_bounds__(kThreads)
    compare_magnitudes(TileView tile, std::uint64_t first_row, std::uint64_t width, DeviceReconstruction of) {
  const std::uint64_t u = first_row + blockIdx.y;
  const bool is_mirrored = u != 0 && 2 * u != of.m;
  const NodeBracket row = of.rows[u];
  const NodeBracket mirror = of.mirror[u];
  MagnitudeProducts products;
  for (unsigned k = 0; k < kPerThread; ++k) {
    const std::uint64_t v = std::uint64_t{blockIdx.x} * kCompareColumns + k * kThreads + threadIdx.x;
    if (v >= width) break;
    const float2 value = tile.values[blockIdx.y * tile.stride + place_of(tile, v)];
    const float reference = sqrtf(power_of(value) * gain_of<kCorrected>(tile, v));
    const std::uint32_t reference_bin = bin_of(of.reference_bins, reference);
    const bool is_dc = u == 0 && v == 0;
    const float estimate = is_dc ? of.dc : estimate_at(of, row, of.cols[v]);
    add(products, reference, estimate);
    if (!is_dc) count(of, reference_bin, estimate);
    if (!is_mirrored) continue;
    const float mirrored = estimate_at(of, mirror, of.cols[v == 0 ? 0 : width - v]);
    add(products, reference, mirrored);
    count(of, reference_bin, mirrored);
  }
  const double cross = block_sum(products.cross);
  const double reference = block_sum(products.reference);
  const double estimate = block_sum(products.estimate);
  if (threadIdx.x == 0)
    of.slots[std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x] = {cross, reference, estimate};
}

/// rows[r] = Σ slots[r][block], one warp for each row, in a fixed order.
__global__ void add_products(const MagnitudeProducts* slots, std::uint64_t blocks, MagnitudeProducts* rows) {
  const MagnitudeProducts* of_row = slots + blockIdx.x * blocks;
  MagnitudeProducts sum;
  for (std::uint64_t block = threadIdx.x; block < blocks; block += blockDim.x) {
    sum.cross += of_row[block].cross;
    sum.reference += of_row[block].reference;
    sum.estimate += of_row[block].estimate;
  }
  sum = {warp_sum(sum.cross), warp_sum(sum.reference), warp_sum(sum.estimate)};
  if (threadIdx.x == 0) rows[blockIdx.x] = sum;
}

}  // namespace

cudaError_t launch_compare_magnitudes(const TileView& tile, std::uint64_t first_row, std::uint64_t width,
                                      const DeviceReconstruction& reconstruction, cudaStream_t stream) {
  if (tile.count == 0 || width == 0) return cudaSuccess;
  const std::uint64_t blocks = detail::pieces(width, kCompareColumns);
  const dim3 grid(static_cast<unsigned>(blocks), tile.count);
  const auto compare = tile.correction != nullptr ? compare_magnitudes<true> : compare_magnitudes<false>;
  const cudaError_t code = launch(compare, grid, kThreads, stream, tile, first_row, width, reconstruction);
  if (code != cudaSuccess) return code;
  return launch(add_products, tile.count, 32, stream, reconstruction.slots, blocks,
                reconstruction.products + first_row);
}

}  // namespace spyctrum::cuda
