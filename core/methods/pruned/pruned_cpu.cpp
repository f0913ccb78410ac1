// SPDX-License-Identifier: Apache-2.0
// Two pruned axes: a few columns of the pattern at a time become dense columns, of which k1 outputs each are
// stored; then the resulting k1 rows of n values are transformed. Mirrors pruned_cuda.cpp.
#include "core/methods/pruned/pruned_cpu.hpp"

#include <algorithm>

#include "core/fft/plan_cache.hpp"
#include "core/matrix/entry_weights.hpp"

namespace spyctrum {

namespace {

/// Writes the weights of the entries of columns first … first+count−1; false if they have no entry.
bool scatter_columns(const SparsePattern& pattern, const PrunedAxis& axis, std::uint64_t first,
                     std::size_t count, float* buffer) {
  const std::size_t lanes = loops<float>().lanes;
  const auto ids = pattern.column_ids();
  auto k = static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), first) - ids.begin());
  bool any = false;
  for (; k < ids.size() && ids[k] < first + count; ++k) {
    const auto lane = static_cast<std::size_t>(ids[k] - first);
    with_entry_weights(pattern, [&](const auto& weight_of) {
      const auto rows = pattern.column(k);
      const auto at = static_cast<std::size_t>(pattern.column_starts()[k]);
      for (std::size_t t = 0; t < rows.size(); ++t)
        buffer[axis.place(rows[t]) * lanes + lane] = static_cast<float>(weight_of(at + t));
    });
    any = true;
  }
  return any;
}

}  // namespace

void PrunedPlan::add_terms(ByteTerms& terms, unsigned threads) const {
  const std::uint64_t values = saturating_product(8, rows.outputs, cols.outputs);
  const auto held = [&](const PrunedSizes& axis) {
    return saturating_sum(axis.weight_bytes(), saturating_product(threads, axis.scratch_bytes()));
  };
  terms.add("rows 8·k1·n", saturating_product(8, rows.outputs, cols.size));
  // The values exist from the second axis on.
  terms.add("values 8·k1·k2, weights and lines", std::max(held(rows), saturating_sum(values, held(cols))));
}

double PrunedPlan::operations() const {
  return static_cast<double>(cols.size) * rows.operations() +
         static_cast<double>(rows.outputs) * cols.operations();
}

std::vector<std::complex<float>> pruned_cpu(const SparsePattern& pattern, const FrequencyGrid& grid,
                                            JobContext& context) {
  const PrunedAxis down(grid.rows, true);
  const PrunedAxis along(grid.cols, false);
  const std::uint64_t n = pattern.cols();
  const std::size_t lanes = loops<float>().lanes;
  context.begin_stage("columns");
  BookedVector<std::complex<float>> between(context, grid.rows.count() * n, "rows between the axes");
  down.transform(
      n, context,
      [&](std::uint64_t first, std::size_t count, float* buffer) {
        return scatter_columns(pattern, down, first, count, buffer);
      },
      [&](std::uint64_t first, std::size_t count, std::uint64_t position, const float* values) {
        std::complex<float>* out = between.data.data() + position * n + first;
        for (std::size_t lane = 0; lane < count; ++lane) out[lane] = {values[lane], values[lanes + lane]};
      });
  context.begin_stage("rows");
  const std::uint64_t width = grid.cols.count();
  BookedVector<std::complex<float>> result(context, grid.rows.count() * width, "coefficients");
  along.transform(
      grid.rows.count(), context,
      [&](std::uint64_t first, std::size_t count, float* buffer) {
        for (std::size_t lane = 0; lane < count; ++lane) {
          const std::complex<float>* row = between.data.data() + (first + lane) * n;
          for (std::uint64_t j = 0; j < n; ++j) {
            float* element = buffer + 2 * lanes * along.place(j) + lane;
            element[0] = row[j].real();
            element[lanes] = row[j].imag();
          }
        }
        return true;
      },
      [&](std::uint64_t first, std::size_t count, std::uint64_t position, const float* values) {
        for (std::size_t lane = 0; lane < count; ++lane)
          result.data[(first + lane) * width + position] = {values[lane], values[lanes + lane]};
      });
  return std::move(result.data);
}

}  // namespace spyctrum
