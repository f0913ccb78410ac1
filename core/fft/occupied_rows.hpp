// SPDX-License-Identifier: Apache-2.0
// Tables over rows are kept for the active rows only. A slot is the position of a
// row in row_counts().ids.
#pragma once

#include <vector>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The slot of every nonzero's row, in the order of row_indices().
[[nodiscard]] std::vector<Index> row_slots(const SparsePattern& pattern);

}  // namespace spyctrum
