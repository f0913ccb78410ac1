// SPDX-License-Identifier: Apache-2.0
// The chosen lines of each direction as masks on the device.
#pragma once

#include "core/cuda/runtime/device_memory.hpp"
#include "core/device/interface/lines.hpp"

namespace spyctrum::cuda {

/// A copy of host LineMasks on the device.
class DeviceMasks {
 public:
  DeviceMasks(Host& host, const LineMasks& masks, std::uint64_t m, std::uint64_t n) {
    for (std::size_t d = 0; d < kPlaneLines; ++d)
      if (masks.of[d] != nullptr) of_[d] = upload(host, masks.of[d], d == 0 ? m : n, "chosen lines");
  }
  [[nodiscard]] LineMasks view() const {
    LineMasks masks;
    for (std::size_t d = 0; d < kPlaneLines; ++d) masks.of[d] = of_[d].get();
    return masks;
  }

 private:
  DeviceBuffer<std::uint8_t> of_[kPlaneLines];
};

}  // namespace spyctrum::cuda
