// SPDX-License-Identifier: Apache-2.0
// The classes of boxes of frequencies (coset_kernels.hpp). Within a quadrant of the plane classes change
// monotonically with |u| and |v|, so that a box lies in one class if its four corners do. The transpose (q,
// p) of such a box then also lies in one class.
#include "core/cuda/cosets/coset_kernels.hpp"
#include "core/cuda/reductions/class_sums.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

__device__ std::uint32_t class_in(const CosetPlane& plane, std::uint32_t u, std::uint32_t v) {
  return class_at(u, v, plane.m, plane.n, plane.edges);
}

/// Whether all of the frequencies first … last are below size/2, or all above.
__device__ bool has_one_sign(std::uint32_t first, std::uint32_t last, std::uint32_t size) {
  return 2 * last < size || 2 * first > size;
}

/// Whether box (p, q) may lie in several classes, or contains DC.
__device__ bool is_edge(const CosetPlane& plane, std::uint32_t p, std::uint32_t q) {
  const std::uint32_t top = index_of(plane.frequency(plane.row_step, 0, p), plane.m);
  const std::uint32_t left = index_of(plane.frequency(plane.col_step, 0, q), plane.n);
  const std::uint32_t bottom = top + plane.row_step - 1;
  const std::uint32_t right = left + plane.col_step - 1;
  if ((p | q) == 0 || !has_one_sign(top, bottom, plane.m) || !has_one_sign(left, right, plane.n)) return true;
  const std::uint32_t code = class_in(plane, top, left);
  return code != class_in(plane, top, right) || code != class_in(plane, bottom, left) ||
         code != class_in(plane, bottom, right);
}

/// A thread block for each q. Marks and counts edge boxes or, if `begins` is not null, lists and numbers
/// those that are marked.
__global__ void mark_edges(CosetPlane plane, EdgeBoxes edges, std::uint32_t* counts,
                           const std::uint32_t* begins, float* boxes) {
  __shared__ std::uint32_t of_warp[kThreads / 32];
  const std::uint32_t q = blockIdx.x;
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t number = begins != nullptr ? begins[q] : 0;  // of the first edge box from p on
  for (std::uint32_t first = 0; first < plane.cells; first += kThreads) {
    const std::uint32_t p = first + threadIdx.x;
    float* const box = boxes + std::uint64_t{q} * plane.cells + p;
    const bool is_box = p < plane.cells;
    const bool marks = is_box && (begins == nullptr ? is_edge(plane, p, q) : isnan(*box));
    const unsigned marked = __ballot_sync(kAllLanes, marks);
    __syncthreads();
    if (lane == 0) of_warp[threadIdx.x / 32] = __popc(marked);
    __syncthreads();
    std::uint32_t own = number + __popc(marked & ((1U << lane) - 1));
    for (unsigned w = 0; w < kThreads / 32; ++w) {
      if (w < threadIdx.x / 32) own += of_warp[w];
      number += of_warp[w];
    }
    if (begins == nullptr) {
      if (is_box) *box = marks ? __uint_as_float(kEdgeMark) : 0.0F;
    } else if (marks) {
      const bool is_listed = own < edges.most;
      if (is_listed) edges.boxes[own] = q * plane.cells + p;
      *box = is_listed ? __uint_as_float(kEdgeMark | own) : 0.0F;
    }
  }
  if (begins == nullptr && threadIdx.x == 0) counts[q] = number;
}

/// The sectors of a coefficient (u, v) and of those with equal powers, (−u, −v) and, of symmetric matrices,
/// (v, u) and (−v, −u), in which an equal share of their power counts; bits 3k to 3k + 2: the k-th.
__device__ std::uint32_t sectors_of(const CosetPlane& plane, std::uint32_t u, std::uint32_t v,
                                    std::uint32_t code) {
  const auto sector = [](std::uint32_t of_class) { return of_class >> 4U & 7U; };
  const std::uint32_t own = sector(code);
  // The transpose of sector k is 4 − k (mod 8).
  const std::uint32_t transposed = plane.is_symmetric ? (12 - own) % 8 : own;
  if (2 * u != plane.m && 2 * v != plane.n) return own | transposed << 3U | own << 6U | transposed << 9U;
  // Here −m/2 counts as m/2, so that the four may be in four sectors.
  const std::uint32_t minus_u = u == 0 ? 0 : plane.m - u;
  const std::uint32_t minus_v = v == 0 ? 0 : plane.n - v;
  const std::uint32_t mirrored = sector(class_in(plane, minus_u, minus_v));
  if (!plane.is_symmetric) return own | own << 3U | mirrored << 6U | mirrored << 9U;
  return own | sector(class_in(plane, v, u)) << 3U | mirrored << 6U |
         sector(class_in(plane, minus_v, minus_u)) << 9U;
}

