// SPDX-License-Identifier: Apache-2.0
// Discrete Laplacians on regular grids, with 5- and 9-point stencils in two dimensions and 7- and 27-point
// stencils in three, and convection–diffusion with the 5-point stencil. Point (x, y, z) has number
// x + nx·(y + ny·z). Values: points − 1 on the diagonal and −1 beside it (J. Dongarra, M. Heroux, P.
// Luszczek, HPCG, Int. J. High Performance Computing Applications 30(1), 2016, has the 27-point one), so that
// the rows of a periodic grid add up to 0.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

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

/// The coordinate `step` (−1, 0, 1) from `at` on a side of the grid; empty if it is outside of the grid.
std::optional<std::uint64_t> moved(std::uint64_t at, int step, std::uint64_t side, bool periodic) {
  if (step == 0) return at;
  const bool leaves = step < 0 ? at == 0 : at + 1 == side;
  if (leaves && !periodic) return std::nullopt;
  if (leaves) return step < 0 ? side - 1 : 0;
  return step < 0 ? at - 1 : at + 1;
}

/// Calls visit(neighbour, dx, dy, dz) for every direction of the stencil in which `point` has a neighbour,
/// including (0, 0, 0) for the point itself. If a periodic side has one or two points, several directions
/// lead to the same neighbour.
template <class Visit>
void each_neighbour(const Grid& grid, std::uint64_t point, const Visit& visit) {
  const auto& [nx, ny, nz] = grid.sides;
  const int depth = grid.dimensions == 3 ? 1 : 0;
  for (int dz = -depth; dz <= depth; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        if (std::abs(dx) + std::abs(dy) + std::abs(dz) > 1 && !grid.full_stencil) continue;
        const auto x = moved(point % nx, dx, nx, grid.periodic);
        const auto y = moved(point / nx % ny, dy, ny, grid.periodic);
        const auto z = moved(point / nx / ny, dz, nz, grid.periodic);
        if (x && y && z) visit((*z * ny + *y) * nx + *x, dx, dy, dz);
      }
}

void append_stencil(const Grid& grid, std::uint64_t point, std::vector<PackedEntry>& out) {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  each_neighbour(grid, point, [&](std::uint64_t row, int, int, int) {
    out.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(point)));
  });
  std::sort(out.begin() + first, out.end());
  out.erase(std::unique(out.begin() + first, out.end()), out.end());
}

/// The matrix with the entries of the stencil, `entries` of them in a column at most, whose values are
/// Σ coefficient(dx, dy, dz) over the directions that lead from the point of the row to that of the column.
template <class Coefficient>
Outcome stencil_matrix(const Grid& grid, double entries, const Coefficient& coefficient,
                       const GeneratorValues& values, JobContext& context) {
  double points = 1;
  for (const std::uint64_t side : grid.sides) points *= static_cast<double>(side);
  if (points > kMostRows)
    throw values.bad("the grid has more than 4294967295 points, and the matrix one row for each.",
                     "Choose smaller sides of the grid.");
  const std::uint64_t size = grid.sides[0] * grid.sides[1] * grid.sides[2];
  Outcome outcome{.rows = size, .cols = size};
  fill_columns(outcome, values, points * entries, context,
               [&](std::uint64_t col, std::vector<PackedEntry>& out) { append_stencil(grid, col, out); });
  outcome.value = [grid, coefficient](std::uint64_t row, std::uint64_t col) {
    double sum = 0;
    each_neighbour(grid, row, [&](std::uint64_t neighbour, int dx, int dy, int dz) {
      if (neighbour == col) sum += coefficient(dx, dy, dz);
    });
    return sum;
  };
  return outcome;
}

template <int dimensions>
Outcome make_laplacian(const GeneratorValues& values, JobContext& context) {
  Grid grid{.sides = {values.side("nx"), values.side("ny"), 1}, .dimensions = dimensions};
  if (dimensions == 3) grid.sides[2] = values.side("nz");
  const std::int64_t small = dimensions == 2 ? 5 : 7;
  const std::int64_t full = dimensions == 2 ? 9 : 27;
  const std::int64_t stencil = values.integer("points");
  if (stencil != small && stencil != full)
    throw values.bad("points=" + std::to_string(stencil) + " is not a stencil; possible: " +
                     std::to_string(small) + " and " + std::to_string(full) + ".");
  grid.full_stencil = stencil == full;
  grid.periodic = values.flag("periodic");
  const auto coefficient = [stencil](int dx, int dy, int dz) {
    return dx == 0 && dy == 0 && dz == 0 ? static_cast<double>(stencil - 1) : -1.0;
  };
  return stencil_matrix(grid, static_cast<double>(stencil), coefficient, values, context);
}

Outcome make_convection(const GeneratorValues& values, JobContext& context) {
  const Grid grid{.sides = {values.side("nx"), values.side("ny"), 1}, .periodic = values.flag("periodic")};
  const auto coefficient = [along = values.real("wx"), across = values.real("wy")](int dx, int dy,
                                                                                   int /*dz*/) {
    return dx == 0 && dy == 0 ? 4.0 : -1.0 + (along * dx + across * dy) / 2;
  };
  return stencil_matrix(grid, 5, coefficient, values, context);
}

}  // namespace

void add_grid_generators(std::vector<Generator>& table) {
  table.push_back({{"laplacian-2d",
                    "Grid Laplacian 2-D",
                    "5- or 9-point stencil on an nx × ny grid. Look at the line u = −v: diagonals nx apart "
                    "make its power rise and fall nx times.",
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
        "7- or 27-point stencil on an nx × ny × nz grid. Look at the line u = −v: its power rises "
        "and falls nx times, and nx·ny times.",
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
