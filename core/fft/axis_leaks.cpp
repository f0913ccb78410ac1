// SPDX-License-Identifier: Apache-2.0
// Finds the outputs that contain aliases of frequency 0, whose fine frequency κ solves step·κ ≡ −centre (mod
// m), and subtracts them.
#include "core/fft/axis_leaks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/fft/fft.hpp"

namespace spyctrum {

namespace {

/// Aliases κ + lN are considered for |l| up to this; φ̂ decays like 1/l beyond the first.
constexpr std::int64_t kMostAliases = 64;

/// x with a·x ≡ 1 (mod m), for gcd(a, m) = 1; by Euclid's algorithm.
std::uint64_t inverse_of(std::uint64_t a, std::uint64_t m) {
  std::int64_t before = 0;
  std::int64_t now = 1;
  for (std::uint64_t r = m, s = a % m; s != 0;) {
    const std::uint64_t quotient = r / s;
    const std::int64_t next = before - static_cast<std::int64_t>(quotient) * now;
    before = now;
    now = next;
    const std::uint64_t rest = r - quotient * s;
    r = s;
    s = rest;
  }
  return modulo(before, m);
}

/// The taps of this many rows (or columns) are held at a time: less than a mebibyte.
constexpr std::size_t kSlotsAtOnce = 8192;

bool is_window(const FrequencyAxis& axis) { return std::abs(axis.step()) == 1; }

/// The spreading function of the smallest error, 1.4e-11.
const SpreadShape& finest() { return spread_shapes().back(); }

/// Finds the outputs p of an axis whose frequency, or one of whose aliases, is 0.
class Aliases {
 public:
  Aliases(const FrequencyAxis& axis, const LatticeAxisSizes& sizes) : sizes_(sizes), period_(sizes.period) {
    const std::uint64_t common = axis.size() / period_;  // gcd(step, m)
    const auto [middle, centre] = lattice_centre(axis, sizes);
    middle_ = middle;
    is_met_ = centre % common == 0;
    if (!is_met_) return;
    const std::uint64_t step = modulo(axis.step(), axis.size()) / common;
    const std::uint64_t distance = centre / common % period_ * inverse_of(step, period_) % period_;
    place_ = (middle + period_ - distance) % period_;
  }
  /// The output whose alias l (shifted by l·N fine frequencies) is frequency 0; for l = 0 the output at
  /// frequency 0.
  [[nodiscard]] std::optional<std::uint64_t> output(std::int64_t l) const {
    if (!is_met_) return std::nullopt;
    const std::uint64_t shift = modulo(l * static_cast<std::int64_t>(sizes_.fine), period_);
    const std::uint64_t at = (place_ + period_ - shift) % period_;
    return at < sizes_.distinct ? std::optional(at) : std::nullopt;
  }
  /// The kMostLeaks leaks of largest |share|.
  [[nodiscard]] std::vector<AxisLeak> leaks(const SpreadShape& shape) const {
    std::vector<AxisLeak> leaks;
    if (sizes_.on_grid) return leaks;
    const auto fine = static_cast<double>(sizes_.fine);
    std::vector<double> aliases;
    for (std::int64_t l = -kMostAliases; l <= kMostAliases; ++l) {
      const auto at = l == 0 ? std::nullopt : output(l);
      if (!at) continue;
      const double x = (static_cast<double>(*at) - static_cast<double>(middle_)) / fine;
      leaks.push_back({*at, 1 / spread_at(shape, x)});
      aliases.push_back(x + static_cast<double>(l));
    }
    const std::vector<double> transforms = tap_transforms(shape, aliases);
    for (std::size_t k = 0; k < leaks.size(); ++k) leaks[k].share *= transforms[k];
    std::sort(leaks.begin(), leaks.end(), [](const AxisLeak& one, const AxisLeak& other) {
      return std::abs(one.share) > std::abs(other.share);
    });
    if (leaks.size() > kMostLeaks) leaks.resize(kMostLeaks);
    return leaks;
  }

