// SPDX-License-Identifier: Apache-2.0
// The entries that a column of the comparison shows, and their order.
#pragma once

#include <cstdint>
#include <string>

namespace spyctrum {

/// The entries of a column and their order: the matrix as it is; only the entries in the selected region; or
/// all entries with rows and columns in another order.
struct Arrangement {
  enum class Kind { matrix, region, reordered };
  Kind kind = Kind::matrix;
  std::string order;       ///< reordered: an id of orders()
  std::uint64_t seed = 1;  ///< reordered: of the random order
  friend bool operator==(const Arrangement&, const Arrangement&) = default;
};

}  // namespace spyctrum
