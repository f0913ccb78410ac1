// SPDX-License-Identifier: Apache-2.0
// Discrete Laplacians on regular grids, with 5- and 9-point stencils in two dimensions and 7- and 27-point
// stencils in three, and convection–diffusion with the 5-point stencil. Point (x, y, z) has number
// x + nx·(y + ny·z). Values: points − 1 on the diagonal and −1 beside it (J. Dongarra, M. Heroux, P.
// Luszczek, HPCG, Int. J. High Performance Computing Applications 30(1), 2016, has the 27-point one), so that
// the rows of a periodic grid add up to 0.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/matrix/generator_parameters.hpp"

namespace spyctrum {

namespace {

using Outcome = Generator::Outcome;

struct Grid {
  std::array<std::uint64_t, 3> sides{1, 1, 1};
  std::size_t dimensions = 2;
  bool full_stencil = false;  // 9 or 27 points, with those along diagonals
  bool periodic = false;
};

// `at` and the coordinates beside it, two or three. On a periodic side of one or two points a coordinate
// occurs twice; append_stencil() removes duplicates.
struct Neighbours {
  std::array<std::uint64_t, 3> at{};
  std::size_t count = 0;
};

Neighbours neighbours(std::uint64_t at, std::uint64_t side, bool periodic) {
  Neighbours found;
  if (at > 0 || periodic) found.at.at(found.count++) = at > 0 ? at - 1 : side - 1;
  found.at.at(found.count++) = at;
  if (at + 1 < side || periodic) found.at.at(found.count++) = at + 1 < side ? at + 1 : 0;
  return found;
}

void append_stencil(const Grid& grid, std::uint64_t point, std::vector<PackedEntry>& out) {
  const std::uint64_t x = point % grid.sides[0];
  const std::uint64_t y = point / grid.sides[0] % grid.sides[1];
  const std::uint64_t z = point / grid.sides[0] / grid.sides[1];
  const Neighbours xs = neighbours(x, grid.sides[0], grid.periodic);
  const Neighbours ys = neighbours(y, grid.sides[1], grid.periodic);
  const Neighbours zs = neighbours(z, grid.sides[2], grid.periodic);
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for (std::size_t c = 0; c < zs.count; ++c) {
    for (std::size_t b = 0; b < ys.count; ++b) {
      for (std::size_t a = 0; a < xs.count; ++a) {
        const int away = (xs.at.at(a) != x ? 1 : 0) + (ys.at.at(b) != y ? 1 : 0) + (zs.at.at(c) != z ? 1 : 0);
        if (away > 1 && !grid.full_stencil) continue;
        const std::uint64_t row = (zs.at.at(c) * grid.sides[1] + ys.at.at(b)) * grid.sides[0] + xs.at.at(a);
        out.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(point)));
      }
    }
  }
  std::sort(out.begin() + first, out.end());
  out.erase(std::unique(out.begin() + first, out.end()), out.end());
}

/// Whether the neighbour of coordinate `from` in direction `step` (−1, 0, 1) is `to`.
bool leads_to(std::uint64_t from, int step, std::uint64_t to, std::uint64_t side, bool periodic) {
  if (step == 0) return from == to;
  const bool leaves = step < 0 ? from == 0 : from + 1 == side;
  if (leaves && !periodic) return false;
  return to == (leaves ? (step < 0 ? side - 1 : 0) : (step < 0 ? from - 1 : from + 1));
}

/// Σ coefficient(dx, dy, dz) over the directions of the stencil that lead from point `row` to point `col`:
/// several where a periodic side has one or two points.
template <class Coefficient>
double stencil_value(const Grid& grid, std::uint64_t row, std::uint64_t col, const Coefficient& coefficient) {
  const auto coordinates = [&](std::uint64_t point) {
    return std::array{point % grid.sides[0], point / grid.sides[0] % grid.sides[1],
                      point / grid.sides[0] / grid.sides[1]};
  };
  const auto from = coordinates(row);
  const auto to = coordinates(col);
  double sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        if (std::abs(dx) + std::abs(dy) + std::abs(dz) > 1 && !grid.full_stencil) continue;
        const std::array<int, 3> steps{dx, dy, dz};
        bool leads = true;
        for (std::size_t d = 0; d < 3; ++d)
          leads = leads && (d >= grid.dimensions ? steps.at(d) == 0
                                                 : leads_to(from.at(d), steps.at(d), to.at(d),
                                                            grid.sides.at(d), grid.periodic));
        if (leads) sum += coefficient(dx, dy, dz);
      }
  return sum;
}

