// SPDX-License-Identifier: Apache-2.0
// Powers of w_m^i by repeated multiplication in double precision, from a table with
// one entry per occupied row.
#include "core/features/exact_lines.hpp"

#include <algorithm>
#include <numbers>

#include "core/fft/fft.hpp"
#include "core/fft/lattice.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;
constexpr std::size_t kColumnGrain = 256;
constexpr std::uint64_t kSamplesPerLine = std::uint64_t{1} << 20U;

/// w_m^i for every occupied row i.
struct RowRoots {
  std::vector<std::complex<double>> roots;  // by row index
  explicit RowRoots(const SparsePattern& pattern) : roots(pattern.rows()) {
    const double angle = -2 * std::numbers::pi / static_cast<double>(pattern.rows());
    for (const Index row : pattern.row_counts().ids) roots[row] = std::polar(1.0, angle * row);
  }
};

/// S_u[j] for one occupied column j, u = 0 … last, into values[u·stride].
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

}  // namespace

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

std::uint64_t exact_rows_bytes(const SparsePattern& pattern, std::int64_t last) {
  if (are_sampled(pattern)) return lattice_bytes(pattern, sampled_grid(pattern, last), LatticeOptions{});
  return pattern.rows() * sizeof(std::complex<double>) +
         (static_cast<std::uint64_t>(last) + 1) * pattern.cols() * sizeof(Complex);
}

}  // namespace spyctrum
