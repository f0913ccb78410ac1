// SPDX-License-Identifier: Apache-2.0
// Uploads the entries as pairs of slots; column slots are made on the device, those of a column by one warp.
#include "core/cuda/pattern/resident_pattern.hpp"

#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

/// slots[t] = column slot of entry t, from the starts of compressed columns, [col_slots + 1].
__global__ void column_slots(const std::int64_t* __restrict__ starts, std::uint64_t col_slots,
                             std::uint32_t* slots) {
  const std::uint64_t slot = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (slot >= col_slots) return;
  const std::int64_t end = starts[slot + 1];
  for (std::int64_t t = starts[slot] + threadIdx.x % 32; t < end; t += 32)
    slots[t] = static_cast<std::uint32_t>(slot);
}

}  // namespace

ResidentPattern::ResidentPattern(Host& host, const PatternView& pattern, const std::uint32_t* row_ids,
                                 std::uint64_t row_slots, cudaStream_t stream)
    : rows_(host, pattern.nonzeros * sizeof(std::uint32_t), "row slots", stream),
      cols_(host, pattern.nonzeros * sizeof(std::uint32_t), "column slots", stream),
      row_ids_(host, row_slots * sizeof(std::uint32_t), "row ids", stream),
      col_ids_(host, pattern.active * sizeof(std::uint32_t), "column ids", stream),
      weights_(host, pattern.weights != nullptr ? pattern.nonzeros * sizeof(float) : 0, "weights", stream),
      entries_(pattern.nonzeros),
      row_slots_(row_slots),
      col_slots_(pattern.active),
      m_(pattern.rows),
      n_(pattern.cols) {
  copy_to_device(host, rows_.as<std::uint32_t>(), pattern.row_indices, entries_, stream, "row slots");
  if (pattern.weights != nullptr)
    copy_to_device(host, weights_.as<float>(), pattern.weights, entries_, stream, "weights");
  copy_to_device(host, row_ids_.as<std::uint32_t>(), row_ids, row_slots, stream, "row ids");
  copy_to_device(host, col_ids_.as<std::uint32_t>(), pattern.column_ids, col_slots_, stream, "column ids");
  const DeviceBuffer<std::int64_t> starts(host, col_slots_ + 1, "column starts", stream);
  copy_to_device(host, starts.get(), pattern.column_starts, col_slots_ + 1, stream, "column starts");
  check(host,
        launch_threads(column_slots, col_slots_ * 32, stream, starts.get(), col_slots_,
                       cols_.as<std::uint32_t>()),
        "column slots");
}

void ResidentPattern::finish_upload() {
  for (ResidentBuffer* buffer : {&rows_, &cols_, &row_ids_, &col_ids_, &weights_}) buffer->finish_upload();
}

}  // namespace spyctrum::cuda
