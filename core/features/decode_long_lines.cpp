// SPDX-License-Identifier: Apache-2.0
// Features of a plane with a side above kLongestWholeLine from a lattice, in two strata: a cross of lines
// near the axes exactly, all other coefficients from the samples. The number of the others is known, and so
// is their power: mnK less that of the cross (Parseval). A sample of power p stands for α coefficients of
// power γp each and contributes −α·γp·ln(γp) to the entropy. The BS-FFT paper's decoder divides the samples'
// own entropy by ln Q instead, which is biased: for a flat complex Gaussian plane by 0.42·(1/ln Q − 1/ln mn).
#include "core/features/decode_stratified.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/features/feature_totals.hpp"
#include "core/features/ordered_sum.hpp"
#include "core/fft/fft.hpp"
#include "core/fft/lattice.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

/// Longer lines are sampled by the lattice engine (core/fft/lattice.hpp), not stored.
constexpr std::uint64_t kLongestLine = std::uint64_t{1} << 22U;
constexpr std::uint64_t kSamplesPerLine = std::uint64_t{1} << 20U;
constexpr std::size_t kColumnGrain = 256;
constexpr std::size_t kLongLineGrain = 16;
/// Most values of all lines of one direction; long sides get fewer lines.
constexpr std::uint64_t kLineValues = std::uint64_t{1} << 23U;

struct ExactLines {
  std::int64_t last = 0;  ///< L; the lines are u = 0 … L
  /// Columns of the values: v = 0 … n−1, or, for sides above kLongestLine, a progression of at most 2^20 of
  /// them.
  FrequencyAxis columns;
  Booking booking;
  std::vector<Complex> values;  ///< (L+1) × columns.count()

  [[nodiscard]] std::span<const Complex> line(std::int64_t u) const {
    return std::span(values).subspan(static_cast<std::size_t>(u) * columns.count(), columns.count());
  }
};

/// w^i, w = e^{−2πi/m}, for every occupied row i.
struct RowRoots {
  std::vector<std::complex<double>> roots;  // by row index
  explicit RowRoots(const SparsePattern& pattern) : roots(pattern.rows()) {
    const double angle = -2 * std::numbers::pi / static_cast<double>(pattern.rows());
    for (const Index row : pattern.row_counts().ids) roots[row] = std::polar(1.0, angle * row);
  }
};

/// Sets values[u·stride], u = 0 … last, to the inner sum S[u, j] of one occupied column j: powers of w^i by
/// repeated multiplication in double precision.
void sum_column(std::span<const Index> rows, std::span<const float> weights, const RowRoots& table,
                std::int64_t last, Complex* values, std::size_t stride,
                std::vector<std::complex<double>>& sums) {
  const auto count = static_cast<std::size_t>(last) + 1;
  sums.assign(count, {});
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const double re = table.roots[rows[t]].real();
    const double im = table.roots[rows[t]].imag();
    double x = weights.empty() ? 1.0 : static_cast<double>(weights[t]);
    double y = 0;
    for (std::size_t u = 0; u < count; ++u) {
      sums[u] += std::complex<double>(x, y);
      const double next = x * re - y * im;
      y = x * im + y * re;
      x = next;
    }
  }
  for (std::size_t u = 0; u < count; ++u) values[u * stride] = Complex(sums[u]);
}

bool are_sampled(const SparsePattern& pattern) {
  return std::max(pattern.rows(), pattern.cols()) > kLongestLine;
}

FrequencyGrid sampled_grid(const SparsePattern& pattern, std::int64_t last) {
  const std::uint64_t n = pattern.cols();
  const auto step = static_cast<std::int64_t>((n + kSamplesPerLine - 1) / kSamplesPerLine);
  // The origin excludes v = 0, the axis, from the sample.
  return {FrequencyAxis::progression(pattern.rows(), 0, 1, static_cast<std::uint64_t>(last) + 1),
          FrequencyAxis::progression(n, step / 2, step, n / static_cast<std::uint64_t>(step))};
}

ExactLines sampled_rows(const SparsePattern& pattern, std::int64_t last, JobContext& context) {
  const FrequencyGrid grid = sampled_grid(pattern, last);
  ExactLines lines;
  lines.last = last;
  lines.columns = grid.cols;
  lines.values = lattice_transform(pattern, grid, LatticeOptions{}, context);
  return lines;
}

