// SPDX-License-Identifier: Apache-2.0
// Weights for tests and benchmarks.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/matrix/random.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum::test {

/// The pattern with random weights between −1 and 1, the same for (i, j) and (j, i).
inline PatternPtr with_signed_weights(const PatternPtr& pattern) {
  std::vector<float> weights;
  for (std::size_t k = 0; k < pattern->column_ids().size(); ++k)
    for (const Index row : pattern->column(k)) {
      const CounterRandom random(1, std::min(row, pattern->column_ids()[k]));
      weights.push_back(static_cast<float>(2 * random.unit(std::max(row, pattern->column_ids()[k])) - 1));
    }
  return std::make_shared<const SparsePattern>(pattern->with_weights(std::move(weights)));
}

}  // namespace spyctrum::test
