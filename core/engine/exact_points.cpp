// SPDX-License-Identifier: Apache-2.0
// Direct sums over the entries, or rows of the plane from which the points are gathered.
#include "core/engine/exact_points.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "core/device/device_forecast.hpp"
#include "core/device/device_rows.hpp"
#include "core/device/row_receivers.hpp"
#include "core/fft/lattice.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

namespace {

constexpr double kOperationsPerTerm = 24;  // two table look-ups, two products of phases

void by_direct_sums(const SparsePattern& pattern, std::span<const std::int32_t> u,
                    std::span<const std::int32_t> v, std::span<std::complex<float>> values,
                    JobContext& context) {
  const DirectSum direct(pattern);
  std::atomic<std::uint64_t> done{0};
  context.pool().parallel_for(values.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t k = begin; k < end; ++k)
      values[k] = std::complex<float>(direct.at(u[k], v[k], &context));
    context.checkpoint(done += end - begin, values.size());
  });
}

/// The points with frequencies ±u, u = 0 … ⌊m/2⌋; those of −u by F[−u, v] = conj F[u, −v].
struct PointsOfRow {
  std::int64_t row = 0;
  std::size_t first = 0, last = 0;                      // of u
  std::size_t first_of_mirror = 0, last_of_mirror = 0;  // of −u
};

/// The rows |u| that contain points, ascending. `u` is ascending, from −m/2 to m/2.
std::vector<PointsOfRow> points_by_row(std::uint64_t m, std::span<const std::int32_t> u) {
  const auto place_of = [&](std::int64_t row) {
    return static_cast<std::size_t>(std::lower_bound(u.begin(), u.end(), row) - u.begin());
  };
  std::vector<PointsOfRow> rows;
  PointsOfRow next;
  next.last = place_of(0);
  next.first_of_mirror = next.last;
  for (std::int64_t row = 0; row <= static_cast<std::int64_t>(m / 2); ++row) {
    next.row = row;
    next.first = next.last;
    next.last_of_mirror = next.first_of_mirror;
    while (next.last < u.size() && u[next.last] == row) ++next.last;
    if (row > 0)
      while (next.first_of_mirror > 0 && u[next.first_of_mirror - 1] == -row) --next.first_of_mirror;
    if (next.last > next.first || next.last_of_mirror > next.first_of_mirror) rows.push_back(next);
  }
  return rows;
}

}  // namespace

ExactPointsPlan plan_exact_points(const SparsePattern& pattern, std::uint64_t points, Backend backend,
                                  unsigned threads) {
  ExactPointsPlan plan;
  const double direct = kOperationsPerTerm * static_cast<double>(points) *
                        static_cast<double>(std::max<std::int64_t>(1, pattern.nonzeros()));
  const std::uint64_t rows = std::min<std::uint64_t>(points, half_rows(pattern.rows()));
  plan.rows = plan_rows(pattern, LengthRule::library, rows, 0, threads);
  plan.by_rows = plan.rows.operations < direct;
  plan.operations = plan.by_rows ? plan.rows.operations : direct;
  if (!plan.by_rows) return plan;
  ByteTerms terms;
  terms.add("points of each row", saturating_product(sizeof(PointsOfRow) + 8, rows));
  if (backend.kind == BackendKind::cuda) {
    add_device_staging(terms, pattern, rows, pattern.cols(), {});
    plan.device = device_row_terms(pattern, backend, rows, pattern.cols(), {});
  } else {
    plan.rows.add_terms(terms);
  }
  plan.bytes = terms.total();
  return plan;
}

void exact_points(const SparsePattern& pattern, std::span<const std::int32_t> u,
                  std::span<const std::int32_t> v, std::span<std::complex<float>> values, Backend backend,
                  JobContext& context) {
  if (!plan_exact_points(pattern, values.size(), backend, context.pool().threads()).by_rows)
    return by_direct_sums(pattern, u, v, values, context);
  const Booking booking(context.memory(), (sizeof(PointsOfRow) + 8) * half_rows(pattern.rows()),
                        "points of each row");
  const std::vector<PointsOfRow> points = points_by_row(pattern.rows(), u);
  const std::uint64_t n = pattern.cols();
  const auto gather = [&](const PointsOfRow& of, std::span<const std::complex<float>> row) {
    const auto at = [&](std::int64_t k) {
      return row[static_cast<std::size_t>(k < 0 ? k + static_cast<std::int64_t>(n) : k)];
    };
    for (std::size_t k = of.first; k < of.last; ++k) values[k] = at(v[k]);
    for (std::size_t k = of.first_of_mirror; k < of.last_of_mirror; ++k)
      values[k] = std::conj(at(-std::int64_t{v[k]}));
  };
  if (backend.kind == BackendKind::cuda) {
    std::vector<std::uint32_t> rows;
    rows.reserve(points.size());
    for (const PointsOfRow& of : points) rows.push_back(static_cast<std::uint32_t>(of.row));
    RowsTo receiver(n, [&](std::uint64_t first, std::span<const std::complex<float>> received) {
      context.pool().parallel_for(received.size() / n, 1, [&](std::size_t k, std::size_t, unsigned) {
        context.check_stop();
        gather(points[first + k], received.subspan(k * n, n));
      });
    });
    (void)run_device_rows(pattern, backend, DeviceRows{}, rows, &receiver, nullptr, context);
    return;
  }
  std::vector<std::int64_t> rows;
  rows.reserve(points.size());
  for (const PointsOfRow& of : points) rows.push_back(of.row);
  const RowPlan plan = plan_rows(pattern, LengthRule::library, rows.size(), 0, context.pool().threads());
  for_each_row(pattern, LengthRule::library, FrequencyAxis::list(pattern.rows(), std::move(rows)), plan,
               "gather", context,
               [&](std::size_t position, std::span<const std::complex<float>> row, unsigned /*worker*/) {
                 gather(points[position], row);
               });
}

void exact_points_within_job(const SparsePattern& pattern, std::span<const std::int32_t> u,
                             std::span<const std::int32_t> v, std::span<std::complex<float>> values,
                             JobContext& context) {
  constexpr double kFewOperations = 2e10;
  const double direct =
      kOperationsPerTerm * static_cast<double>(values.size()) * static_cast<double>(pattern.nonzeros());
  if (direct <= kFewOperations) return by_direct_sums(pattern, u, v, values, context);
  std::vector<std::size_t> order(u.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t k) { return u[k]; });
  std::vector<std::int32_t> sorted_u;
  std::vector<std::int32_t> sorted_v;
  std::vector<std::complex<float>> sorted(u.size());
  for (const std::size_t k : order) {
    sorted_u.push_back(u[k]);
    sorted_v.push_back(v[k]);
  }
  exact_points(pattern, sorted_u, sorted_v, sorted, Backend{}, context);
  for (std::size_t k = 0; k < order.size(); ++k) values[order[k]] = sorted[k];
}

}  // namespace spyctrum
