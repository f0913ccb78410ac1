// SPDX-License-Identifier: Apache-2.0
// Direct sums of a grid's coefficients, piece by piece, so that a job can be cancelled between two launches.
// A block sums a tile of 64×64 coefficients over its part of the entries, 16 entries at a time: it computes
// the phases e^{−2πi·ui/m} and e^{−2πi·vj/n} of these entries, 128 for each, in shared memory, and every
// thread adds their products to its 16 coefficients. All sums are in double precision.
#include <algorithm>

#include "core/cuda/pattern/device_columns.hpp"
#include "core/cuda/pattern/resident_pattern.hpp"
#include "core/cuda/reductions/delivery.hpp"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/direct.hpp"

namespace spyctrum::cuda {

namespace {

/// One axis: the positions of the entries and the requested frequencies.
struct DirectAxis {
  const std::uint32_t* ids = nullptr;          ///< row (or column) of each slot
  const std::uint32_t* frequencies = nullptr;  ///< 0 … size−1
  std::uint64_t count = 0;                     ///< of frequencies
  std::uint64_t size = 1;                      ///< m (or n)
  std::uint64_t reciprocal = ~std::uint64_t{0} / size;
  double inverse = 1 / static_cast<double>(size);
};

/// The coefficients first_row … first_row+row_count−1 × first_col … first_col+col_count−1.
struct DirectPiece {
  std::uint64_t first_row = 0;
  std::uint64_t first_col = 0;
  std::uint32_t row_count = 0;
  std::uint32_t col_count = 0;
  [[nodiscard]] constexpr unsigned down() const {
    return static_cast<unsigned>((row_count + kDirectTile - 1) / kDirectTile);
  }
  [[nodiscard]] constexpr unsigned across() const {
    return static_cast<unsigned>((col_count + kDirectTile - 1) / kDirectTile);
  }
};

constexpr unsigned kTileSide = static_cast<unsigned>(kDirectTile);
constexpr unsigned kLanes = 16;                 // threads along either side of a tile
constexpr unsigned kEach = kTileSide / kLanes;  // coefficients of a thread along either side
constexpr unsigned kEntriesAtOnce = 16;
constexpr unsigned kSums = kTileSide * kTileSide;
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

/// The requested frequency number `at`; the last one for larger numbers, whose sums are not read.
__device__ std::uint32_t frequency_of(const DirectAxis& axis, std::uint64_t at) {
  return axis.frequencies[at < axis.count ? at : axis.count - 1];
}

/// partial[part, tile, coefficient] = (or +=, if `adds`) the sums over the entries begin … end−1, of which
/// each of `parts` parts has an equal share.
__global__ void __launch_bounds__(kThreads)
    sum_directly(EntrySlots entries, DirectAxis rows, DirectAxis cols, DirectPiece piece, std::uint64_t begin,
                 std::uint64_t end, bool adds, unsigned tiles_across, double2* partial) {
  __shared__ double2 down[kEntriesAtOnce][kTileSide];
  __shared__ double2 across[kEntriesAtOnce][kTileSide];
  const std::uint64_t row = piece.first_row + std::uint64_t{blockIdx.x / tiles_across} * kTileSide;
  const std::uint64_t col = piece.first_col + std::uint64_t{blockIdx.x % tiles_across} * kTileSide;
  const std::uint64_t share = (end - begin + gridDim.y - 1) / gridDim.y;
  const std::uint64_t first = min(end, begin + blockIdx.y * share);
  const std::uint64_t last = min(end, first + share);
  const unsigned x = threadIdx.x % kLanes;
  const unsigned y = threadIdx.x / kLanes;
  double2* const own = partial + (std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x) * kSums;
  const auto place = [&](unsigned p, unsigned q) { return (y + p * kLanes) * kTileSide + x + q * kLanes; };

  double2 sums[kEach][kEach];
#pragma unroll
  for (unsigned p = 0; p < kEach; ++p)
#pragma unroll
    for (unsigned q = 0; q < kEach; ++q) sums[p][q] = adds ? own[place(p, q)] : make_double2(0, 0);

  // Thread t computes the phases of row and column t mod 64 of the tile, for every fourth entry.
  const unsigned at = threadIdx.x % kTileSide;
  const std::uint32_t u = frequency_of(rows, row + at);
  const std::uint32_t v = frequency_of(cols, col + at);
  for (std::uint64_t next = first; next < last; next += kEntriesAtOnce) {
    for (unsigned e = threadIdx.x / kTileSide; e < kEntriesAtOnce; e += kThreads / kTileSide) {
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

/// output[p·stride + q] of the piece's coefficients: the sum of their parts.
__global__ void __launch_bounds__(kThreads)
    add_parts(const double2* partial, DirectPiece piece, unsigned parts, std::uint64_t tiles,
              unsigned tiles_across, float2* output, std::uint64_t stride) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (k >= std::uint64_t{piece.row_count} * piece.col_count) return;
  const unsigned p = static_cast<unsigned>(k / piece.col_count);
  const unsigned q = static_cast<unsigned>(k % piece.col_count);
  const std::uint64_t tile = std::uint64_t{p / kTileSide} * tiles_across + q / kTileSide;
  double2 sum = make_double2(0, 0);
  for (unsigned part = 0; part < parts; ++part) {
    const double2 value =
        partial[(part * tiles + tile) * kSums + (p % kTileSide) * kTileSide + q % kTileSide];
    sum.x += value.x;
    sum.y += value.y;
  }
  output[p * stride + q] = make_float2(static_cast<float>(sum.x), static_cast<float>(sum.y));
}

/// Terms of one launch: about a tenth of a second on a large device.
constexpr std::uint64_t kTermsAtOnce = std::uint64_t{1} << 37U;

class DirectJob {
 public:
  DirectJob(const DirectTask& task, Host& host)
      : host_(host),
        task_(task),
        pattern_(static_cast<const ResidentPattern&>(*task.pattern)),
        cut_(direct_cut(task.rows, task.cols, pattern_.entries().entries)),
        u_(upload(host, task.u, task.rows, "frequencies")),
        v_(upload(host, task.v, task.cols, "frequencies")),
        partial_(host, cut_.bytes() / sizeof(double2), "sums over parts of the entries"),
        delivery_(host, task.rows, task.cols, task.receiver != nullptr, task.reductions),
        stream_(host) {}

  Timing run() {
    host_.begin_stage("direct sums");
    return {deliver(
        host_, delivery_, stream_.get(),
        [&](std::uint64_t first, std::uint32_t count, float2* output) { return sum(first, count, output); },
        task_.receiver)};
  }

 private:
  /// Rows first … first+count−1 to `output`.
  cudaError_t sum(std::uint64_t first, std::uint64_t count, float2* output) {
    const std::uint64_t height = cut_.down * kDirectTile;
    const std::uint64_t width = cut_.across * kDirectTile;
    for (std::uint64_t p = 0; p < count; p += height)
      for (std::uint64_t q = 0; q < task_.cols; q += width) {
        const DirectPiece piece{first + p, q, static_cast<std::uint32_t>(std::min(height, count - p)),
                                static_cast<std::uint32_t>(std::min(width, task_.cols - q))};
        sum(piece, first);
        check(host_,
              launch_threads(add_parts, std::uint64_t{piece.row_count} * piece.col_count, stream_.get(),
                             partial_.get(), piece, static_cast<unsigned>(cut_.parts),
                             std::uint64_t{piece.down()} * piece.across(), piece.across(),
                             output + p * task_.cols + q, task_.cols),
              "adding parts");
      }
    return cudaSuccess;
  }

  void sum(const DirectPiece& piece, std::uint64_t rows_done) {
    const EntrySlots entries = pattern_.entries();
    const std::uint64_t coefficients =
        std::uint64_t{piece.down()} * piece.across() * kDirectTile * kDirectTile;
    const std::uint64_t at_once = std::max(cut_.parts * 256, kTermsAtOnce / coefficients);
    std::uint64_t begin = 0;
    do {
      const std::uint64_t end = std::min(entries.entries, begin + at_once);
      check(host_,
            launch(sum_directly, dim3(piece.down() * piece.across(), static_cast<unsigned>(cut_.parts)),
                   kThreads, stream_.get(), entries,
                   DirectAxis{pattern_.row_ids(), u_.get(), task_.rows, pattern_.m()},
                   DirectAxis{pattern_.col_ids(), v_.get(), task_.cols, pattern_.n()}, piece, begin, end,
                   begin != 0, piece.across(), partial_.get()),
            "direct sums");
      begin = end;
      if (begin == entries.entries && is_single(piece)) return;
      stream_.synchronize();
      host_.checkpoint(rows_done, task_.rows);
    } while (begin < entries.entries);
  }
  /// True if the task is one piece: no work that could be cancelled follows.
  [[nodiscard]] bool is_single(const DirectPiece& piece) const {
    return piece.row_count == task_.rows && piece.col_count == task_.cols;
  }

  Host& host_;
  const DirectTask& task_;
  const ResidentPattern& pattern_;
  DirectCut cut_;
  DeviceBuffer<std::uint32_t> u_;
  DeviceBuffer<std::uint32_t> v_;
  DeviceBuffer<double2> partial_;
  Delivery delivery_;
  Stream stream_;  // last: its destructor waits for the work that uses the buffers
};

Timing run(const DirectTask& task, Host& host) {
  host.begin_stage("prepare");
  return DirectJob(task, host).run();
}

}  // namespace

template <>
TaskEntry task_entry<DirectTask>() {
  return make_task_entry<DirectTask, run>();
}

}  // namespace spyctrum::cuda
