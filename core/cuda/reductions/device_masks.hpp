// SPDX-License-Identifier: Apache-2.0
// The chosen lines of each direction as masks on the device.
#pragma once

#include "core/cuda/runtime/device_memory.hpp"
#include "core/device/interface/lines.hpp"

namespace spyctrum::cuda {

/// A copy of host LineMasks on the device.
class DeviceMasks {
 public:
  DeviceMasks(Host& host, const LineMasks& masks, std::uint64_t m, std::uint64_t n);
  [[nodiscard]] LineMasks view() const;

 private:
  DeviceBuffer<std::uint8_t> of_[kPlaneLines];
};

}  // namespace spyctrum::cuda
