// SPDX-License-Identifier: Apache-2.0
// Uploads the masks of the directions that have chosen lines.
#include "core/cuda/reductions/device_masks.hpp"

namespace spyctrum::cuda {

DeviceMasks::DeviceMasks(Host& host, const LineMasks& masks, std::uint64_t m, std::uint64_t n) {
  for (std::size_t d = 0; d < kPlaneLines; ++d)
    if (masks.of[d] != nullptr) of_[d] = upload(host, masks.of[d], d == 0 ? m : n, "chosen lines");
}

LineMasks DeviceMasks::view() const {
  LineMasks masks;
  for (std::size_t d = 0; d < kPlaneLines; ++d) masks.of[d] = of_[d].get();
  return masks;
}

}  // namespace spyctrum::cuda
