// SPDX-License-Identifier: Apache-2.0
// Chooses the rows of a pass, and runs the passes.
#include "core/engine/lattice_slabs.hpp"

#include <algorithm>
#include <cmath>

namespace spyctrum {

namespace {

constexpr std::uint64_t kOnePassBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kSlabBytes = std::uint64_t{1} << 28;

double pass_operations(const SparsePattern& pattern, std::uint64_t outputs) {
  const double points =
      4.0 * static_cast<double>(std::max<std::uint64_t>(2, outputs));  // twice oversampled along each axis
  return 4.0 * 49.0 * static_cast<double>(pattern.nonzeros()) + 5.0 * points * std::log2(points);
}

/// The largest number of rows of which a pass takes at most kSlabBytes; at least 1.
std::uint64_t automatic_rows(const SparsePattern& pattern, const FrequencyGrid& grid,
                             const LatticeOptions& options) {
  const std::uint64_t count = grid.rows.count();
  if (lattice_bytes(pattern, grid, options) <= kOnePassBytes) return count;
  std::uint64_t low = 1;
  std::uint64_t high = count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (lattice_bytes(pattern, row_slab(grid, 0, middle), options) <= kSlabBytes) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

FrequencyGrid row_slab(const FrequencyGrid& grid, std::uint64_t begin, std::uint64_t count) {
  return {grid.rows.part(begin, count, grid.rows.size()), grid.cols};
}

SlabPlan plan_slabs(const SparsePattern& pattern, const FrequencyGrid& grid, const LatticeOptions& options,
                    std::int64_t tile) {
  const std::uint64_t count = grid.rows.count();
  SlabPlan plan;
  plan.rows =
      tile > 0 ? std::min(count, static_cast<std::uint64_t>(tile)) : automatic_rows(pattern, grid, options);
  plan.rows = std::max<std::uint64_t>(1, plan.rows);
  const std::uint64_t passes = (count + plan.rows - 1) / plan.rows;
  plan.operations = static_cast<double>(passes) * pass_operations(pattern, plan.rows * grid.cols.count());
  ByteTerms terms;
  if (passes > 1) {
    terms.add("values", saturating_product(8, count, grid.cols.count()));
    terms.add("one pass of " + std::to_string(plan.rows) + " rows",
              lattice_bytes(pattern, row_slab(grid, 0, plan.rows), options));
  } else {
    terms.add("values and fine grid", lattice_bytes(pattern, grid, options));
  }
  plan.bytes = terms.total();
  plan.formula = terms.text();
  return plan;
}

std::vector<std::complex<float>> lattice_in_slabs(const SparsePattern& pattern, const FrequencyGrid& grid,
                                                  const LatticeOptions& options, const SlabPlan& plan,
                                                  JobContext& context) {
  context.begin_stage("lattice");
  const std::uint64_t count = grid.rows.count();
  if (plan.rows >= count) return lattice_transform(pattern, grid, options, context);
  BookedVector<std::complex<float>> values(context, grid.count(), "coefficients");
  for (std::uint64_t begin = 0; begin < count; begin += plan.rows) {
    const std::uint64_t rows = std::min(plan.rows, count - begin);
    const auto slab = lattice_transform(pattern, row_slab(grid, begin, rows), options, context);
    std::copy(slab.begin(), slab.end(),
              values.data.begin() + static_cast<std::ptrdiff_t>(begin * grid.cols.count()));
    context.checkpoint(begin + rows, count);
  }
  return std::move(values.data);
}

}  // namespace spyctrum
