// SPDX-License-Identifier: Apache-2.0
// Device reductions: rows are reduced where they are computed, so that a plane larger than any memory sends
// only a few kilobytes to the host: sums for features, cells of a display pyramid, errors of bilinear
// reconstructions. Definitions: FeatureTotals (core/features), DisplayPyramid (core/pictures),
// ReconstructionErrorConsumer (core/reconstruction). Arrays belong to the host; results are written when the
// call returns.
#pragma once

#include <cstdint>

#include "core/device/interface/lines.hpp"

namespace spyctrum::cuda {

/// The most runs of constant class along a row: on each side of v = 0 at most 21 between the edges of radial
/// bins, sectors and low frequencies, and runs of skipped coefficients.
inline constexpr std::uint32_t kMostRuns = 48;
inline constexpr std::uint32_t kNoRun = 0xFFFFFFFFU;  ///< follows the last run of a row

/// A class is radial bin + 16·sector + 128·t + 256·(r ≤ √½/8) + 512·h, or one of two special values. t and h
/// are set only in symmetric halves, where a coefficient stands for its transpose as well. t = 1 (transposed
/// sector): the transpose lies in the mirror image, v → −v, of the sector π/2 − θ. h = 1 (half weight): the
/// coefficient or its conjugate is its own transpose and counts half.
inline constexpr unsigned kSectorShift = 4;
inline constexpr std::uint16_t kTransposedSector = 0x80;
inline constexpr std::uint16_t kLowClass = 0x100;
inline constexpr std::uint16_t kHalfWeight = 0x200;
inline constexpr std::uint16_t kSkippedClass = 0x400;  ///< counts nowhere
inline constexpr std::uint16_t kDcClass = 0x401;       ///< F[0, 0], summed separately

/// The classes of every row's coefficients, column by column as they are stored.
struct RowClassesView {
  std::uint64_t rows = 0;
  std::uint64_t width = 0;
  const std::uint32_t* begins =
      nullptr;  ///< [rows × kMostRuns]: first columns of runs, ascending from 0, then kNoRun
  const std::uint16_t* classes = nullptr;  ///< [rows × kMostRuns]
  const std::uint8_t* weights =
      nullptr;  ///< [rows]: how often a row counts: 0, 1, 2; in symmetric halves 2 or 4
};

/// Sums of P = |F|², in which a coefficient counts as often as its row (RowClassesView::weights), without
/// F[0, 0] except in dc_power; natural logarithms. Powers below the smallest normal float (zeros) enter no
/// logarithm.
struct FeatureSums {
  double radial[kRadialBins] = {};
  double sectors[kSectors] = {};
  double transposed_sectors[kSectors] = {};  ///< coefficients of kTransposedSector, by sector
  double low = 0;
  PowerTerms<double> f;  ///< Σ f(P) of kPowerFunctions
  double log_power = 0;
  double dc_power = 0;
  std::uint64_t tiny_count[kTinyBins] = {};  ///< powers below kTinyPower
  double tiny_log[kTinyBins] = {};
};

struct FeatureReduction {
  RowClassesView classes;
  FeatureSums* sums = nullptr;
};

/// The cells of a display pyramid, from the rows u = 0 … ⌊m/2⌋ of a whole plane of n columns in DFT order.
struct PyramidReduction {
  std::uint64_t m = 0;
  std::uint32_t rows = 0;  ///< of cells, ≤ m; cell r covers shifted positions ⌊r·m/rows⌋ …
  std::uint32_t cols = 0;
  float* power = nullptr;    ///< [rows × cols], sums of |F|²
  float* maximum = nullptr;  ///< [rows × cols], largest |F|²
};

/// A position between two nodes; value (1−weight)·x[below] + weight·x[above].
struct NodeBracket {
  std::uint32_t below = 0;
  std::uint32_t above = 0;
  float weight = 0;
};

/// Bins of a magnitude x, determined by the leading bits of the float x·inverse
/// (core/reconstruction/joint_histogram.hpp).
struct MagnitudeBinning {
  float inverse = 1;
  float least = 0;  ///< smaller x are in bin 0
  std::uint32_t coarse_bits = 0;
  std::uint32_t fine_bits = 0;
  std::uint32_t upper_bits = 0;
  std::uint32_t fine_shift = 0;
  std::uint32_t coarse_shift = 0;
  std::uint32_t fine_begin = 0;
  std::uint32_t fine_end = 0;
  std::uint32_t count = 0;
};

/// Σ M·M̂, Σ M², Σ M̂² over coefficients, M the magnitude and M̂ its estimate.
struct MagnitudeProducts {
  double cross = 0;
  double reference = 0;
  double estimate = 0;
};

/// Compares a bilinear magnitude plane M̂ with the magnitudes M of the rows u = 0 … ⌊m/2⌋ of a whole plane of
/// n columns in DFT order, and with their mirrors.
struct ReconstructionReduction {
  std::uint64_t m = 0;
  std::uint64_t node_rows = 0;
  std::uint64_t node_cols = 0;
  const float* magnitudes = nullptr;    ///< [node_rows × node_cols]
  const NodeBracket* rows = nullptr;    ///< [⌊m/2⌋+1]: nodes around frequency u
  const NodeBracket* mirror = nullptr;  ///< the same for frequency −u
  const NodeBracket* cols = nullptr;    ///< [n]: nodes around frequency v = 0 … n−1
  float dc = 0;                         ///< M̂ at (0, 0)
  MagnitudeBinning reference_bins;
  MagnitudeBinning estimate_bins;
  /// [⌊m/2⌋+1]: sums over the row u and its mirror; 0 if the task did not compute row u.
  MagnitudeProducts* products = nullptr;
  std::uint64_t* histogram = nullptr;  ///< [reference_bins.count × estimate_bins.count], without F[0, 0]
  const ReconstructionReduction* next = nullptr;  ///< the next comparison with the same rows; null: none
};

/// Neighbouring rows of the plane, or the rows −u, that fall into one row of a display pyramid's cells.
struct CellRow {
  std::uint64_t first = 0;  ///< row of the task
  std::uint32_t rows = 0;   ///< from there on; 0: this entry is empty
  bool mirrors = false;     ///< rows −u instead of u
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
/// The results of the rows of a tile besides their sums.
struct TileResults {
  const CellRow* cell_rows = nullptr;  ///< [cell_row_count]
  const CellSum* cells = nullptr;      ///< [cell_row_count × RowSumsReduction::cell_cols]
  std::uint64_t cell_row_count = 0;
  /// [strong_count], unordered: at least the strongest coefficients of the rows, one of each conjugate pair,
  /// without F[0, 0]; zeros may be missing.
  const StrongValue* strong = nullptr;
  std::uint64_t strong_count = 0;
  bool has_all_strong = true;  ///< false: the list is full, and some equally strong coefficients are missing
};

/// Receives the sums of rows, in the order of the task's rows, while later rows are computed. An exception
/// ends the task.
class RowSumsReceiver {
 public:
  virtual ~RowSumsReceiver() = default;
  /// sums[k] belongs to row first + k of the task, k < count. The arguments are valid during the call only.
  virtual void take(std::uint64_t first, std::uint64_t count, const Moments* sums,
                    const TileResults& results) = 0;
  /// Coefficients of less power need not be listed.
  [[nodiscard]] virtual float least_strong() const { return 0; }
};

/// Sums of whole rows of an m×n plane, n coefficients each, delivered tile by tile while later tiles are
/// computed. In symmetric halves (Reductions) the sums of row u also include F[v, u], |v| < u, with its own
/// class; the list of strong coefficients does not.
struct RowSumsReduction {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t rows = 0;            ///< of the task
  const std::uint32_t* u = nullptr;  ///< [rows]
  double floor = 0;                  ///< a power below the octave of `floor` enters Σ ln as `floor`
  double zero_floor = 0;             ///< a power below the octave of `zero_floor`, and below ¼, is zero
  std::uint32_t cell_rows = 0;       ///< of a display pyramid (PyramidReduction); 0: none
  std::uint32_t cell_cols = 0;
  std::uint32_t strongest = 0;  ///< number of strongest coefficients to list, at most kMostStrong/2
  RowSumsReceiver* receiver = nullptr;
};

/// All reductions of one pass over the rows; null: not computed.
struct Reductions {
  const FeatureReduction* features = nullptr;
  const PyramidReduction* pyramid = nullptr;
  const ReconstructionReduction* reconstructions = nullptr;  ///< the first of a list
  const BulkReduction* bulk = nullptr;                       ///< for packed rows (samples on a grid) only
  const RowSumsReduction* row_sums = nullptr;                ///< for rows in the order of their tile
  /// Only the symmetric half |v| ≤ u of each row u = 0 … ⌊n/2⌋ of a symmetric pattern (m = n), F[v, u] = F[u,
  /// v], for features, pyramid and sums of rows. Cells of the pyramid get half of the powers at |v| = u and
  /// no powers of F[v, u]: the caller adds the transposed cells.
  bool symmetric_half = false;
  [[nodiscard]] constexpr bool empty() const {
    return features == nullptr && pyramid == nullptr && reconstructions == nullptr && bulk == nullptr &&
           row_sums == nullptr;
  }
};

/// Bands (groups of rows) that one launch reduces to cells, and to features alone.
inline constexpr std::uint32_t kBandsAtOnce = 16;
inline constexpr std::uint32_t kFeatureBandsAtOnce = 32;
inline constexpr std::uint32_t kBandRows = 32;  ///< rows of a band at most
/// The same for cells, and for features alone: many bands keep the device busy, tall ones take less time per
/// row.
inline constexpr std::uint32_t kCellBandRows = 16;
inline constexpr std::uint32_t kFeatureBandRows = 8;
inline constexpr std::uint64_t kReduceColumns = 1024;   ///< columns of a block that sums features
inline constexpr std::uint64_t kWarpColumns = 128;      ///< and of each of its warps
inline constexpr std::uint64_t kCompareColumns = 2048;  ///< columns of a block that compares magnitudes

namespace detail {
/// An allocation of `bytes`: multiples of 512.
[[nodiscard]] constexpr std::uint64_t allocated(std::uint64_t bytes) { return (bytes + 511) / 512 * 512; }
[[nodiscard]] constexpr std::uint64_t pieces(std::uint64_t count, std::uint64_t size) {
  return (count + size - 1) / size;
}
}  // namespace detail

/// Partial sums of a block: radial bins, sectors, transposed sectors, low frequencies, kPowerFunctions, Σ ln
/// P.
inline constexpr std::uint64_t kSlotSums = kRadialBins + 2 * kSectors + kPowerSums + 2;

/// The most blocks that sum the features of a band: in symmetric halves v ≥ 0 and v < 0 each begin with a new
/// warp.
[[nodiscard]] constexpr std::uint64_t feature_blocks(std::uint64_t width) {
  return detail::pieces(width + 2 * kWarpColumns, kReduceColumns);
}
/// Device bytes of a FeatureReduction of `rows` rows of `width` coefficients, in tiles on `lanes` streams.
[[nodiscard]] constexpr std::uint64_t feature_device_bytes(std::uint64_t rows, std::uint64_t width,
                                                           std::uint64_t lanes) {
  const std::uint64_t slots = kFeatureBandsAtOnce * feature_blocks(width);
  return detail::allocated(4 * rows * kMostRuns) + detail::allocated(2 * rows * kMostRuns) +
         lanes * detail::allocated(8 * kSlotSums * slots) + detail::allocated(8 * (2 * kTinyBins + 1));
}
/// Device bytes of a BulkReduction whose masks take `masks` bytes.
[[nodiscard]] constexpr std::uint64_t bulk_device_bytes(std::uint64_t rows, std::uint64_t width,
                                                        std::uint64_t masks) {
  return masks + detail::allocated(sizeof(LineRequest) * rows) + detail::allocated(4 * width) +
         detail::allocated(sizeof(Moments) * (rows + 1));
}
/// Columns of a row of a RowSumsReduction that one thread block sums.
inline constexpr std::uint64_t kRowSumColumns = 16384;
inline constexpr std::uint64_t kTilesInFlight =
    2;  ///< tiles of a lane whose sums are on their way to the host
/// Device bytes of a RowSumsReduction in tiles of `tile` rows.
[[nodiscard]] constexpr std::uint64_t row_sums_device_bytes(std::uint64_t rows, std::uint64_t width,
                                                            std::uint64_t tile, std::uint64_t lanes) {
  return detail::allocated(4 * rows) +
         lanes * kTilesInFlight *
             detail::allocated(sizeof(Moments) * tile * (1 + detail::pieces(width, kRowSumColumns)));
}
inline constexpr std::uint64_t kMostStrong = 16384;   ///< the most strong coefficients listed for a tile
inline constexpr std::uint64_t kStrengthBins = 4096;  ///< bins of powers, sixteen to an octave
/// The most bands of a tile of `tile` consecutive rows, of which those in one row of cells, and −u in one row
/// of cells, form bands of at most kCellBandRows rows. In another order of rows each may be a band.
[[nodiscard]] constexpr std::uint64_t bands_in_order(std::uint64_t tile, std::uint64_t m,
                                                     std::uint64_t cell_rows) {
  const std::uint64_t bands = 2 * (tile * cell_rows / m + 1) + detail::pieces(tile, kCellBandRows);
  return bands < tile ? bands : tile;
}
/// The most bytes of the TileResults of a RowSumsReduction, on the host and as many on the device, for tiles
/// of at most `bands` bands.
[[nodiscard]] constexpr std::uint64_t tile_results_bytes(std::uint64_t cell_cols, std::uint64_t bands,
                                                         std::uint64_t lanes) {
  return lanes * kTilesInFlight *
         (detail::allocated(2 * bands * cell_cols * sizeof(CellSum)) +
          detail::allocated((kMostStrong + 1) * sizeof(StrongValue)));
}
/// Further device bytes for TileResults.
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
  const std::uint64_t half = task.m / 2 + 1;
  return detail::allocated(4 * task.node_rows * task.node_cols) +
         2 * detail::allocated(sizeof(NodeBracket) * half) + detail::allocated(sizeof(NodeBracket) * width) +
         detail::allocated(sizeof(MagnitudeProducts) * half) +
         detail::allocated(std::uint64_t{8} * task.reference_bins.count * task.estimate_bins.count) +
         lanes * detail::allocated(sizeof(MagnitudeProducts) * columns * tile);
}
/// Device bytes of features, pyramid and reconstructions: `rows` of `width` coefficients in tiles of `tile`.
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
