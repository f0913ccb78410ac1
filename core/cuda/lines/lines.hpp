// SPDX-License-Identifier: Apache-2.0
// Whole lines of the plane on the device: what the decoder of Elastic's features knows exactly.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// See Module::line_powers() and Module::line_sums(). The device is the calling thread's.
Timing run_line_powers(const LinePowersTask& task, Host& host);
Timing run_line_sums(const LineSumsTask& task, Host& host);

}  // namespace spyctrum::cuda
