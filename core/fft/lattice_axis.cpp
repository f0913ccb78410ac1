// SPDX-License-Identifier: Apache-2.0
// Tables of one axis, slot by slot, with positions and phases reduced modulo m in integers.
#include "core/fft/lattice_axis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/fft/fft.hpp"
#include "core/fft/phase_table.hpp"

namespace spyctrum {

LatticeAxisSizes lattice_axis_sizes(const FrequencyAxis& axis, const SpreadShape& shape) {
  LatticeAxisSizes sizes;
  sizes.period = axis.size() / std::gcd(dft_index(axis.step(), axis.size()), axis.size());
  sizes.distinct = static_cast<std::size_t>(std::min<std::uint64_t>(axis.count(), sizes.period));
  const auto least =
      static_cast<std::uint64_t>(std::ceil(shape.oversampling * static_cast<double>(sizes.distinct)));
  const std::uint64_t spread = smooth_size(std::max<std::uint64_t>(least, 2 * shape.width));
  // A length that is not smooth costs about three times as much per cell.
  const std::uint64_t exact = is_smooth(sizes.period) ? sizes.period : 3 * sizes.period;
  sizes.on_grid = exact <= spread;
  sizes.fine = static_cast<std::size_t>(sizes.on_grid ? sizes.period : spread);
  return sizes;
}

double aliasing_scatter(const FrequencyGrid& grid) {
  return 1 + 1 / std::sqrt(static_cast<double>(grid.rows.count())) +
         1 / std::sqrt(static_cast<double>(grid.cols.count()));
}

LatticeCentre lattice_centre(const FrequencyAxis& axis, const LatticeAxisSizes& sizes) {
  const std::uint64_t m = axis.size();
  const std::size_t middle = sizes.on_grid ? 0 : sizes.distinct / 2;
  const std::uint64_t offset = dft_index(axis.step(), m) * (static_cast<std::uint64_t>(middle) % m) % m;
  return {middle, (dft_index(axis.origin(), m) + offset) % m};
}

FrequencyAxis coset_of(const FrequencyAxis& axis, std::uint64_t cosets, std::uint64_t r) {
  return FrequencyAxis::progression(axis.size(), axis.at(r), axis.step() * static_cast<std::int64_t>(cosets),
                                    (axis.count() + cosets - 1) / cosets);
}

template <class T>
LatticeAxis<T>::LatticeAxis(const FrequencyAxis& axis, const LatticeAxisSizes& axis_sizes,
                            const SpreadShape& shape, std::span<const Index> ids)
    : sizes(axis_sizes), taps(axis_sizes.on_grid ? 1 : shape.width) {
  const std::uint64_t m = axis.size();
  const PhaseTable roots(m);
  const std::uint64_t step = dft_index(axis.step(), m);
  const auto [middle, centre] = lattice_centre(axis, sizes);

  start.reserve(ids.size());
  weights.resize(ids.size() * taps);
  phase.reserve(ids.size());
  const TapPolynomials polynomials(shape);
  const std::uint64_t cell_size = m / sizes.period;  // g
  const double scale = static_cast<double>(sizes.fine) / static_cast<double>(m);
  const double half_width = static_cast<double>(shape.width) / 2;
  T* weight = weights.data();
  for (const Index i : ids) {
    phase.emplace_back(roots.at(roots.product(centre, i)));
    const std::uint64_t place = roots.product(step, i);
    if (sizes.on_grid) {
      start.push_back(static_cast<std::uint32_t>(place / cell_size));
      *weight++ = T(1);
      continue;
    }
    const double left = scale * static_cast<double>(place) - half_width;
    const double first = std::ceil(left);
    polynomials.evaluate(first - left, weight);
    weight += taps;
    auto cell = static_cast<std::int64_t>(first);
    if (cell < 0) cell += static_cast<std::int64_t>(sizes.fine);
    start.push_back(static_cast<std::uint32_t>(cell));
  }

  correction.assign(sizes.distinct, T(1));
  if (!sizes.on_grid) {
    first_cell = (sizes.fine - middle) % sizes.fine;
    const std::vector<double> transform = spread_transform(shape, sizes.fine, sizes.distinct - middle + 1);
    for (std::size_t p = 0; p < sizes.distinct; ++p)
      correction[p] = static_cast<T>(1 / transform[p < middle ? middle - p : p - middle]);
  }
}

template struct LatticeAxis<float>;
template struct LatticeAxis<double>;

}  // namespace spyctrum
