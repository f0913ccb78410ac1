// SPDX-License-Identifier: Apache-2.0
// Kernels that sum a plane coset by coset (core/device/interface/cosets.hpp). Pointers are the device's;
// launches return cudaGetLastError().
//
// A box (p, q) is the s×t block of frequencies {s·p … s·p + s−1} × {t·q … t·q + t−1}: it contains one
// coefficient of each coset, so that powers are first added box by box. Nearly all boxes lie in one class of
// frequencies (class_sums.cuh), and are added to it at the end; the others, the edge boxes, have sums for
// each class. If s does not divide m, the outermost boxes have frequencies beyond ±m/2, which count 0 times,
// and both m/2 and −m/2, which count half.
#pragma once

#include <cuda_runtime_api.h>

#include "core/cuda/pattern/device_columns.hpp"
#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/device/interface/cosets.hpp"
#include "core/device/interface/radial_edges.hpp"

namespace spyctrum::cuda {

/// The plane and its cosets: L boxes along each axis.
struct CosetPlane {
  std::uint32_t m = 1;
  std::uint32_t n = 1;
  std::uint32_t cells = 1;     ///< L
  std::uint32_t row_step = 1;  ///< s
  std::uint32_t col_step = 1;  ///< t
  bool is_symmetric = false;
  bool is_spread = false;  ///< s and t need not divide m and n
  RadialEdges edges;       ///< radial_edges(m, n)
  [[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint64_t boxes() const {
    return std::uint64_t{cells} * cells;
  }
  /// The signed frequency first + step·p; p from L/2 on stands for p − L.
  [[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::int64_t frequency(std::uint32_t step, std::uint32_t first,
                                                                      std::uint32_t p) const {
    return first + step * (std::int64_t{p} - (2 * p < cells ? 0 : cells));
  }
  /// How often such a frequency counts on an axis of `size` frequencies.
  [[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr float times(std::int64_t frequency, std::uint32_t size) const {
    const std::int64_t twice = frequency < 0 ? -2 * frequency : 2 * frequency;
    return !is_spread || twice < size ? 1.0F : twice == size ? 0.5F : 0.0F;
  }
};
/// A signed frequency as a DFT index.
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint32_t index_of(std::int64_t frequency,
                                                                    std::uint32_t size) {
  return static_cast<std::uint32_t>(frequency < 0 ? frequency + size : frequency);
}

/// A coset, and how many cosets have its powers (those of −u, −v and, of symmetric matrices, of v, u).
struct Coset {
  std::uint32_t row = 0;
  std::uint32_t col = 0;
  float times = 0;
};

/// The most entries that are added to a cell, and the largest |w| as the bits of a float: no cell's sum has a
/// larger magnitude than their product.
struct CellBound {
  std::uint32_t entries = 0;
  std::uint32_t weight = 0;
};

/// The entries in the order of their rows: i mod L or, if they are spread, the first of their rows of cells.
/// Within one such row they are in no particular order.
struct OrderedEntries {
  const CosetEntry* entries = nullptr;
  const std::uint32_t* begin = nullptr;  ///< [row_begins(rows)]: first entry of each row; then K
  const CellBound* bound = nullptr;
};

/// Rows of the folded matrix that one thread block transforms where N = L: four values fill a sector of
/// memory.
inline constexpr std::uint32_t kFoldedRows = 4;
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint64_t row_begins(std::uint32_t cells) {
  return cells + kFoldedRows;
}

/// begins[k] = Σ_{x < k} counts[x] for k ≤ cells, and begins[cells] for the rest up to row_begins(cells);
/// `counts` becomes the beginning of `begins`.
cudaError_t launch_add_counts(std::uint32_t cells, std::uint32_t* counts, std::uint32_t* begins,
                              cudaStream_t stream);

/// Sorts the entries of `columns`, all of the matrix, by R rows (OrderedEntries). `entries`: [K]; `begin`:
/// [row_begins(R)]; `cursors`: [R]; `bound`: zeros.
cudaError_t launch_entry_order(const DeviceColumns& columns, std::uint64_t col_reciprocal,
                               const CosetSize& size, CosetEntry* entries, std::uint32_t* begin,
                               std::uint32_t* cursors, CellBound* bound, cudaStream_t stream);
/// Entries as a list of slots, with the rows and columns of the slots; m×n is the size of the matrix.
struct ListedEntries {
  EntrySlots slots;
  const std::uint32_t* row_ids = nullptr;
  const std::uint32_t* col_ids = nullptr;
  std::uint64_t m = 1;
  std::uint64_t n = 1;
};
/// Entry (i, j) is spread about the point (rows·row_step·i/m, cells·col_step·j/n), modulo (rows, cells), onto
/// `taps` cells of each axis: kSpreadTaps, or 1 if the points are cells.
struct SpreadSteps {
  std::uint32_t rows = 1;  ///< R
  std::uint32_t cells = 1;
  std::uint32_t row_step = 1;
  std::uint32_t col_step = 1;
  std::uint32_t taps = kSpreadTaps;
};
/// launch_entry_order() for a list of entries, which are spread onto R rows of cells.
cudaError_t launch_list_order(const ListedEntries& list, const SpreadSteps& steps, CosetEntry* entries,
                              std::uint32_t* begin, std::uint32_t* cursors, CellBound* bound,
                              cudaStream_t stream);
/// The number R of rows by which the entries are sorted.
[[nodiscard]] constexpr std::uint32_t ordered_rows(const CosetSize& size) {
  const CosetLength& length = kCosetLengths[size.length];
  return length.is_spread() ? length.transformed() : size.cells;
}

/// Tables of a length: e^{−2πik/256}, k < 256, and the twiddle factors between the passes.
struct CosetTables {
  const float2* roots = nullptr;
  const float2* first = nullptr;   ///< [a × b·c]: e^{−2πi·xk/N}
  const float2* second = nullptr;  ///< [b × c]: e^{−2πi·yk/(b·c)}
  /// CosetSumsTask::weights of the first four cells, [kResampledValues][N/5], and of the fifth.
  const float4* four_weights = nullptr;
  const float* fifth_weights = nullptr;
  const float* gains = nullptr;  ///< as CosetSumsTask::gains
  float beta = 0;                ///< as CosetSumsTask::beta and, on the host, polynomials
  const float* polynomials = nullptr;
};

/// The work of one launch: `count` cosets on one stream, and what is added to. The last of the groups of
/// kCosetLines is filled up with cosets that count 0 times.
struct CosetBatch {
  Coset coset[kMostCosetsAtOnce];
  std::uint32_t count = 0;
  /// [kCosetLines·groups][coset_values(size)]: cosets transformed along one axis
  float2* rows = nullptr;
  /// Sums of the powers of boxes [L][L], by q and p, then the powers in edge boxes of each coset of the
  /// batch, [kCosetLines·groups][most_edge_boxes(L)]. An edge box holds kEdgeMark and its number.
  float* boxes = nullptr;
  Moments* slots = nullptr;  ///< [CosetSlots::of_lane]
};
/// Transforms the cosets of a batch; adds Σ f(P), Σ ln P and the zeros of the coefficients that count once,
/// all without DC, to the slots, and powers to the boxes.
cudaError_t launch_cosets(const OrderedEntries& entries, const CosetPlane& plane, std::uint32_t length,
                          const CosetTables& tables, const Floors& floors, const CosetBatch& batch,
                          cudaStream_t stream);

/// The bits of a float that is not a number. The number of an edge box is in the lower bits.
inline constexpr std::uint32_t kEdgeMark = 0x7FC00000U;
static_assert(most_edge_boxes(kMostCosetCells) < 1U << 22U);

/// The edge boxes: number k < *count is the box boxes[k] = q·L + p.
struct EdgeBoxes {
  std::uint32_t most = 0;  ///< most_edge_boxes(L)
  const std::uint32_t* count = nullptr;
  std::uint32_t* boxes = nullptr;  ///< [most]
  /// [most], of one stream: powers by class and, of coefficients that count half or a quarter, Σ f(P), Σ ln P
  /// and the zeros
  Moments* sums = nullptr;
};
/// Lists the edge boxes, in their order, and marks them in `boxes`, with zeros elsewhere.
/// `counts`: [L]; `begins`: [row_begins(L)]; the last of these is the number of edge boxes, of which those
/// above edges.most are not listed.
cudaError_t launch_mark_edges(const CosetPlane& plane, const EdgeBoxes& edges, std::uint32_t* counts,
                              std::uint32_t* begins, float* boxes, cudaStream_t stream);
/// Adds the powers of a batch in edge boxes, but DC, to their sums.
cudaError_t launch_add_edges(const CosetPlane& plane, const CosetBatch& batch, const EdgeBoxes& edges,
                             const Floors& floors, cudaStream_t stream);

/// The boxes [L][L] of all streams.
struct BoxArrays {
  const float* of[kCosetLanes];
};
/// slots[CosetSlots::boxes]: the sums by class of kBoxesOfSlot boxes.
cudaError_t launch_classify_boxes(const CosetPlane& plane, const BoxArrays& boxes, Moments* slots,
                                  cudaStream_t stream);
/// slots[CosetSlots::edges_of_lane]: the sums of kEdgesOfSlot edge boxes.
cudaError_t launch_collect_edges(const EdgeBoxes& edges, Moments* slots, cudaStream_t stream);

}  // namespace spyctrum::cuda
