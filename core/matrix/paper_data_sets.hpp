// SPDX-License-Identifier: Apache-2.0
// The data sets of the paper's Table 1 by name and size. Where one of them is not at hand, a generated matrix
// of the same n and K stands in for it, and says so.
#pragma once

#include <cstdint>
#include <vector>

namespace spyctrum {

struct PaperDataSet {
  const char* name;         ///< "Wiki-CS"
  const char* shared_name;  ///< file name without ending under which it is known here; "" when never
  std::uint64_t nodes;      ///< n = m
  std::int64_t edges;       ///< K
};

/// All fifteen, by n.
[[nodiscard]] const std::vector<PaperDataSet>& paper_data_sets();

}  // namespace spyctrum