 private:
  const LatticeAxisSizes& sizes_;
  std::uint64_t period_;
  std::size_t middle_ = 0;
  bool is_met_ = false;
  std::uint64_t place_ = 0;  ///< the output at frequency 0, counted modulo the period; may exceed `distinct`
};

}  // namespace

std::optional<std::uint64_t> first_zero(const FrequencyAxis& axis) {
  if (!axis.is_progression()) {
    for (std::uint64_t k = 0; k < axis.count(); ++k)
      if (axis.index_at(k) == 0) return k;
    return std::nullopt;
  }
  // k·step ≡ −origin (mod m) has a solution where g = gcd(step, m) divides the origin, one modulo m/g.
  const std::uint64_t m = axis.size();
  const std::uint64_t step = modulo(axis.step(), m);
  const std::uint64_t g = std::gcd(step, m);
  const std::uint64_t distance = modulo(-axis.origin(), m);
  if (distance % g != 0) return std::nullopt;
  const std::uint64_t period = m / g;
  const std::uint64_t k = distance / g % period * inverse_of(step / g, period) % period;
  return k < axis.count() ? std::optional(k) : std::nullopt;
}

std::vector<std::complex<double>> axis_values(const AxisCounts& counts, std::span<const double> sums,
                                              const FrequencyAxis& axis) {
  const SpreadShape& shape = finest();
  const LatticeAxisSizes sizes = lattice_axis_sizes(axis, shape);
  const std::span<const Index> ids(counts.ids);
  std::vector<std::complex<double>> grid(sizes.fine);
  for (std::size_t first = 0; first < ids.size(); first += kSlotsAtOnce) {
    const auto some = ids.subspan(first, std::min(kSlotsAtOnce, ids.size() - first));
    const LatticeAxis<double> line(axis, sizes, shape, some);
    for (std::size_t slot = 0; slot < some.size(); ++slot) {
      const double sum = sums.empty() ? static_cast<double>(counts.counts[first + slot]) : sums[first + slot];
      const std::complex<double> value = sum * line.phase[slot];
      std::size_t cell = line.start[slot];
      for (std::size_t tap = 0; tap < line.taps; ++tap) {
        grid[cell] += line.weights[slot * line.taps + tap] * value;
        if (++cell == sizes.fine) cell = 0;
      }
    }
  }
  const LatticeAxis<double> line(axis, sizes, shape, {});
  fft_rows(grid.data(), sizes.fine, 1, sizes.fine);
  std::vector<std::complex<double>> values(sizes.distinct);
  for (std::size_t p = 0; p < sizes.distinct; ++p)
    values[p] = line.correction[p] * grid[(line.first_cell + p) % sizes.fine];
  return values;
}

AxisLeaks axis_leaks(const SparsePattern& pattern, const FrequencyGrid& grid, const LatticeAxisSizes& rows,
                     const LatticeAxisSizes& cols, const SpreadShape& shape) {
  AxisLeaks leaks;
  if (rows.on_grid && cols.on_grid) return leaks;
  const Aliases of_rows(grid.rows, rows);
  const Aliases of_cols(grid.cols, cols);
  leaks.rows.output = of_rows.output(0);
  leaks.cols.output = of_cols.output(0);
  const bool is_needed =
      is_window(grid.rows) || is_window(grid.cols) || leaks.rows.output || leaks.cols.output;
  if (!is_needed) return {};
  leaks.rows.leaks = of_rows.leaks(shape);
  leaks.cols.leaks = of_cols.leaks(shape);
  const auto has_any = [](const ZeroOfAxis& zero) { return zero.output || !zero.leaks.empty(); };
  const auto sums = [&](auto sums_of) {
    return pattern.has_weights() ? (pattern.*sums_of)() : std::vector<double>();
  };
  if (has_any(leaks.cols))
    leaks.row_values = axis_values(pattern.row_counts(), sums(&SparsePattern::row_sums), grid.rows);
  if (has_any(leaks.rows))
    leaks.col_values = axis_values(pattern.column_counts(), sums(&SparsePattern::column_sums), grid.cols);
  return leaks;
}

void remove_leaks(const AxisLeaks& leaks, std::complex<float>* output, std::size_t stride) {
  const auto subtract = [](std::complex<float>& from, std::complex<double> value) {
    from = std::complex<float>(std::complex<double>(from) - value);
  };
  for (std::size_t p = 0; p < leaks.row_values.size(); ++p)
    for (const AxisLeak& leak : leaks.cols.leaks)
      subtract(output[p * stride + leak.output], leak.share * leaks.row_values[p]);
  for (const AxisLeak& leak : leaks.rows.leaks)
    for (std::size_t q = 0; q < leaks.col_values.size(); ++q)
      subtract(output[leak.output * stride + q], leak.share * leaks.col_values[q]);
  if (leaks.cols.output)
    for (std::size_t p = 0; p < leaks.row_values.size(); ++p)
      output[p * stride + *leaks.cols.output] = std::complex<float>(leaks.row_values[p]);
  if (leaks.rows.output)
    for (std::size_t q = 0; q < leaks.col_values.size(); ++q)
      output[*leaks.rows.output * stride + q] = std::complex<float>(leaks.col_values[q]);
}

std::uint64_t axis_leaks_bytes(const LatticeAxisSizes& rows, const LatticeAxisSizes& cols) {
  // The values of both axes and their single-precision copies; then, one axis after the other, a fine grid of
  // at most 2·distinct cells (rounded up to a smooth length); and the taps.
  return (std::uint64_t{1} << 20U) + 24 * (rows.distinct + cols.distinct) +
         40 * (std::max(rows.distinct, cols.distinct) + 24);
}

}  // namespace spyctrum
