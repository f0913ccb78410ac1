// SPDX-License-Identifier: Apache-2.0
// A sparse matrix as a list of entries. A slot is the number of a row or column among those with
// entries.
#pragma once

#include <cstdint>

namespace spyctrum::cuda {

/// The slots of the row and the column of every entry, in the order of compressed columns.
struct EntrySlots {
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* cols = nullptr;
  std::uint64_t entries = 0;
  const float* weights = nullptr;  ///< [entries]; null: every entry counts as 1
};

}  // namespace spyctrum::cuda
