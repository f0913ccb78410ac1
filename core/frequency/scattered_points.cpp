// SPDX-License-Identifier: Apache-2.0
// Points are sorted by row, so that a row is a contiguous range.
#include "core/frequency/scattered_points.hpp"

#include <algorithm>

namespace spyctrum {

std::pair<std::size_t, std::size_t> ScatteredPoints::row(std::int64_t signed_u) const {
  const auto range = std::equal_range(u.begin(), u.end(), static_cast<std::int32_t>(signed_u));
  return {static_cast<std::size_t>(range.first - u.begin()),
          static_cast<std::size_t>(range.second - u.begin())};
}

}  // namespace spyctrum
