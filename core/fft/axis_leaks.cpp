// SPDX-License-Identifier: Apache-2.0
// Finds the outputs that contain aliases of frequency 0, whose fine frequency κ solves step·κ ≡ −centre (mod
// m), and subtracts them.
#include "core/fft/axis_leaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/fft/fft.hpp"

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
  return modulo(before, m);
}

// Axes that are not longer than kLongestWhole, and not longer than kSparsestWhole times the number of their
// slots, are transformed as a whole: per slot, an FFT of 94,000 values takes a seventh of spreading.
constexpr std::uint64_t kLongestWhole = std::uint64_t{1} << 20U;
constexpr std::uint64_t kSparsestWhole = 8;

/// The taps of this many rows (or columns) are held at a time: less than a mebibyte.
constexpr std::size_t kSlotsAtOnce = 8192;

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
      const std::uint64_t step = modulo(coset.step(), coset.size()) / common;
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
    const std::uint64_t shift = modulo(l * static_cast<std::int64_t>(of_.sizes.fine), period);
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

/// The number of entries, or sum of weights, of each slot of an axis.
struct SlotSums {
  const AxisCounts& counts;
  std::span<const double> sums;  ///< empty: the counts
  [[nodiscard]] double operator[](std::size_t slot) const {
    return sums.empty() ? static_cast<double>(counts.counts[slot]) : sums[slot];
  }
};

/// Spreads the sums from number `first` on, those of the line's slots, onto its fine grid.
template <class T>
void spread(const LatticeAxis<T>& line, const SlotSums& sums, std::size_t first, Values& grid) {
  for (std::size_t slot = 0; slot < line.start.size(); ++slot) {
    const std::complex<double> value = sums[first + slot] * std::complex<double>(line.phase[slot]);
    std::size_t cell = line.start[slot];
    for (std::size_t tap = 0; tap < line.taps; ++tap) {
      grid[cell] += static_cast<double>(line.weights[slot * line.taps + tap]) * value;
      if (++cell == line.sizes.fine) cell = 0;
    }
  }
}

/// The line's outputs from its fine grid, which is transformed in place.
template <class T>
Values outputs_of(const LatticeAxis<T>& line, Values& grid) {
  fft_rows(grid.data(), line.sizes.fine, 1, line.sizes.fine);
  Values values(line.sizes.distinct);
  for (std::size_t p = 0; p < values.size(); ++p)
    values[p] = static_cast<double>(line.correction[p]) * grid[(line.first_cell + p) % line.sizes.fine];
  return values;
}

double largest_of(const Values& values) {
  double largest = 0;
  for (const std::complex<double>& value : values) largest = std::max(largest, std::norm(value));
  return std::sqrt(largest);
}

/// As axis_leaks(). leaking(sums, of_rows): the values along one axis where they only leak.
template <class Leaking>
AxisLeaks find_leaks(const SparsePattern& pattern, const ComputedAxis& rows, const ComputedAxis& cols,
                     const SpreadShape& shape, ThreadPool& pool, Leaking leaking) {
  AxisLeaks leaks;
  const double root = std::sqrt(pattern.weight_squares());
  if (root == 0 || (rows.sizes.on_grid && cols.sizes.on_grid)) return leaks;
  const auto find = [&](ZeroOfAxis& zero, Values& values, const ComputedAxis& across,
                        const FrequencyAxis& along, bool of_rows) {
    const Aliases aliases(across);
    zero.output = aliases.zero();
    // |F| ≤ Σ|a| ≤ √K·√Σa²
    if (!zero.output && !aliases.has_leaks(std::sqrt(static_cast<double>(pattern.nonzeros())))) return;
    std::vector<double> weights;
    if (pattern.has_weights()) weights = of_rows ? pattern.row_sums() : pattern.column_sums();
    const SlotSums sums{of_rows ? pattern.row_counts() : pattern.column_counts(), weights};
    values = zero.output ? axis_values(sums.counts, sums.sums, along) : leaking(sums, of_rows);
    zero.leaks = aliases.leaks(shape, largest_of(values) / root);
    if (!zero.output && zero.leaks.empty()) values = {};
  };
  pool.parallel_for(2, 1, [&](std::size_t which, std::size_t, unsigned) {
    if (which == 0)
      find(leaks.cols, leaks.row_values, cols, rows.axis, true);
    else
      find(leaks.rows, leaks.col_values, rows, cols.axis, false);
  });
  return leaks;
}

/// F[0, 0]
double total_of(const SparsePattern& pattern) {
  if (!pattern.has_weights()) return static_cast<double>(pattern.nonzeros());
  const std::vector<double> sums = pattern.column_sums();
  return std::accumulate(sums.begin(), sums.end(), 0.0);
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
  const std::uint64_t step = modulo(axis.step(), m);
  const std::uint64_t g = std::gcd(step, m);
  const std::uint64_t distance = modulo(-axis.origin(), m);
  if (distance % g != 0) return std::nullopt;
  const std::uint64_t period = m / g;
  const std::uint64_t k = distance / g % period * inverse_of(step / g, period) % period;
  return k < axis.count() ? std::optional(k) : std::nullopt;
}

