// SPDX-License-Identifier: Apache-2.0
// Finds the outputs that contain aliases of frequency 0, whose fine frequency κ solves step·κ ≡ −centre (mod
// m), and subtracts them.
#include "core/fft/axis_leaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/fft/axis_values.hpp"

namespace spyctrum {

namespace {

/// Aliases κ + lN are considered for |l| up to this; φ̂ decays like 1/l beyond the first.
constexpr std::int64_t kMostAliases = kHighestTapFrequency - 1;

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
  return dft_index(before, m);
}

using Values = std::vector<std::complex<double>>;

/// An upper bound of |φ̂(κ + lN)/φ̂(κ)|/SpreadShape::aliasing of every shape.
double largest_share(std::int64_t l) {
  const auto distance = static_cast<double>(std::abs(l));
  return distance == 1 ? 10 : 1.1 / distance;
}

/// Finds the outputs of an axis whose frequency, or one of whose aliases, is 0. Shares are compared with
/// `ratio`, an upper bound of the leaking values relative to √Σa²: leaks below the root mean square of all
/// other aliases, SpreadShape::aliasing·√Σa², are left.
class Aliases {
 public:
  explicit Aliases(const ComputedAxis& of) : of_(of) {
    const std::uint64_t period = of.sizes.period;
    for (std::uint64_t r = 0; r < of.cosets; ++r) {
      const FrequencyAxis coset = coset_of(of.axis, of.cosets, r);
      const std::uint64_t common = coset.size() / period;  // gcd(step, m)
      const std::uint64_t centre = lattice_centre(coset, of.sizes).frequency;
      if (centre % common != 0) continue;
      const std::uint64_t step = dft_index(coset.step(), coset.size()) / common;
      const std::uint64_t distance = centre / common % period * inverse_of(step, period) % period;
      places_.push_back({r, (middle() + period - distance) % period});
    }
  }
  /// The output at frequency 0.
  [[nodiscard]] std::optional<std::uint64_t> zero() const {
    for (const Place& place : places_)
      if (const auto at = alias(place, 0)) return output(place, *at);
    return std::nullopt;
  }
  /// Whether there may be leaks.
  [[nodiscard]] bool has_leaks(double ratio) const {
    return std::ranges::any_of(places_, [&](const Place& place) {
      bool any = false;
      for_aliases(place, ratio, [&](std::int64_t, std::uint64_t) { any = true; });
      return any;
    });
  }
  /// Of each coset the kMostLeaks leaks of largest |share|.
  [[nodiscard]] std::vector<AxisLeak> leaks(const SpreadShape& shape, double ratio) const {
    std::vector<AxisLeak> all;
    for (const Place& place : places_) {
      std::vector<AxisLeak> leaks;
      std::vector<double> aliases;
      for_aliases(place, ratio, [&](std::int64_t l, std::uint64_t at) {
        const double x =
            (static_cast<double>(at) - static_cast<double>(middle())) / static_cast<double>(of_.sizes.fine);
        leaks.push_back({output(place, at), 1 / spread_at(shape, x)});
        aliases.push_back(x + static_cast<double>(l));
      });
      const std::vector<double> transforms = tap_transforms(shape, aliases);
      for (std::size_t k = 0; k < leaks.size(); ++k) leaks[k].share *= transforms[k];
      add_up(leaks);
      std::erase_if(leaks,
                    [&](const AxisLeak& leak) { return std::abs(leak.share) * ratio <= shape.aliasing; });
      std::ranges::sort(leaks, std::greater(), [](const AxisLeak& leak) { return std::abs(leak.share); });
      if (leaks.size() > kMostLeaks) leaks.resize(kMostLeaks);
      all.insert(all.end(), leaks.begin(), leaks.end());
    }
    return all;
  }

 private:
  /// A coset whose frequencies meet 0.
  struct Place {
    std::uint64_t coset = 0;
    std::uint64_t zero = 0;  ///< its output at frequency 0, modulo the period; may exceed `distinct`
  };
  [[nodiscard]] std::size_t middle() const { return lattice_centre(of_.axis, of_.sizes).middle; }
  /// The output of a coset whose alias l (shifted by l·N fine frequencies) is frequency 0.
  [[nodiscard]] std::optional<std::uint64_t> alias(const Place& place, std::int64_t l) const {
    const std::uint64_t period = of_.sizes.period;
    const std::uint64_t shift = dft_index(l * static_cast<std::int64_t>(of_.sizes.fine), period);
    const std::uint64_t at = (place.zero + period - shift) % period;
    const bool is_there = at < of_.sizes.distinct && output(place, at) < of_.distinct();
    return is_there ? std::optional(at) : std::nullopt;
  }
  [[nodiscard]] std::uint64_t output(const Place& place, std::uint64_t at) const {
    return place.coset + of_.cosets * at;
  }
  template <class Take>
  void for_aliases(const Place& place, double ratio, Take take) const {
    if (of_.sizes.on_grid) return;
    for (std::int64_t l = -kMostAliases; l <= kMostAliases; ++l) {
      if (l == 0 || largest_share(l) * ratio <= 1) continue;
      if (const auto at = alias(place, l)) take(l, *at);
    }
  }
  /// Adds up the shares of equal outputs.
  static void add_up(std::vector<AxisLeak>& leaks) {
    std::ranges::sort(leaks, std::less(), &AxisLeak::output);
    std::vector<AxisLeak> sums;
    for (const AxisLeak& leak : leaks) {
      if (sums.empty() || sums.back().output != leak.output) sums.push_back({leak.output, 0});
      sums.back().share += leak.share;
    }
    leaks = std::move(sums);
  }

