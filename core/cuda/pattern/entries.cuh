// SPDX-License-Identifier: Apache-2.0
// The entries of compressed columns, a loop over them with one warp for each column, and weights as integers.
#pragma once

#include <cstdint>

#include "core/cuda/pattern/device_columns.hpp"

namespace spyctrum::cuda {

inline constexpr unsigned kEntryThreads = 256;

inline unsigned entry_blocks(std::uint64_t columns) {
  return static_cast<unsigned>((columns * 32 + kEntryThreads - 1) / kEntryThreads);
}

/// The row index of an entry.
__device__ inline std::uint32_t row_of(const DeviceColumns& columns, std::int64_t entry) {
  return columns.narrow ? static_cast<const std::uint16_t*>(columns.rows)[entry]
                        : static_cast<const std::uint32_t*>(columns.rows)[entry];
}
__device__ inline float weight_of(const DeviceColumns& columns, std::int64_t entry) {
  return columns.weights != nullptr ? columns.weights[entry] : 1.0F;
}

/// Calls work(row index, slot of the column, weight) for every entry of the column slots
/// first … first+count−1. The kernel must be launched with entry_blocks(count) blocks of kEntryThreads
/// threads.
template <class Work>
__device__ void for_each_entry(const DeviceColumns& columns, std::uint64_t first, std::uint64_t count,
                               Work work) {
  const std::uint64_t warp = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (warp >= count) return;
  const std::uint64_t slot = first + warp;
  const std::int64_t end = columns.starts[slot + 1];
  for (std::int64_t t = columns.starts[slot] + threadIdx.x % 32; t < end; t += 32)
    work(row_of(columns, t), slot, weight_of(columns, t));
}

/// Weights are added as integers in units of 2^−29, in any order. A sum of K < 2^32 weights fits in 64 bits:
/// with Σw² < 4K (SparsePattern::with_weights()) it is below 2K·2^29 < 2^62.
inline constexpr double kWeightUnit = 1.0 / (1 << 29);

__device__ inline void add_weight(unsigned long long* sum, float weight) {
  atomicAdd(sum, static_cast<unsigned long long>(__double2ll_rn(static_cast<double>(weight) / kWeightUnit)));
}

/// The value of a sum of add_weight().
__device__ inline double weight_sum(unsigned long long sum) {
  return static_cast<double>(static_cast<long long>(sum)) * kWeightUnit;
}

}  // namespace spyctrum::cuda