/// Rows u = 0 … last of `pattern`'s plane; last ≤ ⌊m/2⌋.
ExactLines exact_rows(const SparsePattern& pattern, std::int64_t last, JobContext& context) {
  if (are_sampled(pattern)) return sampled_rows(pattern, last, context);
  const std::size_t n = pattern.cols();
  ExactLines lines;
  lines.last = last;
  lines.columns = FrequencyAxis::progression(n, 0, 1, n);
  const Booking booking(context.memory(), pattern.rows() * sizeof(std::complex<double>), "roots of unity");
  lines.booking = Booking(context.memory(), (static_cast<std::size_t>(last) + 1) * n * sizeof(Complex),
                          "exact lines near the axes");
  lines.values.resize((static_cast<std::size_t>(last) + 1) * n);
  const RowRoots table(pattern);
  const auto ids = pattern.column_ids();
  ThreadPool& pool = context.pool();
  std::vector<std::vector<std::complex<double>>> sums(pool.threads());
  pool.parallel_for(ids.size(), kColumnGrain, [&](std::size_t begin, std::size_t end, unsigned worker) {
    context.check_stop();
    for (std::size_t k = begin; k < end; ++k) {
      sum_column(pattern.column(k), pattern.column_weights(k), table, last, &lines.values[ids[k]], n,
                 sums[worker]);
    }
  });
  pool.parallel_for(static_cast<std::size_t>(last) + 1, 1, [&](std::size_t begin, std::size_t, unsigned) {
    context.check_stop();
    fft_rows(lines.values.data() + begin * n, n, 1, n);
  });
  return lines;
}

/// Peak bytes that exact_rows() books.
std::uint64_t exact_rows_bytes(const SparsePattern& pattern, std::int64_t last) {
  if (are_sampled(pattern)) return lattice_bytes(pattern, sampled_grid(pattern, last), LatticeOptions{});
  return pattern.rows() * sizeof(std::complex<double>) +
         (static_cast<std::uint64_t>(last) + 1) * pattern.cols() * sizeof(Complex);
}

/// The lines near the axes of the m×n plane, |u| ≤ rows and |v| ≤ cols.
struct Cross {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// Number of coefficients off the cross.
  [[nodiscard]] double rest() const {
    const auto off = [](std::uint64_t size, std::int64_t last) {
      return std::max(0.0, static_cast<double>(size) - 2.0 * static_cast<double>(last) - 1.0);
    };
    return off(m, rows) * off(n, cols);
  }
};

/// Number of samples off the cross.
std::uint64_t samples_off(const FrequencyGrid& grid, const Cross& cross) {
  const auto off = [](const FrequencyAxis& axis, std::int64_t last) {
    std::uint64_t count = 0;
    for (std::uint64_t k = 0; k < axis.count(); ++k) count += std::abs(axis.signed_at(k)) > last ? 1 : 0;
    return count;
  };
  return off(grid.rows, cross.rows) * off(grid.cols, cross.cols);
}

/// The largest |u| and |v| of lines near the axes.
std::int64_t last_line(std::uint64_t m, std::uint64_t n) {
  const auto fitting = static_cast<std::int64_t>(kLineValues / std::max(m, n)) - 1;
  return std::clamp<std::int64_t>(fitting, 0, kNearAxis);
}

/// The widest cross, up to last_line(), that leaves some samples of the lattice off it.
Cross widest_cross(const FrequencyGrid& grid) {
  const std::uint64_t m = grid.rows.size();
  const std::uint64_t n = grid.cols.size();
  const auto half = [](std::uint64_t size) { return static_cast<std::int64_t>(size / 2); };
  const std::int64_t last = last_line(m, n);
  Cross cross{m, n, std::min(last, half(m)), std::min(last, half(n))};
  while (cross.rest() > 0 && samples_off(grid, cross) == 0 && (cross.rows > 0 || cross.cols > 0)) {
    cross.rows = std::max<std::int64_t>(0, cross.rows - 1);
    cross.cols = std::max<std::int64_t>(0, cross.cols - 1);
  }
  if (cross.rest() == 0 || samples_off(grid, cross) > 0) return cross;
  if (std::min(m, n) <= 4 * kNearAxis && std::max(m, n) <= kLongestLine) {
    // the plane has so few lines that all are computed
    return m <= n ? Cross{m, n, half(m), 0} : Cross{m, n, 0, half(n)};
  }
  throw Failure(ErrorCode::wrong_use, "The lattice has no sample off the axes u = 0 and v = 0.",
                "Choose an origin that is not a multiple of the block size.");
}

