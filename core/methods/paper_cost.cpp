// SPDX-License-Identifier: Apache-2.0
// Evaluates the symbols of §3.4, and the terms that several of its formulas share.
#include "core/methods/paper_cost.hpp"

#include <algorithm>
#include <cmath>

#include "core/fft/fft.hpp"

namespace spyctrum {

double paper_log(double x) { return x > 1 ? std::log2(x) : 0; }

double paper_transform_length(std::uint64_t n) {
  return static_cast<double>(is_smooth(n) ? n : smooth_size(2 * n - 1));
}

CostSizes cost_sizes(const SparsePattern& pattern, std::uint64_t block) {
  const auto b = static_cast<double>(block);
  CostSizes sizes;
  sizes.m = static_cast<double>(pattern.rows());
  sizes.n = static_cast<double>(pattern.cols());
  sizes.nonzeros = static_cast<double>(pattern.nonzeros());
  sizes.occupied_columns = static_cast<double>(pattern.column_ids().size());
  sizes.m0 = std::ceil(sizes.m / b);
  sizes.n0 = std::ceil(sizes.n / b);
  sizes.h = std::floor(sizes.m / 2) + 1;
  sizes.q = std::floor(sizes.n / 2) + 1;
  sizes.q0 = std::floor(sizes.n0 / 2) + 1;
  sizes.length = paper_transform_length(pattern.cols());
  sizes.index_bytes = std::max(pattern.rows(), pattern.cols()) <= 65536 ? 2 : 4;
  return sizes;
}

double matrix_storage(const CostSizes& sizes) {
  return sizes.index_bytes * sizes.nonzeros + (sizes.index_bytes + 4) * sizes.occupied_columns + 4;
}

double bs_fft_storage(const CostSizes& sizes) {
  const double padded = 4 * std::ceil(sizes.q / 4);
  return matrix_storage(sizes) +
         8 * (sizes.n + sizes.length + 2 * sizes.tile * sizes.length + sizes.m * padded);
}

}  // namespace spyctrum
