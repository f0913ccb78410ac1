// SPDX-License-Identifier: Apache-2.0
// By one FFT of the whole axis or, if the axis is long or has few non-empty lines, by a one-dimensional
// non-uniform FFT of their sums.
#include "core/fft/axis_values.hpp"

#include <algorithm>
#include <span>

#include "core/fft/fft.hpp"
#include "core/fft/result_cache.hpp"
#include "core/matrix/entry_weights.hpp"

namespace spyctrum {

namespace {

using Values = std::vector<std::complex<double>>;

// An axis is transformed as a whole if it is not longer than kSparsestWhole times the number of its non-empty
// lines: for each of these, an FFT of 94,000 values takes a seventh of the time of spreading.
constexpr std::uint64_t kSparsestWhole = 8;

/// The taps of this many lines are held at a time: less than a mebibyte.
constexpr std::size_t kLinesAtOnce = 8192;

/// The non-empty rows or columns of a pattern.
std::span<const Index> ids_of(const SparsePattern& pattern, PlaneAxis which) {
  return which == PlaneAxis::rows ? std::span(pattern.row_counts().ids) : pattern.column_ids();
}

/// The same with their sums.
struct Lines {
  Lines(const SparsePattern& pattern, PlaneAxis which)
      : ids(ids_of(pattern, which)),
        sums(which == PlaneAxis::rows ? pattern.row_sums() : pattern.column_sums()) {}
  std::span<const Index> ids;
  std::vector<double> sums;
};

std::uint64_t size_of(const SparsePattern& pattern, PlaneAxis which) {
  return which == PlaneAxis::rows ? pattern.rows() : pattern.cols();
}

/// The sums of the entries with equal (i ± j) mod n.
Values diagonal_sums(const SparsePattern& pattern, bool anti) {
  const std::uint64_t n = pattern.cols();
  Values sums(n);
  for_each_entry(pattern, nullptr, [&](Index row, Index col, std::size_t t) {
    const std::uint64_t k = std::uint64_t{row} + (anti ? n - col : col);
    sums[k < n ? k : k - n] += pattern.has_weights() ? pattern.weights()[t] : 1.0F;
  });
  return sums;
}

Values transform_whole(const SparsePattern& pattern, PlaneAxis which) {
  Values values;
  if (which == PlaneAxis::diagonal || which == PlaneAxis::antidiagonal) {
    values = diagonal_sums(pattern, which == PlaneAxis::antidiagonal);
  } else {
    const Lines lines(pattern, which);
    values.resize(size_of(pattern, which));
    for (std::size_t k = 0; k < lines.ids.size(); ++k) values[lines.ids[k]] = lines.sums[k];
  }
  fft_rows(values.data(), values.size(), 1, values.size());
  return values;
}

/// Spreads the sums of the axis's lines onto its fine grid.
template <class T>
void spread(const LatticeAxis<T>& axis, std::span<const double> sums, Values& grid) {
  for (std::size_t line = 0; line < axis.start.size(); ++line) {
    const std::complex<double> value = sums[line] * std::complex<double>(axis.phase[line]);
    std::size_t cell = axis.start[line];
    for (std::size_t tap = 0; tap < axis.taps; ++tap) {
      grid[cell] += static_cast<double>(axis.weights[line * axis.taps + tap]) * value;
      if (++cell == axis.sizes.fine) cell = 0;
    }
  }
}

/// The axis's outputs from its fine grid, which is transformed in place.
template <class T>
Values outputs_of(const LatticeAxis<T>& axis, Values& grid) {
  fft_rows(grid.data(), axis.sizes.fine, 1, axis.sizes.fine);
  Values values(axis.sizes.distinct);
  for (std::size_t p = 0; p < values.size(); ++p)
    values[p] = static_cast<double>(axis.correction[p]) * grid[(axis.first_cell + p) % axis.sizes.fine];
  return values;
}

struct AxisKey {
  std::uint64_t pattern = 0;  ///< fingerprint
  PlaneAxis which = PlaneAxis::rows;
  friend bool operator==(const AxisKey&, const AxisKey&) = default;
};
using AxisCache = ResultCache<AxisKey, Values>;

}  // namespace

std::shared_ptr<const Values> whole_axis(const SparsePattern& pattern, PlaneAxis which) {
  const auto make = [&] { return std::make_shared<const Values>(transform_whole(pattern, which)); };
  const std::uint64_t size = size_of(pattern, which);
  if (size > kLongestWholeAxis) return make();
  static AxisCache axes(2 * sizeof(std::complex<double>) * kLongestWholeAxis);
  const bool equals_rows = which == PlaneAxis::columns && pattern.symmetric();
  const AxisKey key{pattern.fingerprint(), equals_rows ? PlaneAxis::rows : which};
  return axes.get(key, [&] { return AxisCache::Made{make(), sizeof(std::complex<double>) * size}; });
}

std::vector<std::complex<double>> axis_values(const SparsePattern& pattern, PlaneAxis which,
                                              const FrequencyAxis& along) {
  const SpreadShape& shape = spread_shapes().back();  // of the smallest error
  const LatticeAxisSizes sizes = lattice_axis_sizes(along, shape);
  const std::uint64_t longest =
      std::min<std::uint64_t>(kLongestWholeAxis, kSparsestWhole * ids_of(pattern, which).size());
  if (along.size() <= longest) {
    const auto whole = whole_axis(pattern, which);
    Values values(sizes.distinct);
    for (std::size_t p = 0; p < values.size(); ++p) values[p] = (*whole)[along.index_at(p)];
    return values;
  }
  const Lines lines(pattern, which);
  Values grid(sizes.fine);
  for (std::size_t first = 0; first < lines.ids.size(); first += kLinesAtOnce) {
    const auto some = lines.ids.subspan(first, std::min(kLinesAtOnce, lines.ids.size() - first));
    spread(LatticeAxis<double>(along, sizes, shape, some), std::span(lines.sums).subspan(first), grid);
  }
  return outputs_of(LatticeAxis<double>(along, sizes, shape, {}), grid);
}

template <class T>
std::vector<std::complex<double>> axis_values(const SparsePattern& pattern, PlaneAxis which,
                                              const LatticeAxis<T>& axis) {
  Values grid(axis.sizes.fine);
  spread(axis, Lines(pattern, which).sums, grid);
  return outputs_of(axis, grid);
}
template Values axis_values(const SparsePattern&, PlaneAxis, const LatticeAxis<float>&);
template Values axis_values(const SparsePattern&, PlaneAxis, const LatticeAxis<double>&);

std::uint64_t axis_value_bytes(std::uint64_t size, std::uint64_t distinct) {
  // The values, and the axis as a whole with its sums, which the FFT of a prime length pads to twice that
  // length; or a fine grid of at most 2·distinct cells (rounded up to a smooth length), a table of the
  // outputs, and taps.
  const std::uint64_t whole = size <= kLongestWholeAxis ? 64 * size : 0;
  return 16 * distinct + std::max(whole, (std::uint64_t{1} << 20U) + 40 * (distinct + 24));
}

}  // namespace spyctrum
