// SPDX-License-Identifier: Apache-2.0
// Sums in double precision with exact integer indices: the reference for every other transform.
#include <algorithm>

#include "core/fft/lattice.hpp"
#include "core/fft/occupied_rows.hpp"
#include "core/fft/phase_table.hpp"
#include "core/matrix/entry_weights.hpp"

namespace spyctrum {

namespace {

using DoubleComplex = std::complex<double>;

constexpr std::size_t kTermsBetweenStops = 1 << 20;

/// The inner sums S[u, j] of one row frequency u, per occupied column j.
void inner_sums(const SparsePattern& pattern, const std::vector<Index>& slots, const PhaseTable& roots,
                std::uint64_t u, std::vector<DoubleComplex>& phases, std::vector<DoubleComplex>& sums,
                const JobContext& context) {
  const auto& ids = pattern.row_counts().ids;
  std::transform(ids.begin(), ids.end(), phases.begin(),
                 [&](Index i) { return roots.at(roots.product(u, i)); });
  const auto starts = pattern.column_starts();
  with_entry_weights(pattern, [&](const auto& weight_of) {
    std::size_t looked = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const auto begin = static_cast<std::size_t>(starts[k]);
      if (begin - looked > kTermsBetweenStops) {
        context.check_stop();
        looked = begin;
      }
      DoubleComplex sum = 0;
      for (std::size_t t = begin; t < static_cast<std::size_t>(starts[k + 1]); ++t)
        sum += weight_of(t) * phases[slots[t]];
      sums[k] = sum;
    }
  });
}

}  // namespace

std::vector<DoubleComplex> direct_transform(const SparsePattern& pattern, const FrequencyGrid& grid,
                                            JobContext& context) {
  const std::size_t rows = grid.rows.count();
  const std::size_t cols = grid.cols.count();
  std::vector<DoubleComplex> output(rows * cols);
  if (output.empty() || pattern.nonzeros() == 0) return output;
  const PhaseTable row_roots(pattern.rows());
  const PhaseTable column_roots(pattern.cols());
  const std::vector<Index> slots = row_slots(pattern);
  const auto ids = pattern.column_ids();
  context.pool().parallel_for(rows, 1, [&](std::size_t p, std::size_t, unsigned) {
    context.check_stop();
    std::vector<DoubleComplex> phases(pattern.row_counts().ids.size());
    std::vector<DoubleComplex> sums(ids.size());
    inner_sums(pattern, slots, row_roots, grid.rows.index_at(p), phases, sums, context);
    std::size_t terms = 0;
    for (std::size_t q = 0; q < cols; ++q) {
      const std::uint64_t v = grid.cols.index_at(q);
      DoubleComplex sum = 0;
      for (std::size_t k = 0; k < ids.size(); ++k)
        sum += product(sums[k], column_roots.at(column_roots.product(v, ids[k])));
      output[p * cols + q] = sum;
      terms += ids.size();
      if (terms >= kTermsBetweenStops) {
        context.check_stop();
        terms = 0;
      }
    }
  });
  return output;
}

DoubleComplex DirectSum::at(std::int64_t u, std::int64_t v, const JobContext* context) const {
  const std::uint64_t row_frequency = dft_index(u, row_roots_.size());
  const std::uint64_t col_frequency = dft_index(v, column_roots_.size());
  const auto ids = pattern_.column_ids();
  DoubleComplex sum = 0;
  std::size_t since_stop = 0;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    DoubleComplex column = 0;
    const auto rows = pattern_.column(k);
    with_entry_weights(pattern_, [&](const auto& weight_of) {
      const auto begin = static_cast<std::size_t>(pattern_.column_starts()[k]);
      for (std::size_t t = 0; t < rows.size(); ++t)
        column += weight_of(begin + t) * row_roots_.at(row_roots_.product(row_frequency, rows[t]));
    });
    sum += column * column_roots_.at(column_roots_.product(col_frequency, ids[k]));
    since_stop += rows.size() + 1;
    if (context == nullptr || since_stop < kTermsBetweenStops / 4) continue;
    context->check_stop();
    since_stop = 0;
  }
  return sum;
}

}  // namespace spyctrum
