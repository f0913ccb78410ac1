// SPDX-License-Identifier: Apache-2.0
// The BS-FFT paper's Algorithms 1 and 2 on the device: tiles of rows on two streams.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// Module::rows() on the calling thread's device.
Timing run_rows(const RowTask& task, RowReceiver* receiver, Host& host);

}  // namespace spyctrum::cuda
