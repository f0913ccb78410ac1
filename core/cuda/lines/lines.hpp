// SPDX-License-Identifier: Apache-2.0
// Powers of all lines of a direction, and sums over chosen lines of the plane.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// Module::line_powers() and Module::line_sums() on the calling thread's device.
Timing run_line_powers(const LinePowersTask& task, Host& host);
Timing run_line_sums(const LineSumsTask& task, Host& host);

}  // namespace spyctrum::cuda
