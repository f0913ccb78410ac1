// SPDX-License-Identifier: Apache-2.0
// Which radial bin and which sector a coefficient belongs to, one by one
// (the definition) and for a whole row at once: for a fixed u both are step
// functions of |v|, so a row falls into some forty segments of constant class
// and its sums need no classification inside.
#pragma once

#include <cstdint>
#include <vector>

#include "core/spectrum/features.hpp"

namespace spyctrum {

/// Class of one coefficient by its frequencies x = s(v)/n and y = s(u)/m in cycles per sample. `low`:
/// r ≤ √½/8, which is radial bins 0 and 1 and their outer edge.
///
/// A coefficient and its conjugate mirror are one wave and have one direction: θ is that of the member
/// of the pair with u = 0 … ⌊m/2⌋, s(v) as ever. It makes a difference only at the Nyquist frequencies
/// of even sides, v = −n/2 and u = ±m/2, where s() gives mirrors two signs of angle.
struct FrequencyClass {
  std::uint8_t radial = 0;  ///< ⌊16 r/√½⌋, at most 15; r = hypot(y, x)
  std::uint8_t sector = 0;  ///< ⌊((θ + π/16) mod π)/(π/8)⌋; θ = atan2(y, x) (below)
  bool low = false;
  friend bool operator==(const FrequencyClass&, const FrequencyClass&) = default;
};

/// The definition, in double precision, for signed indices in an m×n plane.
[[nodiscard]] FrequencyClass classify(std::int64_t signed_u, std::int64_t signed_v, std::uint64_t m,
                                      std::uint64_t n);

/// The sector of (v, u) for that of (u, v): θ becomes π/2 − θ. Not at the Nyquist frequencies.
[[nodiscard]] constexpr std::size_t transposed_sector(std::size_t sector) {
  return (kSectors + kSectors / 2 - sector) % kSectors;
}

/// Columns of one class: signed indices first ≤ s(v) < last.
struct ClassSegment {
  std::int64_t first = 0;
  std::int64_t last = 0;
  FrequencyClass frequency_class;
};

/// Replaces `segments` by those of row `signed_u`, ascending, together −⌊n/2⌋ … ⌈n/2⌉−1. Each
/// boundary is found in closed form and then settled by classify() itself, so that coefficients on
/// an edge fall where the definition puts them.
void class_segments(std::int64_t signed_u, std::uint64_t m, std::uint64_t n,
                    std::vector<ClassSegment>& segments);

}  // namespace spyctrum
