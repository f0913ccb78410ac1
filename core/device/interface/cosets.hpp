// SPDX-License-Identifier: Apache-2.0
// Sums over all coefficients of a plane, coset by coset, on a device. If m = s·L and n = t·L, coset (r, c)
// consists of the L×L coefficients u = r + s·p, v = c + t·q, and is the DFT of a folded matrix:
//
//   F[r + s·p, c + t·q] = Σ_{x, y < L} e^{−2πi(px + qy)/L}·Σ w[i, j]·e^{−2πi(ri/m + cj/n)},
//
// the inner sum over the entries with i ≡ x, j ≡ y (mod L). Of cosets whose coefficients have equal powers
// (F[−u, −v] = conj F[u, v]; F[v, u] = F[u, v] if the matrix is symmetric) one is computed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/interface/host.hpp"
#include "core/device/interface/power_sums.hpp"

namespace spyctrum::cuda {

/// L = a·b·c: the transform of length L consists of passes of these sizes.
struct CosetLength {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  [[nodiscard]] constexpr std::uint32_t cells() const { return a * b * c; }
};
inline constexpr CosetLength kCosetLengths[] = {
    {10, 10, 10}, {13, 10, 10}, {25, 10, 7}, {20, 10, 10}, {16, 16, 8}};

struct CosetSumsTask {
  static constexpr const char* kName = "coset_sums";
  PatternView pattern;
  bool is_symmetric = false;  ///< m = n and F[v, u] = F[u, v]
  std::uint32_t length = 0;   ///< index in kCosetLengths; L divides m and n
  double floor = 0;           ///< as RowSumsReduction::floor
  double zero_floor = 0;      ///< as RowSumsReduction::zero_floor
  Moments* sums = nullptr;    ///< written at the end; DC is excluded
};

inline constexpr std::uint64_t kCosetLanes = 2;  ///< streams
inline constexpr std::uint64_t kMostCosetsAtOnce = 32;
/// Cosets that one launch transforms: about 32 million coefficients.
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint64_t cosets_at_once(std::uint64_t cells) {
  const std::uint64_t count = 32'000'000 / (cells * cells);
  return count < 1 ? 1 : count < kMostCosetsAtOnce ? count : kMostCosetsAtOnce;
}
inline constexpr std::uint64_t kCosetColumns = 4;  ///< columns of a coset that one thread block transforms

/// Values of a coset between the transforms of its rows and columns: whole squares of kCosetColumns².
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr std::uint64_t coset_values(std::uint64_t cells) {
  const std::uint64_t side = (cells + kCosetColumns - 1) / kCosetColumns * kCosetColumns;
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
/// Sums of the powers of boxes, and powers of the coefficients in edge boxes, of one stream.
[[nodiscard]] constexpr std::uint64_t box_values(std::uint64_t cells) {
  return cells * cells + cosets_at_once(cells) * most_edge_boxes(cells);
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
      : of_lane((cells + kCosetColumns - 1) / kCosetColumns),
        boxes((cells * cells + kBoxesOfSlot - 1) / kBoxesOfSlot),
        edges_of_lane((most_edge_boxes(cells) + kEdgesOfSlot - 1) / kEdgesOfSlot) {}
  [[nodiscard]] constexpr std::uint64_t count() const {
    return kCosetLanes * (of_lane + edges_of_lane) + boxes;
  }
};
/// Device bytes of a CosetSumsTask besides the pattern, its entries by rows, cosets and boxes.
[[nodiscard]] constexpr std::uint64_t coset_sum_bytes(std::uint64_t cells) {
  const std::uint64_t of_edge = sizeof(std::uint32_t) + kCosetLanes * kEdgeSums * sizeof(double);
  return of_edge * most_edge_boxes(cells) + sizeof(Moments) * CosetSlots(cells).count() + 32 * cells;
}

}  // namespace spyctrum::cuda
