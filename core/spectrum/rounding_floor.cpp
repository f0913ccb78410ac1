// SPDX-License-Identifier: Apache-2.0
// The formula of the header.
#include "core/spectrum/rounding_floor.hpp"

#include <algorithm>
#include <cmath>

namespace spyctrum {

namespace {

constexpr double kUnit = 0x1p-24;  // u
/// Error of the outermost rows and columns of a lattice relative to the mean (LatticeOptions::tolerance).
constexpr double kLatticeEdge = 4;

}  // namespace

double rounding_floor(std::uint64_t m, std::uint64_t n, double mean_power, double sum_length,
                      double tolerance, std::optional<double> largest_value) {
  const double most = largest_value.value_or(mean_power);
  const double plane = std::max(2.0, static_cast<double>(m) * static_cast<double>(n));
  const double butterflies = 5 * kUnit * kUnit * std::log2(plane);
  const double lattice = kLatticeEdge * tolerance * kLatticeEdge * tolerance;
  const double largest =
      mean_power * std::log(plane) * (butterflies * sum_length + lattice) + butterflies * most * most / 4;
  return largest > 0 ? std::exp2(std::ceil(std::log2(largest))) : 0;
}

double rounding_floor(const SparsePattern& pattern, double tolerance) {
  const double mean_power = pattern.weight_squares();
  if (!(mean_power > 0)) return 0;
  return rounding_floor(pattern.rows(), pattern.cols(), mean_power, pattern.line_squares() / mean_power,
                        tolerance, pattern.weight_magnitudes());
}

}  // namespace spyctrum
