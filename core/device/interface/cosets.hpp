// SPDX-License-Identifier: Apache-2.0
// Sums over all coefficients of a plane, coset by coset, on a device. Coset (r, c), r < s, c < t, consists of
// the coefficients u = r + s·p, v = c + t·q with L integers p and L integers q, of which half are negative; u
// and v are signed frequencies, −m/2 ≤ u ≤ m/2. Of cosets whose coefficients have equal powers (F[−u, −v] =
// conj F[u, v]; F[v, u] = F[u, v] if the matrix is symmetric) one is computed.
//
// If m = s·L and n = t·L, a coset is the DFT of a folded matrix:
//
//   F[r + s·p, c + t·q] = Σ_{x, y < L} e^{−2πi(px + qy)/L}·Σ w[i, j]·e^{−2πi(ri/m + cj/n)},
//
// the inner sum over the entries with i ≡ x, j ≡ y (mod L). A transform of L values is an FFT of N cells.
// Either N = L, or the values are resampled: cell k of N is Σ_y φ(kL/N − y)·x_y over the kCosetTaps values y
// nearest to kL/N (modulo L), and frequency f, |f| ≤ L/2, of the cells is multiplied by L/(N·φ̂(f/L)) (Dutt &
// Rokhlin 1993; φ: core/fft/spread_shape.hpp).
//
// For any other sides a coset is a two-dimensional non-uniform FFT: w[i, j]·e^{−2πi(ri/m + cj/n)} is spread
// onto the kSpreadTaps² cells of N×N that are nearest to (N·si/m, N·tj/n), with weights φ(cells away) on each
// axis, and coefficient (p, q) of the cells is multiplied by 1/(φ̂(p/N)·φ̂(q/N)).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/interface/host.hpp"
#include "core/device/interface/power_sums.hpp"

