// SPDX-License-Identifier: Apache-2.0
// Frequencies that form no grid: the place of each in the plane and the number of coefficients that it
// represents.
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
  std::vector<float> weight;  ///< coefficients that each represents: clipped Voronoi areas, sum mn
  std::shared_ptr<const SiteRaster> raster;

  [[nodiscard]] std::size_t count() const { return u.size(); }
  /// The range [first, second) of points in row u.
  [[nodiscard]] std::pair<std::size_t, std::size_t> row(std::int64_t signed_u) const;
};

}  // namespace spyctrum
