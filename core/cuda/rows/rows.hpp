// SPDX-License-Identifier: Apache-2.0
// Algorithms 1 and 2 on the device: tiles of row frequencies on two streams.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// See Module::rows(). The device is the calling thread's.
Timing run_rows(const RowTask& task, RowReceiver* receiver, Host& host);

}  // namespace spyctrum::cuda
