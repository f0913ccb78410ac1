// SPDX-License-Identifier: Apache-2.0
// Frequencies that form no grid, with the number of coefficients of the plane that each represents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/frequency/site_raster.hpp"

namespace spyctrum {

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