std::vector<std::complex<double>> whole_axis(const AxisCounts& lines, std::span<const double> sums,
                                             std::uint64_t m) {
  const SlotSums sums_of{lines, sums};
  Values values(m);
  for (std::size_t slot = 0; slot < lines.ids.size(); ++slot) values[lines.ids[slot]] = sums_of[slot];
  fft_rows(values.data(), m, 1, m);
  return values;
}

std::vector<std::complex<double>> axis_values(const AxisCounts& counts, std::span<const double> sums,
                                              const FrequencyAxis& axis) {
  const SpreadShape& shape = spread_shapes().back();  // of the smallest error
  const LatticeAxisSizes sizes = lattice_axis_sizes(axis, shape);
  const std::span<const Index> ids(counts.ids);
  const std::uint64_t m = axis.size();
  if (m <= kLongestWhole && m <= kSparsestWhole * ids.size()) {
    const Values all = whole_axis(counts, sums, m);
    Values values(sizes.distinct);
    for (std::size_t p = 0; p < values.size(); ++p) values[p] = all[axis.index_at(p)];
    return values;
  }
  Values grid(sizes.fine);
  for (std::size_t first = 0; first < ids.size(); first += kSlotsAtOnce) {
    const auto some = ids.subspan(first, std::min(kSlotsAtOnce, ids.size() - first));
    spread(LatticeAxis<double>(axis, sizes, shape, some), {counts, sums}, first, grid);
  }
  return outputs_of(LatticeAxis<double>(axis, sizes, shape, {}), grid);
}

template <class T>
AxisLeaks axis_leaks(const SparsePattern& pattern, const FrequencyGrid& grid, const LatticeAxis<T>& rows,
                     const LatticeAxis<T>& cols, const SpreadShape& shape, ThreadPool& pool) {
  AxisLeaks leaks = find_leaks(pattern, {grid.rows, rows.sizes}, {grid.cols, cols.sizes}, shape, pool,
                               [&](const SlotSums& sums, bool of_rows) {
                                 const LatticeAxis<T>& line = of_rows ? rows : cols;
                                 Values cells(line.sizes.fine);
                                 spread(line, sums, 0, cells);
                                 return outputs_of(line, cells);
                               });
  // The values contain the aliases of F[0, 0], as the outputs do. Where a leak of the rows crosses one of the
  // columns, it is subtracted once.
  if (!leaks.row_values.empty() && !leaks.rows.leaks.empty() && !leaks.cols.output) {
    const double total = total_of(pattern);
    for (const AxisLeak& leak : leaks.rows.leaks) leaks.row_values[leak.output] -= leak.share * total;
  }
  return leaks;
}
template AxisLeaks axis_leaks(const SparsePattern&, const FrequencyGrid&, const LatticeAxis<float>&,
                              const LatticeAxis<float>&, const SpreadShape&, ThreadPool&);
template AxisLeaks axis_leaks(const SparsePattern&, const FrequencyGrid&, const LatticeAxis<double>&,
                              const LatticeAxis<double>&, const SpreadShape&, ThreadPool&);

AxisLeaks axis_leaks(const SparsePattern& pattern, const ComputedAxis& rows, const ComputedAxis& cols,
                     const SpreadShape& shape, ThreadPool& pool) {
  AxisLeaks leaks = find_leaks(pattern, rows, cols, shape, pool, [&](const SlotSums& sums, bool of_rows) {
    return axis_values(sums.counts, sums.sums, of_rows ? rows.axis : cols.axis);
  });
  // As the values from the lattice's tables.
  if (!leaks.col_values.empty() && !leaks.cols.leaks.empty() && !leaks.rows.output) {
    const double total = total_of(pattern);
    for (const AxisLeak& leak : leaks.cols.leaks) leaks.col_values[leak.output] += leak.share * total;
  }
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
  std::uint64_t bytes = 0;
  for (const ComputedAxis* const one : {&rows, &cols}) {
    // The values and their single-precision copies; the axis as a whole, which the FFT of a prime length pads
    // to twice that length; or a fine grid of at most 2·distinct cells (rounded up to a smooth length), a
    // table of the outputs, and taps.
    const std::uint64_t whole = one->axis.size() <= kLongestWhole ? 56 * one->axis.size() : 0;
    const std::uint64_t spread = (std::uint64_t{1} << 20U) + 40 * (one->distinct() + 24);
    bytes += 24 * one->distinct() + std::max(whole, spread);
  }
  return bytes;
}

}  // namespace spyctrum
