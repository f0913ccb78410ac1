// SPDX-License-Identifier: Apache-2.0
// The radial bin and the sector (angular bin) of a coefficient: for a single coefficient, which is the
// definition, and for a whole row at once. For fixed u both are step functions of |v|. So a row consists of
// some forty segments of one class each, and sums over segments need not classify coefficients.
#pragma once

#include <cstdint>
#include <vector>

#include "core/spectrum/features.hpp"

namespace spyctrum {

/// Class of a coefficient by its frequencies x = s(v)/n, y = s(u)/m in cycles per sample. `low` means r ≤
/// √½/8: radial bins 0 and 1 and their outer edge. Edges are decided in integers
/// (core/device/interface/radial_edges.hpp): radial is the largest k with 512(s(u)²n² + s(v)²m²) ≥ k²m²n².
///
/// F[u,v] and its conjugate F[−u,−v] belong to one wave and have one direction: θ is taken from the member
/// with u = 0 … ⌊m/2⌋. This matters only at the Nyquist frequencies of even sides, v = −n/2 and u = ±m/2,
/// where s() would give the two members angles of opposite sign.
struct FrequencyClass {
  std::uint8_t radial = 0;  ///< ⌊16 r/√½⌋, at most 15; r² = y² + x²
  std::uint8_t sector = 0;  ///< ⌊((θ + π/16) mod π)/(π/8)⌋; θ = atan2(y, x), see above
  bool low = false;
  friend bool operator==(const FrequencyClass&, const FrequencyClass&) = default;
};

/// The definition, radii in integers and angles in double precision, for signed indices in an m×n plane.
[[nodiscard]] FrequencyClass classify(std::int64_t signed_u, std::int64_t signed_v, std::uint64_t m,
                                      std::uint64_t n);

/// The sector of (v, u) given that of (u, v): θ becomes π/2 − θ. Not valid at the Nyquist frequencies.
[[nodiscard]] constexpr std::size_t transposed_sector(std::size_t sector) {
  return (kSectors + kSectors / 2 - sector) % kSectors;
}

/// Columns of one class: signed indices first ≤ s(v) < last.
struct ClassSegment {
  std::int64_t first = 0;
  std::int64_t last = 0;
  FrequencyClass frequency_class;
};

/// Sets `segments` to those of row `signed_u`, ascending; they cover −⌊n/2⌋ … ⌈n/2⌉−1. Boundaries are
/// computed in closed form: those of rings in integers, those of sectors, where they lie near an integer, by
/// classify(). So coefficients on an edge have the class of the definition.
void class_segments(std::int64_t signed_u, std::uint64_t m, std::uint64_t n,
                    std::vector<ClassSegment>& segments);

}  // namespace spyctrum
