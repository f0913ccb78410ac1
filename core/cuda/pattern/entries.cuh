// SPDX-License-Identifier: Apache-2.0
// A loop over the entries of a pattern in compressed columns, one warp for each column.
#pragma once

#include <cstdint>

#include "core/cuda/pattern/device_columns.hpp"

namespace spyctrum::cuda {

inline constexpr unsigned kEntryThreads = 256;

inline unsigned entry_blocks(std::uint64_t columns) {
  return static_cast<unsigned>((columns * 32 + kEntryThreads - 1) / kEntryThreads);
}

/// Calls work(row index, slot of the column) for every entry of the column slots first … first+count−1. The
/// kernel must be launched with entry_blocks(count) blocks of kEntryThreads threads.
template <class Work>
__device__ void for_each_entry(const DeviceColumns& columns, std::uint64_t first, std::uint64_t count,
                               Work work) {
  const std::uint64_t warp = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (warp >= count) return;
  const std::uint64_t slot = first + warp;
  const std::int64_t end = columns.starts[slot + 1];
  for (std::int64_t t = columns.starts[slot] + threadIdx.x % 32; t < end; t += 32)
    work(columns.narrow ? static_cast<const std::uint16_t*>(columns.rows)[t]
                        : static_cast<const std::uint32_t*>(columns.rows)[t],
         slot);
}

}  // namespace spyctrum::cuda
