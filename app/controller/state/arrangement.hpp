// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spyctrum {

/// Which entries a column is of, and in what order: the matrix as it is; the selected region of it alone; or
/// all of it with rows and columns in another order.
struct Arrangement {
  enum class Kind { matrix, region, reordered };

}  // namespace spyctrum