/// Lines 0 … lines.last and their mirrors, at the frequencies beyond ±off (all for off < 0). The lines
/// are rows of the m×n plane, or columns. Long lines are sampled and scaled up; `computed` grows by the
/// coefficients that they hold, mirrors included.
FeatureTotals totals_of_lines(const ExactLines& lines, const Cross& cross, FeatureRows::Along along,
                              std::int64_t off, double& computed) {
  const std::uint64_t across = along == FeatureRows::Along::rows ? cross.m : cross.n;
  const std::uint64_t length = lines.columns.size();
  const ColumnOrder order =
      ColumnOrder::of(lines.columns, [off](std::int64_t k) { return std::abs(k) > off; });
  FeatureRows rows(cross.m, cross.n, along);
  for (std::int64_t k = 0; k <= lines.last; ++k) {
    rows.add(signed_index(k, across), !is_self_mirrored(k, across), lines.line(k), order);
  }
  computed += rows.totals().count;
  if (lines.columns.count() == length || order.count() == 0) return rows.totals();
  const double needed = static_cast<double>(length) - (off < 0 ? 0.0 : 2.0 * static_cast<double>(off) + 1.0);
  return rows.totals().scaled(needed / static_cast<double>(order.count()), 1.0);
}

FeatureTotals totals_of_cross(const SparsePattern& pattern, const Cross& cross, JobContext& context,
                              double& computed) {
  const ExactLines rows = exact_rows(pattern, cross.rows, context);
  FeatureTotals totals = totals_of_lines(rows, cross, FeatureRows::Along::rows, -1, computed);
  const bool are_all = cross.m <= 2 * static_cast<std::uint64_t>(cross.rows) + 1;
  if (are_all) return totals;
  if (pattern.symmetric()) {  // F[v, u] = F[u, v]: the columns are the rows
    totals.add(totals_of_lines(rows, cross, FeatureRows::Along::columns, cross.rows, computed));
  } else {
    const ExactLines cols = exact_rows(pattern.transposed(), cross.cols, context);
    totals.add(totals_of_lines(cols, cross, FeatureRows::Along::columns, cross.rows, computed));
  }
  return totals;
}

FeatureTotals totals_of_lattice(const FrequencyGrid& grid, std::span<const Complex> values,
                                const Cross& cross, JobContext& context) {
  const ColumnOrder columns =
      ColumnOrder::of(grid.cols, [&](std::int64_t v) { return std::abs(v) > cross.cols; });
  ThreadPool& pool = context.pool();
  OrderedSum<FeatureTotals> totals;
  pool.parallel_for(grid.rows.count(), kLongLineGrain, [&](std::size_t begin, std::size_t end, unsigned) {
    context.check_stop();
    FeatureRows rows(cross.m, cross.n);
    for (std::size_t p = begin; p < end; ++p) {
      const std::int64_t u = grid.rows.signed_at(p);
      if (std::abs(u) <= cross.rows) continue;
      rows.add(u, false, values.subspan(p * grid.cols.count(), grid.cols.count()), columns);
    }
    totals.add(begin, end, rows.totals());
  });
  return totals.sum();
}

}  // namespace

Features decode_long_lines(const SparsePattern& pattern, const FrequencyGrid& grid,
                           std::span<const Complex> values, double zero_floor, JobContext& context) {
  const double mean_power = pattern.weight_squares();
  const double cells = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  if (!(mean_power > 0) || values.empty()) return {};
  const Cross cross = widest_cross(grid);
  double samples = 1;  // DC
  FeatureTotals totals = totals_of_cross(pattern, cross, context, samples);
  totals.dc_power = pattern.weight_sum() * pattern.weight_sum();
  const double floor = noise_floor(mean_power);
  double log_sum = totals.floored_log_sum(floor);
  double zeros = totals.zero_count(zero_floor);

  if (const double rest = cross.rest(); rest > 0) {
    FeatureTotals lattice = totals_of_lattice(grid, values, cross, context);
    double zero_samples = lattice.zero_count(zero_floor);
    if (zero_samples >= lattice.count) {  // all samples are zero: the known power is spread evenly
      zero_samples = 0;
      const std::vector<Complex> flat(values.size(), Complex(1, 0));
      lattice = totals_of_lattice(grid, flat, cross, context);
    }
    const double area = rest / lattice.count;
    const double power = std::max(0.0, cells * mean_power - totals.non_dc_power() - totals.dc_power);
    const double gain = power / (area * lattice.non_dc_power());
    samples += lattice.count;
    zeros += area * (gain > 0 ? zero_samples : lattice.count);
    const FeatureTotals scaled = lattice.scaled(area, gain);
    totals.add(scaled);
    log_sum += gain > 0 ? area * (lattice.floored_log_sum(floor / gain) + std::log(gain) * lattice.count)
                        : rest * std::log(floor);
  }
  Features features = features_of(totals, log_sum, zeros, cells);
  features.samples = static_cast<std::uint64_t>(samples);
  return features;
}

std::uint64_t decode_long_lines_bytes(const SparsePattern& pattern) {
  const std::uint64_t m = pattern.rows();
  const std::uint64_t n = pattern.cols();
  return exact_rows_bytes(pattern, std::min(last_line(m, n), static_cast<std::int64_t>(m / 2)));
}

}  // namespace spyctrum
