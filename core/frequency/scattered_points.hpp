// SPDX-License-Identifier: Apache-2.0
// Frequencies that form no grid, with the number of coefficients of the plane that each represents; and the
// nearest of them for every place in the plane: a raster of at most 2048×2048 cells over the fftshifted
// plane. Each cell is labelled with the nearest site, distances in cycles per sample, by an exact Euclidean
// distance transform (Felzenszwalb & Huttenlocher, Theory of Computing 8, 2012). Points in the same cell form
// one site. The raster gives two reconstructions: the magnitude of the nearest site, and discrete
// natural-neighbour interpolation (Park et al., IEEE TVCG 12(2), 2006), which resembles linear interpolation
// on the Delaunay triangulation.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/job_context.hpp"

namespace spyctrum {

struct SiteRaster {
  std::uint64_t m = 0, n = 0;  ///< of the plane
  std::uint32_t rows = 0, cols = 0;
  std::uint64_t points = 0;                 ///< number of points given, including the omitted (0, 0)
  std::vector<std::uint32_t> site_of_cell;  ///< rows×cols, row-major: the nearest site
  std::vector<std::uint32_t> cell_of_site;
  std::vector<std::uint32_t>
      first_of_site;                 ///< points of site s: order[first_of_site[s] … first_of_site[s+1])
  std::vector<std::uint32_t> order;  ///< points sorted by cell

  [[nodiscard]] std::size_t sites() const { return cell_of_site.size(); }
  /// The cell that contains signed frequency (u, v): row ⌊(u + ⌊m/2⌋)·rows/m⌋, column likewise.
  [[nodiscard]] std::size_t cell_at(std::int64_t u, std::int64_t v) const;
  /// The point nearest to (u, v) among those of the site of its cell.
  [[nodiscard]] std::size_t point_near(std::int64_t u, std::int64_t v, std::span<const std::int32_t> us,
                                       std::span<const std::int32_t> vs) const;
};

/// First index of cell k where `size` indices are divided among `cells`.
[[nodiscard]] constexpr std::uint64_t first_of_cell(std::uint64_t k, std::uint64_t size,
                                                    std::uint64_t cells) {
  return (k * size + cells - 1) / cells;
}

/// Makes the raster of the signed frequencies (u[k], v[k]), at least one, of an m×n plane; about 64 cells per
/// point. The point (0, 0) is omitted unless it is the only one: its coefficient K says nothing about its
/// neighbours.
[[nodiscard]] SiteRaster make_site_raster(std::uint64_t m, std::uint64_t n, std::span<const std::int32_t> u,
                                          std::span<const std::int32_t> v, JobContext& context);
/// Peak bytes of make_site_raster(), the result included.
[[nodiscard]] std::uint64_t site_raster_bytes(std::uint64_t m, std::uint64_t n, std::uint64_t points);

/// Returns, for every cell (rows×cols, row-major), the mean magnitude of its nearest site's points. `values`:
/// F at each point, in the order in which the points were given.
[[nodiscard]] std::vector<float> nearest_field(const SiteRaster& raster,
                                               std::span<const std::complex<float>> values);
/// Returns, for every cell, the discrete natural-neighbour interpolation of the sites' mean magnitudes. A
/// cell that contains a single point has the magnitude of that point. Shapes as in nearest_field(). The same
/// bits on any number of threads. Throws Failure{cancelled}.
[[nodiscard]] std::vector<float> natural_field(const SiteRaster& raster,
                                               std::span<const std::complex<float>> values,
                                               JobContext& context);

/// Frequencies without a grid.
struct ScatteredPoints {
  std::vector<std::int32_t> u;  ///< signed, ascending by (u, v), distinct
  std::vector<std::int32_t> v;
  /// coefficients that each point represents: clipped Voronoi areas, whose sum is mn
  std::vector<float> weight;
  std::shared_ptr<const SiteRaster> raster;

  [[nodiscard]] std::size_t count() const { return u.size(); }
  /// The range [first, second) of points in row u.
  [[nodiscard]] std::pair<std::size_t, std::size_t> row(std::int64_t signed_u) const;
};

}  // namespace spyctrum