/// Adds powers to the sums of an edge box; those of consecutive coefficients of one class are added first.
class EdgeAdder {
 public:
  __device__ explicit EdgeAdder(Moments& sums) : sums_(sums.sums) {}
  __device__ void add(std::uint32_t code, std::uint32_t sectors, double power) {
    const std::uint32_t key = (code & 143U) << 16U | sectors;
    if (key != key_) finish();
    key_ = key;
    power_ += power;
  }
  __device__ void finish() {
    if (power_ == 0) return;
    sums_[key_ >> 16U & 15U] += power_;
    if ((key_ >> 16U & 128U) != 0) sums_[Moments::kLow] += power_;
    double* const sectors = sums_ + Moments::kSectorsAt;
    const std::uint32_t a = key_ & 7U;
    const std::uint32_t b = key_ >> 3U & 7U;
    if ((key_ & 63U) == (key_ >> 6U & 63U)) {
      if (a == b) {
        sectors[a] += power_;
      } else {
        sectors[a] += power_ / 2;
        sectors[b] += power_ / 2;
      }
    } else {
      for (std::uint32_t k = 0; k < 4; ++k) sectors[key_ >> 3 * k & 7U] += power_ / 4;
    }
    power_ = 0;
  }

 private:
  double* sums_;
  std::uint32_t key_ = 0;
  double power_ = 0;
};

/// Adds Σ f(P), Σ ln P and the zeros of a coefficient that counts `times` times.
__device__ void add_logarithm(Moments& sums, float power, double times, const Floors& floors) {
  const double logarithm = log(static_cast<double>(fmaxf(power, FLT_MIN)));
  const PowerTerms<double> terms = power_terms(static_cast<double>(power), logarithm);
  for (unsigned k = 0; k < kPowerSums; ++k) sums.sums[Moments::kSumsAt + k] += times * terms.of[k];
  sums.sums[Moments::kLog] +=
      times * (is_below(power, floors.noise) ? kLn2 * floors.log2_of_noise : logarithm);
  if (is_below(power, floors.zero)) sums.sums[Moments::kZeros] += times;
}

/// A thread for each edge box.
__global__ void add_edges(CosetPlane plane, CosetBatch batch, EdgeBoxes edges, Floors floors) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= min(*edges.count, edges.most)) return;
  const std::uint32_t box = edges.boxes[k];
  EdgeAdder sums(edges.sums[k]);
  for (std::uint32_t y = 0; y < batch.count; ++y) {
    const Coset& coset = batch.coset[y];
    const std::int64_t row = plane.frequency(plane.row_step, coset.row, box % plane.cells);
    const std::int64_t col = plane.frequency(plane.col_step, coset.col, box / plane.cells);
    const float part = plane.times(row, plane.m) * plane.times(col, plane.n);  // 1; ½ or ¼ at ±m/2 and ±n/2
    const double times = static_cast<double>(coset.times * part);
    if ((row | col) == 0 || times == 0) continue;  // DC, or not in the plane
    const std::uint32_t u = index_of(row, plane.m);
    const std::uint32_t v = index_of(col, plane.n);
    const float power = batch.boxes[plane.boxes() + std::uint64_t{y} * edges.most + k];
    const std::uint32_t code = class_in(plane, u, v);
    sums.add(code, sectors_of(plane, u, v, code), times * power);
    if (part < 1) add_logarithm(edges.sums[k], power, times, floors);
  }
  sums.finish();
}

