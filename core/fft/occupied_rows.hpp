// SPDX-License-Identifier: Apache-2.0
// Tables over rows hold only the occupied rows, those with at least one entry. The slot of a row is its
// position in the ascending list of occupied rows, SparsePattern::row_counts().ids.
#pragma once

#include <vector>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Returns for every entry, in the order of row_indices(), the slot of its row.
[[nodiscard]] std::vector<Index> row_slots(const SparsePattern& pattern);

}  // namespace spyctrum
