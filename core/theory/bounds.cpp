// SPDX-License-Identifier: Apache-2.0
// Evaluates the formulas of bounds.hpp.
#include "core/theory/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace spyctrum {

namespace {

/// x ln x, 0 at 0.
double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

/// The largest gap between neighbouring frequencies of an axis on the circle, in cycles per sample.
double largest_gap(const FrequencyAxis& axis) {
  const auto size = static_cast<std::int64_t>(axis.size());
  if (axis.is_progression() && axis.count() > 1) {
    // Closed form for a progression that goes around the circle at most once: it can have 10^8 frequencies,
    // too many to list.
    const std::int64_t step = std::abs(axis.step());
    const auto span = static_cast<double>(step) * static_cast<double>(axis.count() - 1);
    if (step > 0 && span < static_cast<double>(size))
      return std::max(static_cast<double>(step), static_cast<double>(size) - span) /
             static_cast<double>(size);
  }
  std::vector<std::int64_t> nodes(axis.count());
  for (std::uint64_t k = 0; k < axis.count(); ++k) nodes[k] = axis.signed_at(k);
  std::ranges::sort(nodes);
  if (nodes.empty()) return std::numeric_limits<double>::infinity();
  std::int64_t largest = nodes.front() + size - nodes.back();
  for (std::size_t k = 1; k < nodes.size(); ++k) largest = std::max(largest, nodes[k] - nodes[k - 1]);
  return static_cast<double>(largest) / static_cast<double>(size);
}

}  // namespace

double entropy_floor(double cells, double nonzeros) {
  if (cells < 2 || nonzeros < 1) return 0;
  return 1 - std::log(nonzeros) / std::log(cells);
}

double flat_entropy(double cells) {
  if (cells < 2) return 0;
  return std::max(0.0, 1 - (1 - std::numbers::egamma) / std::log(cells));
}

std::optional<double> non_dc_entropy(double entropy, double cells, double nonzeros) {
  const double d = nonzeros / cells;
  if (cells < 2 || !(d > 0) || !(d < 1)) return std::nullopt;
  return (entropy * std::log(cells) + x_log_x(d) + x_log_x(1 - d)) / (1 - d);
}

double entropy_deficit(double non_dc_entropy, double cells) {
  if (cells < 2) return 0;
  return std::max(0.0, std::log(cells - 1) - non_dc_entropy);
}

double retained_energy_gap(double deficit) { return std::sqrt(2 * deficit); }

double flat_top_energy(double count, double frequencies) {
  if (!(count > 0) || !(frequencies > 0)) return 0;
  if (count >= frequencies) return 1;
  return count / frequencies * (1 + std::log(frequencies / count));
}

double coverage_radius(const FrequencyGrid& grid) {
  return std::hypot(largest_gap(grid.rows), largest_gap(grid.cols)) / 2;
}

double least_coverage_radius(double samples) { return 1 / std::sqrt(std::numbers::pi * samples); }

double random_aggregation_loss(double cells, double nonzeros, double blocks) {
  return (1 - nonzeros / cells) * optimal_spectrum_error(cells, blocks);
}

double optimal_spectrum_error(double cells, double blocks) {
  return cells < 2 ? 0 : (cells - blocks) / (cells - 1);
}

}  // namespace spyctrum
