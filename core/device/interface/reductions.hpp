// SPDX-License-Identifier: Apache-2.0
// What the CUDA module reduces rows to while they are on the device, so that a plane larger than any memory
// leaves it as a few kilobytes: sums that features are made of, cells of a display pyramid, and how far
// bilinear reconstructions are from the rows. Plain data, like module.hpp; definitions are those of
// core/spectrum (FeatureTotals, DisplayPyramid, ReconstructionErrorConsumer). Arrays are the host's; results
// are written when the call that was given them returns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/interface/lines.hpp"

namespace spyctrum::cuda {

/// Runs of constant class along a row: two sides of at most 21 between the edges of radii, sectors and low
/// frequencies, and what is left out.
inline constexpr std::uint32_t kMostRuns = 48;
inline constexpr std::uint32_t kNoRun = 0xFFFFFFFFU;  ///< where a row has no more of them

/// A class is radial bin + 16·sector + 128·t + 256·(r ≤ √½/8) + 512·h, or one of the two below. In the
/// symmetric half (u, v) counts for its transpose (v, u) too: t (kTransposedSector) marks those whose
/// transpose has the angle −(π/2 − θ) in place of π/2 − θ, h (kHalfWeight) those with |v| = u, which count
/// half.
inline constexpr unsigned kSectorShift = 4;
inline constexpr std::uint16_t kTransposedSector = 0x80;
inline constexpr std::uint16_t kLowClass = 0x100;
inline constexpr std::uint16_t kHalfWeight = 0x200;
inline constexpr std::uint16_t kSkippedClass = 0x400;  ///< counts for nothing
inline constexpr std::uint16_t kDcClass = 0x401;       ///< F[0, 0], kept apart

/// The classes of every row's coefficients, column by column as they are stored.
struct RowClassesView {
  std::uint64_t rows = 0;
  std::uint64_t width = 0;
  const std::uint32_t* begins =
      nullptr;  ///< [rows × kMostRuns], first columns, ascending from 0, then kNoRun
  const std::uint16_t* classes = nullptr;  ///< [rows × kMostRuns]
  const std::uint8_t* weights =
      nullptr;  ///< [rows], how often a row counts: 0, 1, 2, of symmetric_half 2 or 4
};

inline constexpr std::size_t kClassRadii = 16;
inline constexpr std::size_t kClassSectors = 8;
inline constexpr std::size_t kTinyPowers = 124;

/// Of P = |F|², logarithms natural, DC left out except in dc_power; every coefficient times the weight of its
/// row. Powers below the smallest normal float (zeros) enter no logarithm.
struct FeatureSums {
  double radial[kClassRadii] = {};
  double sectors[kClassSectors] = {};
  double transposed_sectors[kClassSectors] = {};  ///< by sector, those of kTransposedSector
  double low = 0;
  double power_log_power = 0;
  double log_power = 0;
  double dc_power = 0;
  /// Powers below 2^−2 by binary exponent −3 − k, the last for anything smaller.
  std::uint64_t tiny_count[kTinyPowers] = {};
  double tiny_log[kTinyPowers] = {};
};

struct FeatureReduction {
  RowClassesView classes;
  FeatureSums* sums = nullptr;
};

/// Only of the rows u = 0 … ⌊m/2⌋ of a whole plane of n columns in DFT order.
struct PyramidReduction {
  std::uint64_t m = 0;
  std::uint32_t rows = 0;  ///< of cells, ≤ m; cell r covers shifted positions ⌊r·m/rows⌋ …
  std::uint32_t cols = 0;
  double* power = nullptr;   ///< [rows × cols], sums of |F|²
  float* maximum = nullptr;  ///< [rows × cols], largest |F|²
};

/// (1−weight)·[below] + weight·[above].
struct NodeBracket {
  std::uint32_t below = 0;
  std::uint32_t above = 0;
  float weight = 0;
};

/// Bins of a magnitude x: the bits of the float x·inverse, cut off (core/reconstruction/joint_histogram.hpp).
struct MagnitudeBinning {
  float inverse = 1;
  std::uint32_t coarse_bits = 0;
  std::uint32_t fine_bits = 0;
  std::uint32_t upper_bits = 0;
  std::uint32_t fine_shift = 0;
  std::uint32_t coarse_shift = 0;
  std::uint32_t fine_begin = 0;
  std::uint32_t fine_end = 0;
  std::uint32_t count = 0;
};

/// Σ M·M̂, Σ M², Σ M̂² over coefficients.
struct MagnitudeProducts {
  double cross = 0;
  double reference = 0;
  double estimate = 0;
};

/// A bilinear magnitude plane M̂ against the magnitudes M of rows u = 0 … ⌊m/2⌋ of a whole plane of n columns
/// in DFT order, and of their mirrors.
struct ReconstructionReduction {
  std::uint64_t m = 0;
  std::uint64_t node_rows = 0;
  std::uint64_t node_cols = 0;
  const float* magnitudes = nullptr;    ///< [node_rows × node_cols]
  const NodeBracket* rows = nullptr;    ///< [⌊m/2⌋+1], of frequency u
  const NodeBracket* mirror = nullptr;  ///< the same, of frequency −u
  const NodeBracket* cols = nullptr;    ///< [n], of frequency v = 0 … n−1
  float dc = 0;                         ///< M̂ at (0, 0)
  MagnitudeBinning reference_bins;
  MagnitudeBinning estimate_bins;
  MagnitudeProducts* axis = nullptr;   ///< of row u = 0
  MagnitudeProducts* rest = nullptr;   ///< of all others
  std::uint64_t* histogram = nullptr;  ///< [reference_bins.count × estimate_bins.count], DC left out
  const ReconstructionReduction* next = nullptr;  ///< another one, of the same rows
};

/// Neighbouring rows of the plane, or their mirrors, in one row of a display pyramid's cells.
struct CellRow {
  std::uint64_t first = 0;  ///< row of the task
  std::uint32_t rows = 0;   ///< from there on; 0: there is nothing here
  bool mirrors = false;     ///< −u in place of u
};
struct CellSum {
  float power = 0;    ///< Σ |F|²
  float maximum = 0;  ///< largest |F|²
};
/// A strong coefficient.
struct StrongValue {
  std::uint32_t row = 0;  ///< of the task
  std::uint32_t v = 0;    ///< 0 … n−1
  float real = 0;
  float imaginary = 0;
};
/// What rows leave behind beside their sums.
struct TileResults {
  const CellRow* cell_rows = nullptr;  ///< [cell_row_count]
  const CellSum* cells = nullptr;      ///< [cell_row_count × RowSumsReduction::cell_cols]
  std::uint64_t cell_row_count = 0;
  /// [strong_count], in no order: the strongest ones of the rows and others, one of each conjugate pair, DC
  /// left out; zeros may be missing.
  const StrongValue* strong = nullptr;
  std::uint64_t strong_count = 0;
  bool has_all_strong = true;  ///< false: so many are equally strong that some are missing
};

/// Takes sums of rows as they come off the device, in the order of the task's rows. What it throws ends the
/// task.
class RowSumsReceiver {
 public:
  virtual ~RowSumsReceiver() = default;
  /// Of rows first … first+count−1 of the task, each for itself; valid during the call only.
  virtual void take(std::uint64_t first, std::uint64_t count, const CellSums* sums,
                    const TileResults& parts) = 0;
  /// Coefficients of less power than this are not wanted any more.
  [[nodiscard]] virtual float least_strong() const { return 0; }
};

/// Sums of whole rows of an m×n plane, n coefficients each, handed over tile by tile while others are
/// computed: some tiles behind, the last ones before the task ends. Of symmetric_half (Reductions) sums count
/// (v, u) as well, with its own class, where |v| < u; of strong coefficients it is left out.
struct RowSumsReduction {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t rows = 0;            ///< of the task
  const std::uint32_t* u = nullptr;  ///< [rows]
  double floor = 0;                  ///< powers below its octave enter Σ ln as this
  std::uint32_t cell_rows = 0;       ///< of a display pyramid (PyramidReduction); 0: none
  std::uint32_t cell_cols = 0;
  std::uint32_t strongest = 0;  ///< how many of the strongest coefficients are wanted, at most kMostStrong/2
  RowSumsReceiver* receiver = nullptr;
};

/// Everything that one pass over the rows is reduced to.
struct Reductions {
  const FeatureReduction* features = nullptr;
  const PyramidReduction* pyramid = nullptr;
  const ReconstructionReduction* reconstructions = nullptr;  ///< the first of them
  const BulkReduction* bulk = nullptr;                       ///< of packed rows only: samples on a grid
  const RowSumsReduction* row_sums = nullptr;                ///< of rows as their tile holds them
  /// Of each row u = 0 … ⌊n/2⌋ of a symmetric pattern (m = n) only |v| ≤ u, for features, a pyramid and sums
  /// of rows. Cells of a pyramid have half of the powers at |v| = u, and nothing else of their transpose.
  bool symmetric_half = false;
  [[nodiscard]] constexpr bool empty() const {
    return features == nullptr && pyramid == nullptr && reconstructions == nullptr && bulk == nullptr &&
           row_sums == nullptr;
  }
};

inline constexpr std::uint32_t kBandsAtOnce = 16;  ///< groups of rows that one launch reduces to cells, or
inline constexpr std::uint32_t kFeatureBandsAtOnce = 32;  ///< to features alone
inline constexpr std::uint32_t kBandRows = 32;            ///< of such a group at most
inline constexpr std::uint64_t kReduceColumns = 1024;     ///< of one block that sums features,
inline constexpr std::uint64_t kWarpColumns = 128;        ///< and of one of its warps
inline constexpr std::uint64_t kCompareColumns = 2048;    ///< of one block that compares magnitudes

namespace detail {
/// An allocation of `bytes`: multiples of 512.
[[nodiscard]] constexpr std::uint64_t allocated(std::uint64_t bytes) { return (bytes + 511) / 512 * 512; }
[[nodiscard]] constexpr std::uint64_t pieces(std::uint64_t count, std::uint64_t size) {
  return (count + size - 1) / size;
}
}  // namespace detail

/// Partial sums of a block: radial bins, sectors, transposed sectors, low, Σ P ln P, Σ ln P.
inline constexpr std::uint64_t kSlotSums = kClassRadii + 2 * kClassSectors + 3;

/// Blocks that sum the features of a band, at most: of symmetric_half two sides begin with a warp of their
/// own.
[[nodiscard]] constexpr std::uint64_t feature_blocks(std::uint64_t width) {
  return detail::pieces(width + 2 * kWarpColumns, kReduceColumns);
}
/// Device bytes of features of `rows` rows of `width` coefficients that pass in tiles on `lanes` streams.
[[nodiscard]] constexpr std::uint64_t feature_device_bytes(std::uint64_t rows, std::uint64_t width,
                                                           std::uint64_t lanes) {
  const std::uint64_t slots = kFeatureBandsAtOnce * feature_blocks(width);
  return detail::allocated(4 * rows * kMostRuns) + detail::allocated(2 * rows * kMostRuns) +
         lanes * detail::allocated(8 * kSlotSums * slots) + detail::allocated(8 * (2 * kTinyPowers + 1));
}
/// Of a BulkReduction whose masks are `masks` bytes together.
[[nodiscard]] constexpr std::uint64_t bulk_device_bytes(std::uint64_t rows, std::uint64_t width,
                                                        std::uint64_t masks) {
  return masks + detail::allocated(sizeof(LineRequest) * rows) + detail::allocated(4 * width) +
         detail::allocated(sizeof(CellSums) * (rows + 1));
}
inline constexpr std::uint64_t kTilesBehind = 2;  ///< of each lane, whose sums of rows are on their way
/// Of a RowSumsReduction in tiles of `tile` rows.
[[nodiscard]] constexpr std::uint64_t row_sums_device_bytes(std::uint64_t rows, std::uint64_t width,
                                                            std::uint64_t tile, std::uint64_t lanes) {
  return detail::allocated(sizeof(LineRequest) * rows) +
         lanes * kTilesBehind *
             detail::allocated(sizeof(CellSums) * tile * (1 + detail::pieces(width, kLineCells)));
}
inline constexpr std::uint64_t kMostStrong = 16384;   ///< coefficients that a tile hands over
inline constexpr std::uint64_t kStrengthBins = 4096;  ///< of powers, sixteen to an octave
/// Of the TileResults of a RowSumsReduction, on the host and once more on the device.
[[nodiscard]] constexpr std::uint64_t tile_results_bytes(std::uint64_t cell_cols, std::uint64_t tile,
                                                         std::uint64_t lanes) {
  return lanes * kTilesBehind *
         (detail::allocated(2 * tile * cell_cols * sizeof(CellSum)) +
          detail::allocated((kMostStrong + 1) * sizeof(StrongValue)));
}
/// Only on the device.
[[nodiscard]] constexpr std::uint64_t tile_results_work_bytes(std::uint64_t width, std::uint64_t lanes) {
  return lanes * (detail::allocated(8 * width * kBandsAtOnce) + detail::allocated(4 * (kStrengthBins + 1)));
}
[[nodiscard]] constexpr std::uint64_t pyramid_device_bytes(std::uint64_t width, std::uint64_t cells,
                                                           std::uint64_t lanes) {
  return lanes * (detail::allocated(8 * width * kBandsAtOnce) + detail::allocated(8 * cells) +
                  detail::allocated(4 * cells));
}
[[nodiscard]] constexpr std::uint64_t reconstruction_device_bytes(const ReconstructionReduction& task,
                                                                  std::uint64_t width, std::uint64_t tile,
                                                                  std::uint64_t lanes) {
  const std::uint64_t columns = detail::pieces(width, kCompareColumns);
  return detail::allocated(4 * task.node_rows * task.node_cols) +
         2 * detail::allocated(sizeof(NodeBracket) * (task.m / 2 + 1)) +
         detail::allocated(sizeof(NodeBracket) * width) +
         detail::allocated(std::uint64_t{8} * task.reference_bins.count * task.estimate_bins.count) +
         lanes * detail::allocated(sizeof(MagnitudeProducts) * columns * (tile + 1));
}
/// All of them: `rows` of `width` coefficients in tiles of `tile`.
[[nodiscard]] constexpr std::uint64_t reduction_device_bytes(const Reductions& reductions, std::uint64_t rows,
                                                             std::uint64_t width, std::uint64_t tile,
                                                             std::uint64_t lanes) {
  std::uint64_t bytes = 0;
  if (reductions.features != nullptr) bytes += feature_device_bytes(rows, width, lanes);
  if (reductions.pyramid != nullptr)
    bytes += pyramid_device_bytes(width, std::uint64_t{reductions.pyramid->rows} * reductions.pyramid->cols,
                                  lanes);
  for (const auto* task = reductions.reconstructions; task != nullptr; task = task->next)
    bytes += reconstruction_device_bytes(*task, width, tile, lanes);
  return bytes;
}

}  // namespace spyctrum::cuda
