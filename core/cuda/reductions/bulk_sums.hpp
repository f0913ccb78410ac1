// SPDX-License-Identifier: Apache-2.0
// Chosen lines on the device, and the samples that are on none of them.
#pragma once

#include "core/cuda/lines/line_kernels.hpp"
#include "core/cuda/runtime/runtime.hpp"

namespace spyctrum::cuda {

/// LineMasks on the device.
class DeviceMasks {
 public:
  DeviceMasks(Host& host, const LineMasks& masks, std::uint64_t m, std::uint64_t n);
  [[nodiscard]] LineMasks view() const;

 private:
  DeviceBuffer<std::uint8_t> of_[kPlaneLines];
};

/// BulkReduction of rows that come in tiles; every row has sums of its own until the end.
class BulkSums {
 public:
  BulkSums(Host& host, const BulkReduction& task);
  /// Rows first … first+count−1 of the task, `width` values each, on any stream.
  void add(const float2* rows, std::uint32_t count, std::uint64_t first, cudaStream_t stream);
  /// Writes the result; every stream must have been waited for.
  void finish();

 private:
  Host& host_;
  BulkReduction task_;
  DeviceMasks masks_;
  DeviceBuffer<LineRequest> lines_;
  DeviceBuffer<std::uint32_t> along_;
  DeviceBuffer<CellSums> slots_;  ///< [rows], then their sum
};

}  // namespace spyctrum::cuda
