// SPDX-License-Identifier: Apache-2.0
// The sparse matrix of one job on the device, in compressed columns without empty ones.
#pragma once

#include <cstdint>

#include "core/cuda/pattern/device_columns.hpp"
#include "core/cuda/runtime/device_memory.hpp"
#include "core/device/interface/host.hpp"

namespace spyctrum::cuda {

/// ⌊2^64/m⌋ mod 2^64, for fraction_of() (phase.cuh).
[[nodiscard]] std::uint64_t reciprocal_of(std::uint64_t m);

/// The arrays of a DeviceColumns without `ranges`.
class DevicePattern {
 public:
  DevicePattern(Host& host, const PatternView& pattern);
  [[nodiscard]] const DeviceColumns& columns() const { return columns_; }

 private:
  DeviceBuffer<std::uint16_t> narrow_rows_;
  DeviceBuffer<std::uint32_t> wide_rows_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<std::uint32_t> ids_;
  DeviceBuffer<std::int64_t> starts_;
  DeviceColumns columns_;
};

}  // namespace spyctrum::cuda
