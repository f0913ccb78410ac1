// SPDX-License-Identifier: Apache-2.0
// Sums over all coefficients of a plane, coset by coset, on a device. If m = s·L and n = t·L, coset (r, c)
// consists of the L×L coefficients u = r + s·p, v = c + t·q, and is the DFT of a folded matrix:
//
//   F[r + s·p, c + t·q] = Σ_{x, y < L} e^{−2πi(px + qy)/L}·Σ w[i, j]·e^{−2πi(ri/m + cj/n)},
//
// the inner sum over the entries with i ≡ x, j ≡ y (mod L). Of cosets whose coefficients have equal powers
// (F[−u, −v] = conj F[u, v]; F[v, u] = F[u, v] if the matrix is symmetric) one is computed.
//
// A transform of L values is an FFT of N cells. Either N = L, or the values are resampled: cell k of N is
// Σ_y φ(kL/N − y)·x_y over the kCosetTaps values y nearest to kL/N (modulo L), and frequency f, |f| ≤ L/2, of
// the cells is multiplied by L/(N·φ̂(f/L)) (Dutt & Rokhlin 1993; φ: core/fft/spread_shape.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/interface/host.hpp"
#include "core/device/interface/power_sums.hpp"

namespace spyctrum::cuda {

/// N = a·b·c: the FFT of N cells consists of passes of these sizes.
struct CosetLength {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  bool is_resampled = false;
  [[nodiscard]] constexpr std::uint32_t transformed() const { return a * b * c; }
};
inline constexpr CosetLength kCosetLengths[] = {{10, 10, 10},       {13, 10, 10},       {25, 10, 7},
                                                {20, 10, 10},       {16, 16, 8},        {10, 10, 8, true},
                                                {10, 10, 10, true}, {10, 12, 10, true}, {20, 10, 8, true},
                                                {20, 10, 10, true}, {20, 12, 10, true}};

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

/// Cosets of L×L coefficients.
struct CosetSize {
  std::uint32_t cells = 0;   ///< L, which divides m and n
  std::uint32_t length = 0;  ///< index in kCosetLengths: of N = L or, resampled, within the limits above
};

struct CosetSumsTask {
  static constexpr const char* kName = "coset_sums";
  PatternView pattern;
  bool is_symmetric = false;  ///< m = n and F[v, u] = F[u, v]
  CosetSize size;
  /// If resampled: weights φ of the values y, first ≤ y < first + kResampledValues, in the cells k, 5t ≤ k <
  /// 5t + 5, at [y − first][t][k − 5t]; first = ⌊5t·L/N⌋ − kValuesBefore.
  const float* weights = nullptr;
  /// If resampled: [N] by frequency; that of −f is at N − f.
  const float* gains = nullptr;
  double floor = 0;         ///< as RowSumsReduction::floor
  double zero_floor = 0;    ///< as RowSumsReduction::zero_floor
  Moments* sums = nullptr;  ///< written at the end; DC is excluded
};

inline constexpr std::uint64_t kCosetLanes = 2;  ///< streams
/// Rows or columns of a thread block: of one coset or, resampled, of four.
inline constexpr std::uint64_t kCosetLines = 4;
inline constexpr std::uint64_t kMostCosetsAtOnce = 32;

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

/// Values of a coset between the transforms of its rows and columns: whole squares of kCosetLines².
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint64_t coset_values(std::uint64_t cells) {
  const std::uint64_t side = (cells + kCosetLines - 1) / kCosetLines * kCosetLines;
  return side * side;
}

/// An entry as its cosets need it.
struct CosetEntry {
  std::uint64_t row_fraction;  ///< i/m in units of 2^−64 (core/cuda/pattern/phase.cuh)
  std::uint64_t col_fraction;  ///< j/n
  std::uint32_t place;         ///< of its cell in the shared memory of the block that folds it
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
inline constexpr std::uint64_t kEdgeSums = kRadialBins + kSectors + 1;
/// Slots of sums: of columns of each stream's cosets, of boxes, and of each stream's edge boxes.
inline constexpr std::uint64_t kBoxesOfSlot = 8192;
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
  const std::uint64_t of_edge = sizeof(std::uint32_t) + kCosetLanes * kEdgeSums * sizeof(double);
  const std::uint64_t of_cell =
      sizeof(float[2]) + (length.is_resampled ? sizeof(float) * (kResampledValues + 1) : 0);
  const std::uint64_t tables =
      sizeof(float[2]) * (256 + length.b * length.c) + of_cell * length.transformed();
  constexpr std::uint64_t kRounding = 16384;  // of the sizes of all buffers, to multiples of 512
  return kRounding + of_edge * most_edge_boxes(size.cells) +
         sizeof(Moments) * CosetSlots(size.cells).count() + tables +
         3 * sizeof(std::uint32_t) * std::uint64_t{size.cells};
}

}  // namespace spyctrum::cuda