  const ComputedAxis& of_;
  std::vector<Place> places_;
};

double largest_of(const Values& values) {
  double largest = 0;
  for (const std::complex<double>& value : values) largest = std::max(largest, std::norm(value));
  return std::sqrt(largest);
}

/// As axis_leaks(). leaking(which): the values on an axis where they only leak.
template <class Leaking>
AxisLeaks find_leaks(const SparsePattern& pattern, const ComputedAxis& rows, const ComputedAxis& cols,
                     const SpreadShape& shape, ThreadPool& pool, Leaking leaking) {
  AxisLeaks leaks;
  const double root = std::sqrt(pattern.weight_squares());
  if (root == 0 || (rows.sizes.on_grid && cols.sizes.on_grid)) return leaks;
  const auto find = [&](ZeroOfAxis& zero, Values& values, const ComputedAxis& across,
                        const FrequencyAxis& along, PlaneAxis which) {
    const Aliases aliases(across);
    zero.output = aliases.zero();
    // |F| ≤ Σ|a| ≤ √K·√Σa²
    if (!zero.output && !aliases.has_leaks(std::sqrt(static_cast<double>(pattern.nonzeros())))) return;
    values = zero.output ? axis_values(pattern, which, along) : leaking(which);
    zero.leaks = aliases.leaks(shape, largest_of(values) / root);
    if (!zero.output && zero.leaks.empty()) values = {};
  };
  pool.parallel_for(2, 1, [&](std::size_t which, std::size_t, unsigned) {
    if (which == 0)
      find(leaks.cols, leaks.row_values, cols, rows.axis, PlaneAxis::rows);
    else
      find(leaks.rows, leaks.col_values, rows, cols.axis, PlaneAxis::columns);
  });
  return leaks;
}

}  // namespace

std::optional<std::uint64_t> first_zero(const FrequencyAxis& axis) {
  if (!axis.is_progression()) {
    for (std::uint64_t k = 0; k < axis.count(); ++k)
      if (axis.index_at(k) == 0) return k;
    return std::nullopt;
  }
  // k·step ≡ −origin (mod m) has a solution where g = gcd(step, m) divides the origin, one modulo m/g.
  const std::uint64_t m = axis.size();
  const std::uint64_t step = dft_index(axis.step(), m);
  const std::uint64_t g = std::gcd(step, m);
  const std::uint64_t distance = dft_index(-axis.origin(), m);
  if (distance % g != 0) return std::nullopt;
  const std::uint64_t period = m / g;
  const std::uint64_t k = distance / g % period * inverse_of(step / g, period) % period;
  return k < axis.count() ? std::optional(k) : std::nullopt;
}

template <class T>
AxisLeaks axis_leaks(const SparsePattern& pattern, const FrequencyGrid& grid, const LatticeAxis<T>& rows,
                     const LatticeAxis<T>& cols, const SpreadShape& shape, ThreadPool& pool) {
  AxisLeaks leaks = find_leaks(
      pattern, {grid.rows, rows.sizes}, {grid.cols, cols.sizes}, shape, pool,
      [&](PlaneAxis which) { return axis_values(pattern, which, which == PlaneAxis::rows ? rows : cols); });
  // The values contain the aliases of F[0, 0], as the outputs do. Where a leak of the rows crosses one of the
  // columns, it is subtracted once.
  if (!leaks.row_values.empty() && !leaks.rows.leaks.empty() && !leaks.cols.output)
    for (const AxisLeak& leak : leaks.rows.leaks)
      leaks.row_values[leak.output] -= leak.share * pattern.weight_sum();
  return leaks;
}
template AxisLeaks axis_leaks(const SparsePattern&, const FrequencyGrid&, const LatticeAxis<float>&,
                              const LatticeAxis<float>&, const SpreadShape&, ThreadPool&);
template AxisLeaks axis_leaks(const SparsePattern&, const FrequencyGrid&, const LatticeAxis<double>&,
                              const LatticeAxis<double>&, const SpreadShape&, ThreadPool&);

AxisLeaks axis_leaks(const SparsePattern& pattern, const ComputedAxis& rows, const ComputedAxis& cols,
                     const SpreadShape& shape, ThreadPool& pool) {
  AxisLeaks leaks = find_leaks(pattern, rows, cols, shape, pool, [&](PlaneAxis which) {
    return axis_values(pattern, which, which == PlaneAxis::rows ? rows.axis : cols.axis);
  });
  // As the values from the lattice's tables.
  if (!leaks.col_values.empty() && !leaks.cols.leaks.empty() && !leaks.rows.output)
    for (const AxisLeak& leak : leaks.cols.leaks)
      leaks.col_values[leak.output] += leak.share * pattern.weight_sum();
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

std::uint64_t axis_leaks_bytes(const ComputedAxis& rows, const ComputedAxis& cols) {
  const auto bytes_of = [](const ComputedAxis& one) {
    // The second term: the single-precision copies of the values.
    return axis_value_bytes(one.axis.size(), one.distinct()) + 8 * one.distinct();
  };
  return bytes_of(rows) + bytes_of(cols);
}

}  // namespace spyctrum
