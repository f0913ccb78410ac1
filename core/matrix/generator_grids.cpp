// SPDX-License-Identifier: Apache-2.0
// Patterns of discrete Laplacians on regular grids, with 5- and 9-point stencils in two dimensions and 7- and
// 27-point stencils in three. Point (x, y, z) has number x + nx·(y + ny·z).
#include <algorithm>
#include <array>

#include "core/matrix/generator_parameters.hpp"

namespace spyctrum {

namespace {

using Outcome = Generator::Outcome;

struct Grid {
  std::array<std::uint64_t, 3> sides{1, 1, 1};
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

template <int dimensions>
Outcome make_laplacian(const GeneratorValues& values, JobContext& context) {
  Grid grid;
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
  return outcome;
}

}  // namespace

void add_grid_generators(std::vector<Generator>& table) {
  table.push_back({{"laplacian-2d",
                    "Grid Laplacian 2-D",
                    "5- or 9-point stencil on an nx × ny grid: five (nine) diagonals with gaps, so five "
                    "(nine) Dirichlet kernels on u + v = 0.",
                    {{"n", "points on each side of the grid; the matrix has n² rows", 1, kMostRows, 32, true},
                     {"nx", "points along x; n where not given", 1, kMostRows, 32, true},
                     {"ny", "points along y; n where not given", 1, kMostRows, 32, true},
                     {"points", "stencil: 5 or 9", 5, 9, 5, true},
                     {"periodic", "1 joins opposite sides of the grid", 0, 1, 0, true}},
                    false,
                    "gen:laplacian-2d:nx=24,ny=24"},
                   &make_laplacian<2>});
  table.push_back({{"laplacian-3d",
                    "Grid Laplacian 3-D",
                    "7- or 27-point stencil on an nx × ny × nz grid.",
                    {{"n", "points on each side of the grid; the matrix has n³ rows", 1, kMostRows, 10, true},
                     {"nx", "points along x; n where not given", 1, kMostRows, 10, true},
                     {"ny", "points along y; n where not given", 1, kMostRows, 10, true},
                     {"nz", "points along z; n where not given", 1, kMostRows, 10, true},
                     {"points", "stencil: 7 or 27", 7, 27, 7, true},
                     {"periodic", "1 joins opposite sides of the grid", 0, 1, 0, true}},
                    false,
                    "gen:laplacian-3d:n=9"},
                   &make_laplacian<3>});
}

}  // namespace spyctrum
