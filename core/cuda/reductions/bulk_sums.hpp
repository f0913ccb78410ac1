// SPDX-License-Identifier: Apache-2.0
// Sums over the bulk: samples that are on no chosen line and at most at the threshold of power.
#pragma once

#include "core/cuda/reductions/coefficient_sums.hpp"
#include "core/cuda/reductions/device_masks.hpp"
#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

/// A BulkReduction whose rows are added tile by tile; finish() adds the sums of the rows.
class BulkSums {
 public:
  BulkSums(Host& host, const BulkReduction& task);
  /// Adds rows first … first+count−1 of the task, `width` values each, on any stream.
  void add(const float2* rows, std::uint32_t count, std::uint64_t first, cudaStream_t stream);
  /// Writes the result; the work on every stream must have ended.
  void finish();

 private:
  Host& host_;
  BulkReduction task_;
  DeviceMasks masks_;
  DeviceBuffer<LineRequest> lines_;
  DeviceBuffer<std::uint32_t> along_;
  DeviceBuffer<MomentSums> slots_;  ///< [rows + 1]: of each row, then their sum
};

}  // namespace spyctrum::cuda
