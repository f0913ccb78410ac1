// SPDX-License-Identifier: Apache-2.0
// Direct sums over the entries, or rows of the plane from which the points are gathered.
#include "core/engine/exact_points.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "core/device/device_forecast.hpp"
#include "core/device/device_rows.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/fft/phase_table.hpp"
#include "core/spectrum/half_plane.hpp"

namespace spyctrum {

namespace {

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

/// Copies the coefficients of the points from computed rows.
class Gather {
 public:
  Gather(const SparsePattern& pattern, std::span<const std::int32_t> u, std::span<const std::int32_t> v,
         std::span<std::complex<float>> values)
      : n_(static_cast<std::int64_t>(pattern.cols())),
        v_(v),
        values_(values),
        rows_(points_by_row(pattern.rows(), u)) {}
  [[nodiscard]] const std::vector<PointsOfRow>& rows() const { return rows_; }
  void take(const PointsOfRow& points, std::span<const std::complex<float>> row) {
    const auto at = [&](std::int64_t v) { return row[static_cast<std::size_t>(v < 0 ? v + n_ : v)]; };
    for (std::size_t k = points.first; k < points.last; ++k) values_[k] = at(v_[k]);
    for (std::size_t k = points.first_of_mirror; k < points.last_of_mirror; ++k)
      values_[k] = std::conj(at(-std::int64_t{v_[k]}));
  }

 private:
  std::int64_t n_;
  std::span<const std::int32_t> v_;
  std::span<std::complex<float>> values_;
  std::vector<PointsOfRow> rows_;
};

void by_rows(const SparsePattern& pattern, Gather& gather, JobContext& context) {
  std::vector<std::int64_t> wanted;
  for (const PointsOfRow& points : gather.rows()) wanted.push_back(points.row);
  const RowPlan plan = plan_rows(pattern, LengthRule::library, wanted.size(), 0, context.pool().threads());
  for_each_row(pattern, LengthRule::library, FrequencyAxis::list(pattern.rows(), std::move(wanted)), plan,
               "gather", context,
               [&](std::size_t position, std::span<const std::complex<float>> row, unsigned /*worker*/) {
                 gather.take(gather.rows()[position], row);
               });
}

/// Passes rows from the device to Gather.
class GatherReceiver : public cuda::RowReceiver {
 public:
  GatherReceiver(std::uint64_t n, Gather& gather, JobContext& context)
      : n_(n), gather_(gather), context_(context) {}
  void take(std::uint64_t first, std::uint64_t count, const float* values) override {
    const std::span<const std::complex<float>> rows(reinterpret_cast<const std::complex<float>*>(values),
                                                    count * n_);
    context_.pool().parallel_for(count, 1, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
      context_.check_stop();
      for (std::size_t k = begin; k < end; ++k)
        gather_.take(gather_.rows()[first + k], rows.subspan(k * n_, n_));
    });
  }

 private:
  std::uint64_t n_;
  Gather& gather_;
  JobContext& context_;
};

void by_rows_of_device(const SparsePattern& pattern, Gather& gather, Backend backend, JobContext& context) {
  std::vector<std::uint32_t> wanted;
  for (const PointsOfRow& points : gather.rows()) wanted.push_back(static_cast<std::uint32_t>(points.row));
  GatherReceiver receiver(pattern.cols(), gather, context);
  (void)run_device_rows(pattern, backend, DeviceRows{}, wanted, &receiver, nullptr, context);
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
  Gather gather(pattern, u, v, values);
  if (backend.kind == BackendKind::cuda)
    by_rows_of_device(pattern, gather, backend, context);
  else
    by_rows(pattern, gather, context);
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
