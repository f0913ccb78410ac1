// SPDX-License-Identifier: Apache-2.0
// Patterns whose coefficients on the axes u = 0 and v = 0 are far above √K, also far from (0, 0).
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/support/method_runs.hpp"

namespace spyctrum::test {

/// The pattern with random weights between 0.5 and 1.5, whose sums are as large as the numbers of entries.
inline PatternPtr with_positive_weights(const PatternPtr& pattern) {
  std::mt19937 random(12);
  std::uniform_real_distribution<float> weight(0.5F, 1.5F);
  std::vector<float> weights(pattern->row_indices().size());
  for (float& one : weights) one = weight(random);
  return std::make_shared<const SparsePattern>(pattern->with_weights(std::move(weights)));
}

/// Rows whose number of entries grows with their position, blocks of dense and sparse rows, and hub rows,
/// with columns at random, so that all coefficients beside the axes are near √K; and hub rows and columns. m
/// × n, about 20 to 40 entries for each row.
inline std::vector<NamedPattern> patterns_with_large_axes(std::uint64_t m, std::uint64_t n) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto rows = static_cast<Index>(m);
  const auto cols = static_cast<Index>(n);
  std::vector<std::pair<Index, Index>> slope;
  std::vector<std::pair<Index, Index>> blocks;
  std::vector<std::pair<Index, Index>> hubs;
  const auto add = [&](std::vector<std::pair<Index, Index>>& to, Index i, Index count) {
    for (Index k = 0; k < count; ++k)
      to.emplace_back(i, static_cast<Index>(uniform(random) * static_cast<double>(n)));
  };
  for (Index i = 0; i < rows; ++i) {
    add(slope, i, 60 * i / rows);
    add(blocks, i, i % 320 < 130 ? 70 : 3);
    add(hubs, i, 3);
  }
  for (Index k = 0; k < 12; ++k)
    for (Index j = 0; j < cols; ++j) hubs.emplace_back(k * k * (rows / 150), j);
  std::vector<std::pair<Index, Index>> crossing = hubs;
  for (Index k = 0; k < 12; ++k)
    for (Index i = 0; i < rows; ++i) crossing.emplace_back(i, k * k * (cols / 140) + 1);
  return {{"slope", make_pattern(m, n, slope)},
          {"blocks of rows", make_pattern(m, n, blocks)},
          {"hub rows", make_pattern(m, n, hubs)},
          {"hub rows and columns", make_pattern(m, n, crossing)}};
}

}  // namespace spyctrum::test
