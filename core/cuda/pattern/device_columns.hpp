// SPDX-License-Identifier: Apache-2.0
// A sparse matrix as kernels read it: compressed columns, without empty ones.
#pragma once

#include <cstdint>

namespace spyctrum::cuda {

/// The entries begin … end−1 of a column or, if end < 0, the pieces begin … −end−1 of a long column
/// (inner_sums.hpp).
struct ColumnRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// All pointers are the device's.
struct DeviceColumns {
  const void* rows = nullptr;      ///< row indices: 16 bits each if `narrow`, else 32
  bool narrow = false;             ///< m ≤ 2^16, and no weights
  const float* weights = nullptr;  ///< of the entries; null: every entry counts as 1
  const std::uint32_t* ids = nullptr;
  const std::int64_t* starts = nullptr;  ///< [active + 1]
  std::uint32_t active = 0;
  std::uint64_t m = 1;
  std::uint64_t reciprocal = 0;         ///< ⌊2^64/m⌋ mod 2^64
  std::uint64_t n = 0;                  ///< columns, empty ones included
  const ColumnRange* ranges = nullptr;  ///< [n], by position in a row of inner sums; only for inner sums
};

// A sparse matrix as a list of entries. A slot is the number of a row or column among those with entries.

/// The slots of the row and the column of every entry, in the order of compressed columns.
struct EntrySlots {
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* cols = nullptr;
  std::uint64_t entries = 0;
  const float* weights = nullptr;  ///< [entries]; null: every entry counts as 1
};

}  // namespace spyctrum::cuda