namespace spyctrum::cuda {

/// How the N cells of a line come from the matrix.
enum class CosetCellsFrom : std::uint8_t { folded, resampled, spread };

/// N = a·b·c: the FFT of N cells consists of passes of these sizes.
struct CosetLength {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  CosetCellsFrom from = CosetCellsFrom::folded;
  [[nodiscard]] constexpr std::uint32_t transformed() const { return a * b * c; }
  // In shared memory there is a gap after b·c cells if that number is even; from one line to the next are 4
  // cells more than a multiple of 16.
  [[nodiscard]] constexpr std::uint32_t run_pitch() const { return (b * c) | 1U; }
  [[nodiscard]] constexpr std::uint32_t pitch() const { return (a * run_pitch() + 11) / 16 * 16 + 4; }
  [[nodiscard]] constexpr bool is_folded() const { return from == CosetCellsFrom::folded; }
  [[nodiscard]] constexpr bool is_resampled() const { return from == CosetCellsFrom::resampled; }
  [[nodiscard]] constexpr bool is_spread() const { return from == CosetCellsFrom::spread; }
};
/// In the order of CosetCellsFrom.
inline constexpr CosetLength kCosetLengths[] = {{10, 10, 10},
                                                {13, 10, 10},
                                                {25, 10, 7},
                                                {20, 10, 10},
                                                {16, 16, 8},
                                                {10, 10, 8, CosetCellsFrom::resampled},
                                                {10, 10, 10, CosetCellsFrom::resampled},
                                                {10, 12, 10, CosetCellsFrom::resampled},
                                                {20, 10, 8, CosetCellsFrom::resampled},
                                                {20, 10, 10, CosetCellsFrom::resampled},
                                                {20, 12, 10, CosetCellsFrom::resampled},
                                                {20, 24, 10, CosetCellsFrom::resampled},
                                                {20, 10, 8, CosetCellsFrom::spread},
                                                {20, 12, 10, CosetCellsFrom::spread},
                                                {25, 20, 10, CosetCellsFrom::spread}};

/// The most frequencies L of a coset.
inline constexpr std::uint32_t kMostCosetCells = 3660;

inline constexpr std::uint32_t kCosetTaps = 8;
/// Neighbouring cells that one thread resamples, and the values with which it does so: kCosetTaps for the
/// first cell, and one more for each value that the others are further.
inline constexpr std::uint32_t kResampledCells = 5;
inline constexpr std::uint32_t kResampledValues = kCosetTaps + 3;
/// The values before and after a line of L values, modulo L, that its cells need.
inline constexpr std::uint32_t kValuesBefore = kCosetTaps / 2 - 1;
inline constexpr std::uint32_t kValuesAfter = kCosetTaps / 2 + 1;
/// L/N of resampled lines: of five neighbouring cells the last is at most three values further than the
/// first, and kValuesAfter suffice.
inline constexpr double kLeastResampling = 0.5;
inline constexpr double kMostResampling = 0.75;

/// Cells of each axis onto which an entry is spread, and the coefficients of a polynomial of φ.
inline constexpr std::uint32_t kSpreadTaps = 9;
inline constexpr std::uint32_t kSpreadPowers = kSpreadTaps + 6;
/// The most frequencies of N cells: L/N.
inline constexpr double kMostSpread = 0.73;

/// Cosets of L×L coefficients.
struct CosetSize {
  std::uint32_t cells = 0;     ///< L
  std::uint32_t length = 0;    ///< index in kCosetLengths: of N = L, or within the limits above
  std::uint32_t row_step = 1;  ///< s: m/L or, if spread, so that spread_frequencies(m, s) ≤ L
  std::uint32_t col_step = 1;  ///< t
};
/// The frequencies r + s·p of a coset that are needed so that all cosets together are an axis of `size`.
[[nodiscard]] constexpr std::uint32_t spread_frequencies(std::uint32_t size, std::uint32_t step) {
  return 2 * (size / (2 * step) + 1);
}

struct CosetSumsTask {
  static constexpr const char* kName = "coset_sums";
  PatternView pattern;
  bool is_symmetric = false;  ///< m = n and F[v, u] = F[u, v]
  CosetSize size;
  /// If resampled: weights φ of the values y, first ≤ y < first + kResampledValues, in the cells k, 5t ≤ k <
  /// 5t + 5, at [y − first][t][k − 5t]; first = ⌊5t·L/N⌋ − kValuesBefore.
  const float* weights = nullptr;
  /// If resampled or spread: [N] by frequency; that of −f is at N − f.
  const float* gains = nullptr;
  /// If spread, φ(z) = exp(β(√(1 − (2z/kSpreadTaps)²) − 1)): β, and the polynomials
  /// (core/fft/spread_shape.hpp, TapPolynomials) at [power][tap].
  float beta = 0;
  const float* polynomials = nullptr;
  double floor = 0;       ///< as RowSumsReduction::floor
  double zero_floor = 0;  ///< as RowSumsReduction::zero_floor
  /// The cosets are divided into `shares`, for as many devices; this task sums those of one.
  std::uint32_t share = 0;
  std::uint32_t shares = 1;
  /// Written at the end; DC is excluded. Those of the first share have the count of the whole plane, the
  /// others none.
  Moments* sums = nullptr;
};

inline constexpr std::uint64_t kCosetLanes = 2;  ///< streams
/// Rows or columns of a thread block: of one folded coset, or of four others.
inline constexpr std::uint64_t kCosetLines = 4;
inline constexpr std::uint64_t kMostCosetsAtOnce = 32;
/// Shared memory of a thread block, at most: its lines, and sums of its warps.
[[nodiscard]] constexpr std::uint64_t block_bytes(const CosetLength& length) {
  constexpr std::uint64_t kSums = 1536;
  return sizeof(float[2]) * kCosetLines * length.pitch() + kSums;
}

/// Cosets that are computed of s·t, those of equal powers once; of a symmetric matrix (s = t) by Burnside's
/// lemma.
[[nodiscard]] constexpr std::uint64_t different_cosets(std::uint64_t s, std::uint64_t t, bool is_symmetric) {
  const std::uint64_t own_mirrors = (s % 2 == 0 ? 2ULL : 1ULL) * (t % 2 == 0 ? 2ULL : 1ULL);
  return is_symmetric ? (s * s + 2 * s + own_mirrors) / 4 : (s * t + own_mirrors) / 2;
}
/// The largest number of cosets that one launch transforms, of `total`: about 32 million coefficients.
[[nodiscard]] constexpr std::uint64_t cosets_at_once(std::uint64_t cells, std::uint64_t total) {
  const std::uint64_t lines = 32'000'000 / (kCosetLines * cells * cells) * kCosetLines;
  const std::uint64_t needed = (total + kCosetLines - 1) / kCosetLines * kCosetLines;
  const std::uint64_t most = lines < needed ? lines : needed;
  return most < kCosetLines ? kCosetLines : most < kMostCosetsAtOnce ? most : kMostCosetsAtOnce;
}

/// Values of a folded coset between the transforms of its rows and columns: whole squares of kCosetLines².
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint64_t folded_values(std::uint64_t cells) {
  const std::uint64_t side = (cells + kCosetLines - 1) / kCosetLines * kCosetLines;
  return side * side;
}
/// The same of any coset.
[[nodiscard]] constexpr std::uint64_t coset_values(const CosetSize& size) {
  const CosetLength& length = kCosetLengths[size.length];
  return length.is_spread() ? std::uint64_t{size.cells} * length.transformed() : folded_values(size.cells);
}

/// An entry as its cosets need it.
struct CosetEntry {
  std::uint64_t row_fraction;  ///< i/m in units of 2^−64 (core/cuda/pattern/phase.cuh)
  std::uint64_t col_fraction;  ///< j/n
  std::uint32_t place;  ///< of its cell in the shared memory of the block that folds it; unused if spread
  float weight;
};

/// Boxes (core/cuda/cosets/coset_kernels.hpp) that may lie in several classes of frequencies, at most. In
/// units of L, the edges of radial bins cross 30 boxes, those of sectors 12, and the boxes that contain both
/// signs of a frequency are 4.
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint64_t most_edge_boxes(std::uint64_t cells) {
  return 50 * cells;
}
/// Sums of the powers of boxes, and powers of the coefficients in edge boxes of `cosets` cosets.
[[nodiscard]] constexpr std::uint64_t box_values(std::uint64_t cells, std::uint64_t cosets) {
  return cells * cells + cosets * most_edge_boxes(cells);
}
/// Slots of sums: of columns of each stream's cosets, of boxes, and of each stream's edge boxes.
inline constexpr std::uint64_t kBoxesOfSlot = 2048;
inline constexpr std::uint64_t kEdgesOfSlot = 64;
struct CosetSlots {
  std::uint64_t of_lane = 0;
  std::uint64_t boxes = 0;
  std::uint64_t edges_of_lane = 0;
  constexpr explicit CosetSlots(std::uint64_t cells)
      : of_lane(cells),
        boxes((cells * cells + kBoxesOfSlot - 1) / kBoxesOfSlot),
        edges_of_lane((most_edge_boxes(cells) + kEdgesOfSlot - 1) / kEdgesOfSlot) {}
  [[nodiscard]] constexpr std::uint64_t count() const {
    return kCosetLanes * (of_lane + edges_of_lane) + boxes;
  }
};
/// Device bytes of a CosetSumsTask besides the pattern, its entries by rows, cosets and boxes.
[[nodiscard]] constexpr std::uint64_t coset_sum_bytes(const CosetSize& size) {
  const CosetLength& length = kCosetLengths[size.length];
  const std::uint64_t of_edge = sizeof(std::uint32_t) + kCosetLanes * sizeof(Moments);
  const std::uint64_t of_cell = sizeof(float[2]) +
                                (length.is_resampled() ? sizeof(float) * (kResampledValues + 1) : 0) +
                                (length.is_spread() ? sizeof(float) : 0);
  const std::uint64_t tables =
      sizeof(float[2]) * (256 + length.b * length.c) + of_cell * length.transformed();
  constexpr std::uint64_t kRounding = 16384;  // of the sizes of all buffers, to multiples of 512
  return kRounding + of_edge * most_edge_boxes(size.cells) +
         sizeof(Moments) * CosetSlots(size.cells).count() + tables +
         3 * sizeof(std::uint32_t) * std::uint64_t{length.transformed()};
}

}  // namespace spyctrum::cuda
