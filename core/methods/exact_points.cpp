// SPDX-License-Identifier: Apache-2.0
// Direct sums, or rows and a gather.
#include "core/methods/exact_points.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/fft/phase_table.hpp"
#include "core/methods/plane.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kPointsBetweenStops = std::size_t{1} << 18U;
constexpr double kOperationsPerTerm = 24;  // two table look-ups, two products of phases

void by_direct_sums(const SparsePattern& pattern, std::span<const std::int32_t> u,
                    std::span<const std::int32_t> v, std::span<std::complex<float>> values,
                    JobContext& context) {
  const PhaseTable down(pattern.rows());
  const PhaseTable along(pattern.cols());
  const auto ids = pattern.column_ids();
  const auto starts = pattern.column_starts();
  const auto rows = pattern.row_indices();
  std::atomic<std::uint64_t> done{0};
  context.pool().parallel_for(values.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto row_frequency =
          static_cast<std::uint64_t>(dft_index(u[k], static_cast<std::int64_t>(pattern.rows())));
      const auto col_frequency =
          static_cast<std::uint64_t>(dft_index(v[k], static_cast<std::int64_t>(pattern.cols())));
      std::complex<double> sum = 0;
      std::size_t since_stop = 0;
      for (std::size_t c = 0; c < ids.size(); ++c) {
        std::complex<double> column = 0;
        for (auto t = static_cast<std::size_t>(starts[c]); t < static_cast<std::size_t>(starts[c + 1]); ++t)
          column += down.at(down.product(row_frequency, rows[t]));
        sum += column * along.at(along.product(col_frequency, ids[c]));
        since_stop += static_cast<std::size_t>(starts[c + 1] - starts[c]) + 1;
        if (since_stop < (std::size_t{1} << 18U)) continue;
        context.check_stop();
        since_stop = 0;
      }
      values[k] = std::complex<float>(sum);
    }
    context.checkpoint(done += end - begin, values.size());
  });
}

/// u folded to 0 … ⌊m/2⌋; the conjugate's v where it was folded.
struct Folded {
  std::uint32_t u = 0;
  std::uint32_t v = 0;
  bool conjugate = false;
};

Folded folded(std::int32_t u, std::int32_t v, std::int64_t m, std::int64_t n) {
  const std::int64_t row = dft_index(u, m);
  const bool conjugate = row > m / 2;
  return {static_cast<std::uint32_t>(conjugate ? m - row : row),
          static_cast<std::uint32_t>(dft_index(conjugate ? -std::int64_t{v} : std::int64_t{v}, n)),
          conjugate};
}

void by_rows(const SparsePattern& pattern, std::span<const std::int32_t> u, std::span<const std::int32_t> v,
             std::span<std::complex<float>> values, JobContext& context) {
  const auto m = static_cast<std::int64_t>(pattern.rows());
  const auto n = static_cast<std::int64_t>(pattern.cols());
  const std::uint64_t half = half_rows(pattern.rows());
  BookedVector<std::uint32_t> order(context, values.size(), "points by row");
  BookedVector<std::uint32_t> starts(context, half + 1, "points of each row");
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k % kPointsBetweenStops == 0) context.check_stop();
    ++starts.data[folded(u[k], v[k], m, n).u + 1];
  }
  std::vector<std::int64_t> wanted;
  std::vector<std::size_t> first;
  for (std::uint64_t row = 0; row < half; ++row) {
    if (starts.data[row + 1] > 0) {
      wanted.push_back(static_cast<std::int64_t>(row));
      first.push_back(starts.data[row]);
    }
    starts.data[row + 1] += starts.data[row];
  }
  first.push_back(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k % kPointsBetweenStops == 0) context.check_stop();
    order.data[starts.data[folded(u[k], v[k], m, n).u]++] = static_cast<std::uint32_t>(k);
  }
  const RowPlan plan = plan_rows(pattern, LengthRule::library, wanted.size(), 0, context.pool().threads());
  for_each_row(pattern, LengthRule::library, FrequencyAxis::list(pattern.rows(), std::move(wanted)), plan,
               "gather", context,
               [&](std::size_t position, std::span<const std::complex<float>> row, unsigned /*worker*/) {
                 for (std::size_t k = first[position]; k < first[position + 1]; ++k) {
                   const std::uint32_t point = order.data[k];
                   const Folded at = folded(u[point], v[point], m, n);
                   values[point] = at.conjugate ? std::conj(row[at.v]) : row[at.v];
                 }
               });
}

}  // namespace

ExactPointsPlan plan_exact_points(const SparsePattern& pattern, std::uint64_t points, unsigned threads) {
  ExactPointsPlan plan;
  const double direct = kOperationsPerTerm * static_cast<double>(points) *
                        static_cast<double>(std::max<std::int64_t>(1, pattern.nonzeros()));
  plan.rows = plan_rows(pattern, LengthRule::library,
                        std::min<std::uint64_t>(points, half_rows(pattern.rows())), 0, threads);
  plan.by_rows = plan.rows.operations < direct;
  plan.operations = plan.by_rows ? plan.rows.operations : direct;
  if (!plan.by_rows) return plan;
  ByteTerms terms;
  plan.rows.add_terms(terms);
  plan.bytes = saturating_sum(terms.total(), saturating_product(4, points + half_rows(pattern.rows()) + 1));
  return plan;
}

void exact_points(const SparsePattern& pattern, std::span<const std::int32_t> u,
                  std::span<const std::int32_t> v, std::span<std::complex<float>> values,
                  JobContext& context) {
  if (plan_exact_points(pattern, values.size(), context.pool().threads()).by_rows)
    by_rows(pattern, u, v, values, context);
  else
    by_direct_sums(pattern, u, v, values, context);
}

void exact_points_on_the_way(const SparsePattern& pattern, std::span<const std::int32_t> u,
                             std::span<const std::int32_t> v, std::span<std::complex<float>> values,
                             JobContext& context) {
  constexpr double kFewOperations = 2e10;
  const double direct =
      kOperationsPerTerm * static_cast<double>(values.size()) * static_cast<double>(pattern.nonzeros());
  if (direct <= kFewOperations)
    by_direct_sums(pattern, u, v, values, context);
  else
    exact_points(pattern, u, v, values, context);
}

}  // namespace spyctrum
