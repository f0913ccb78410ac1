// SPDX-License-Identifier: Apache-2.0
// A sparse matrix as a list of entries. A slot is the number of a row or column among those with
// entries.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace spyctrum::cuda {

/// The slots of the row and the column of every entry, in the order of compressed columns.
struct EntrySlots {
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* cols = nullptr;
  std::uint64_t entries = 0;
  const float* weights = nullptr;  ///< [entries]; null: every entry counts as 1
};

/// slots[t] = column slot of entry t, from the starts of compressed columns, [col_slots + 1].
cudaError_t launch_column_slots(const std::int64_t* starts, std::uint64_t col_slots, std::uint32_t* slots,
                                cudaStream_t stream);

}  // namespace spyctrum::cuda
