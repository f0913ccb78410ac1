// SPDX-License-Identifier: Apache-2.0
// Roots of unity by std::sin and std::cos of angles in the first octant, and the two tables made of them.
#include "core/fft/phase_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace spyctrum {

std::complex<double> root_of_unity(std::uint64_t k, std::uint64_t size) {
  // The angle is 2π·k/size; x = 8k, so that an octant is x in [0, size).
  std::uint64_t x = 8 * k;
  const std::uint64_t octant = x / size;
  x -= octant * size;
  const bool mirrored = octant % 2 != 0;  // measure from the octant's upper end
  const double rest = static_cast<double>(mirrored ? size - x : x) / static_cast<double>(size);
  const double angle = rest * (std::numbers::pi / 4);
  double c = std::cos(angle);
  double s = std::sin(angle);
  if (((octant + 1) / 2) % 2 != 0) std::swap(c, s);  // octants 1, 2, 5, 6
  if (octant >= 2 && octant < 6) c = -c;
  if (octant >= 4) s = -s;
  return {c, -s};
}

std::uint64_t PhaseTable::bytes_for(std::uint64_t size) {
  const std::uint64_t fine = std::uint64_t{1} << ((static_cast<unsigned>(std::bit_width(size)) + 1) / 2);
  return (std::min(fine, size) + (size + fine - 1) / fine) * sizeof(std::complex<double>);
}

PhaseTable::PhaseTable(std::uint64_t size) : size_(size), inverse_(~std::uint64_t{0} / size) {
  shift_ = (static_cast<unsigned>(std::bit_width(size)) + 1) / 2;
  const std::uint64_t fine = std::uint64_t{1} << shift_;
  mask_ = fine - 1;
  fine_.reserve(std::min(fine, size));
  for (std::uint64_t k = 0; k < std::min(fine, size); ++k) fine_.push_back(root_of_unity(k, size));
  for (std::uint64_t k = 0; k < size; k += fine) coarse_.push_back(root_of_unity(k, size));
}

}  // namespace spyctrum
