// SPDX-License-Identifier: Apache-2.0
// The pruned blockwise transform on the device.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// Module::pruned().
Timing run_pruned(const PrunedTask& task, float* values, Host& host);

}  // namespace spyctrum::cuda
