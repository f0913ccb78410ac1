// SPDX-License-Identifier: Apache-2.0
// Slots by a table over all rows, or by bisection if that table would be much longer than the list of
// entries.
#include "core/fft/occupied_rows.hpp"

#include <algorithm>

namespace spyctrum {

std::vector<Index> row_slots(const SparsePattern& pattern) {
  const auto rows = pattern.row_indices();
  const auto& ids = pattern.row_counts().ids;
  std::vector<Index> slots(rows.size());
  if (pattern.rows() / 8 <= rows.size()) {
    std::vector<Index> position(pattern.rows());
    for (std::size_t s = 0; s < ids.size(); ++s) position[ids[s]] = static_cast<Index>(s);
    std::transform(rows.begin(), rows.end(), slots.begin(), [&](Index i) { return position[i]; });
  } else {
    std::transform(rows.begin(), rows.end(), slots.begin(), [&](Index i) {
      return static_cast<Index>(std::lower_bound(ids.begin(), ids.end(), i) - ids.begin());
    });
  }
  return slots;
}

}  // namespace spyctrum
