// SPDX-License-Identifier: Apache-2.0
// Evaluates the formulas that the methods declare (MethodInfo::paper_cost).
#include "core/theory/cost_formulas.hpp"

#include <cmath>

#include <algorithm>

#include "core/methods/method.hpp"

namespace spyctrum {

double bs_fft_storage(double m, std::uint64_t n, double nonzeros, double active_columns, double index_bytes,
                      double tile) {
  CostSizes sizes;
  sizes.m = m;
  sizes.n = static_cast<double>(n);
  sizes.nonzeros = nonzeros;
  sizes.active_columns = active_columns;
  sizes.q = std::floor(sizes.n / 2) + 1;
  sizes.length = paper_transform_length(n);
  sizes.index_bytes = index_bytes;
  sizes.tile = tile;
  return bs_fft_storage(sizes);
}

std::vector<CostFormula> cost_formulas(const SparsePattern& pattern, std::uint64_t block,
                                       std::uint64_t tile) {
  const CostSizes sizes = cost_sizes(pattern, block, tile);
  std::vector<const MethodInfo*> stated;
  for (const auto& method : methods())
    if (method->info().paper_cost) stated.push_back(&method->info());
  std::ranges::stable_sort(stated, {}, &MethodInfo::exactness);
  std::vector<CostFormula> list;
  for (const MethodInfo* info : stated) {
    const PaperCost& cost = *info->paper_cost;
    list.push_back({info->id, cost.label, cost.work_formula, cost.work(sizes), cost.storage_formula,
                    cost.bytes(sizes), cost.source});
  }
  return list;
}

}  // namespace spyctrum
