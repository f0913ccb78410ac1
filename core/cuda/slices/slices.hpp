// SPDX-License-Identifier: Apache-2.0
// Projection slices on the device.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// Module::slices() on the current device.
[[nodiscard]] Slices* make_slices(int device, const SliceSpec& spec, Host& host);

}  // namespace spyctrum::cuda