template <int dimensions>
Outcome make_laplacian(const GeneratorValues& values, JobContext& context) {
  Grid grid;
  grid.dimensions = dimensions;
  static constexpr std::array<const char*, 3> kSides{"nx", "ny", "nz"};
  double points = 1;
  for (int d = 0; d < dimensions; ++d) {
    const char* key = kSides.at(static_cast<std::size_t>(d));
    grid.sides.at(static_cast<std::size_t>(d)) = values.side(key);
    points *= static_cast<double>(values.side(key));
  }
  if (points > kMostRows)
    throw values.bad("the grid has more than 4294967295 points, and the matrix one row for each.",
                     "Choose smaller sides of the grid.");
  const std::int64_t small = dimensions == 2 ? 5 : 7;
  const std::int64_t full = dimensions == 2 ? 9 : 27;
  const std::int64_t stencil = values.integer("points");
  if (stencil != small && stencil != full)
    throw values.bad("points=" + std::to_string(stencil) + " is no stencil; possible: " +
                     std::to_string(small) + " and " + std::to_string(full) + ".");
  grid.full_stencil = stencil == full;
  grid.periodic = values.flag("periodic");
  const std::uint64_t size = grid.sides[0] * grid.sides[1] * grid.sides[2];
  Outcome outcome{.rows = size, .cols = size};
  fill_columns(outcome, values, points * static_cast<double>(stencil), context,
               [&](std::uint64_t col, std::vector<PackedEntry>& out) { append_stencil(grid, col, out); });
  outcome.value = [grid, stencil](std::uint64_t row, std::uint64_t col) {
    return stencil_value(grid, row, col, [stencil](int dx, int dy, int dz) {
      return dx == 0 && dy == 0 && dz == 0 ? static_cast<double>(stencil - 1) : -1.0;
    });
  };
  return outcome;
}

Outcome make_convection(const GeneratorValues& values, JobContext& context) {
  Grid grid;
  grid.sides = {values.side("nx"), values.side("ny"), 1};
  const double points = static_cast<double>(grid.sides[0]) * static_cast<double>(grid.sides[1]);
  if (points > kMostRows)
    throw values.bad("the grid has more than 4294967295 points, and the matrix one row for each.",
                     "Choose smaller sides of the grid.");
  grid.periodic = values.flag("periodic");
  const std::uint64_t size = grid.sides[0] * grid.sides[1];
  Outcome outcome{.rows = size, .cols = size};
  fill_columns(outcome, values, 5 * points, context,
               [&](std::uint64_t col, std::vector<PackedEntry>& out) { append_stencil(grid, col, out); });
  const double along = values.real("wx");
  const double across = values.real("wy");
  outcome.value = [grid, along, across](std::uint64_t row, std::uint64_t col) {
    return stencil_value(grid, row, col, [&](int dx, int dy, int /*dz*/) {
      return dx == 0 && dy == 0 ? 4.0 : -1.0 + (along * dx + across * dy) / 2;
    });
  };
  return outcome;
}

}  // namespace

void add_grid_generators(std::vector<Generator>& table) {
  table.push_back({{"laplacian-2d",
                    "Grid Laplacian 2-D",
                    "5- or 9-point stencil on an nx × ny grid. Look at the line u = −v: diagonals nx apart "
                    "make it beat nx times over its length.",
                    {{"n", "points on each side of the grid; the matrix has n² rows", 1, kMostRows, 32, true},
                     {"nx", "points along x; default: n", 1, kMostRows, 32, true},
                     {"ny", "points along y; default: n", 1, kMostRows, 32, true},
                     {"points", "stencil: 5 or 9", 5, 9, 5, true},
                     {"periodic", "1 joins opposite sides of the grid", 0, 1, 0, true}},
                    false,
                    "gen:laplacian-2d:nx=24,ny=24",
                    "gen:laplacian-2d:n=6"},
                   &make_laplacian<2>});
  table.push_back(
      {{"laplacian-3d",
        "Grid Laplacian 3-D",
        "7- or 27-point stencil on an nx × ny × nz grid. Look at the line u = −v: it beats at two "
        "rates, for neighbours nx and nx·ny apart.",
        {{"n", "points on each side of the grid; the matrix has n³ rows", 1, kMostRows, 10, true},
         {"nx", "points along x; default: n", 1, kMostRows, 10, true},
         {"ny", "points along y; default: n", 1, kMostRows, 10, true},
         {"nz", "points along z; default: n", 1, kMostRows, 10, true},
         {"points", "stencil: 7 or 27", 7, 27, 7, true},
         {"periodic", "1 joins opposite sides of the grid", 0, 1, 0, true}},
        false,
        "gen:laplacian-3d:n=9",
        "gen:laplacian-3d:n=3"},
       &make_laplacian<3>});
  table.push_back(
      {{"convection-diffusion",
        "Convection–diffusion",
        "−Δ + w·grad by central differences on a grid: 4 on the diagonal, −1 ± wx/2 and −1 ± wy/2 beside "
        "it. Compare the spectrum of the pattern, a 5-point stencil, with that of the values.",
        {{"n", "points on each side of the grid; the matrix has n² rows", 1, kMostRows, 32, true},
         {"nx", "points along x; default: n", 1, kMostRows, 32, true},
         {"ny", "points along y; default: n", 1, kMostRows, 32, true},
         {"wx", "wind along x times h, the cell's Péclet number", -1e6, 1e6, 1, false},
         {"wy", "wind along y times h", -1e6, 1e6, 0.5, false},
         {"periodic", "1 joins opposite sides of the grid", 0, 1, 0, true}},
        false,
        "gen:convection-diffusion:n=24,wx=1.5",
        "gen:convection-diffusion:n=6,wx=1.5"},
       &make_convection});
}

}  // namespace spyctrum
