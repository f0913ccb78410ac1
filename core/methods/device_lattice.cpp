// SPDX-License-Identifier: Apache-2.0
#include "core/methods/device_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spyctrum {

namespace {

std::uint32_t taps_of(const LatticeAxisSizes& axis, const SpreadShape& shape) {
  return axis.on_grid ? 1 : static_cast<std::uint32_t>(shape.width);
}

/// Nanoseconds of a large device, roughly: a visit takes a warp a round for each 32/w rows of taps, and a
/// cell is written, transformed and read.
double cost_of(const DeviceLattice& lattice, double entries) {
  const double groups = std::floor(32.0 / taps_of(lattice.cols, lattice.shape));
  const double rounds = std::ceil(taps_of(lattice.rows, lattice.shape) / groups);
  return entries * visits_per_entry(lattice) * (0.02 + 0.024 * rounds) + 0.013 * lattice.cells();
}

cuda::LatticeAxisSpec spec_of(const FrequencyAxis& axis, const LatticeAxisSizes& sizes,
                              const SpreadShape& shape) {
  const auto [middle, centre] = lattice_centre(axis, sizes);
  const auto m = static_cast<std::int64_t>(axis.size());
  cuda::LatticeAxisSpec spec;
  spec.size = axis.size();
  spec.step = static_cast<std::uint64_t>((axis.step() % m + m) % m);
  spec.centre = centre;
  spec.fine = sizes.fine;
  spec.kept = sizes.kept;
  spec.count = axis.count();
  spec.middle = middle;
  if (sizes.on_grid) {
    spec.cell = axis.size() / sizes.period;
    return spec;
  }
  const SpreadNumbers& numbers = spread_numbers(shape);
  spec.taps = static_cast<std::uint32_t>(shape.width);
  spec.powers = static_cast<std::uint32_t>(numbers.powers);
  spec.nodes = static_cast<std::uint32_t>(numbers.places.size());
  spec.polynomials = numbers.polynomials.data();
  spec.places = numbers.places.data();
  spec.values = numbers.values.data();
  return spec;
}

/// Tiles of `side` cells that a run of taps meets on average.
double reached(const LatticeAxisSizes& axis, const SpreadShape& shape, std::uint32_t side) {
  const double tiles = std::ceil(static_cast<double>(axis.fine) / side);
  const double cells = static_cast<double>(axis.fine);
  return std::min(tiles, 1 + (taps_of(axis, shape) - 1) * tiles / cells);
}

}  // namespace

cuda::LatticeAxisSpec DeviceLattice::row_spec(const FrequencyAxis& axis) const {
  return spec_of(axis, rows, shape);
}
cuda::LatticeAxisSpec DeviceLattice::col_spec(const FrequencyAxis& axis) const {
  return spec_of(axis, cols, shape);
}

cuda::PlaneFftShapes plane_fft(const DeviceLattice& lattice) {
  const std::uint64_t high = lattice.cols.on_grid ? 0 : lattice.cols.kept / 2;
  return cuda::plane_fft_shapes(lattice.rows.fine, lattice.cols.fine, lattice.cols.kept - high, high);
}

double visits_per_entry(const DeviceLattice& lattice) {
  return reached(lattice.rows, lattice.shape, cuda::kTileRows) *
         reached(lattice.cols, lattice.shape, cuda::kTileCols);
}

std::optional<DeviceLattice> choose_device_lattice(const FrequencyGrid& grid, double entries,
                                                   double tolerance) {
  std::optional<DeviceLattice> best;
  double lowest = std::numeric_limits<double>::infinity();
  for (const SpreadShape& shape : spread_shapes()) {
    const DeviceLattice lattice{shape, lattice_axis_sizes(grid.rows, shape),
                                lattice_axis_sizes(grid.cols, shape)};
    const double additions =
        entries * taps_of(lattice.rows, shape) * taps_of(lattice.cols, shape) / lattice.cells();
    if (expected_error(shape, false, std::max(10.0, additions)) > tolerance) continue;
    const double cost = cost_of(lattice, entries);
    if (cost >= lowest) continue;
    lowest = cost;
    best = lattice;
  }
  return best;
}

}  // namespace spyctrum
