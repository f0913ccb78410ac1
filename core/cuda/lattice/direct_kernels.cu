// SPDX-License-Identifier: Apache-2.0
// A block sums a tile of 64×64 coefficients over its part of the entries, a few entries at a time: the phases
// e^{−2πi·ui/m} and e^{−2πi·vj/n} of these entries, 128 for each, are put into shared memory, and every
// thread adds their products to its 16 coefficients. All sums are in double precision.
#include "core/cuda/lattice/direct_kernels.hpp"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kSide = static_cast<unsigned>(kDirectTile);
constexpr unsigned kLanes = 16;             // threads along either side of a tile
constexpr unsigned kEach = kSide / kLanes;  // coefficients of a thread along either side
constexpr unsigned kEntriesAtOnce = 16;
constexpr unsigned kSums = kSide * kSide;
static_assert(kLanes * kLanes == kThreads);

/// e^{−2πi·frequency·index/size}. The product, below 2^64, is reduced in integers: its quotient by the
/// reciprocal is at most 2 too small.
__device__ double2 root(const DirectAxis& axis, std::uint32_t frequency, std::uint32_t index) {
  const std::uint64_t product = std::uint64_t{frequency} * index;
  std::uint64_t rest = product - __umul64hi(product, axis.reciprocal) * axis.size;
  if (rest >= axis.size) rest -= axis.size;
  if (rest >= axis.size) rest -= axis.size;
  double sine = 0;
  double cosine = 0;
  sincospi(-2.0 * static_cast<double>(rest) * axis.inverse, &sine, &cosine);
  return make_double2(cosine, sine);
}

__device__ double2 scaled(double2 a, double factor) { return make_double2(factor * a.x, factor * a.y); }

__device__ void add_product(double2& sum, double2 a, double2 b) {
  sum.x = fma(a.x, b.x, fma(-a.y, b.y, sum.x));
  sum.y = fma(a.x, b.y, fma(a.y, b.x, sum.y));
}

/// The requested frequency number `at`, or the last one: what is summed for places behind it is not read.
__device__ std::uint32_t frequency_of(const DirectAxis& axis, std::uint64_t at) {
  return axis.frequencies[at < axis.count ? at : axis.count - 1];
}

__global__ void __launch_bounds__(kThreads)
    sum_directly(EntrySlots entries, DirectAxis rows, DirectAxis cols, DirectPiece piece, std::uint64_t begin,
                 std::uint64_t end, bool adds, unsigned tiles_across, double2* partial) {
  __shared__ double2 down[kEntriesAtOnce][kSide];
  __shared__ double2 across[kEntriesAtOnce][kSide];
  const std::uint64_t row = piece.first_row + std::uint64_t{blockIdx.x / tiles_across} * kSide;
  const std::uint64_t col = piece.first_col + std::uint64_t{blockIdx.x % tiles_across} * kSide;
  const std::uint64_t share = (end - begin + gridDim.y - 1) / gridDim.y;
  const std::uint64_t first = min(end, begin + blockIdx.y * share);
  const std::uint64_t last = min(end, first + share);
  const unsigned x = threadIdx.x % kLanes;
  const unsigned y = threadIdx.x / kLanes;
  double2* const own = partial + (std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x) * kSums;
  const auto place = [&](unsigned p, unsigned q) { return (y + p * kLanes) * kSide + x + q * kLanes; };

  double2 sums[kEach][kEach];
#pragma unroll
  for (unsigned p = 0; p < kEach; ++p)
#pragma unroll
    for (unsigned q = 0; q < kEach; ++q) sums[p][q] = adds ? own[place(p, q)] : make_double2(0, 0);

  // Thread t computes the phases of place t mod 64, of every fourth entry.
  const unsigned at = threadIdx.x % kSide;
  const std::uint32_t u = frequency_of(rows, row + at);
  const std::uint32_t v = frequency_of(cols, col + at);
  for (std::uint64_t next = first; next < last; next += kEntriesAtOnce) {
    for (unsigned e = threadIdx.x / kSide; e < kEntriesAtOnce; e += kThreads / kSide) {
      const bool is_there = next + e < last;
      const std::uint64_t entry = is_there ? next + e : first;
      down[e][at] = root(rows, u, rows.ids[entries.rows[entry]]);
      across[e][at] = is_there ? root(cols, v, cols.ids[entries.cols[entry]]) : make_double2(0, 0);
      if (entries.weights != nullptr) across[e][at] = scaled(across[e][at], entries.weights[entry]);
    }
    __syncthreads();
#pragma unroll 2
    for (unsigned e = 0; e < kEntriesAtOnce; ++e) {
      double2 a[kEach];
      double2 b[kEach];
#pragma unroll
      for (unsigned k = 0; k < kEach; ++k) {
        a[k] = down[e][y + k * kLanes];
        b[k] = across[e][x + k * kLanes];
      }
#pragma unroll
      for (unsigned p = 0; p < kEach; ++p)
#pragma unroll
        for (unsigned q = 0; q < kEach; ++q) add_product(sums[p][q], a[p], b[q]);
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned p = 0; p < kEach; ++p)
#pragma unroll
    for (unsigned q = 0; q < kEach; ++q) own[place(p, q)] = sums[p][q];
}

__global__ void __launch_bounds__(kThreads)
    add_parts(const double2* partial, DirectPiece piece, unsigned parts, std::uint64_t tiles,
              unsigned tiles_across, float2* output, std::uint64_t stride) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (k >= std::uint64_t{piece.row_count} * piece.col_count) return;
  const unsigned p = static_cast<unsigned>(k / piece.col_count);
  const unsigned q = static_cast<unsigned>(k % piece.col_count);
  const std::uint64_t tile = std::uint64_t{p / kSide} * tiles_across + q / kSide;
  double2 sum = make_double2(0, 0);
  for (unsigned part = 0; part < parts; ++part) {
    const double2 value = partial[(part * tiles + tile) * kSums + (p % kSide) * kSide + q % kSide];
    sum.x += value.x;
    sum.y += value.y;
  }
  output[p * stride + q] = make_float2(static_cast<float>(sum.x), static_cast<float>(sum.y));
}

}  // namespace

cudaError_t launch_direct_sums(const EntrySlots& entries, const DirectAxis& rows, const DirectAxis& cols,
                               const DirectPiece& piece, std::uint64_t begin, std::uint64_t end,
                               unsigned parts, bool adds, double2* partial, cudaStream_t stream) {
  const dim3 grid(piece.down() * piece.across(), parts);
  return launch(sum_directly, grid, kThreads, stream, entries, rows, cols, piece, begin, end, adds,
                piece.across(), partial);
}

cudaError_t launch_add_parts(const double2* partial, const DirectPiece& piece, unsigned parts, float2* output,
                             std::uint64_t stride, cudaStream_t stream) {
  const std::uint64_t count = std::uint64_t{piece.row_count} * piece.col_count;
  const auto blocks = blocks_for(count);
  return launch(add_parts, blocks, kThreads, stream, partial, piece, parts,
                std::uint64_t{piece.down()} * piece.across(), piece.across(), output, stride);
}

}  // namespace spyctrum::cuda
