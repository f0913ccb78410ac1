// SPDX-License-Identifier: Apache-2.0
// Powers of all lines of a direction, and sums over chosen lines of the plane.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// See Module::line_powers() and Module::line_sums(). The device is the calling thread's.
Timing run_line_powers(const LinePowersTask& task, Host& host);
Timing run_line_sums(const LineSumsTask& task, Host& host);

}  // namespace spyctrum::cuda
