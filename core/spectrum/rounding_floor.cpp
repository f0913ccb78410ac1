// SPDX-License-Identifier: Apache-2.0
// The formula of the header.
#include "core/spectrum/rounding_floor.hpp"

#include <algorithm>
#include <cmath>

namespace spyctrum {

namespace {

constexpr double kUnit = 0x1p-24;  // u
/// Outermost rows and columns of a lattice against the mean (LatticeOptions::tolerance).
constexpr double kLatticeEdge = 4;

double sum_of_squares(const AxisCounts& axis) {
  double sum = 0;
  for (const std::int64_t count : axis.counts) sum += static_cast<double>(count) * static_cast<double>(count);
  return sum;
}

}  // namespace

double rounding_floor(std::uint64_t m, std::uint64_t n, double nonzeros, double sum_length,
                      double tolerance) {
  const double plane = std::max(2.0, static_cast<double>(m) * static_cast<double>(n));
  const double butterflies = 5 * kUnit * kUnit * std::log2(plane);
  const double lattice = kLatticeEdge * tolerance * kLatticeEdge * tolerance;
  const double largest = nonzeros * std::log(plane) * (butterflies * sum_length + lattice) +
                         butterflies * nonzeros * nonzeros / 4;
  return largest > 0 ? std::exp2(std::ceil(std::log2(largest))) : 0;
}

double rounding_floor(const SparsePattern& pattern, double tolerance) {
  if (pattern.nonzeros() == 0) return 0;
  const auto nonzeros = static_cast<double>(pattern.nonzeros());
  const double squares =
      std::max(sum_of_squares(pattern.row_counts()), sum_of_squares(pattern.column_counts()));
  return rounding_floor(pattern.rows(), pattern.cols(), nonzeros, squares / nonzeros, tolerance);
}

}  // namespace spyctrum