/// The warps' sums of a block, and their sum in the block's slot.
struct BlockMoments {
  double of[kWarps][Moments::kSize];
  __device__ void clear() {
    for (unsigned k = threadIdx.x; k < kWarps * Moments::kSize; k += blockDim.x) (&of[0][0])[k] = 0;
    __syncthreads();
  }
  __device__ void store(Moments& slot) const {
    __syncthreads();
    if (threadIdx.x >= Moments::kSize) return;
    double sum = 0;
    for (unsigned w = 0; w < kWarps; ++w) sum += of[w][threadIdx.x];
    slot.sums[threadIdx.x] = sum;
  }
};

__global__ void __launch_bounds__(32 * kWarps)
    classify_boxes(CosetPlane plane, BoxArrays boxes, Moments* slots) {
  __shared__ BlockMoments block;
  block.clear();
  double* const own = block.of[threadIdx.x / 32];
  ClassPowers powers(own);
  ClassPowers transposed(own);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * kBoxesOfSlot;
  for (std::uint64_t box = first + threadIdx.x; box < first + kBoxesOfSlot; box += 32 * kWarps) {
    const bool is_inside = box < plane.boxes();
    const bool counts = is_inside && !isnan(boxes.of[0][box]);
    double sum = 0;
    for (std::uint64_t k = 0; counts && k < kCosetLanes; ++k) sum += static_cast<double>(boxes.of[k][box]);
    const auto p = static_cast<std::uint32_t>(box % plane.cells);
    const auto q = static_cast<std::uint32_t>(box / plane.cells);
    const std::uint32_t u = index_of(plane.frequency(plane.row_step, 0, p), plane.m);
    const std::uint32_t v = index_of(plane.frequency(plane.col_step, 0, q), plane.n);
    const auto share = static_cast<float>(plane.is_symmetric ? sum / 2 : sum);
    powers.add(counts, counts ? class_in(plane, u, v) : 0, share);
    if (plane.is_symmetric) transposed.add(counts, counts ? class_in(plane, v, u) : 0, share);
  }
  powers.finish();
  transposed.finish();
  block.store(slots[blockIdx.x]);
}

/// A thread for each sum.
__global__ void collect_edges(EdgeBoxes edges, Moments* slots) {
  if (threadIdx.x >= Moments::kSize) return;
  double sum = 0;
  const std::uint32_t first = blockIdx.x * static_cast<std::uint32_t>(kEdgesOfSlot);
  const std::uint32_t end =
      min(first + static_cast<std::uint32_t>(kEdgesOfSlot), min(*edges.count, edges.most));
  for (std::uint32_t k = first; k < end; ++k) sum += edges.sums[k].sums[threadIdx.x];
  slots[blockIdx.x].sums[threadIdx.x] = sum;
}

}  // namespace

cudaError_t launch_mark_edges(const CosetPlane& plane, const EdgeBoxes& edges, std::uint32_t* counts,
                              std::uint32_t* begins, float* boxes, cudaStream_t stream) {
  const std::uint32_t* const none = nullptr;
  mark_edges<<<plane.cells, kThreads, 0, stream>>>(plane, edges, counts, none, boxes);
  if (const cudaError_t code = launch_add_counts(plane.cells, counts, begins, stream); code != cudaSuccess)
    return code;
  mark_edges<<<plane.cells, kThreads, 0, stream>>>(plane, edges, counts, begins, boxes);
  return cudaGetLastError();
}

cudaError_t launch_add_edges(const CosetPlane& plane, const CosetBatch& batch, const EdgeBoxes& edges,
                             const Floors& floors, cudaStream_t stream) {
  // Small blocks find registers beside the other stream's transforms.
  constexpr unsigned kEdgeThreads = 64;
  return launch(add_edges, dim3(static_cast<unsigned>(detail::pieces(edges.most, kEdgeThreads))),
                kEdgeThreads, stream, plane, batch, edges, floors);
}

cudaError_t launch_classify_boxes(const CosetPlane& plane, const BoxArrays& boxes, Moments* slots,
                                  cudaStream_t stream) {
  return launch(classify_boxes, dim3(static_cast<unsigned>(CosetSlots(plane.cells).boxes)), 32 * kWarps,
                stream, plane, boxes, slots);
}

cudaError_t launch_collect_edges(const EdgeBoxes& edges, Moments* slots, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(detail::pieces(edges.most, kEdgesOfSlot));
  return launch(collect_edges, dim3(blocks), 32, stream, edges, slots);
}

}  // namespace spyctrum::cuda
