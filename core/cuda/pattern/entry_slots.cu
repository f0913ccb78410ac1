// SPDX-License-Identifier: Apache-2.0
// One warp for each column writes the slots of its entries.
#include "core/cuda/pattern/entry_slots.hpp"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

__global__ void column_slots(const std::int64_t* __restrict__ starts, std::uint64_t col_slots,
                             std::uint32_t* slots) {
  const std::uint64_t slot = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (slot >= col_slots) return;
  const std::int64_t end = starts[slot + 1];
  for (std::int64_t t = starts[slot] + threadIdx.x % 32; t < end; t += 32)
    slots[t] = static_cast<std::uint32_t>(slot);
}

}  // namespace

cudaError_t launch_column_slots(const std::int64_t* starts, std::uint64_t col_slots, std::uint32_t* slots,
                                cudaStream_t stream) {
  if (col_slots == 0) return cudaSuccess;
  return launch(column_slots, blocks_for(col_slots * 32), kThreads, stream, starts, col_slots, slots);
}

}  // namespace spyctrum::cuda
